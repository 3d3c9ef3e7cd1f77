package builder

import (
	"fmt"
	"math"

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

// A TypeWord is a type profile of one value.
type TypeWord struct {
	Type     TypeRef // 0 for none
	NullSeen bool
	Unknown  bool // several types were seen
}

// A Slot is the type profile of an argument.
type Slot struct {
	Stack uint64 // stack slot
	Type  TypeWord
}

// A CallTypes is the type profile of a call: arguments, and the return value if Return is not nil.
type CallTypes struct {
	Args   []Slot
	Return *TypeWord
}

// A Jump is a branch that is always taken.
type Jump struct {
	Taken        uint64
	Displacement int64 // to the entry of the target, in bytes
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

// A SwitchCase is a case of a MultiBranch entry.
type SwitchCase struct {
	Count        uint64
	Displacement int64
}

// A RetRow is a row of a Ret entry.
type RetRow struct {
	Bci          uint64
	Count        uint64
	Displacement int64
}

// hotspot adds one of HotSpot's entries.
func (p *Profile) hotspot(tag layout.Tag, at At, length int, fill func(e disk.Entry)) {
	if !p.holds(tag, at.Bci) {
		return
	}
	if at.Bci < 0 || at.Bci > math.MaxUint16 {
		p.rec.Fail(fmt.Errorf("%w: a %s entry at bci %d: those of HotSpot are 0 to %d", layout.ErrTooLarge, tag, at.Bci,
			math.MaxUint16))
		return
	}
	cells := p.rec.Shape().Cells(tag, length)
	p.rec.Add(at.In, cells, func(b []byte) ([]byte, disk.Entry) {
		return disk.NewEntry(b, tag, at.Flags, uint16(at.Bci), at.Traps, cells)
	}, fill)
}

// holds reports whether archives of the domain hold entries of a tag. If not, that is the error of the
// profile: what has no meaning in a domain could not be read back from the archive's text.
func (p *Profile) holds(tag layout.Tag, point int32) bool {
	d := p.rec.Domain()
	if disk.HoldsTag(d, tag) {
		return true
	}
	p.rec.Fail(fmt.Errorf("%w: a %s entry at point %d in an archive of domain %s, which has %v", profileset.ErrDomain, tag,
		point, d, disk.HeldTags(d)))
	return false
}

// HotSpot's entries, which other domains refuse with an error that matches ErrDomain. More
// rows than the settings allow are an error.

// Bit adds an entry that has flags and traps alone.
func (p *Profile) Bit(at At) { p.hotspot(layout.TagBit, at, 0, nil) }

// Counter adds a count.
func (p *Profile) Counter(at At, count uint64) {
	p.hotspot(layout.TagCounter, at, 0, func(e disk.Entry) { e.SetCell(0, count) })
}

// Jump adds a branch that is always taken.
func (p *Profile) Jump(at At, j Jump) {
	p.hotspot(layout.TagJump, at, 0, func(e disk.Entry) {
		e.SetCell(0, j.Taken)
		e.SetCell(1, uint64(j.Displacement))
	})
}

// Branch adds a conditional branch.
func (p *Profile) Branch(at At, b Branch) {
	p.hotspot(layout.TagBranch, at, 0, func(e disk.Entry) {
		e.SetCell(0, b.Taken)
		e.SetCell(1, uint64(b.Displacement))
		e.SetCell(2, b.NotTaken)
	})
}

// ReceiverType adds the type profile of instanceof, checkcast or aastore.
func (p *Profile) ReceiverType(at At, others Others, rows ...Row) {
	p.hotspot(layout.TagReceiverType, at, 0, p.receivers(others, rows))
}

// VirtualCall adds the type profile of a virtual or interface call.
func (p *Profile) VirtualCall(at At, others Others, rows ...Row) {
	p.hotspot(layout.TagVirtualCall, at, 0, p.receivers(others, rows))
}

func (p *Profile) receivers(others Others, rows []Row) func(e disk.Entry) {
	return func(e disk.Entry) {
		shape := p.rec.Shape()
		if len(rows) > shape.TypeRows {
			p.rec.Fail(fmt.Errorf("bci %d: %d receiver rows, the settings have %d", e.Point(), len(rows), shape.TypeRows))
			return
		}
		e.SetCell(0, others.Count)
		if shape.Gap > 0 {
			e.SetCell(1, others.Gap)
		} else if others.Gap != 0 {
			p.rec.Fail(fmt.Errorf("bci %d: a count of %d where the settings have no cell", e.Point(), others.Gap))
		}
		for i, r := range rows {
			e.SetCell(shape.ReceiverRow(i), p.rec.TypeCell(r.Type))
			e.SetCell(shape.ReceiverRow(i)+1, r.Count)
		}
	}
}

// Ret adds the return points of a ret.
func (p *Profile) Ret(at At, count uint64, rows ...RetRow) {
	p.hotspot(layout.TagRet, at, 0, func(e disk.Entry) {
		if len(rows) > p.rec.Shape().BciRows {
			p.rec.Fail(fmt.Errorf("bci %d: %d ret rows, the settings have %d", at.Bci, len(rows), p.rec.Shape().BciRows))
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

// ArgInfo adds, to the extra entries, which arguments the method modifies.
func (p *Profile) ArgInfo(modified ...uint64) {
	p.hotspot(layout.TagArgInfo, At{In: layout.SectionExtra}, len(modified), func(e disk.Entry) {
		e.SetCell(0, uint64(len(modified)))
		for i, m := range modified {
			e.SetCell(1+i, m)
		}
	})
}

// CallType adds a count with the types of arguments and return value.
func (p *Profile) CallType(at At, count uint64, types CallTypes) {
	p.hotspot(layout.TagCallType, at, types.cells(), func(e disk.Entry) {
		e.SetCell(0, count)
		p.typeList(e, types)
	})
}

// VirtualCallType adds the type profile of a call with the types of arguments and return value.
func (p *Profile) VirtualCallType(at At, others Others, rows []Row, types CallTypes) {
	p.hotspot(layout.TagVirtualCallType, at, types.cells(), func(e disk.Entry) {
		p.receivers(others, rows)(e)
		p.typeList(e, types)
	})
}

// Parameters sets the types of the method's parameters.
func (p *Profile) Parameters(slots ...Slot) {
	types := CallTypes{Args: slots}
	p.hotspot(layout.TagParametersType, At{In: layout.SectionParameters}, types.cells(), func(e disk.Entry) {
		p.typeList(e, types)
	})
}

func (t CallTypes) cells() int {
	n := 2 * len(t.Args)
	if t.Return != nil {
		n++
	}
	return n
}

// typeList fills the length cell and the (slot, type) pairs that follow it.
func (p *Profile) typeList(e disk.Entry, types CallTypes) {
	first := p.rec.Shape().TypeList(e.Tag())
	e.SetCell(first-1, uint64(types.cells()))
	for i, a := range types.Args {
		e.SetCell(first+2*i, a.Stack)
		e.SetCell(first+2*i+1, p.wordCell(a.Type))
	}
	if types.Return != nil {
		e.SetCell(first+2*len(types.Args), p.wordCell(*types.Return))
	}
}

// SpeculativeTrap adds, to the extra entries, a trap that compiled code of method m took at this bci.
func (p *Profile) SpeculativeTrap(at At, m MethodRef) {
	at.In = layout.SectionExtra
	p.hotspot(layout.TagSpeculativeTrap, at, 0, func(e disk.Entry) { e.SetCell(0, p.rec.MethodCell(m)) })
}

func (p *Profile) wordCell(w TypeWord) uint64 {
	v := p.rec.TypeCell(w.Type)
	if w.NullSeen {
		v |= disk.TypeNullSeen
	}
	if w.Unknown {
		v |= disk.TypeUnknown
	}
	return v
}
