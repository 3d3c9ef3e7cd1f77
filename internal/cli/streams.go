package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/profarc/profarc/internal/names/escape"
)

// Streams are the output streams of a process. The plain ones escape what a
// terminal would obey. The raw ones below them are for formats of other tools,
// which must keep their bytes, and for moving the cursor of a terminal.
type Streams struct {
	PlainOut, PlainErr       *escape.Writer
	RawOut, RawErr           io.Writer
	OutTerminal, ErrTerminal bool // the stream is a terminal
}

// IsOutput reports whether path leads to the standard output, as /dev/stdout does.
func (s *Streams) IsOutput(path string) bool {
	out, isFile := s.RawOut.(*os.File)
	if !isFile {
		return false
	}
	there, err1 := os.Stat(path)
	here, err2 := out.Stat()
	return err1 == nil && err2 == nil && os.SameFile(there, here)
}

// ProcessStreams returns the standard streams.
func ProcessStreams() Streams {
	return Streams{
		PlainOut: escape.NewWriter(os.Stdout), PlainErr: escape.NewWriter(os.Stderr),
		RawOut: os.Stdout, RawErr: os.Stderr,
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())), ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}
