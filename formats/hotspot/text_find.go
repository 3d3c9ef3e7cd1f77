package hotspot

import (
	"bytes"
	"strings"
)

// rule is the line in front of every method, and in front of the last line.
var rule = []byte(strings.Repeat("-", 72))

const (
	totalPrefix = "Total MDO size: "
	totalSuffix = " bytes"
)

// firstCounter is the beginning of the line behind a header.
const firstCounter = "  interpreter_invocation_count:"

// Detect reports whether PrintMethodData text, maybe in an XML log, begins
// within prefix.
func Detect(prefix []byte) bool {
	l := newLineReader(bytes.NewReader(prefix), "")
	for {
		line, ok := l.next()
		if !ok {
			return false
		}
		if bytes.HasSuffix(line.text, rule) && l.methodNext() {
			return true
		}
	}
}

// methodNext reports whether the next two lines begin a method. Behind them a
// rule is one of the VM's; elsewhere it is a line of the program, or of a
// string that JDK 17 prints as it is.
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
