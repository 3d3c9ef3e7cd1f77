package replay

import (
	"bytes"
	"io"

	"github.com/profarc/profarc/formats/hotspot"
	"github.com/profarc/profarc/internal/limit"
)

// A line is one line of a file, without its end.
type line struct {
	name   string // of the file
	number int    // from 1
	offset int64  // of the first byte in the file
	text   []byte
}

// A lineReader cuts a file into lines.
type lineReader struct {
	in   *limit.LineReader
	name string // of the file
}

func newLineReader(r io.Reader, name string) *lineReader {
	return &lineReader{in: limit.NewLineReader(r), name: name}
}

// read gives the next line, io.EOF behind the last. whole is false for a line
// without an end, which may be cut off.
func (r *lineReader) read() (l line, whole bool, err error) {
	text, err := r.in.Read()
	l = line{name: r.name, number: r.in.Number, offset: r.in.Offset}
	exceeded, tooLong := err.(*limit.Error)
	switch {
	case tooLong: // a reader's own limit stays as it is
		err = &hotspot.TextError{Name: l.name, Line: l.number, Offset: l.offset, Kind: exceeded}
	case err == io.EOF:
		l.number++ // there is none
	case err == nil:
		l.text = bytes.Clone(text)
	}
	return l, r.in.Whole, err
}

// cut is the error of a file that ends here.
func (l *line) cut() error {
	return &hotspot.TextError{Name: l.name, Line: l.number, Offset: l.offset, Kind: ErrCut}
}
