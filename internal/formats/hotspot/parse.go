package hotspot

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
)

type textParser struct {
	lines  *lineReader
	dump   textDump
	code   textCode // bytecodes of the current method
	report *codec.Report
	err    error // first error of the current method, or of the text; the methods then read nothing

	ruled     bool // a rule precedes each method
	salvage   bool // keep the intact part of a damaged text
	unknown   bool // the last entry was of an unknown kind, so that its further lines are lost too
	hasPoints bool // a listing has a bytecode with a profile
}

func parseText(r io.Reader, name string, salvage bool) (*textDump, *codec.Report, error) {
	p := newTextParser(newLineReader(r, name))
	p.salvage = salvage
	p.parseDump()
	if p.err != nil {
		return nil, nil, p.err
	}
	if p.hasPoints && p.report.Entries == 0 {
		p.report.Lost.Add(LossContents, len(p.dump.methods))
	}
	p.report.Methods = len(p.dump.methods)
	return &p.dump, p.report, nil
}

func newTextParser(lines *lineReader) *textParser {
	return &textParser{lines: lines, report: &codec.Report{Totals: ledger.Totals{}}}
}

// count adds a count that was read to the totals.
func (p *textParser) addTotal(unit ledger.Unit, n uint64) {
	ledger.Totals(p.report.Totals).Add(unit, n)
}

// addLoss adds a loss at a line to the report. lost is the totals of the lost counts, or nil.
func (p *textParser) addLoss(what codec.LossKind, line parse.Place, thing string, lost ledger.Totals) {
	parse.AddLossAt(&p.report.Lost, what, line, thing, lost)
}

func (p *textParser) parseDump() {
	for more := p.skipPrologue(); more; {
		more = p.readMethod()
	}
	if p.err == nil {
		p.skipEpilogue()
	}
}

