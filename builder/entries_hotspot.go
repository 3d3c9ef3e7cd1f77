package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// At has the place of a HotSpot entry, and the fields of its header.
type At struct {
	Bci   int32             // 0 to 65535, but for Branch: others are an error that matches layout.ErrTooLarge
	Flags layout.EntryFlags // EntryNullSeen
	Traps layout.EntryTraps // reason, and EntryTrapRecompiled
	In    disk.BlockSection // disk.SectionData if not set
}

// A Branch is a conditional branch.
type Branch struct {
	Taken, NotTaken uint64
	Displacement    int64 // to the entry of the target, in bytes
}

// A SwitchCase is a case of a switch.
type SwitchCase struct {
	Count        uint64
	Displacement int64 // to the entry of the target, in bytes
}

// A RetRow is a place that a ret returned to.
type RetRow struct {
	Bci          uint64
	Count        uint64
	Displacement int64 // to the entry at Bci, in bytes
}

// hotspot adds one of HotSpot's entries. Other domains refuse it with an error that matches ErrDomain.
// length is the value of the cell that holds the entry's length, if it has one.
func (p *Profile) hotspot(tag layout.Tag, at At, length int, fill func(e disk.Entry)) {
	p.recording.AddNarrow(profileset.Narrow{Tag: tag, Bci: at.Bci, Flags: at.Flags, Traps: at.Traps, Section: at.In},
		length, fill)
}

// Bit adds an entry that has flags and traps alone, such as a null check.
func (p *Profile) Bit(at At) { p.hotspot(layout.TagBit, at, 0, nil) }

// Counter adds a count.
func (p *Profile) Counter(at At, count uint64) {
	p.hotspot(layout.TagCounter, at, 0, func(e disk.Entry) { e.SetCell(0, count) })
}

// Jump adds a branch that is always taken; the displacement goes to the entry of its target, in bytes.
func (p *Profile) Jump(at At, taken uint64, displacement int64) {
	p.hotspot(layout.TagJump, at, 0, func(e disk.Entry) {
		e.SetCell(0, taken)
		e.SetCell(1, uint64(displacement))
	})
}

// Branch adds a conditional branch. In layout.DomainCustom its point is any number, it has no other field of At and
// no displacement, and it is stored as a Successors entry that reader.Entry.Branch reads.
func (p *Profile) Branch(at At, b Branch) {
	if p.recording.Domain() == layout.DomainCustom {
		p.customBranch(at, b)
		return
	}
	p.hotspot(layout.TagBranch, at, 0, func(e disk.Entry) {
		e.SetCell(0, b.Taken)
		e.SetCell(1, uint64(b.Displacement))
		e.SetCell(2, b.NotTaken)
	})
}

// MultiBranch adds a switch: its default, and its cases in order.
func (p *Profile) MultiBranch(at At, def SwitchCase, cases ...SwitchCase) {
	p.hotspot(layout.TagMultiBranch, at, 2+2*len(cases), func(e disk.Entry) {
		e.SetCell(0, uint64(2+2*len(cases)))
		for i, c := range append([]SwitchCase{def}, cases...) {
			e.SetCell(1+2*i, c.Count)
			e.SetCell(2+2*i, uint64(c.Displacement))
		}
	})
}

// Ret adds where a ret, the end of a subroutine of old bytecode, returned to. More rows than
// layout.Params.BciProfileWidth are an error.
func (p *Profile) Ret(at At, count uint64, rows ...RetRow) {
	p.hotspot(layout.TagRet, at, 0, func(e disk.Entry) {
		if len(rows) > p.recording.Shape().BciRows {
			p.recording.Fail(fmt.Errorf("bci %d: %d ret rows, the settings have %d", at.Bci, len(rows), p.recording.Shape().BciRows))
			return
		}
		e.SetCell(0, count)
		for i, r := range rows {
			e.SetCell(1+3*i, r.Bci)
			e.SetCell(2+3*i, r.Count)
			e.SetCell(3+3*i, uint64(r.Displacement))
		}
	})
}
