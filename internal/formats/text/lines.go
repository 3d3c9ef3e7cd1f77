package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lines gives a text line by line. A line may be of any length.
type lines struct {
	r      *bufio.Reader
	long   []byte // a line that is longer than the buffer of r
	number int    // of the line that was read last, from 1
}

const lineBuffer = 1 << 16

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, lineBuffer)} }

// next gives the next line without its end, valid until the next call. The
// error is io.EOF behind the last line, which need not have an end.
func (l *lines) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = l.r.ReadSlice('\n')
			l.long = append(l.long, line...)
		}
		line = l.long
	}
	if err != nil && (err != io.EOF || len(line) == 0) {
		return nil, err
	}
	l.number++
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), nil
}
