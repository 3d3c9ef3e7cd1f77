package builder

import (
	"github.com/profarc/profarc/internal/build/profileset"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
)

// At has the place of a HotSpot entry, and the fields of its header.
type At struct {
	Bci   int32               // 0 to 65535: others are an error that matches layout.ErrTooLarge
	Flags layout.EntryFlags   // EntryNullSeen
	Traps layout.EntryTraps   // reason, and EntryTrapRecompiled
	In    layout.BlockSection // layout.SectionData if not set
}

// A Row is a type seen, and how often.
type Row struct {
	Type  TypeRef
	Count uint64
}

// A Branch is a conditional branch.
type Branch struct {
	Taken, NotTaken uint64
	Displacement    int64 // to the entry of the target, in bytes
}

// Others are the counts of a receiver entry outside its rows.
type Others struct {
	Count uint64 // types without a row; signed for a type check
	Gap   uint64 // HotSpot's nonprofiled_count; 0 where layout.Params.ReceiverGap is 0
}

// hotspot adds one of HotSpot's entries. Other domains refuse it with an error that matches ErrDomain.
func (p *Profile) hotspot(tag layout.Tag, at At, fill func(e disk.Entry)) {
	p.rec().AddNarrow(profileset.Narrow{Tag: tag, Bci: at.Bci, Flags: at.Flags, Traps: at.Traps, Section: at.In}, 0, fill)
}

// Counter adds a count.
func (p *Profile) Counter(at At, count uint64) {
	p.hotspot(layout.TagCounter, at, func(e disk.Entry) { e.SetCell(0, count) })
}

// Branch adds a conditional branch.
func (p *Profile) Branch(at At, b Branch) {
	p.hotspot(layout.TagBranch, at, func(e disk.Entry) {
		e.SetCell(0, b.Taken)
		e.SetCell(1, uint64(b.Displacement))
		e.SetCell(2, b.NotTaken)
	})
}

// ReceiverType adds the type profile of instanceof, checkcast or aastore. More rows than
// layout.Params.TypeProfileWidth are an error.
func (p *Profile) ReceiverType(at At, others Others, rows ...Row) {
	p.receivers(layout.TagReceiverType, at, others, rows)
}

// VirtualCall adds the type profile of a virtual or interface call, with rows as in ReceiverType.
func (p *Profile) VirtualCall(at At, others Others, rows ...Row) {
	p.receivers(layout.TagVirtualCall, at, others, rows)
}

func (p *Profile) receivers(tag layout.Tag, at At, others Others, rows []Row) {
	p.hotspot(tag, at, func(e disk.Entry) {
		p.rec().SetReceivers(e, others.Count, others.Gap, len(rows),
			func(i int) (TypeRef, uint64) { return rows[i].Type, rows[i].Count })
	})
}
