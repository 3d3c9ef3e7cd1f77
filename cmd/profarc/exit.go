package main

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

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// A usageError says that the command was called in a wrong way.
type usageError struct{ error }

// usagef makes a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exit prints err as one line and gives the exit code that belongs to it.
func (a *app) exit(err error) int {
	var usage usageError
	var end *commandEnd
	switch {
	case errors.As(err, &end):
		if end.err != nil {
			fmt.Fprintf(a.errOut, "profarc: %s\n", message(end.err))
		}
		return end.code
	case err == nil || errors.Is(err, syscall.EPIPE):
		return exitOK
	case errors.As(err, &usage) || !a.running:
		fmt.Fprintf(a.errOut, "profarc: %s (see profarc --help)\n", oneLine(err.Error()))
		return exitUsage
	}
	fmt.Fprintf(a.errOut, "profarc: %s\n", message(err))
	return exitFailure
}

// message is what a user reads of an error: what is wrong, and what to do.
func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var parts []string
		for _, e := range joined.Unwrap() {
			parts = append(parts, message(e))
		}
		return strings.Join(parts, "; ")
	}
	text := oneLine(err.Error())
	for _, of := range []string{"builder: ", "publish "} { // users know of no packages and calls
		text = strings.TrimPrefix(text, of)
	}
	if path, ok := err.(*fs.PathError); ok {
		text = oneLine(path.Path + ": " + path.Err.Error())
	}
	if advises(text) {
		return text
	}
	for _, a := range advice {
		if errors.Is(err, a.of) {
			return text + ": " + a.text
		}
	}
	return text
}

// advises reports whether an error says already what to do: most say that it is
// to be done again, others name a command or what is to be named.
func advises(text string) bool {
	for _, words := range []string{" again", "with profarc ", "see profarc ", "run profarc ", "name a", "use a newer profarc", "create the folder first"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
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

// oneLine puts the lines of joined errors, and those that a file name forges, into
// one.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "; ")
}
