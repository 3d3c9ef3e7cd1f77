package reader

import (
	"iter"

	"github.com/profarc/profarc/layout"
)

// Receivers is a type profile: rows of types with their counts, and the count
// of all that found no row.
type Receivers struct {
	e     Entry
	first int // cell of the first row
	rows  int
}

// A Receiver is a row of a type profile.
type Receiver struct {
	Type  Type
	Count Counter
}

// Receivers is the type profile of a ReceiverType, VirtualCall,
// VirtualCallType or wide Receivers entry.
func (e Entry) Receivers() (r Receivers, ok bool) {
	switch e.kind.tag {
	case layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType:
		r = Receivers{e, e.s.shape.ReceiverRow(0), e.s.shape.TypeRows}
	case layout.TagReceivers:
		r = Receivers{e, layout.ReceiversFixed, (e.Cells() - layout.ReceiversFixed) / 2}
	default:
		return Receivers{}, false
	}
	return r, r.rows >= 0 && r.first+2*r.rows <= e.Cells()
}

// Len is the number of rows, empty ones included.
func (r Receivers) Len() int { return r.rows }

// Other is the count of all receivers that found no row.
func (r Receivers) Other() Counter { return r.e.Cell(0) }

// NullSeen reports whether a null was seen.
func (r Receivers) NullSeen() bool { return r.e.Flags()&nullSeen != 0 }

// Gap is HotSpot's nonprofiled_count; ok is false where the VM keeps none.
func (r Receivers) Gap() (c Counter, ok bool) {
	if r.e.kind.tag.Wide() || r.e.s.shape.Gap == 0 {
		return Counter{}, false
	}
	return r.e.Cell(1), true
}

// Row gives row i. ok is false if it is empty, or there is none.
func (r Receivers) Row(i int) (row Receiver, ok bool) {
	if i < 0 || i >= r.rows {
		return Receiver{}, false
	}
	t, ok := r.e.pointsTo(r.typeCell(i).Load())
	if !ok {
		return Receiver{}, false
	}
	return Receiver{t, r.count(i)}, true
}

func (r Receivers) typeCell(i int) Counter { return r.e.Cell(r.first + 2*i) }
func (r Receivers) count(i int) Counter    { return r.e.Cell(r.first + 2*i + 1) }

// All goes through the rows that are not empty.
func (r Receivers) All() iter.Seq[Receiver] {
	return func(yield func(Receiver) bool) {
		for i := range r.rows {
			if row, ok := r.Row(i); ok && !yield(row) {
				return
			}
		}
	}
}

// Bound goes through the rows whose types are bound.
func (r Receivers) Bound() iter.Seq[Receiver] {
	return func(yield func(Receiver) bool) {
		for i := range r.rows {
			row, ok := r.Row(i)
			if !ok {
				continue
			}
			if _, state := row.Type.s.Binding(row.Type); state == Bound && !yield(row) {
				return
			}
		}
	}
}
