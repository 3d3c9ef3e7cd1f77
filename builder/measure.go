package builder

import (
	"encoding/binary"
	"math/bits"

	"github.com/profarc/profarc/layout"
)

// measureProfiles counts what is in all profiles.
func (p *plan) measureProfiles() {
	p.hasPointers = make([]bool, p.b.profiles.len())
	for number, d := range p.b.profiles.all {
		p.hasPointers[number-1] = p.measureProfile(p.b.blocks.at(d.block))
	}
}

func (p *plan) measureProfile(b layout.Block) (pointers bool) {
	s := &p.summary
	if f := b.Field(layout.HasInvocations); f != nil {
		n := binary.LittleEndian.Uint64(f)
		s.TotalInvocations, s.MaxInvocations = layout.SaturatingAdd(s.TotalInvocations, n), max(s.MaxInvocations, n)
	}
	shape := p.b.shape
	eachEntry(shape, b, func(section layout.BlockSection, e layout.Entry) {
		p.entries++
		pointers = pointers || !shape.Pointers(e, func(int, layout.PointerKind) bool { return false })
		if section == layout.SectionData {
			p.measureCounts(e)
		}
	})
	return pointers
}

func (p *plan) measureCounts(e layout.Entry) {
	s, signed := &p.summary, e.SignedCounts()
	p.b.shape.Counts(e, func(cell int) bool {
		v := e.Cell(cell)
		if signed && int64(v) < 0 {
			return true
		}
		s.TotalCount, s.MaxCount = layout.SaturatingAdd(s.TotalCount, v), max(s.MaxCount, v)
		return true
	})
}

// eachEntry goes through the entries of all sections of a block that this
// package encoded.
func eachEntry(shape layout.Shape, b layout.Block, yield func(section layout.BlockSection, e layout.Entry)) {
	for section := layout.SectionData; section < layout.SectionDirectory; section++ {
		eachEntryOf(shape, b.Section(section), func(e layout.Entry) { yield(section, e) })
	}
}

func eachEntryOf(shape layout.Shape, section []byte, yield func(e layout.Entry)) {
	for len(section) > 0 {
		var e layout.Entry
		var err error
		if e, section, err = shape.Next(section); err != nil {
			panic("builder: encoded a block it cannot walk: " + err.Error())
		}
		yield(e)
	}
}

// fieldIndex is the place of a presence bit.
func fieldIndex(f layout.Presence) int { return bits.TrailingZeros32(uint32(f)) - 1 }
