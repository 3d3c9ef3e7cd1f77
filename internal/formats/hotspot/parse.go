package hotspot

import (
	"bytes"
	"io"
	"math"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/names/javanames"
)

type textParser struct {
	lines  *lineReader
	dump   textDump
	code   textCode // bytecodes of the current method
	report *TextReport
}

func parseText(r io.Reader, name string) (*textDump, *TextReport, error) {
	p := &textParser{lines: newLineReader(r, name), report: &TextReport{}}
	if err := p.parseDump(); err != nil {
		return nil, nil, err
	}
	p.report.XML = p.lines.xml
	p.report.Methods = len(p.dump.methods)
	return &p.dump, p.report, nil
}

func (p *textParser) parseDump() error {
	more, err := p.skipPrologue()
	for more && err == nil {
		more, err = p.readMethod()
	}
	if err != nil {
		return err
	}
	return p.skipEpilogue()
}

// skipPrologue skips the lines before the first method, including dumps without methods, since a program can start
// several VMs. The program's last line can lack its end, so the rule can be at the end of a line.
func (p *textParser) skipPrologue() (more bool, err error) {
	for empty := false; ; {
		line, ok := p.lines.nextLine()
		switch {
		case !ok && empty:
			return false, p.lines.readError()
		case !ok:
			return false, p.noMethodData()
		case bytes.HasSuffix(line.text, rule) && p.lines.isMethodNext():
			return true, nil
		case bytes.HasSuffix(line.text, rule) && p.skipEmptyDump():
			empty = true
		default:
			p.report.OtherLines++
		}
	}
}

// skipEmptyDump reads the total of a dump without methods after its rule.
func (p *textParser) skipEmptyDump() bool {
	total, ok := p.lines.peekTotal()
	if ok {
		p.dump.total = total
		p.lines.nextLine()
	}
	return ok
}

func (p *textParser) noMethodData() error {
	if err := p.lines.readError(); err != nil {
		return err
	}
	return parse.Place{Name: p.lines.in.Name}.Fail(ErrNoMethodData)
}

// readMethod reads one method from its header to the rule after it. more is false after the last method.
func (p *textParser) readMethod() (more bool, err error) {
	header, _ := p.lines.nextLine()
	m, _ := parseHeader(header.text)
	m.line = header.Line
	p.code = textCode{code: p.code.code[:0]}
	if err := p.readCounters(&m); err != nil {
		return false, err
	}
	if err := p.readParameters(&m); err != nil {
		return false, err
	}
	for {
		line, err := p.nextLine("a bytecode, a profile entry, or the rule after the method")
		if err != nil {
			return false, err
		}
		if bytes.Equal(line.text, rule) {
			total, last := p.lines.peekTotal()
			if last || p.lines.isMethodNext() {
				m.sketch = p.code.sketchOfCode()
				p.dump.methods = append(p.dump.methods, m)
				p.dump.total = total
				if last {
					p.lines.nextLine()
				}
				return !last, nil
			}
		}
		if err := p.readBodyLine(&m, line); err != nil {
			return false, err
		}
	}
}

func (p *textParser) readBodyLine(m *textMethod, line textLine) error {
	e, kind, c := parseEntry(line)
	switch {
	case kind != nil:
		return p.readEntry(m, e, kind, line, &c)
	case isBytecode(line.text):
		p.code.addInstruction(line.text)
		p.report.Lost.AddLoss(codec.Loss{What: LossBytecodes, Count: 1, Line: line.Line})
	default:
		p.report.Lost.AddLoss(codec.Loss{What: LossUnknownLine, Count: 1, Line: line.Line})
	}
	return nil
}

func isBytecode(line []byte) bool {
	c := newCursor(line)
	c.Spaces()
	c.Number(1 << 16)
	c.Expect(" ")
	return c.OK() && len(c.Rest()) > 0 && (c.Rest()[0] >= 'a' && c.Rest()[0] <= 'z' || c.Rest()[0] == '<')
}

func (p *textParser) skipEpilogue() error {
	for later := false; ; {
		line, ok := p.lines.nextLine()
		if !ok {
			return p.lines.readError()
		}
		later = later || bytes.HasSuffix(line.text, rule) && p.lines.isMethodNext()
		if later {
			p.report.Lost.AddLoss(codec.Loss{What: LossLaterDump, Count: 1, Line: line.Line})
			continue
		}
		p.report.OtherLines++
	}
}

// nextLine returns the next line of a method. The end of the text is an error.
func (p *textParser) nextLine(expected string) (textLine, error) {
	line, ok := p.lines.nextLine()
	if !ok {
		if err := p.lines.readError(); err != nil {
			return line, err
		}
		e := p.lines.in.Fail(ErrTextCut)
		e.Expected = expected
		return line, e
	}
	return line, nil
}

