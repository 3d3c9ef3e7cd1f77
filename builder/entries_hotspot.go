package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// At is the header of a HotSpot entry. The zero value is the entry of bytecode 0.
type At struct {
	Bci   int32             // bytecode index; HotSpot has 0 to 65535, and Done returns layout.ErrTooLarge for others
	Flags layout.EntryFlags // layout.EntryNullSeen, or 0
	Traps layout.EntryTraps // reason of a trap, and layout.EntryTrapRecompiled; 0 for none
	In    disk.BlockSection // zero for the data section; packages of this module know others
}

// A Branch is a conditional branch.
type Branch struct {
	Taken, NotTaken uint64
	Displacement    int64 // offset in bytes to the target's entry; 0 if not known
}

// A SwitchCase is a case of a switch.
type SwitchCase struct {
	Count        uint64
	Displacement int64 // offset in bytes to the target's entry; 0 if not known
}

// A RetRow counts how often a ret returned to one bytecode index.
type RetRow struct {
	Bci          uint64
	Count        uint64
	Displacement int64 // offset in bytes to the entry at Bci; 0 if not known
}

// hotspot adds an entry of HotSpot's. Other domains refuse it. length is the value of its length cell, if it has one.
func (p *Profile) hotspot(tag layout.Tag, at At, length int, fill func(e disk.Entry)) {
	p.recording.AddNarrow(profileset.Narrow{Tag: tag, Bci: at.Bci, Flags: at.Flags, Traps: at.Traps, Section: at.In},
		length, fill)
}

// Bit adds an entry that has only flags and traps, such as a null check.
func (p *Profile) Bit(at At) { p.hotspot(layout.TagBit, at, 0, nil) }

// Counter adds the execution count of a bytecode.
func (p *Profile) Counter(at At, count uint64) {
	p.hotspot(layout.TagCounter, at, 0, func(e disk.Entry) { e.SetCell(0, count) })
}

// Jump adds an unconditional branch. displacement is the offset in bytes to the target's entry, or 0.
func (p *Profile) Jump(at At, taken uint64, displacement int64) {
	p.hotspot(layout.TagJump, at, 0, func(e disk.Entry) {
		e.SetCell(0, taken)
		e.SetCell(1, uint64(displacement))
	})
}

// Branch adds a conditional branch. It is also available in layout.DomainCustom. There At.Bci is any number, and the
// other fields of At and the displacement must be zero.
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

// MultiBranch adds a switch with the default def and its cases in order.
func (p *Profile) MultiBranch(at At, def SwitchCase, cases ...SwitchCase) {
	p.hotspot(layout.TagMultiBranch, at, 2+2*len(cases), func(e disk.Entry) {
		e.SetCell(0, uint64(2+2*len(cases)))
		for i, c := range append([]SwitchCase{def}, cases...) {
			e.SetCell(1+2*i, c.Count)
			e.SetCell(2+2*i, uint64(c.Displacement))
		}
	})
}

// Ret adds the targets of a ret, which ends a subroutine of old bytecode. More rows than
// Config.Params.BciProfileWidth are an error.
func (p *Profile) Ret(at At, count uint64, rows ...RetRow) {
	p.hotspot(layout.TagRet, at, 0, func(e disk.Entry) {
		if len(rows) > p.recording.Shape().BciRows {
			p.recording.Fail(fmt.Errorf("bci %d: %d ret rows, the settings have %d: set Params.BciProfileWidth of the config",
				at.Bci, len(rows), p.recording.Shape().BciRows))
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

// A Row counts one type. In Profile.Receivers a Row without a type is free, and a VM may record another type in it.
type Row struct {
	Type  TypeRef
	Count uint64
}

// Others are the counts of a receiver entry outside its rows. The zero value counts nothing.
type Others struct {
	Count uint64 // values whose type has no row; signed for a type check
	Gap   uint64 // HotSpot's nonprofiled_count; must be 0 if Config.Params.ReceiverGap is 0
}

// A TypeWord is the type profile of one value. The zero value means that nothing was seen.
type TypeWord struct {
	Type     TypeRef // 0 if no type was seen
	NullSeen bool
	Unknown  bool // more than one type was seen
}

// A Slot is the type profile of the argument in a stack slot.
type Slot struct {
	Stack uint64 // number of the stack slot
	Type  TypeWord
}

// A CallTypes is the type profile of the arguments of a call and of its return value; Return is nil if the VM does not
// record it.
type CallTypes struct {
	Args   []Slot
	Return *TypeWord
}

// ReceiverType adds the type profile of an instanceof, checkcast or aastore. More rows than
// Config.Params.TypeProfileWidth are an error; HotSpotParams has two.
func (p *Profile) ReceiverType(at At, others Others, rows ...Row) {
	p.receivers(layout.TagReceiverType, at, others, rows)
}

// VirtualCall adds the type profile of a virtual or interface call, with rows as in ReceiverType.
func (p *Profile) VirtualCall(at At, others Others, rows ...Row) {
	p.receivers(layout.TagVirtualCall, at, others, rows)
}

func (p *Profile) receivers(tag layout.Tag, at At, others Others, rows []Row) {
	p.hotspot(tag, at, 0, func(e disk.Entry) { p.setReceivers(e, others, rows) })
}

func (p *Profile) setReceivers(e disk.Entry, others Others, rows []Row) {
	p.recording.SetReceivers(e, others.Count, others.Gap, len(rows),
		func(i int) (TypeRef, uint64) { return rows[i].Type, rows[i].Count })
}

// CallType adds the count of a static call with the types of arguments and return value.
func (p *Profile) CallType(at At, count uint64, types CallTypes) {
	p.hotspot(layout.TagCallType, at, types.cells(), func(e disk.Entry) {
		e.SetCell(0, count)
		p.setTypes(e, types)
	})
}

// VirtualCallType adds what VirtualCall adds, and the types of arguments and return value.
func (p *Profile) VirtualCallType(at At, others Others, rows []Row, types CallTypes) {
	p.hotspot(layout.TagVirtualCallType, at, types.cells(), func(e disk.Entry) {
		p.setReceivers(e, others, rows)
		p.setTypes(e, types)
	})
}

func (t CallTypes) cells() int {
	n := 2 * len(t.Args)
	if t.Return != nil {
		n++
	}
	return n
}

func (p *Profile) setTypes(e disk.Entry, types CallTypes) {
	cells := make([]uint64, 0, types.cells())
	for _, a := range types.Args {
		cells = append(cells, a.Stack, p.typeWord(a.Type))
	}
	if types.Return != nil {
		cells = append(cells, p.typeWord(*types.Return))
	}
	p.recording.SetTypeList(e, cells)
}

func (p *Profile) typeWord(w TypeWord) uint64 {
	return p.recording.TypeWordCell(w.Type, w.NullSeen, w.Unknown)
}
