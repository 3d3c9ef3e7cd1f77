package hotspot

import (
	"bytes"
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/jvm/names"
	"github.com/profarc/profarc/layout"
)

// entryKinds are the kinds of entries as the VM prints them. CallTypeData and
// VirtualCallTypeData print as CounterData and VirtualCallData with types.
var entryKinds = map[string]layout.Tag{
	"BitData": layout.TagBit, "CounterData": layout.TagCounter, "JumpData": layout.TagJump,
	"BranchData": layout.TagBranch, "MultiBranchData": layout.TagMultiBranch, "RetData": layout.TagRet,
	"ReceiverTypeData": layout.TagReceiverType, "VirtualCallData": layout.TagVirtualCall,
}

// parseEntry reads the front of an entry: offset, bci and kind. kind is empty
// if the line is no entry at all; the cursor stands behind the kind.
func parseEntry(line textLine) (e textEntry, kind []byte, c cursor) {
	c = newCursor(line.text)
	if !c.Skip("  ") {
		return e, nil, c
	}
	e.line = line.Line
	e.offset = int(c.Number(math.MaxInt32))
	c.Spaces()
	c.Expect("bci: ")
	e.at.Bci = uint16(c.Number(math.MaxUint16))
	if !c.OK() {
		return e, nil, c
	}
	c.Spaces()
	kind = c.Take(len(c.Rest()) - len(bytes.TrimLeftFunc(c.Rest(), isASCIILetter)))
	c.Spaces()
	return e, kind, c
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// entryDialect tells the dialect from the line of an entry: JDK 25 has a blank
// in front of "bci:" where JDK 17 begins it or has run out of room.
func entryDialect(line []byte) Dialect {
	c := newCursor(line)
	before := len(c.Until("bci: "))
	if column, _ := JDK25.entryColumns(); before >= column && line[before-1] == ' ' {
		return JDK25
	}
	return JDK17
}

// entry reads an entry of the method behind its kind, and its further lines.
func (p *textParser) entry(m *textMethod, e textEntry, kind []byte, line textLine, c *cursor) error {
	tag, known := entryKinds[string(kind)]
	if !known {
		p.report.Lost.AddAt(LossUnknownKind, e.line)
		return nil
	}
	p.noteDialect(entryDialect(line.text))
	e.tag = tag
	p.trapsAndFlags(&e, c)
	more := p.counts(&e, c)
	c.End()
	if err := p.check(line, c); err != nil {
		return err
	}
	if err := more(); err != nil {
		return err
	}
	p.report.Entries += 1 + len(e.traps)
	m.entries = append(m.entries, e)
	return nil
}

// trapsAndFlags reads what an entry of any kind may have in front of its
// counts:
//
//	trap(null_check recompiled) trap/ com.example.A::m(class_check) flags(1)
func (p *textParser) trapsAndFlags(e *textEntry, c *cursor) {
	if c.Skip("trap(") {
		e.at.Traps = p.trapState(string(c.Until(")")), c, e.line)
		c.Spaces()
	}
	for c.Skip("trap/") {
		p.speculativeTrap(e, c)
		c.Spaces()
	}
	if c.Skip("flags(") {
		e.at.Flags = uint8(c.Number(math.MaxUint8))
		c.Expect(")")
		c.Spaces()
	}
}

func (p *textParser) trapState(text string, c *cursor, line int) uint32 {
	traps, known, plain, ok := parseTrap(text)
	if !ok {
		c.Miss("the reason of a trap")
	}
	if !known && ok {
		p.report.Lost.AddAt(LossUnknownReason, line)
	}
	p.dump.plain = p.dump.plain || plain
	return traps
}

// speculativeTrap reads " com.example.A::m(class_check) ". The name may hold
// parentheses itself: the reason is in those behind which the entry goes on.
func (p *textParser) speculativeTrap(e *textEntry, c *cursor) {
	c.Expect(" ")
	class := c.Until(classEnd)
	name := c.Rest()
	for n := 0; c.OK(); {
		n += len(c.Until("("))
		reason := string(c.Until(")"))
		if _, _, _, ok := parseTrap(reason); ok && goesOn(c.Rest()) {
			if !isClass(class) || n == 0 {
				c.Miss("a class and a method")
			}
			t := textTrap{
				class: names.Internal(names.FromModifiedUTF8(string(class))),
				name:  names.Unquote(name[:n]),
				traps: p.trapState(reason, c, e.line),
			}
			e.traps = append(e.traps, t)
			return
		}
		n += len("(") + len(reason) + len(")")
	}
}

// goesOn reports whether rest is what may stand behind a trap.
func goesOn(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " ")
	for _, front := range []string{"trap/ ", "flags(", "count(", "taken(", "default_count("} {
		if bytes.HasPrefix(rest, []byte(front)) {
			return true
		}
	}
	return len(rest) == 0
}

// counts reads the counts of an entry, and gives what reads the lines behind.
func (p *textParser) counts(e *textEntry, c *cursor) (more func() error) {
	switch e.tag {
	case layout.TagCounter:
		e.count = c.field("count(")
		return func() error { return p.types(e) }
	case layout.TagJump:
		e.count, e.displacement = c.field("taken("), c.displacement()
	case layout.TagBranch:
		e.count, e.displacement = c.field("taken("), c.displacement()
		return func() error { return p.notTaken(e) }
	case layout.TagMultiBranch:
		e.cases = []builder.SwitchCase{{Count: c.field("default_count("), Displacement: c.displacement()}}
		return func() error { return p.cases(e) }
	case layout.TagRet:
		e.count = c.field("count(")
		rows := c.rowCount()
		return func() error { return p.returns(e, rows) }
	case layout.TagReceiverType, layout.TagVirtualCall:
		rows := p.receiverCounts(e, c)
		return func() error { return p.receivers(e, rows) }
	}
	return func() error { return nil }
}

// receiverCounts reads "count(6015) nonprofiled_count(0) entries(2)".
func (p *textParser) receiverCounts(e *textEntry, c *cursor) (rows int) {
	c.Expect("count(")
	e.count = c.Number(math.MaxInt64)
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
	return c.rowCount()
}

// signExtend is the cell of a count of type checks that is printed as n: failing
// checks count down, and HotSpot prints the low 32 bits without their sign.
func signExtend(n uint64) uint64 {
	if n > math.MaxInt32 && n <= math.MaxUint32 {
		return uint64(int64(int32(uint32(n))))
	}
	return n
}