// skipPrologue skips the lines before the first method, including dumps without methods, since a program can start
// several VMs. The program's last line can lack its end, so the rule can be at the end of a line.
func (p *textParser) skipPrologue() (more bool) {
	for empty := false; ; {
		if p.lines.isMethodNext() {
			return true // a part of a dump
		}
		line, ok := p.lines.nextLine()
		switch {
		case !ok:
			p.err = p.lines.readError()
			if p.err == nil && !empty {
				p.err = parse.Place{Name: p.lines.in.Name}.Fail(ErrNoMethodData)
			}
			return false
		case bytes.HasSuffix(line.text, rule) && p.lines.isMethodNext():
			p.ruled = true
			return true
		case bytes.HasSuffix(line.text, rule) && p.skipEmptyDump():
			empty = true
		default:
			p.dump.otherLines++
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

// readMethod reads one method from its header to the rule after it. more is false after the last method.
func (p *textParser) readMethod() (more bool) {
	header, _ := p.lines.nextLine()
	m, _ := parseHeader(header.text)
	m.place = header.Place
	m.bare = header.bare
	p.code = textCode{code: p.code.code[:0]}
	more = p.readContent(&m)
	if p.err != nil {
		if !p.isSalvaged(&m, p.err) {
			return false
		}
		p.err = nil
		more = p.skipToMethod()
	}
	m.sketch = p.code.sketchOfCode()
	m.code = p.code.id()
	p.hasPoints = p.hasPoints || p.code.hasPoints()
	if m.known > 0 || m.bare {
		p.dump.methods = append(p.dump.methods, m)
	}
	return more
}

// readContent reads the lines of a method after its header.
func (p *textParser) readContent(m *textMethod) (more bool) {
	if m.bare {
		p.addLoss(LossCounters, m.place, m.label(), nil)
	} else {
		p.readCounters(m)
	}
	p.readParameters(m)
	for p.err == nil {
		if !p.ruled && p.lines.isMethodNext() {
			return true
		}
		if _, ok := p.lines.peekLine(0); !p.ruled && !ok {
			p.err = p.lines.readError()
			return false
		}
		line, ok := p.nextLine("a bytecode, a profile entry, or the rule after the method")
		if !ok {
			return false
		}
		if ends, more := p.endsMethod(line); ends {
			return more
		}
		p.readBodyLine(m, line)
	}
	return false
}

// endsMethod reports whether a line is the rule after a method, and whether another method follows. It takes the total
// after the last method.
func (p *textParser) endsMethod(line textLine) (ends, more bool) {
	if !bytes.Equal(bytes.TrimLeft(line.text, " "), rule) {
		return false, false
	}
	total, last := p.lines.peekTotal()
	if last {
		p.dump.total = total
		p.dump.hasTotal = true
		p.lines.nextLine()
	}
	next := !last && p.lines.isMethodNext()
	p.ruled = p.ruled || next
	return last || next, !last
}

// isSalvaged reports whether to keep the part of a method that was read before an error. If so, it adds the error to
// the report.
func (p *textParser) isSalvaged(m *textMethod, err error) bool {
	var e *TextError
	switch {
	case !p.salvage:
		return false
	case errors.As(err, &e):
	case errors.Is(err, io.ErrUnexpectedEOF):
		e = p.lines.in.Fail(ErrTextCut)
	default:
		return false
	}
	p.addLoss(LossDamaged, e.Place, fmt.Sprintf("%s: %s", m.label(), withoutPlace(e)), nil)
	if p.report.Salvaged == "" {
		p.report.Salvaged = fmt.Sprintf("line %d: %s", e.Line, withoutPlace(e))
	}
	if n := len(m.entries); n > 0 && errors.Is(e, ErrTextCut) && m.entries[n-1].tag == layout.TagMultiBranch {
		p.dropEntry(m, n-1) // further cases may be missing
	}
	return true
}

func (p *textParser) dropEntry(m *textMethod, i int) {
	e := &m.entries[i]
	lost := ledger.Totals{}
	for _, c := range e.cases {
		lost.Add(ledger.BranchCounts, c.Count)
	}
	place := m.place
	place.Line = e.line
	p.addLoss(LossDamaged, place, m.label(), lost)
	m.entries = m.entries[:i]
}

func withoutPlace(e *TextError) string {
	without := *e
	without.Place = parse.Place{}
	without.Column = 0
	return without.Error()
}

// skipToMethod skips the rest of a damaged method. more is false if no method follows.
func (p *textParser) skipToMethod() (more bool) {
	for {
		if !p.ruled && p.lines.isMethodNext() {
			return true
		}
		line, ok := p.lines.nextLine()
		if !ok {
			return false
		}
		if ends, more := p.endsMethod(line); ends {
			return more
		}
	}
}

func (p *textParser) readBodyLine(m *textMethod, line textLine) {
	e, kind, c := parseEntry(line)
	switch {
	case kind != nil:
		p.readEntry(m, e, kind, line, &c)
	case isBytecode(line.text):
		p.unknown = false
		p.code.addInstruction(line.text)
		p.report.Lost.AddLoss(codec.Loss{What: LossBytecodes, Count: 1, Line: line.Line})
	case p.unknown && bytes.HasPrefix(line.text, []byte(indent)):
		p.addUncounted(LossUnknownLine, m, line)
	case bytes.HasPrefix(line.text, extraData):
	default:
		p.report.Lost.AddLoss(codec.Loss{What: LossUnknownLine, Count: 1, Line: line.Line})
	}
}

// extraData is the prefix of the line before the extra entries of a single MethodData.
var extraData = []byte("--- Extra data")

var countPattern = lazyregexp.New(`(?:count|taken)\((\d+)\)`)

// addUncounted adds the loss of a line in an entry of unknown kind to the report. Its counts get the unit
// ledger.Counts.
func (p *textParser) addUncounted(what codec.LossKind, m *textMethod, line textLine) {
	lost := ledger.Totals{}
	for _, n := range countPattern().FindAllSubmatch(line.text, -1) {
		v, _ := strconv.ParseUint(string(n[1]), 10, 64)
		lost.Add(ledger.Counts, v)
	}
	ledger.Totals(p.report.Totals).AddAll(lost)
	p.addLoss(what, line.Place, m.label(), lost)
}

func isBytecode(line []byte) bool {
	c := newCursor(line)
	c.Spaces()
	c.Number(1 << 16)
	c.Expect(" ")
	return c.OK() && len(c.Rest()) > 0 && (c.Rest()[0] >= 'a' && c.Rest()[0] <= 'z' || c.Rest()[0] == '<')
}

func (p *textParser) skipEpilogue() {
	for later := false; ; {
		line, ok := p.lines.nextLine()
		if !ok {
			if p.report.Salvaged == "" {
				p.err = p.lines.readError()
			}
			return
		}
		again := bytes.HasSuffix(line.text, rule) && p.lines.isMethodNext()
		later = later || again
		if later {
			p.report.Lost.AddLoss(codec.Loss{What: LossLaterDump, Count: 1, Line: line.Line})
		} else {
			p.dump.otherLines++
		}
		if again {
			p.skipDump(line.Place)
		}
	}
}

// skipDump skips the methods of a later dump, and notes their counts as lost.
func (p *textParser) skipDump(start parse.Place) {
	later := newTextParser(p.lines)
	later.ruled = true
	before := p.lines.taken
	for more := true; more; {
		more = later.readMethod()
	}
	ledger.Totals(p.report.Totals).AddAll(later.report.Totals)
	p.addLoss(LossLaterDump, start, "", later.report.Totals)
	p.report.Lost.AddLoss(codec.Loss{What: LossLaterDump, Count: p.lines.taken - before - 1})
}

// nextLine returns the next line of a method, unless there was an error. The end of the text is an error.
func (p *textParser) nextLine(expected string) (line textLine, ok bool) {
	if p.err != nil {
		return line, false
	}
	line, ok = p.lines.nextLine()
	if !ok {
		e := p.lines.in.Fail(ErrTextCut)
		e.Expected = expected
		p.err = cmp.Or[error](p.lines.readError(), e)
	}
	return line, ok
}

func (p *textParser) readLine(take func(c *cursor)) {
	if line, ok := p.nextLine("the rest of the method"); ok {
		c := newCursor(line.text)
		take(&c)
		p.checkLine(line, &c)
	}
}

func (p *textParser) checkLine(line textLine, c *cursor) {
	switch {
	case c.OK() && !(line.cut && p.ruled):
	case line.cut:
		p.err = cmp.Or(p.lines.readError(), line.Missing(&c.Cursor, ErrTextCut))
	default:
		p.err = line.Missing(&c.Cursor, ErrTextSyntax)
	}
}

// nextBeginsWith reports whether the next line begins with prefix. It is false after an error.
func (p *textParser) nextBeginsWith(prefix string) bool {
	line, ok := p.lines.peekLine(0)
	return ok && p.err == nil && len(line.text) >= len(prefix) && string(line.text[:len(prefix)]) == prefix
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
	c.Spaces()
	for _, mod := range modifiers {
		if c.Skip(mod.word) {
			m.access |= mod.access
		}
	}
	class := c.takeClass()
	at := signatureStart(c.Rest())
	if bytes.IndexByte(c.Rest(), '(') < 0 {
		at = len(c.Rest()) // methods of speculative traps have no signature
	}
	if !c.OK() || !isClassName(class) || at <= 0 || bytes.IndexByte(line, 0) >= 0 {
		return m, false
	}
	m.class = javanames.InternalName(javanames.FromModifiedUTF8(string(class)))
	m.name = javanames.Unquote(c.Rest()[:at])
	m.signature = javanames.Unquote(c.Rest()[at:])
	return m, true
}

// takeClass takes a class and the separator after it, which is a dot in JDK 8.
func (c *cursor) takeClass() []byte {
	if front, _, ok := bytes.Cut(c.Rest(), []byte("(")); ok && !bytes.Contains(front, []byte(classEnd)) {
		if class := c.Take(bytes.LastIndexByte(front, '.')); c.Skip(".") {
			return class
		}
	}
	return c.Until(classEnd)
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

// readCounters reads the counter lines after the header, and the empty line after them. VMs before JDK 17 do not print
// all of them.
func (p *textParser) readCounters(m *textMethod) {
	for _, counter := range []struct {
		name string
		take func(c *cursor)
		unit ledger.Unit
		n    *uint64
	}{
		{firstCounter, func(c *cursor) { m.interpreted = c.takeCounter() }, "", nil},
		{"  invocation_counter:", func(c *cursor) { m.invocations = c.takeCounter() }, ledger.Invocations, &m.invocations},
		{"  backedge_counter:", func(c *cursor) { m.backedges = c.takeCounter() }, ledger.Backedges, &m.backedges},
		{decompileCount, func(c *cursor) { m.decompiles = c.takeCounter32() }, "", nil},
		{mdoSize, func(c *cursor) { m.size = uint32(c.Number(math.MaxUint32)); c.Expect(totalSuffix) }, "", nil},
	} {
		if counter.name == decompileCount && (p.nextBeginsWith(mdoSize) || p.nextBeginsWith(compiledCalls)) {
			p.addLoss(LossDecompiles, m.place, m.label(), nil)
			m.noDecompiles = true
			m.known++
			continue
		}
		if counter.name == mdoSize {
			p.skipCompiledCalls(m)
		}
		p.readLine(func(c *cursor) {
			c.Expect(counter.name)
			c.Spaces()
			counter.take(c)
			c.End()
		})
		if p.err != nil {
			return
		}
		m.known++
		if counter.n != nil {
			p.addTotal(counter.unit, *counter.n)
		}
	}
	p.readLine((*cursor).End)
}

const (
	decompileCount = "  decompile_count:"
	compiledCalls  = "  compiled_invocation_count:"
	mdoSize        = "  mdo size:"
)

// skipCompiledCalls skips the count that debug builds print.
func (p *textParser) skipCompiledCalls(m *textMethod) {
	if !p.nextBeginsWith(compiledCalls) {
		return
	}
	p.readLine(func(c *cursor) {
		c.Expect(compiledCalls)
		c.Spaces()
		lost := ledger.Totals{ledger.Invocations: c.takeCounter()}
		c.End()
		ledger.Totals(p.report.Totals).AddAll(lost)
		p.addLoss(LossCompiledCalls, m.place, m.label(), lost)
	})
}

type cursor struct{ parse.Cursor }

func newCursor(line []byte) cursor { return cursor{parse.Cursor{Line: line}} }

// takeCounter parses a 32-bit method counter. After an overflow it is printed as a negative number.
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

// takeField parses name, which ends with "(", then a number, ")", and any spaces after it.
func (c *cursor) takeField(name string) uint64 {
	c.Expect(name)
	n := c.Number(math.MaxUint64)
	c.Expect(")")
	c.Spaces()
	return n
}

// takeDisplacement parses a displacement such as "displacement(-24)".
func (c *cursor) takeDisplacement() int64 {
	c.Expect("displacement(")
	n := c.Signed(math.MaxInt64)
	c.Expect(")")
	return n
}

// takeRowCount parses the number of following rows, such as "entries(2)".
func (c *cursor) takeRowCount() int {
	c.Expect("entries(")
	n := c.Number(maxShapeRows)
	c.Expect(")")
	return int(n)
}

// indent precedes counts on separate lines.
var indent = strings.Repeat(" ", columnBody)
