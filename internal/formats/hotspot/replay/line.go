package replay

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/profarc/profarc/internal/formats/hotspot"
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
	in   *bufio.Reader
	next line
}

func newLineReader(r io.Reader, name string) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, 1<<16), next: line{name: name, number: 1}}
}

// read gives the next line, io.EOF behind the last. whole is false for a line
// without an end, which may be cut off.
func (r *lineReader) read() (l line, whole bool, err error) {
	text, err := r.in.ReadBytes('\n')
	if len(text) == 0 {
		return r.next, false, err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return r.next, false, err
	}
	l = r.next
	r.next.number++
	r.next.offset += int64(len(text))
	if whole = text[len(text)-1] == '\n'; whole {
		text = text[:len(text)-1]
	}
	l.text = []byte(strings.TrimSuffix(string(text), "\r"))
	return l, whole, nil
}

// cut is the error of a file that ends here.
func (l *line) cut() error {
	return &hotspot.TextError{Name: l.name, Line: l.number, Offset: l.offset, Kind: ErrCut}
}
