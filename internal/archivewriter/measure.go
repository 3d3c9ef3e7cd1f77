package archivewriter

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/methoddata"
	"github.com/profarc/profarc/internal/profileset"
	"github.com/profarc/profarc/layout"
)

// measureProfiles counts what is in all profiles.
func (p *plan) measureProfiles() {
	p.hasPointers = make([]bool, p.b.Profiles.Len())
	for number, d := range p.b.Profiles.All {
		p.hasPointers[number-1] = p.measureProfile(p.b.Blocks.At(d.Block))
	}
}

func (p *plan) measureProfile(b disk.Block) (pointers bool) {
	s := &p.summary
	if f := b.Field(disk.HasInvocations); f != nil {
		n := binary.LittleEndian.Uint64(f)
		s.TotalInvocations, s.MaxInvocations = disk.SaturatingAdd(s.TotalInvocations, n), max(s.MaxInvocations, n)
	}
	shape := p.b.Shape
	methoddata.EachEntry(shape, b, func(section layout.BlockSection, e disk.Entry) {
		p.entries++
		for cell, kind := range shape.Pointers(e) {
			if pointers = true; kind != disk.CellMethod {
				break // an entry points to types or to methods, never to both
			}
			p.meet(profileset.MethodRef(e.Cell(cell) >> methoddata.RefShift))
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
			p.measureCount(binary.LittleEndian.Uint64(cells))
		}
		return
	}
	signed := e.SignedCount()
	for cell := range p.b.Shape.Counts(e) {
		if v := e.Cell(cell); !signed || int64(v) >= 0 {
			p.measureCount(v)
		}
	}
}

func (p *plan) measureCount(n uint64) {
	s := &p.summary
	s.TotalCount, s.MaxCount = disk.SaturatingAdd(s.TotalCount, n), max(s.MaxCount, n)
}
