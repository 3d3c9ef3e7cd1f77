package hotspot

import (
	"bufio"
	"bytes"
	"io"
)

// A textLine is one line without its end. text is valid until three further
// lines have been read.
type textLine struct {
	number int   // from 1
	offset int64 // of its first byte
	text   []byte
	cut    bool // the last line, and it has no end
}

// lookahead is how many lines it takes to tell a method from other text that
// looks like one: the rule, the header, the first counter.
const lookahead = 3

// maxLine bounds what is kept of a line. Program output may have lines of any
// length; of a longer one the end is kept, where a rule may stand.
const maxLine = 4 << 20

// A lineReader gives lines, some of them ahead. In an XML log it skips lines
// that are tags, and undoes the escapes of all others.
type lineReader struct {
	in     *bufio.Reader
	ring   [lookahead + 1]textLine
	head   int // place of the next line in ring
	ahead  int // lines read ahead
	number int
	offset int64
	xml    bool
	err    error // why there are no more lines
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, 1<<16)}
}

// peek gives the line i lines ahead: 0 is the one that next will give. ok is
// false if the text ends before it.
func (l *lineReader) peek(i int) (line textLine, ok bool) {
	for l.ahead <= i && l.err == nil {
		l.read()
	}
	if i >= l.ahead {
		return textLine{}, false
	}
	return l.ring[(l.head+i)%len(l.ring)], true
}

// next gives the next line.
func (l *lineReader) next() (line textLine, ok bool) {
	if line, ok = l.peek(0); ok {
		l.head = (l.head + 1) % len(l.ring)
		l.ahead--
	}
	return line, ok
}

// failure is what reading failed with, nil if the text has ended.
func (l *lineReader) failure() error {
	if l.err == io.EOF {
		return nil
	}
	return l.err
}

// read reads one line ahead.
func (l *lineReader) read() {
	slot := &l.ring[(l.head+l.ahead)%len(l.ring)]
	for {
		start := l.offset
		var ended bool
		slot.text, ended = l.line(slot.text[:0])
		if !ended && l.offset == start {
			return
		}
		l.number++
		slot.number, slot.offset, slot.cut = l.number, start, !ended
		if !l.tag(slot.text) {
			break
		}
	}
	if l.xml {
		slot.text = unescape(slot.text)
	}
	l.ahead++
}

// line reads one line into b; ended is false if the text ends before the line.
func (l *lineReader) line(b []byte) (line []byte, ended bool) {
	for {
		part, err := l.in.ReadSlice('\n')
		l.offset += int64(len(part))
		b = append(b, part...)
		if len(b) > 2*maxLine {
			b = append(b[:0], b[len(b)-maxLine:]...)
		}
		if err == nil {
			return bytes.TrimSuffix(b[:len(b)-1], []byte("\r")), true
		}
		if err != bufio.ErrBufferFull {
			l.err = err
			return b, false
		}
	}
}

// Tags of an XML log that give it away.
var logTags = [][]byte{[]byte("<?xml "), []byte("<hotspot_log "), []byte("<tty>"), []byte("<writer thread=")}

// tag reports whether a line is a tag of an XML log.
func (l *lineReader) tag(line []byte) bool {
	if len(line) == 0 || line[0] != '<' {
		return false
	}
	for _, t := range logTags {
		l.xml = l.xml || bytes.HasPrefix(line, t)
	}
	return l.xml
}

// escapes are those that HotSpot's XML logs use.
var escapes = []struct {
	escape []byte
	char   byte
}{
	{[]byte("&lt;"), '<'}, {[]byte("&gt;"), '>'}, {[]byte("&amp;"), '&'},
	{[]byte("&quot;"), '"'}, {[]byte("&apos;"), '\''},
}

// unescape undoes escapes in place.
func unescape(line []byte) []byte {
	at := bytes.IndexByte(line, '&')
	if at < 0 {
		return line
	}
	out := line[:at]
	for rest := line[at:]; len(rest) > 0; {
		c, n := rest[0], 1
		for _, e := range escapes {
			if bytes.HasPrefix(rest, e.escape) {
				c, n = e.char, len(e.escape)
			}
		}
		out, rest = append(out, c), rest[n:]
	}
	return out
}
