package rawprofile

import (
	"fmt"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/build/profileset"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
)

// A TypeWord is a type profile of one value.
type TypeWord struct {
	Type     builder.TypeRef // 0 for none
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
func (p Profile) hotspot(tag layout.Tag, at builder.At, length int, fill func(e disk.Entry)) {
	p.rec().AddNarrow(profileset.Narrow{Tag: tag, Bci: at.Bci, Flags: at.Flags, Traps: at.Traps, Section: at.In},
		length, fill)
}

// Bit adds an entry that has flags and traps alone.
func (p Profile) Bit(at builder.At) { p.hotspot(layout.TagBit, at, 0, nil) }

// Jump adds a branch that is always taken.
func (p Profile) Jump(at builder.At, j Jump) {
	p.hotspot(layout.TagJump, at, 0, func(e disk.Entry) {
		e.SetCell(0, j.Taken)
		e.SetCell(1, uint64(j.Displacement))
	})
}

// Ret adds the return points of a ret.
func (p Profile) Ret(at builder.At, count uint64, rows ...RetRow) {
	p.hotspot(layout.TagRet, at, 0, func(e disk.Entry) {
		if len(rows) > p.rec().Shape().BciRows {
			p.rec().Fail(fmt.Errorf("bci %d: %d ret rows, the settings have %d", at.Bci, len(rows), p.rec().Shape().BciRows))
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
func (p Profile) MultiBranch(at builder.At, def SwitchCase, cases ...SwitchCase) {
	p.hotspot(layout.TagMultiBranch, at, 2+2*len(cases), func(e disk.Entry) {
		e.SetCell(0, uint64(2+2*len(cases)))
		for i, c := range append([]SwitchCase{def}, cases...) {
			e.SetCell(1+2*i, c.Count)
			e.SetCell(2+2*i, uint64(c.Displacement))
		}
	})
}

// ArgInfo adds, to the extra entries, which arguments the method modifies.
func (p Profile) ArgInfo(modified ...uint64) {
	p.hotspot(layout.TagArgInfo, builder.At{In: layout.SectionExtra}, len(modified), func(e disk.Entry) {
		e.SetCell(0, uint64(len(modified)))
		for i, m := range modified {
			e.SetCell(1+i, m)
		}
	})
}

// CallType adds a count with the types of arguments and return value.
func (p Profile) CallType(at builder.At, count uint64, types CallTypes) {
	p.hotspot(layout.TagCallType, at, types.cells(), func(e disk.Entry) {
		e.SetCell(0, count)
		p.typeList(e, types)
	})
}

// VirtualCallType adds the type profile of a call with the types of arguments and return value.
func (p Profile) VirtualCallType(at builder.At, others builder.Others, rows []builder.Row, types CallTypes) {
	p.hotspot(layout.TagVirtualCallType, at, types.cells(), func(e disk.Entry) {
		p.rec().SetReceivers(e, others.Count, others.Gap, len(rows),
			func(i int) (builder.TypeRef, uint64) { return rows[i].Type, rows[i].Count })
		p.typeList(e, types)
	})
}

// Parameters sets the types of the method's parameters.
func (p Profile) Parameters(slots ...Slot) {
	types := CallTypes{Args: slots}
	p.hotspot(layout.TagParametersType, builder.At{In: layout.SectionParameters}, types.cells(), func(e disk.Entry) {
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
func (p Profile) typeList(e disk.Entry, types CallTypes) {
	first := p.rec().Shape().TypeList(e.Tag())
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
func (p Profile) SpeculativeTrap(at builder.At, m builder.MethodRef) {
	at.In = layout.SectionExtra
	p.hotspot(layout.TagSpeculativeTrap, at, 0, func(e disk.Entry) { e.SetCell(0, p.rec().MethodCell(m)) })
}

func (p Profile) wordCell(w TypeWord) uint64 {
	v := p.rec().TypeCell(w.Type)
	if w.NullSeen {
		v |= disk.TypeNullSeen
	}
	if w.Unknown {
		v |= disk.TypeUnknown
	}
	return v
}
