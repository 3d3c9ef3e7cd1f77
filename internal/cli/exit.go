package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
)

type ExitError struct {
	Code int
	Err  error // printed before the exit, can be nil
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
	// exitInterrupted and exitPipe are the exit codes that shells report after SIGINT and SIGPIPE. A pipe that closes
	// early can hide a verdict, so it is no success.
	exitInterrupted = 130
	exitPipe        = 141
)

type UsageError struct{ error }

func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

func (a *App) Exit(err error) int {
	var usage UsageError
	var end *ExitError
	name := cmp.Or(a.Name, "profarc")
	switch {
	case errors.As(err, &end):
		if end.Err != nil {
			fmt.Fprintf(a.ErrOut, "%s: %s\n", name, Message(end.Err, a.Advice))
		}
		return end.Code
	case err == nil:
		return ExitOK
	case errors.Is(err, errPipe):
		return exitPipe
	case errors.As(err, &usage) || !a.Running:
		fmt.Fprintf(a.ErrOut, "%s: %s (see %s --help)\n", name, OneLine(err.Error()), cmp.Or(a.command, name))
		return exitUsage
	}
	fmt.Fprintf(a.ErrOut, "%s: %s\n", name, Message(err, a.Advice))
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return ExitFailure
}

// Message formats an error with advice for users and without names of packages and calls. more returns further
// advice, which takes precedence. It can be nil.
func Message(err error, more func(error) string) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var parts []string
		for _, e := range joined.Unwrap() {
			parts = append(parts, Message(e, more))
		}
		return strings.Join(parts, "; ")
	}
	text := OneLine(err.Error())
	for _, prefix := range []string{"builder: ", "publish "} {
		text = strings.TrimPrefix(text, prefix)
	}
	if path, ok := err.(*fs.PathError); ok {
		text = OneLine(path.Path + ": " + path.Err.Error())
	}
	var advised interface{ HasAdvice() bool }
	if errors.As(err, &advised) && advised.HasAdvice() {
		return text
	}
	advice := ""
	if more != nil {
		advice = more(err)
	}
	advice = cmp.Or(advice, fileAdvice.For(err))
	if advice != "" {
		return text + ": " + advice
	}
	return text
}

// OneLine joins the lines of text with semicolons. File names can contain line feeds.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "; ")
}

// Advice maps sentinel errors to advice for users. The first match applies.
type Advice []struct {
	Sentinel error
	Text     string
}

func (a Advice) For(err error) string {
	for _, row := range a {
		if errors.Is(err, row.Sentinel) {
			return row.Text
		}
	}
	return ""
}

var fileAdvice = Advice{
	{fs.ErrNotExist, "check the name"},
	{syscall.EISDIR, "name the files in it"},
	{fs.ErrPermission, "check who may read and write it"},
	{layout.ErrTruncated, "copy the archive again"},
	{layout.ErrCorrupt, "copy the archive again, or import its source again"},
	{layout.ErrFormat, "name an archive, or make one with profarc import"},
	{archive.ErrClosed, "open it again"},
	{errFull, "make room, then try again"},
}
