package builder

import (
	"math/bits"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// measureProfiles counts what is in all profiles.
func (p *plan) measureProfiles() {
	p.hasPointers = make([]bool, p.b.profiles.len())
	for number, d := range p.b.profiles.all {
		p.hasPointers[number-1] = p.measureProfile(p.b.blocks.at(d.block))
	}
}

func (p *plan) measureProfile(b disk.Block) (pointers bool) {
	s := &p.summary
	if f := b.Field(disk.HasInvocations); f != nil {
		n := le.Uint64(f)
		s.TotalInvocations, s.MaxInvocations = disk.SaturatingAdd(s.TotalInvocations, n), max(s.MaxInvocations, n)
	}
	shape := p.b.shape
	eachEntry(shape, b, func(section layout.BlockSection, e disk.Entry) {
		p.entries++
		for cell, kind := range shape.Pointers(e) {
			if pointers = true; kind != disk.CellMethod {
				break // an entry points to types or to methods, never to both
			}
			p.meet(MethodRef(e.Cell(cell) >> refShift))
		}
		if section == layout.SectionData {
			p.measureCounts(e)
		}
	})
	return pointers
}

func (p *plan) measureCounts(e disk.Entry) {
	if e.Tag() == layout.TagCounters { // nothing but counts, and in an archive of LLVM's hardly anything else
		for cells := e[disk.WideHeaderSize:]; len(cells) > 0; cells = cells[disk.CellSize:] {
			p.measureCount(le.Uint64(cells))
		}
		return
	}
	signed := e.SignedCount()
	for cell := range p.b.shape.Counts(e) {
		if v := e.Cell(cell); !signed || int64(v) >= 0 {
			p.measureCount(v)
		}
	}
}

func (p *plan) measureCount(n uint64) {
	s := &p.summary
	s.TotalCount, s.MaxCount = disk.SaturatingAdd(s.TotalCount, n), max(s.MaxCount, n)
}

// eachEntry goes through the entries of all sections of a block that this
// package encoded.
func eachEntry(shape disk.Shape, b disk.Block, yield func(section layout.BlockSection, e disk.Entry)) {
	eachEntryOf(shape, b.Section(layout.SectionData), func(e disk.Entry) { yield(layout.SectionData, e) })
	if b.Presence()&disk.HasSections == 0 {
		return
	}
	for section := layout.SectionExtra; section < layout.SectionDirectory; section++ {
		eachEntryOf(shape, b.Section(section), func(e disk.Entry) { yield(section, e) })
	}
}

func eachEntryOf(shape disk.Shape, section []byte, yield func(e disk.Entry)) {
	for len(section) > 0 {
		var e disk.Entry
		var err error
		if e, section, err = shape.Next(section); err != nil {
			panic("builder: encoded a block it cannot walk: " + err.Error())
		}
		yield(e)
	}
}

// fieldIndex is the place of a presence bit.
func fieldIndex(f disk.Presence) int { return bits.TrailingZeros32(uint32(f)) - 1 }
