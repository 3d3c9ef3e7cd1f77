package limit

import (
	"bufio"
	"errors"
	"io"
)

// A LineReader reads lines of at most Line bytes.
type LineReader struct {
	// Number is of the line that was read last, from 1; Offset is where it begins,
	// and Whole reports whether it has an end.
	Number int
	Offset int64
	Whole  bool

	in   *bufio.Reader
	long []byte // a line that is longer than the buffer of in
	next int64
}

// NewLineReader returns a LineReader of r.
func NewLineReader(r io.Reader) *LineReader { return &LineReader{in: bufio.NewReaderSize(r, 1<<16)} }

// Read returns the next line without its end, a line feed and what carriage
// return is before it, valid until the next call. The error is io.EOF after the
// last line, an [*Error] of a line that is too long, or that of the reader.
func (l *LineReader) Read() ([]byte, error) {
	l.Offset = l.next
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.rest(line)
	}
	l.next += int64(len(line))
	if err != nil && (err != io.EOF || len(line) == 0) {
		return nil, err
	}
	l.Number++
	if l.Whole = err == nil; l.Whole {
		line = line[:len(line)-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, nil
}

// rest reads the rest of a line that begins so.
func (l *LineReader) rest(line []byte) ([]byte, error) {
	l.long = append(l.long[:0], line...)
	for {
		part, err := l.in.ReadSlice('\n')
		l.long = append(l.long, part...)
		if len(l.long) > Line+1 {
			l.Number++
			return nil, Exceeded("a line of more than %d bytes", Line)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.long, err
		}
	}
}
