package reader

import (
	"iter"

	"github.com/profarc/profarc/internal/disk"
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
		r = Receivers{e, disk.ReceiversFixed, (e.Cells() - disk.ReceiversFixed) / 2}
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

// Row returns row i. ok is false if it is empty, or there is none.
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

// All iterates over the rows that are not empty.
func (r Receivers) All() iter.Seq[Receiver] {
	return func(yield func(Receiver) bool) {
		for i := range r.rows {
			if row, ok := r.Row(i); ok && !yield(row) {
				return
			}
		}
	}
}

// Bound iterates over the rows whose types are bound.
func (r Receivers) Bound() iter.Seq[Receiver] {
	return func(yield func(Receiver) bool) {
		for i := range r.rows {
			row, ok := r.Row(i)
			if !ok {
				continue
			}
			if _, state := row.Type.s.Binding(row.Type); state == BindingBound && !yield(row) {
				return
			}
		}
	}
}

// Unlisted is what a type profile counts beside its rows. At most one of its
// numbers is not 0.
type Unlisted struct {
	// Types is the count of further types: all rows were taken.
	Types uint64
	// Untyped is the count of receivers whose types the VM did not record: a row
	// was free for them. HotSpot counts calls so whose target it knows, and all
	// calls where TypeProfileWidth is 0.
	Untyped uint64
	// Failed is how many type checks failed, of VMs that count those down; it may
	// be more where all rows are taken.
	Failed uint64
}

// Unlisted says what n, the value of Other, counts.
func (r Receivers) Unlisted(n uint64) Unlisted {
	switch {
	case r.e.raw().SignedCount() && int64(n) < 0:
		return Unlisted{Failed: -n}
	case r.full():
		return Unlisted{Types: n}
	}
	return Unlisted{Untyped: n}
}

// full reports whether no type can come into a row of its own any more: of wide
// entries, which have as many rows as types, where the rows of the VM were taken.
func (r Receivers) full() bool {
	taken := 0
	for range r.All() {
		taken++
	}
	return taken >= max(1, r.e.s.shape.TypeRows)
}
