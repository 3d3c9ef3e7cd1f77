package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/profarc/profarc/internal/escape"
)

// The streams of a process: plain ones, which escape what a terminal would
// obey, and the raw ones below them. Raw are the formats of other tools, which
// must keep their bytes, and what moves the cursor of a terminal.
type streams struct {
	plainOut, plainErr       *escape.Writer
	rawOut, rawErr           io.Writer
	outTerminal, errTerminal bool // somebody watches
}

// isOutput reports whether a path leads to the standard output, as /dev/stdout
// does.
func (s *streams) isOutput(path string) bool {
	out, isFile := s.rawOut.(*os.File)
	if !isFile {
		return false
	}
	there, err1 := os.Stat(path)
	here, err2 := out.Stat()
	return err1 == nil && err2 == nil && os.SameFile(there, here)
}

// processStreams returns the standard streams.
func processStreams() streams {
	return streams{
		plainOut: escape.NewWriter(os.Stdout), plainErr: escape.NewWriter(os.Stderr),
		rawOut: os.Stdout, rawErr: os.Stderr,
		outTerminal: term.IsTerminal(int(os.Stdout.Fd())), errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}
