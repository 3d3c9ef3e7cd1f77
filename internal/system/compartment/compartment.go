// Package compartment isolates failures. A panic or hang in work on a foreign process or file does not end the
// program or other work.
package compartment

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"strings"
)

// A Defect is a panic of this program, which is a bug whatever the input was.
type Defect struct {
	Doing string // operation in progress and its object, for instance a method
	Place string // FILE:LINE of the innermost function of this module
	Panic any
	Stack string // stack trace for a bug report
}

func (d *Defect) Error() string {
	return fmt.Sprintf("a defect of profarc, while it %s (%s: %v): report it with this line and the JVM's release; "+
		"run the program again with -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData to import its profiles as text",
		d.Doing, d.Place, d.Panic)
}

// Run calls work and returns its error, or a Defect if it panics. doing describes the work and is called only then.
func Run(doing func() string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Defect{Doing: doing(), Place: panicLocation(), Panic: p, Stack: stackText()}
		}
	}()
	return work()
}

// RunUntil is Run, but returns when ctx ends even if work does not, since a process can block system calls that read
// it. work must therefore end with ctx and must not write to memory that its caller shares.
func RunUntil[T any](ctx context.Context, doing func() string, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		r.err = Run(doing, func() (err error) {
			r.value, err = work()
			return err
		})
		done <- r
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

func panicLocation() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	panicked := false
	for {
		f, more := frames.Next()
		if panicked && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return "unknown place"
		}
	}
}

// maxStack limits the text of a stack, which deep recursions would make huge.
const maxStack = 1 << 16

func stackText() string {
	b := make([]byte, maxStack)
	return string(b[:runtime.Stack(b, false)])
}