// readLine reads one line with take. A miss of its cursor is an error.
func (p *textParser) readLine(take func(c *cursor)) error {
	line, err := p.nextLine("the rest of the method")
	if err != nil {
		return err
	}
	c := newCursor(line.text)
	take(&c)
	return p.checkLine(line, &c)
}

// checkLine returns the error for a miss of a line's cursor.
func (p *textParser) checkLine(line textLine, c *cursor) error {
	if c.OK() {
		return nil
	}
	if err := p.lines.readError(); err != nil && line.cut {
		return err
	}
	if line.cut {
		return line.Missing(&c.Cursor, ErrTextCut)
	}
	return line.Missing(&c.Cursor, ErrTextSyntax)
}

func (p *textParser) nextBeginsWith(prefix string) bool {
	line, ok := p.lines.peekLine(0)
	return ok && len(line.text) >= len(prefix) && string(line.text[:len(prefix)]) == prefix
}

var modifiers = []struct {
	word   string
	access uint32
}{
	{"static ", disk.AccStatic},
	{"final ", disk.AccFinal},
	{"synchronized ", disk.AccSynchronized},
	{"native ", disk.AccNative},
}

const classEnd = "::"

// parseHeader reads the first line of a method:
//
//	static final com.example.Map$Entry::name(Ljava/lang/String;)I
func parseHeader(line []byte) (m textMethod, ok bool) {
	c := newCursor(line)
	for _, mod := range modifiers {
		if c.Skip(mod.word) {
			m.access |= mod.access
		}
	}
	class := c.Until(classEnd)
	at := signatureStart(c.Rest())
	if !c.OK() || !isClassName(class) || at <= 0 || bytes.IndexByte(line, 0) >= 0 {
		return m, false
	}
	m.class = javanames.InternalName(javanames.FromModifiedUTF8(string(class)))
	m.name = javanames.Unquote(c.Rest()[:at])
	m.signature = javanames.Unquote(c.Rest()[at:])
	return m, true
}

// isClassName reports whether a name can be a class with methods, which excludes arrays.
func isClassName(name []byte) bool { return len(name) > 0 && name[0] != '[' }

// signatureStart returns the index of the signature in "name(Ljava/lang/String;)I", or -1. A name can contain
// parentheses.
func signatureStart(b []byte) int {
	for at, c := range b {
		if c == '(' {
			if _, _, ok := javanames.CutSignature(string(b[at:])); ok {
				return at
			}
		}
	}
	return -1
}

// readCounters reads the counter lines after the header, and the empty line after them.
func (p *textParser) readCounters(m *textMethod) error {
	for _, counter := range []struct {
		name string
		take func(c *cursor)
	}{
		{firstCounter, func(c *cursor) { m.interpreted = c.takeCounter() }},
		{"  invocation_counter:", func(c *cursor) { m.invocations = c.takeCounter() }},
		{"  backedge_counter:", func(c *cursor) { m.backedges = c.takeCounter() }},
		{"  decompile_count:", func(c *cursor) { m.decompiles = c.takeCounter32() }},
		{"  mdo size:", func(c *cursor) { m.size = uint32(c.Number(math.MaxUint32)); c.Expect(totalSuffix) }},
		{"", func(*cursor) {}},
	} {
		err := p.readLine(func(c *cursor) {
			c.Expect(counter.name)
			c.Spaces()
			counter.take(c)
			c.End()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type cursor struct{ parse.Cursor }

func newCursor(line []byte) cursor { return cursor{parse.Cursor{Line: line}} }

// takeCounter takes a method counter of 32 bits, which is printed as negative after an overflow.
func (c *cursor) takeCounter() uint64 {
	if c.Skip("-") {
		return uint64(uint32(-int32(c.Number(math.MaxInt32 + 1))))
	}
	return c.Number(math.MaxInt64)
}

// takeCounter32 takes a counter that archives store in 32 bits.
func (c *cursor) takeCounter32() uint32 {
	n := c.takeCounter()
	if n > math.MaxUint32 {
		c.Miss("a number of 32 bits")
	}
	return uint32(n)
}

// takeField takes a number between its name, which ends with "(", and ")", and the spaces after it.
func (c *cursor) takeField(name string) uint64 {
	c.Expect(name)
	n := c.Number(math.MaxUint64)
	c.Expect(")")
	c.Spaces()
	return n
}

// takeDisplacement takes "displacement(-24)".
func (c *cursor) takeDisplacement() int64 {
	c.Expect("displacement(")
	n := c.Signed(math.MaxInt64)
	c.Expect(")")
	return n
}

// takeRowCount takes "entries(2)", the number of following rows.
func (c *cursor) takeRowCount() int {
	c.Expect("entries(")
	n := c.Number(maxShapeRows)
	c.Expect(")")
	return int(n)
}

// indent precedes counts on separate lines.
var indent = strings.Repeat(" ", columnBody)
