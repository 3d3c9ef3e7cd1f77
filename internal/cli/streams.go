package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/profarc/profarc/internal/names/escape"
)

// Streams are the output streams of a process. Plain streams escape control sequences and write to the raw ones.
// Raw streams are for the formats of other tools and for progress bars.
type Streams struct {
	PlainOut, PlainErr       *escape.Writer
	RawOut, RawErr           io.Writer
	OutTerminal, ErrTerminal bool
}

// IsOutput reports whether path is the file of the standard output, such as /dev/stdout.
func (s *Streams) IsOutput(path string) bool {
	out, isFile := s.RawOut.(*os.File)
	if !isFile {
		return false
	}
	pathInfo, err1 := os.Stat(path)
	outInfo, err2 := out.Stat()
	return err1 == nil && err2 == nil && os.SameFile(pathInfo, outInfo)
}

func ProcessStreams() Streams {
	return Streams{
		PlainOut: escape.NewWriter(os.Stdout), PlainErr: escape.NewWriter(os.Stderr),
		RawOut: os.Stdout, RawErr: os.Stderr,
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())), ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}
