package reader

import (
	"iter"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// Rows are the rows of an entry that is a list. The tag determines the cells of a row, see the table of wide entries
// in docs/format.md or Entry.Shape.
type Rows struct {
	e     Entry
	shape rowShape
}

type rowShape struct{ head, first, width int }

func rowShapeOf(shape disk.Shape, tag layout.Tag) (s rowShape, ok bool) {
	switch tag {
	case layout.TagMultiBranch: // length, default count and displacement; count and displacement
		return rowShape{1, 3, 2}, true
	case layout.TagRet: // count; bci, count and displacement
		return rowShape{0, 1, 3}, true
	case layout.TagArgInfo: // length; modified
		return rowShape{1, 1, 1}, true
	case layout.TagReceivers: // see Receivers
		return rowShape{}, false
	}
	return wideRowShape(shape, tag)
}

// wideRowShape derives the shape from the schema of a wide tag, whose rows come last.
func wideRowShape(shape disk.Shape, tag layout.Tag) (s rowShape, ok bool) {
	schema, ok := shape.Schema(tag)
	if !ok || !disk.IsWide(tag) {
		return rowShape{}, false
	}
	for i := range schema.Groups {
		g := &schema.Groups[i]
		switch {
		case g.Repeat == disk.PerRow:
			return rowShape{0, s.first, len(g.Cells)}, i == len(schema.Groups)-1
		case g.Repeat != disk.Once:
			return rowShape{}, false
		}
		s.first += len(g.Cells)
	}
	return rowShape{}, false
}

// Rows returns the rows of a MultiBranch, Ret or ArgInfo entry, or of a wide entry with rows. These are Counters,
// ValueSite, Successors, Callees, and producers' entries with rows. For a Receivers entry use Receivers.
func (e Entry) Rows() (r Rows, ok bool) {
	if e.s == nil {
		return Rows{}, false
	}
	s, ok := rowShapeOf(e.s.shape, e.kind.tag)
	if !ok || s.first > e.Cells() {
		return Rows{}, false
	}
	return Rows{e, s}, true
}

// Len returns the number of rows; the zero Rows has none.
func (r Rows) Len() int { return (r.e.Cells() - r.shape.first) / max(r.shape.width, 1) }

// Head returns cell i before the rows. A Ret has a count there, and a MultiBranch has default count and displacement.
// It panics if there is no cell i.
func (r Rows) Head(i int) Counter {
	if i < 0 || r.shape.head+i >= r.shape.first {
		panic("reader: no such cell before the rows")
	}
	return r.e.Cell(r.shape.head + i)
}

// Cell returns cell i of a row. It panics if row or i is out of range.
func (r Rows) Cell(row, i int) Counter {
	if i < 0 || i >= r.shape.width || row < 0 {
		panic("reader: no such cell in a row")
	}
	return r.e.Cell(r.shape.first + row*r.shape.width + i)
}

// Method returns the method of a row of methods and counts, as in Callees; the zero Method if the row has none. It
// panics if there is no such row.
func (r Rows) Method(row int) (Method, error) {
	schema, _ := r.e.s.shape.Schema(r.e.kind.tag)
	if key, _ := schema.RowKey(); key != disk.CellMethod || !schema.IsList() {
		return Method{}, nil
	}
	if row < 0 || row >= r.Len() {
		panic("reader: no such row")
	}
	return r.e.MethodCell(r.shape.first + row*r.shape.width)
}

// Receivers is a type profile. It has rows with types and counts, and the count of receivers without a row. The total
// of a call is the sum of all rows, Other and Gap. Package experimental/analyze computes shares, also of type checks,
// whose Other can be negative.
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

// Receivers returns the type profile of a ReceiverType, VirtualCall, VirtualCallType or wide Receivers entry.
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

// Len returns the number of rows, including empty ones.
func (r Receivers) Len() int { return r.rows }

// Other returns the count of receivers without a row. It does not include the rows that Bound skips.
func (r Receivers) Other() Counter { return r.e.Cell(0) }

// Gap returns HotSpot's nonprofiled_count; ok is false if the VM has none.
func (r Receivers) Gap() (c Counter, ok bool) {
	if disk.IsWide(r.e.kind.tag) || r.e.s == nil || r.e.s.shape.Gap == 0 {
		return Counter{}, false
	}
	return r.e.Cell(1), true
}

// Row returns row i; ok is false if it is empty or missing.
func (r Receivers) Row(i int) (row Receiver, ok bool) {
	if i < 0 || i >= r.rows {
		return Receiver{}, false
	}
	t, ok := r.e.typeOfPointer(r.typeCell(i).Load())
	if !ok {
		return Receiver{}, false
	}
	return Receiver{t, r.countCell(i)}, true
}

// Cells returns both cells of row i, which may be empty. Compiled code compares pointer with Type.Address and
// increments count. It panics unless 0 <= i < Len().
func (r Receivers) Cells(i int) (pointer, count Counter) {
	if uint(i) >= uint(r.rows) {
		panic("reader: no such row")
	}
	return r.typeCell(i), r.countCell(i)
}

func (r Receivers) typeCell(i int) Counter  { return r.e.Cell(r.first + 2*i) }
func (r Receivers) countCell(i int) Counter { return r.e.Cell(r.first + 2*i + 1) }

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

// Bound iterates over the rows whose types are bound. The rows that it skips have counts too, so a share is a count
// divided by the total of the call, not by that of the bound rows. A call with one bound type need not be monomorphic.
func (r Receivers) Bound() iter.Seq[Receiver] {
	return func(yield func(Receiver) bool) {
		for row := range r.All() {
			if _, state := row.Type.s.Binding(row.Type); state == BindingBound && !yield(row) {
				return
			}
		}
	}
}

// TypeList is the type profile of the arguments and the return value of a call, or of the parameters of a method.
type TypeList struct {
	e     Entry
	first int // cell of the first (slot, type) pair
}

// A TypeWord is the type profile of one value.
type TypeWord struct {
	Type     Type // zero if no type was seen
	NullSeen bool
	Unknown  bool // several types were seen, so that Type is unknown
}

// Types returns the type profile of a CallType, VirtualCallType or ParametersType entry.
func (e Entry) Types() (t TypeList, ok bool) {
	switch e.kind.tag {
	case layout.TagCallType, layout.TagVirtualCallType, layout.TagParametersType:
		t = TypeList{e, e.s.shape.TypeList(e.kind.tag)}
		return t, t.first <= e.Cells()
	}
	return TypeList{}, false
}

func (t TypeList) countCells() int { return t.e.Cells() - t.first }

// Args returns the number of arguments or parameters.
func (t TypeList) Args() int { return t.countCells() / 2 }

// Arg returns the stack slot and the type profile of argument i. It panics if i is out of range.
func (t TypeList) Arg(i int) (slot uint64, w TypeWord) {
	if i < 0 || i >= t.Args() {
		panic("reader: no such argument")
	}
	cell := t.first + 2*i
	return t.e.Cell(cell).Trained(), t.typeWordAt(cell + 1)
}

// Return returns the type profile of the return value; ok is false if the entry has none.
func (t TypeList) Return() (w TypeWord, ok bool) {
	if t.countCells()%2 == 0 {
		return TypeWord{}, false
	}
	return t.typeWordAt(t.first + t.countCells() - 1), true
}

func (t TypeList) typeWordAt(cell int) TypeWord { return t.e.TypeCell(cell) }

// TypeCell decodes cell i, which has a type or a type word. It panics unless 0 <= i < Cells().
func (e Entry) TypeCell(i int) TypeWord {
	v := e.Cell(i).Load()
	of, _ := e.typeOfPointer(v &^ disk.TypeTags)
	return TypeWord{of, v&disk.TypeNullSeen != 0, v&disk.TypeUnknown != 0}
}

// A pointer cell of a trained profile is relative to the requested base, one of an adopted profile to the base at which
// the archive is. Native code may have written any value into the latter; a value that leads to no type counts as none.

// typeOfPointer returns the type for the value of a pointer cell. In a trained profile the value is relative to the
// requested base, and in an adopted profile to the actual base. Native code can write any value into an adopted
// profile; invalid ones count as null.
func (e Entry) typeOfPointer(cell uint64) (Type, bool) {
	if cell == 0 {
		return Type{}, false
	}
	base := e.s.h.Base
	if e.isAdopted() {
		a := e.s.adoption.Load()
		if t, ok := a.lateTypeAt(e.s, cell); ok {
			return t, true
		}
		base = a.base
	}
	offset, ok := disk.PointerOffset(cell, base, e.s.h.FileSize)
	if !ok || offset%disk.Unit != 0 || !e.s.isType(disk.RefOf(offset)) {
		return Type{}, false
	}
	return e.s.typeOfRecord(disk.RefOf(offset)), true
}

// MethodCell returns the method that cell i points to; the zero Method if the cell is null. In entries of this format
// methods never change, so the checked trained cell equals the live one. An invalid live cell of a
// producer's entry counts as null.
func (e Entry) MethodCell(i int) (Method, error) {
	cell := e.Cell(i)
	trained := cell.Trained()
	if e.isAdopted() && disk.TagByProducer(e.kind.tag) {
		live := cell.Load() - e.s.adoption.Load().base
		if live != trained-e.s.h.Base {
			return e.s.methodIfAny(live), nil
		}
	}
	if trained == 0 {
		return Method{}, nil
	}
	return e.s.readReferredMethod(disk.RefOf(int64(trained - e.s.h.Base)))
}

func (s *Store) methodIfAny(offset uint64) Method {
	if offset%disk.Unit != 0 || offset >= uint64(s.h.FileSize) || !disk.MethodPlaces(s.h).Holds(int64(offset), disk.Unit) {
		return Method{}
	}
	m, err := s.MethodAt(disk.RefOf(int64(offset)))
	if err != nil {
		return Method{}
	}
	return m
}

func (a *adoption) pointerTo(t Type) uint64 {
	if t.Late() {
		return a.lateBase + uint64(t.ordinal-a.firstLate)*disk.TypeSize
	}
	return disk.Pointer(a.base, t.s.typeOffset(t.ordinal))
}

func (a *adoption) lateTypeAt(s *Store, address uint64) (Type, bool) {
	d := address - a.lateBase
	if d%disk.TypeSize != 0 || d/disk.TypeSize >= uint64(a.late.count.Load()) {
		return Type{}, false
	}
	return Type{s, a.firstLate + uint32(d/disk.TypeSize)}, true
}
