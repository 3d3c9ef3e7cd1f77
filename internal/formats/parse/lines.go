package parse

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// Lines splits an input into lines of bounded length. It embeds the position of the last returned line.
type Lines struct {
	Place
	Whole bool // the line ends with a line feed, as all lines but the last must
	Cut   bool // the line exceeds the limit and was truncated

	in       *bufio.Reader
	long     []byte // a line that exceeds the buffer of in
	next     int64  // offset of the next line
	limit    int    // maximum length of a line in bytes
	overlong Overlong
}

// Overlong selects the treatment of a line that exceeds the limit.
type Overlong uint8

const (
	// OverlongRefuse returns an error.
	OverlongRefuse Overlong = iota
	// OverlongKeepStart keeps as many bytes from the start of the line as the limit allows.
	OverlongKeepStart
	// OverlongKeepEnd keeps bytes from the end of the line, at least as many as the limit and at most twice as many.
	OverlongKeepEnd
)

// NewLines returns the lines of r with the limit MaxLine. name is the file name for errors, or "".
func NewLines(r io.Reader, name string) *Lines {
	return NewLinesLimited(r, name, MaxLine, OverlongRefuse)
}

// NewLinesLimited returns the lines of r with a limit in bytes.
func NewLinesLimited(r io.Reader, name string, limit int, overlong Overlong) *Lines {
	return &Lines{Place: Place{Name: name}, in: bufio.NewReaderSize(r, 1<<16), limit: limit, overlong: overlong}
}

// Next returns the next line without its line feed and a carriage return before it. The slice is valid until the
// next call. The error is io.EOF after the last line, an [*Error] that matches [ErrLimit] for a line that exceeds
// the limit, or the error of the reader.
func (l *Lines) Next() ([]byte, error) {
	l.Offset = l.next
	l.Cut = false
	line, err := l.in.ReadSlice('\n')
	l.next += int64(len(line))
	if err == bufio.ErrBufferFull {
		line, err = l.readLong(line)
	}
	if err != nil && (err != io.EOF || len(line) == 0) {
		return nil, err
	}
	l.Line++
	l.Whole = err == nil
	if l.Whole && !(l.Cut && l.overlong == OverlongKeepStart) {
		line = line[:len(line)-1]
	}
	return bytes.TrimSuffix(line, []byte{'\r'}), nil
}

// All iterates over the remaining lines until an error or the end of the input.
func (l *Lines) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			line, err := l.Next()
			if err == io.EOF || !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// readLong reads the rest of a line that exceeds the buffer.
func (l *Lines) readLong(start []byte) (line []byte, err error) {
	l.long = append(l.long[:0], start...)
	for err = error(bufio.ErrBufferFull); err == bufio.ErrBufferFull; {
		var part []byte
		part, err = l.in.ReadSlice('\n')
		l.next += int64(len(part))
		if limited := l.appendLongPart(part); limited != nil {
			return nil, limited
		}
	}
	return l.long, err
}

func (l *Lines) appendLongPart(part []byte) error {
	size := len(l.long) + len(bytes.TrimSuffix(part, []byte{'\n'}))
	switch l.overlong {
	case OverlongRefuse:
		if size > l.limit {
			l.Line++
			return l.Fail(Exceeded("a line of more than %d bytes", int64(l.limit)))
		}
	case OverlongKeepStart:
		if l.Cut || size > l.limit {
			part = part[:l.limit-len(l.long)]
			l.Cut = true
		}
	case OverlongKeepEnd:
		if size > 2*l.limit {
			drop := max(0, len(l.long)-l.limit)
			l.long = append(l.long[:0], l.long[drop:]...)
			l.Cut = true
		}
	}
	l.long = append(l.long, part...)
	return nil
}
