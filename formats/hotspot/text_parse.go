package hotspot

import (
	"bytes"
	"io"

	"github.com/profarc/profarc/internal/parse"
)

// A textParser reads a dump from lines.
type textParser struct {
	lines  *lineReader
	dump   textDump
	code   textCode // of the method that is read
	report *TextReport
}

// parseText reads the first dump of a text.
func parseText(r io.Reader, name string) (*textDump, *TextReport, error) {
	p := &textParser{lines: newLineReader(r, name), report: &TextReport{}}
	if err := p.all(); err != nil {
		return nil, nil, err
	}
	p.report.XML = p.lines.xml
	p.report.Methods = len(p.dump.methods)
	return &p.dump, p.report, nil
}

func (p *textParser) all() error {
	more, err := p.prologue()
	for more && err == nil {
		more, err = p.method()
	}
	if err != nil {
		return err
	}
	return p.epilogue()
}

// prologue skips what stands in front of the first method, dumps without
// methods too: of a program that starts several VMs, one may have none. The
// program's last line may have no end of its own, so that the rule follows on
// the same line.
func (p *textParser) prologue() (more bool, err error) {
	for empty := false; ; {
		line, ok := p.lines.next()
		switch {
		case !ok && empty:
			return false, p.lines.failure()
		case !ok:
			return false, p.noMethodData()
		case bytes.HasSuffix(line.text, rule) && p.lines.methodNext():
			return true, nil
		case bytes.HasSuffix(line.text, rule) && p.emptyDump():
			empty = true
		default:
			p.report.OtherLines++
		}
	}
}

// emptyDump takes the total of a dump without methods, behind its rule.
func (p *textParser) emptyDump() bool {
	total, ok := p.lines.totalNext()
	if ok {
		p.dump.total = total
		p.lines.next()
	}
	return ok
}

func (p *textParser) noMethodData() error {
	if err := p.lines.failure(); err != nil {
		return err
	}
	return parse.Place{Name: p.lines.in.Name}.Fail(ErrNoMethodData)
}

// method reads one method from its header on, and the rule behind it. more is
// false if it was the last.
func (p *textParser) method() (more bool, err error) {
	header, _ := p.lines.next()
	m, _ := parseHeader(header.text)
	m.line = header.Line
	p.code = textCode{code: p.code.code[:0]}
	if err := p.counters(&m); err != nil {
		return false, err
	}
	if err := p.parameters(&m); err != nil {
		return false, err
	}
	for {
		line, err := p.next("a bytecode, a profile entry, or the rule behind the method")
		if err != nil {
			return false, err
		}
		if bytes.Equal(line.text, rule) {
			total, last := p.lines.totalNext()
			if last || p.lines.methodNext() {
				m.sketch = p.code.sketch()
				p.dump.methods = append(p.dump.methods, m)
				p.dump.total = total
				if last {
					p.lines.next()
				}
				return !last, nil
			}
		}
		if err := p.body(&m, line); err != nil {
			return false, err
		}
	}
}

// body takes a line inside a method.
func (p *textParser) body(m *textMethod, line textLine) error {
	e, kind, c := parseEntry(line)
	switch {
	case kind != nil:
		return p.entry(m, e, kind, line, &c)
	case isBytecode(line.text):
		p.code.add(line.text)
		p.report.Lost.AddAt(LossBytecodes, line.Line)
	default:
		p.report.Lost.AddAt(LossUnknownLine, line.Line)
	}
	return nil
}

// isBytecode reports whether a line begins like "12 iload_2" does.
func isBytecode(line []byte) bool {
	c := newCursor(line)
	c.Spaces()
	c.Number(1 << 16)
	c.Expect(" ")
	return c.OK() && len(c.Rest()) > 0 && (c.Rest()[0] >= 'a' && c.Rest()[0] <= 'z' || c.Rest()[0] == '<')
}

// epilogue skips what stands behind the dump.
func (p *textParser) epilogue() error {
	for later := false; ; {
		line, ok := p.lines.next()
		if !ok {
			return p.lines.failure()
		}
		if later = later || bytes.HasSuffix(line.text, rule) && p.lines.methodNext(); later {
			p.report.Lost.AddAt(LossLaterDump, line.Line)
			continue
		}
		p.report.OtherLines++
	}
}

// next gives the next line of a method, which must not end before it.
func (p *textParser) next(expected string) (textLine, error) {
	line, ok := p.lines.next()
	if !ok {
		if err := p.lines.failure(); err != nil {
			return line, err
		}
		e := p.lines.in.Fail(ErrTextCut)
		e.Expected = expected
		return line, e
	}
	return line, nil
}

// line reads one line, which must be as take takes it.
func (p *textParser) line(take func(c *cursor)) error {
	line, err := p.next("the rest of the method")
	if err != nil {
		return err
	}
	c := newCursor(line.text)
	take(&c)
	return p.check(line, &c)
}

// check gives the error of a line whose cursor missed something.
func (p *textParser) check(line textLine, c *cursor) error {
	if c.OK() {
		return nil
	}
	if err := p.lines.failure(); err != nil && line.cut {
		return err
	}
	if line.cut {
		return line.Missing(&c.Cursor, ErrTextCut)
	}
	return line.Missing(&c.Cursor, ErrTextSyntax)
}

// beginsWith reports whether the next line begins so.
func (p *textParser) beginsWith(prefix string) bool {
	line, ok := p.lines.peek(0)
	return ok && len(line.text) >= len(prefix) && string(line.text[:len(prefix)]) == prefix
}
