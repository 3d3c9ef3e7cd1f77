package hotspot

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
)

// entryKinds has the printed kinds of entries. CallTypeData and VirtualCallTypeData print as CounterData and
// VirtualCallData with types.
var entryKinds = map[string]layout.Tag{
	"BitData": layout.TagBit, "CounterData": layout.TagCounter, "JumpData": layout.TagJump,
	"BranchData": layout.TagBranch, "MultiBranchData": layout.TagMultiBranch, "RetData": layout.TagRet,
	"ReceiverTypeData": layout.TagReceiverType, "VirtualCallData": layout.TagVirtualCall,
}

// parseEntry reads the offset, bci and kind of an entry, and returns the cursor after them. kind is nil for other
// lines.
func parseEntry(line textLine) (e textEntry, kind []byte, c cursor) {
	c = newCursor(line.text)
	if !c.Skip("  ") {
		return e, nil, c
	}
	e.line = line.Line
	e.offset = int(c.Number(math.MaxInt32))
	c.Spaces()
	c.Expect("bci: ")
	e.at.Bci = int32(c.Number(math.MaxUint16))
	if !c.OK() {
		return e, nil, c
	}
	c.Spaces()
	kind = c.Take(len(c.Rest()) - len(bytes.TrimLeftFunc(c.Rest(), isASCIILetter)))
	c.Spaces()
	return e, kind, c
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// entryDialect returns the dialect of an entry's line. Only JDK 25 has a space right before "bci:" at or after its
// column.
func entryDialect(line []byte) Dialect {
	c := newCursor(line)
	before := len(c.Until("bci: "))
	if column, _ := JDK25.entryColumns(); before >= column && line[before-1] == ' ' {
		return JDK25
	}
	return JDK17
}

func (p *textParser) readEntry(m *textMethod, e textEntry, kind []byte, line textLine, c *cursor) {
	tag, known := entryKinds[string(kind)]
	p.unknown = !known
	switch {
	case !known && slices.Contains(extraKinds, string(kind)):
		p.addLoss(LossExtra, line.Place, m.label(), nil)
		return
	case !known:
		p.addUncounted(LossUnknownKind, m, line)
		return
	}
	p.noteDialect(entryDialect(line.text))
	e.tag = tag
	p.readTrapsAndFlags(&e, c)
	more := p.readCounts(&e, c)
	c.End()
	p.checkLine(line, c)
	more()
	if p.err != nil {
		return
	}
	p.report.Entries += 1 + len(e.traps)
	p.countEntry(&e)
	m.entries = append(m.entries, e)
}

// extraKinds are the kinds of the extra entries of a single MethodData that PrintMethodData does not print.
var extraKinds = []string{"ArgInfoData", "SpeculativeTrapData"}

func (p *textParser) countEntry(e *textEntry) {
	sum := e.count + e.gap + e.notTaken
	for _, r := range e.rows {
		sum += r.count
	}
	for _, r := range e.returns {
		sum += r.Count
	}
	for _, c := range e.cases {
		sum += c.Count
	}
	p.addTotal(ledger.UnitOf(layout.DomainHotSpot, e.tag, 0), sum)
}

// readTrapsAndFlags reads the traps and flags that an entry of any kind may have before its counts:
//
//	trap(null_check recompiled) trap/ com.example.A::m(class_check) flags(1)
func (p *textParser) readTrapsAndFlags(e *textEntry, c *cursor) {
	if c.Skip("trap(") {
		e.at.Traps = p.parseTrapState(string(c.Until(")")), c, e.line)
		c.Spaces()
	}
	for c.Skip("trap/") {
		p.readSpeculativeTrap(e, c)
		c.Spaces()
	}
	if c.Skip("flags(") {
		e.at.Flags = layout.EntryFlags(c.Number(math.MaxUint8))
		c.Expect(")")
		c.Spaces()
	}
}

func (p *textParser) parseTrapState(text string, c *cursor, line int) layout.EntryTraps {
	traps, known, plain, ok := parseTrap(text)
	if !ok {
		c.Miss("the reason of a trap")
	}
	if !known && ok {
		p.report.Lost.AddLoss(codec.Loss{What: LossUnknownReason, Count: 1, Line: line})
	}
	p.dump.plain = p.dump.plain || plain
	return traps
}

// readSpeculativeTrap reads " com.example.A::m(class_check) ". The name can contain parentheses. The reason is in the
// pair after which the entry continues.
func (p *textParser) readSpeculativeTrap(e *textEntry, c *cursor) {
	c.Expect(" ")
	class := c.Until(classEnd)
	name := c.Rest()
	for n := 0; c.OK(); {
		n += len(c.Until("("))
		reason := string(c.Until(")"))
		if _, _, _, ok := parseTrap(reason); ok && mayFollowTrap(c.Rest()) {
			if !isClassName(class) || n == 0 {
				c.Miss("a class and a method")
			}
			t := textTrap{
				class: javanames.InternalName(javanames.FromModifiedUTF8(string(class))),
				name:  javanames.Unquote(name[:n]),
				traps: p.parseTrapState(reason, c, e.line),
			}
			e.traps = append(e.traps, t)
			return
		}
		n += len("(") + len(reason) + len(")")
	}
}

func mayFollowTrap(rest []byte) bool {
	text := strings.TrimLeft(string(rest), " ")
	return text == "" || slices.ContainsFunc([]string{"trap/ ", "flags(", "count(", "taken(", "default_count("},
		func(front string) bool { return strings.HasPrefix(text, front) })
}

// readCounts reads the counts of an entry, and returns a function that reads its further lines.
func (p *textParser) readCounts(e *textEntry, c *cursor) (more func()) {
	switch e.tag {
	case layout.TagCounter:
		e.count = c.takeField("count(")
		return func() { p.readCallTypes(e) }
	case layout.TagJump:
		e.count, e.displacement = c.takeField("taken("), c.takeDisplacement()
	case layout.TagBranch:
		e.count, e.displacement = c.takeField("taken("), c.takeDisplacement()
		return func() { p.readNotTaken(e) }
	case layout.TagMultiBranch:
		e.cases = []builder.SwitchCase{{Count: c.takeField("default_count("), Displacement: c.takeDisplacement()}}
		return func() { p.readCases(e) }
	case layout.TagRet:
		e.count = c.takeField("count(")
		rows := c.takeRowCount()
		return func() { p.readReturns(e, rows) }
	case layout.TagReceiverType, layout.TagVirtualCall:
		rows := p.readReceiverCounts(e, c)
		return func() { p.readReceivers(e, rows) }
	}
	return func() {}
}

// readReceiverCounts reads "count(6015) nonprofiled_count(0) entries(2)".
func (p *textParser) readReceiverCounts(e *textEntry, c *cursor) (rows int) {
	c.Expect("count(")
	e.count = uint64(c.Signed(math.MaxInt64))
	c.Expect(")")
	c.Spaces()
	if e.tag == layout.TagReceiverType {
		e.count = signExtend(e.count)
	}
	if c.Skip("nonprofiled_count(") {
		e.gap = c.Number(math.MaxUint64)
		p.dump.hasGap = true
		c.Expect(")")
		c.Spaces()
	}
	return c.takeRowCount()
}

// signExtend returns the count of type checks for a printed n. Failing checks count down, and HotSpot prints the low
// 32 bits unsigned.
func signExtend(n uint64) uint64 {
	if n > math.MaxInt32 && n <= math.MaxUint32 {
		return uint64(int64(int32(uint32(n))))
	}
	return n
}

// The further lines of an entry begin at columnBody, except for the names of type lists.

func (p *textParser) readNotTaken(e *textEntry) {
	p.readLine(func(c *cursor) {
		e.notTaken = c.takeField(indent + "not taken(")
		c.End()
	})
}

func (p *textParser) readCases(e *textEntry) {
	for p.nextBeginsWith(indent + "count(") {
		p.readLine(func(c *cursor) {
			c.Expect(indent)
			e.cases = append(e.cases, builder.SwitchCase{Count: c.takeField("count("), Displacement: c.takeDisplacement()})
			c.End()
		})
	}
}

func (p *textParser) readLines(n int, take func(c *cursor)) {
	for range n {
		p.readLine(take)
	}
}

// readReturns reads rows like "bci(7: count(3414) displacement(-24))".
func (p *textParser) readReturns(e *textEntry, rows int) {
	p.readLines(rows, func(c *cursor) {
		c.Expect(indent + "bci(")
		row := builder.RetRow{Bci: c.Number(math.MaxInt32)}
		c.Expect(": ")
		row.Count, row.Displacement = c.takeField("count("), c.takeDisplacement()
		c.Expect(")")
		c.End()
		e.returns = append(e.returns, row)
	})
}

// readReceivers reads rows like "'java/lang/String'(42105 0.70)" and the types after them. It ignores the share, which
// follows from the counts.
func (p *textParser) readReceivers(e *textEntry, rows int) {
	p.readLines(rows, func(c *cursor) {
		c.Expect(indent)
		typ := p.takeType(c, bytes.LastIndexByte(c.Rest(), '('))
		e.rows = append(e.rows, textRow{typ: typ, count: c.takeReceiverCount()})
	})
	p.skipMethodRows()
	if e.tag == layout.TagVirtualCall {
		p.readCallTypes(e)
	}
}

// skipMethodRows skips the called methods that some VMs with JVMCI print.
func (p *textParser) skipMethodRows() {
	const methodRows = "method_entries("
	if !p.nextBeginsWith(indent + methodRows) {
		return
	}
	rows := 0
	p.readLine(func(c *cursor) { c.Expect(indent); rows = int(c.takeField(methodRows)) })
	for range rows {
		line, ok := p.nextLine("a called method")
		if !ok {
			return
		}
		c := newCursor(line.text[max(0, bytes.LastIndexByte(line.text, '(')):])
		lost := ledger.Totals{}
		lost.Add(ledger.CallCounts, c.takeReceiverCount())
		p.checkLine(line, &c)
		if p.err != nil {
			return
		}
		ledger.Totals(p.report.Totals).AddAll(lost)
		p.addLoss(LossMethodRows, line.Place, strings.TrimSpace(string(line.text)), lost)
	}
}

// takeReceiverCount parses the count in a text such as "(42105 0.70)".
func (c *cursor) takeReceiverCount() uint64 {
	c.Expect("(")
	n := c.Number(math.MaxUint64)
	c.Expect(" ")
	c.Until(")")
	c.End()
	return n
}

// takeType parses the first n bytes as a type in the form that HotSpot prints.
func (p *textParser) takeType(c *cursor, n int) typeID {
	if !c.OK() || n <= 0 {
		c.Miss("a type")
		return 0
	}
	text := c.Rest()[:n]
	if id, ok := p.dump.types.ids[string(text)]; ok {
		c.Take(n)
		return id
	}
	name, ok := javanames.FromPrinted(string(text))
	if !ok || javanames.ElementClass(name) == "" || bytes.IndexByte(text, 0) >= 0 {
		c.Miss("a type like 'java/lang/String', 'java/lang/String'[] or {type array int}")
		return 0
	}
	return p.dump.types.internSpelling(c.Take(n))
}

const (
	argumentTypes  = "argument types"
	returnType     = "return type"
	parameterTypes = "parameter types"
	nullSeenSuffix = " (null seen)"
	noType         = "none"
	unknownType    = "unknown"
)

func listName(column int, name string) string {
	return fmt.Sprintf("%*s%-*s", column, "", columnBody-column, name)
}

var (
	argumentsLine = listName(columnKind, argumentTypes)
	returnLine    = listName(columnKind, returnType)
)

// readCallTypes reads the types of a call. An entry with types has a different tag.
func (p *textParser) readCallTypes(e *textEntry) {
	if p.nextBeginsWith(argumentsLine) {
		e.types.args = p.readTypeSlots(argumentsLine)
	}
	if p.nextBeginsWith(returnLine) {
		e.types.result = new(textWord)
		p.readLine(func(c *cursor) {
			c.Expect(returnLine)
			*e.types.result = p.takeTypeWord(c)
		})
	}
	switch {
	case len(e.types.args) == 0 && e.types.result == nil:
	case e.tag == layout.TagCounter:
		e.tag = layout.TagCallType
	default:
		e.tag = layout.TagVirtualCallType
	}
}

// parametersLines are the prefixes of the first line of parameters.
var parametersLines = [...]string{
	JDK17: listName(2, parameterTypes),
	JDK25: fmt.Sprintf("  %-15s%-*s", "bci: 0 ", columnBody-columnKind-1, "ParametersTypeData"),
}

// readParameters reads the types of the method's parameters. In JDK 25 an empty line follows.
func (p *textParser) readParameters(m *textMethod) {
	for d, front := range parametersLines {
		if !p.nextBeginsWith(front) {
			continue
		}
		p.noteDialect(Dialect(d))
		p.report.Entries++
		m.parameters = p.readTypeSlots(front)
		if Dialect(d) == JDK25 {
			p.readLine((*cursor).End)
		}
		return
	}
}

// noteDialect sets the dialect from the first line that reveals it.
func (p *textParser) noteDialect(d Dialect) {
	if p.report.Entries == 0 {
		p.dump.dialect = d
	}
}

// readTypeSlots reads a list of types. The first line begins with name, and each further type has a line.
func (p *textParser) readTypeSlots(name string) (slots []textSlot) {
	for front := name; p.nextBeginsWith(front + slotName(len(slots))); front = indent {
		p.readLine(func(c *cursor) {
			c.Expect(front + slotName(len(slots)))
			s := textSlot{stack: c.Number(math.MaxUint32)}
			c.Expect(") ")
			s.word = p.takeTypeWord(c)
			slots = append(slots, s)
		})
	}
	if len(slots) == 0 {
		p.readLine(func(c *cursor) { c.Expect(name + slotName(0)) })
	}
	return slots
}

func slotName(i int) string { return fmt.Sprintf("%d: stack(", i) }

// takeTypeWord parses a type that extends to the end of the line.
func (p *textParser) takeTypeWord(c *cursor) (w textWord) {
	if !c.OK() {
		return w
	}
	text, nullSeen := bytes.CutSuffix(bytes.TrimRight(c.Rest(), " "), []byte(nullSeenSuffix))
	w.nullSeen = nullSeen
	switch string(text) {
	case noType:
	case unknownType:
		w.unknown = true
	default:
		w.typ = p.takeType(c, len(text))
	}
	return w
}

// parseTrap parses the text inside "trap(...)". known is false for a reason that bytecodes do not record, plain is
// true for a name in VMs without JVMCI, and ok is false for invalid text.
func parseTrap(text string) (traps layout.EntryTraps, known, plain, ok bool) {
	if raw, is := strings.CutPrefix(text, "#"); is { // HotSpot has no name for it
		n, err := strconv.ParseInt(raw, 10, 32)
		return layout.EntryTraps(int32(n)), true, false, err == nil
	}
	name, recompiled := strings.CutSuffix(text, entries.RecompiledSuffix)
	if recompiled {
		traps = layout.EntryTrapRecompiled
	}
	if name == entries.ManyTraps {
		return traps | disk.EntryTrapMany, true, false, true
	}
	for n, r := range entries.BytecodeTraps {
		if name == r.Name || name == r.Plain {
			return traps | layout.EntryTraps(n), true, r.Name != r.Plain && name == r.Plain, true
		}
	}
	return traps, false, false, name != "" && strings.Trim(name, "_abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

func appendTrap(b []byte, traps layout.EntryTraps, plain bool) []byte {
	reason := traps &^ layout.EntryTrapRecompiled
	switch {
	case reason == disk.EntryTrapMany:
		b = append(b, entries.ManyTraps...)
	case reason >= layout.EntryTraps(len(entries.BytecodeTraps)): // HotSpot has no name for it
		return strconv.AppendInt(append(b, '#'), int64(int32(traps)), 10)
	case plain:
		b = append(b, entries.BytecodeTraps[reason].Plain...)
	default:
		b = append(b, entries.BytecodeTraps[reason].Name...)
	}
	if traps&layout.EntryTrapRecompiled != 0 {
		b = append(b, entries.RecompiledSuffix...)
	}
	return b
}
