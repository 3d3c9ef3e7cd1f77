package hotspot

import (
	"bytes"
	"io"
	"strings"

	"github.com/profarc/profarc/internal/formats/parse"
)

// rule is the line before every method, and before the last line.
var rule = []byte(strings.Repeat("-", 72))

const (
	totalPrefix = "Total MDO size: "
	totalSuffix = " bytes"
)

// firstCounter is the beginning of the line after a header.
const firstCounter = "  interpreter_invocation_count:"

// Detect reports whether PrintMethodData text, perhaps in an XML log, begins within prefix.
func Detect(prefix []byte) bool {
	l := newLineReader(bytes.NewReader(prefix), "")
	for {
		line, ok := l.nextLine()
		if !ok || bytes.HasSuffix(line.text, rule) && l.methodNext() {
			return ok
		}
	}
}

// methodNext reports whether the next two lines begin a method. Only then the rule before them is the VM's:
// it may also be output of the program, or part of a string constant that JDK 17 prints literally.
func (l *lineReader) methodNext() bool {
	header, ok := l.peek(0)
	if !ok || bytes.HasPrefix(header.text, rule) {
		return false
	}
	counter, ok := l.peek(1)
	if !ok || !bytes.HasPrefix(counter.text, []byte(firstCounter)) {
		return false
	}
	_, ok = parseHeader(header.text)
	return ok
}

// totalNext reports whether the next line is the last of a dump.
func (l *lineReader) totalNext() (total uint64, ok bool) {
	line, there := l.peek(0)
	c := newCursor(line.text)
	c.Expect(totalPrefix)
	total = c.Number(1 << 62)
	c.Expect(totalSuffix)
	c.End()
	return total, there && c.OK()
}

// A textLine is one line without its end. The text is valid until three further lines have been read.
type textLine struct {
	parse.Place
	text []byte
	cut  bool // the last line, and it has no end
}

// lookahead is the number of lines by which a method is recognized: the rule, the header
// and the first counter.
const lookahead = 3

// maxLine limits the kept part of a line. Output of the program may have lines of any
// length. The end of a longer line is kept, since it may be a rule.
const maxLine = 4 << 20

// A lineReader reads lines, some of them ahead. In an XML log it skips tags and unescapes all other lines.
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

// peek returns the line i lines ahead; line 0 is the next one. ok is false if the text ends before it.
func (l *lineReader) peek(i int) (line textLine, ok bool) {
	for l.ahead <= i && l.err == nil {
		l.readAhead()
	}
	if i >= l.ahead {
		return textLine{}, false
	}
	return l.ring[(l.head+i)%len(l.ring)], true
}

// nextLine returns the next line.
func (l *lineReader) nextLine() (line textLine, ok bool) {
	line, ok = l.peek(0)
	if ok {
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

// logTags are the beginnings of lines by which an XML log is recognized.
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

// escapes are the escapes in HotSpot's XML logs.
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
		c := rest[0]
		n := 1
		for _, e := range escapes {
			if bytes.HasPrefix(rest, e.escape) {
				c = e.char
				n = len(e.escape)
			}
		}
		out = append(out, c)
		rest = rest[n:]
	}
	return out
}
