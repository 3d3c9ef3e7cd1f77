package builder

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

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
