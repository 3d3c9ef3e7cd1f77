package hotspot

import (
	"bytes"
	"io"

	"github.com/profarc/profarc/internal/parse"
)

// A textLine is one line without its end. The text is valid until three further
// lines have been read.
type textLine struct {
	parse.Place
	text []byte
	cut  bool // the last line, and it has no end
}

// lookahead is the number of lines that tell a method from other text that looks
// like one: the rule, the header, the first counter.
const lookahead = 3

// maxLine limits what is kept of a line. Program output may have lines of any
// length; the end of a longer one is kept, where a rule may stand.
const maxLine = 4 << 20

// A lineReader reads lines, some of them ahead. In an XML log it skips the lines
// that are tags and undoes the escapes of all others.
type lineReader struct {
	in    *parse.Lines
	ring  [lookahead + 1]textLine
	head  int // place of the next line in ring
	ahead int // lines read ahead
	xml   bool
	err   error // why there are no more lines
}

func newLineReader(r io.Reader, name string) *lineReader {
	return &lineReader{in: parse.NewLinesLimited(r, name, maxLine, parse.OverlongKeepEnd)}
}

// peek returns the line i lines ahead: 0 is the one that next returns. ok is
// false if the text ends before it.
func (l *lineReader) peek(i int) (line textLine, ok bool) {
	for l.ahead <= i && l.err == nil {
		l.readAhead()
	}
	if i >= l.ahead {
		return textLine{}, false
	}
	return l.ring[(l.head+i)%len(l.ring)], true
}

// next returns the next line.
func (l *lineReader) next() (line textLine, ok bool) {
	if line, ok = l.peek(0); ok {
		l.head = (l.head + 1) % len(l.ring)
		l.ahead--
	}
	return line, ok
}

// failure returns the error of the reader, nil if the text has ended.
func (l *lineReader) failure() error {
	if l.err == io.EOF {
		return nil
	}
	return l.err
}

// readAhead reads one line ahead.
func (l *lineReader) readAhead() {
	text, err := l.in.Next()
	for err == nil && l.isTag(text) {
		text, err = l.in.Next()
	}
	if l.err = err; err != nil {
		return
	}
	slot := &l.ring[(l.head+l.ahead)%len(l.ring)]
	slot.Place, slot.text, slot.cut = l.in.Place, append(slot.text[:0], text...), !l.in.Whole
	if l.xml {
		slot.text = unescape(slot.text)
	}
	l.ahead++
}

// Tags of an XML log that give it away.
var logTags = [][]byte{[]byte("<?xml "), []byte("<hotspot_log "), []byte("<tty>"), []byte("<writer thread=")}

// isTag reports whether a line is a tag of an XML log.
func (l *lineReader) isTag(line []byte) bool {
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
