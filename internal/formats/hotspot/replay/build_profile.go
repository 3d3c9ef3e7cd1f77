package replay

import (
	"encoding/binary"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// Sizes of a VM's MethodData in front of its words: MethodData::_data is at
// that offset.
const (
	headSize17 = 304
	headSize25 = 208
)

// headSize is the size in front of the words; ok is false for a VM whose layout
// is not known.
func headSize(version int, shape layout.Shape) (n int, ok bool) {
	switch {
	case version == 0 && shape.Gap == 1:
		return headSize17, true
	case version == maxVersion && shape.Gap == 0:
		return headSize25, true
	}
	return 0, false
}

// profile makes the profile of one method.
func (b *build) profile(d *methodData) (*builder.Profile, error) {
	w, err := d.walk(b.shape)
	if err != nil {
		return nil, err
	}
	p := b.Profile(b.methodRef(d.methodKey), 0, builder.NoContext)
	b.counters(p, d)
	b.size(p, d, w.free)
	previous := int32(-1)
	for section, entries := range w.sections {
		for _, e := range entries {
			b.entry(p, d, layout.BlockSection(section), e)
			b.report.Entries++
		}
	}
	for _, e := range w.sections[layout.SectionData] {
		if e.Point() <= previous {
			b.report.lose(LossOrder, d.at.number)
			break
		}
		previous = e.Point()
	}
	b.report.Methods++
	return p, p.Done()
}

// counters notes what the file says of the method as a whole.
func (b *build) counters(p *builder.Profile, d *methodData) {
	p.Invocations(uint64(uint32(d.invocations)))
	p.Compile(builder.Compile{State: uint8(d.state)})
	if m := b.methods[d.methodKey]; m != nil {
		p.Interpreted(uint64(uint32(m.interpreted)))
		p.Backedges(uint64(uint32(m.backedges) >> 1))
	}
	counters, ok := compilerCounters(d.header)
	if !ok {
		b.report.lose(LossHeader, d.at.number)
		return
	}
	readHistory(p, counters)
}

// size notes the size of the VM's MethodData, which tells how many words are
// free. jhsdb's data has no free words, but the size as the VM has it.
func (b *build) size(p *builder.Profile, d *methodData, free int) {
	if len(d.header) == wholeSize {
		p.Size(0, binary.LittleEndian.Uint32(d.header[16:]))
		return
	}
	if head, ok := headSize(b.version, b.shape); ok {
		p.Size(0, uint32(head+len(d.words)*layout.CellSize))
	} else if free > 0 {
		b.report.lose(LossFree, d.at.number)
	}
}

// entry adds an entry as it is, with references in place of pointers.
func (b *build) entry(p *builder.Profile, d *methodData, in layout.BlockSection, e placed) {
	cells := e.Entry
	at := builder.At{Bci: uint16(e.Point()), Flags: e.Flags(), Traps: e.Traps(), In: in}
	switch e.Tag() {
	case layout.TagBit:
		p.Bit(at)
	case layout.TagCounter:
		p.Counter(at, cells.Cell(0))
	case layout.TagJump:
		p.Jump(at, cells.Cell(0), int64(cells.Cell(1)))
	case layout.TagBranch:
		p.Branch(at, cells.Cell(0), int64(cells.Cell(1)), cells.Cell(2))
	case layout.TagReceiverType:
		p.ReceiverType(at, cells.Cell(0), b.gap(e), b.rows(d, e)...)
	case layout.TagVirtualCall:
		p.VirtualCall(at, cells.Cell(0), b.gap(e), b.rows(d, e)...)
	case layout.TagCallType:
		p.CallType(at, cells.Cell(0), b.types(d, e))
	case layout.TagVirtualCallType:
		p.VirtualCallType(at, cells.Cell(0), b.gap(e), b.rows(d, e), b.types(d, e))
	case layout.TagRet:
		p.Ret(at, cells.Cell(0), b.returns(e)...)
	case layout.TagMultiBranch:
		p.MultiBranch(at, switchCase(e, 1), switchCases(e)...)
	case layout.TagArgInfo:
		p.ArgInfo(rest(e, 1)...)
	case layout.TagParametersType:
		p.Parameters(b.types(d, e).Args...)
	case layout.TagSpeculativeTrap:
		b.speculativeTrap(p, d, at, e)
	}
}

func (b *build) gap(e placed) uint64 {
	if b.shape.Gap == 0 {
		return 0
	}
	return e.Cell(1)
}

func (b *build) rows(d *methodData, e placed) []builder.Row {
	rows := make([]builder.Row, b.shape.TypeRows)
	for i := range rows {
		cell := b.shape.ReceiverRow(i)
		rows[i] = builder.Row{Type: b.pointer(d, e, cell, 0), Count: e.Cell(cell + 1)}
	}
	return rows
}

// pointer is the type that a cell points to; tags are the bits of it that are
// no part of the pointer.
func (b *build) pointer(d *methodData, e placed, cell int, tags uint64) builder.TypeRef {
	if class, ok := d.klasses[e.at+1+cell]; ok {
		return b.typeRef(class)
	}
	if e.Cell(cell)&^tags != 0 {
		b.report.lose(LossUnnamed, d.at.number)
	}
	return 0
}

func (b *build) types(d *methodData, e placed) (t builder.CallTypes) {
	first := b.shape.TypeList(e.Tag())
	n := e.Cells() - first
	for i := range n / 2 {
		t.Args = append(t.Args, builder.Slot{Stack: e.Cell(first + 2*i), Type: b.word(d, e, first+2*i+1)})
	}
	if n%2 != 0 {
		w := b.word(d, e, first+n-1)
		t.Return = &w
	}
	return t
}

func (b *build) word(d *methodData, e placed, cell int) builder.TypeWord {
	v := e.Cell(cell)
	return builder.TypeWord{
		Type:     b.pointer(d, e, cell, layout.TypeTags),
		NullSeen: v&layout.TypeNullSeen != 0, Unknown: v&layout.TypeUnknown != 0,
	}
}

func (b *build) returns(e placed) []builder.RetRow {
	rows := make([]builder.RetRow, b.shape.BciRows)
	for i := range rows {
		rows[i] = builder.RetRow{Bci: e.Cell(1 + 3*i), Count: e.Cell(2 + 3*i), Displacement: int64(e.Cell(3 + 3*i))}
	}
	return rows
}

func switchCase(e placed, cell int) builder.SwitchCase {
	return builder.SwitchCase{Count: e.Cell(cell), Displacement: int64(e.Cell(cell + 1))}
}

// switchCases are the cases of a switch behind its default.
func switchCases(e placed) (cases []builder.SwitchCase) {
	for cell := 3; cell+1 < e.Cells(); cell += 2 {
		cases = append(cases, switchCase(e, cell))
	}
	return cases
}

// rest are the cells from one on.
func rest(e placed, from int) (cells []uint64) {
	for i := from; i < e.Cells(); i++ {
		cells = append(cells, e.Cell(i))
	}
	return cells
}

// speculativeTrap adds a trap of a method that is named; a trap of another
// would say nothing.
func (b *build) speculativeTrap(p *builder.Profile, d *methodData, at builder.At, e placed) {
	var m builder.MethodRef
	if k, ok := d.methods[e.at+1]; ok {
		m = b.methodRef(k)
	} else {
		b.report.lose(LossUnnamed, d.at.number)
	}
	p.SpeculativeTrap(at, m)
}
