package replay

import (
	"encoding/binary"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
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
func headSize(version int, shape disk.Shape) (n int, ok bool) {
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
			b.report.Lost.AddAt(LossOrder, d.place.Line)
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
		b.report.Lost.AddAt(LossHeader, d.place.Line)
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
		p.Size(0, uint32(head+len(d.words)*disk.CellSize))
	} else if free > 0 {
		b.report.Lost.AddAt(LossFree, d.place.Line)
	}
}

// entry adds an entry as it is, with references in place of pointers. What the
// file does not name becomes none.
func (b *build) entry(p *builder.Profile, d *methodData, in layout.BlockSection, e placed) {
	p.Raw(in, e.Entry, func(cell int, kind disk.CellKind) uint64 {
		at := e.at + 1 + cell
		if class, ok := d.klasses[at]; ok {
			return uint64(b.typeRef(class))
		}
		if m, ok := d.methods[at]; ok {
			return uint64(b.methodRef(m))
		}
		if pointerOf(d.words[at], kind) != 0 {
			b.report.Lost.AddAt(LossUnnamed, d.place.Line)
		}
		return 0
	})
}
