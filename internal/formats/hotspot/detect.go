package hotspot

import (
	"bytes"
	"io"
	"strings"

	"github.com/profarc/profarc/internal/formats/parse"
)

// rule is the line before every method and before the last line.
var rule = []byte(strings.Repeat("-", 72))

const (
	totalPrefix = "Total MDO size: "
	totalSuffix = " bytes"
)

// firstCounter is the prefix of the line after a header.
const firstCounter = "  interpreter_invocation_count:"

// Detect reports whether PrintMethodData text, possibly in an XML log, begins within prefix.
func Detect(prefix []byte) bool {
	l := newLineReader(bytes.NewReader(prefix), "")
	for {
		if l.isMethodNext() {
			return true
		}
		if _, ok := l.nextLine(); !ok {
			return false
		}
	}
}

// isMethodNext reports whether the next two lines begin a method. Otherwise a rule before them is output of the
// program, or part of a string constant that JDK 17 prints literally.
func (l *lineReader) isMethodNext() bool {
	header, ok := l.peekLine(0)
	if !ok || bytes.HasPrefix(header.text, rule) {
		return false
	}
	if !header.bare {
		counter, ok := l.peekLine(1)
		if !ok || !bytes.HasPrefix(counter.text, []byte(firstCounter)) {
			return false
		}
	}
	_, ok = parseHeader(header.text)
	return ok
}

func (l *lineReader) peekTotal() (total uint64, ok bool) {
	line, there := l.peekLine(0)
	c := newCursor(line.text)
	c.Expect(totalPrefix)
	total = c.Number(1 << 62)
	c.Expect(totalSuffix)
	c.End()
	return total, there && c.OK()
}

// A textLine is one line without its end. The text is valid until three more lines have been read.
type textLine struct {
	parse.Place
	text []byte
	bare bool // header of a method without counters
	cut  bool // last line of the text, without a line end
}

// lookahead is the number of lines that identify a method: the rule, the header and the first counter.
const lookahead = 3

// maxLine limits the kept part of a line in bytes. Output of the program can have longer lines. Their ends are kept,
// because they can be rules.
const maxLine = 4 << 20

// A lineReader reads lines with lookahead. In an XML log it skips tags and unescapes all other lines.
type lineReader struct {
	in    *parse.Lines
	ring  [lookahead + 1]textLine
	head  int // index of the next line in ring
	ahead int // number of lines read ahead
	taken int // number of lines that nextLine has returned
	xml   bool
	err   error // error that ended the lines, io.EOF at the end
	respeller
}

func newLineReader(r io.Reader, name string) *lineReader {
	return &lineReader{in: parse.NewLinesLimited(r, name, maxLine, parse.OverlongKeepEnd)}
}

// peekLine returns the line i lines ahead. Line 0 is the next one. ok is false if the text ends before it.
func (l *lineReader) peekLine(i int) (line textLine, ok bool) {
	for l.ahead <= i && l.err == nil {
		l.readAhead()
	}
	if i >= l.ahead {
		return textLine{}, false
	}
	return l.ring[(l.head+i)%len(l.ring)], true
}

func (l *lineReader) nextLine() (line textLine, ok bool) {
	line, ok = l.peekLine(0)
	if ok {
		l.head = (l.head + 1) % len(l.ring)
		l.ahead--
		l.taken++
	}
	return line, ok
}

func (l *lineReader) readError() error {
	if l.err == io.EOF {
		return nil
	}
	return l.err
}

func (l *lineReader) readAhead() {
	text, err := l.in.Next()
	for err == nil && l.isLogTag(text) {
		text, err = l.in.Next()
	}
	if l.err = err; err != nil {
		return
	}
	if l.xml = l.xml || isEscapedHeader(text); l.xml && bytes.IndexByte(text, '&') >= 0 {
		text = []byte(unescapes.Replace(string(text)))
	}
	text, bare := l.respell(text)
	slot := &l.ring[(l.head+l.ahead)%len(l.ring)]
	slot.Place, slot.text, slot.bare, slot.cut = l.in.Place, append(slot.text[:0], text...), bare, !l.in.Whole
	l.ahead++
}

// logTags are prefixes of lines that identify an XML log.
var logTags = [][]byte{[]byte("<?xml "), []byte("<hotspot_log "), []byte("<tty>"), []byte("<writer thread=")}

func (l *lineReader) isLogTag(line []byte) bool {
	if len(line) == 0 || line[0] != '<' {
		return false
	}
	for _, t := range logTags {
		l.xml = l.xml || bytes.HasPrefix(line, t)
	}
	return l.xml
}

// unescapes replaces the escapes in HotSpot's XML logs.
var unescapes = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`, "&apos;", "'")
