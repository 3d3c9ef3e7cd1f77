package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
)

// An ExitError is how train ends: with an exit code that is mostly the command's.
type ExitError struct {
	Code int
	Err  error // train's own, nil if there is none
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// Exit codes.
const (
	ExitOK      = 0
	ExitFailure = 1
	exitUsage   = 2
)

// An UsageError says that the command was called in a wrong way.
type UsageError struct{ error }

// Usagef makes a usageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Exit prints err as one line and gives the exit code that belongs to it.
func (a *App) Exit(err error) int {
	var usage UsageError
	var end *ExitError
	switch {
	case errors.As(err, &end):
		if end.Err != nil {
			fmt.Fprintf(a.ErrOut, "profarc: %s\n", Message(end.Err))
		}
		return end.Code
	case err == nil || errors.Is(err, syscall.EPIPE):
		return ExitOK
	case errors.As(err, &usage) || !a.Running:
		fmt.Fprintf(a.ErrOut, "profarc: %s (see profarc --help)\n", OneLine(err.Error()))
		return exitUsage
	}
	fmt.Fprintf(a.ErrOut, "profarc: %s\n", Message(err))
	return ExitFailure
}

// Message is what a user reads of an error: what is wrong, and what to do.
func Message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var parts []string
		for _, e := range joined.Unwrap() {
			parts = append(parts, Message(e))
		}
		return strings.Join(parts, "; ")
	}
	text := OneLine(err.Error())
	for _, of := range []string{"builder: ", "publish "} { // users know of no packages and calls
		text = strings.TrimPrefix(text, of)
	}
	if path, ok := err.(*fs.PathError); ok {
		text = OneLine(path.Path + ": " + path.Err.Error())
	}
	var advised interface{ HasAdvice() bool }
	if errors.As(err, &advised) && advised.HasAdvice() {
		return text
	}
	for _, a := range advice {
		if errors.Is(err, a.of) {
			return text + ": " + a.text
		}
	}
	return text
}

// advice is what to do about errors that do not say so themselves; the first
// that fits is given.
var advice = []struct {
	of   error
	text string
}{
	{fs.ErrNotExist, "check the name"},
	{syscall.EISDIR, "name the files in it"},
	{fs.ErrPermission, "check who may read and write it"},
	{layout.ErrTruncated, "copy the archive again"},
	{layout.ErrCorrupt, "copy the archive again, or import its source again"},
	{layout.ErrFormat, "name an archive, or make one with profarc import"},
	{archive.ErrClosed, "open it again"},
	{syscall.ENOSPC, "make room, then try again"},
}

// OneLine puts the lines of joined errors, and those that a file name forges, into
// one.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "; ")
}
