package reader

import (
	"iter"

	"github.com/profarc/profarc/layout"
)

// An Entry is one profile entry.
type Entry struct{}

func (e Entry) Tag() layout.Tag { return 0 }
func (e Entry) Point() int32    { return 0 }
func (e Entry) Sub() uint16     { return 0 }

// Flags and Traps are live if the profile is adopted.

func (e Entry) Flags() uint8  { return 0 }
func (e Entry) Traps() uint32 { return 0 }

// Offset is where the entry lies, in bytes from the start of its section.
func (e Entry) Offset() int { return 0 }

// Raw is the trained entry as it lies in the file; it must not be written to.
func (e Entry) Raw() layout.Entry { return nil }

// Cell gives cell i as a counter, whatever it is. It panics if there is none.
func (e Entry) Cell(i int) Counter { return Counter{} }

// Jump is a branch that is always taken.
type Jump struct {
	Taken        Counter
	Displacement int64 // to the entry of the target, in bytes
}

// Branch is a conditional branch.
type Branch struct {
	Taken, NotTaken Counter
	Displacement    int64
}

// Counter gives the count of a Counter, CallType or Count entry.
func (e Entry) Counter() (c Counter, ok bool) { return Counter{}, false }

// Jump is the content of a Jump entry.
func (e Entry) Jump() (j Jump, ok bool) { return Jump{}, false }

// Branch is the content of a Branch entry.
func (e Entry) Branch() (b Branch, ok bool) { return Branch{}, false }

// Receivers is the type profile of a ReceiverType, VirtualCall,
// VirtualCallType or wide Receivers entry.
func (e Entry) Receivers() (r Receivers, ok bool) { return Receivers{}, false }

// Types is the argument, return or parameter types of a CallType,
// VirtualCallType or ParametersType entry.
func (e Entry) Types() (t TypeList, ok bool) { return TypeList{}, false }

// Rows is the list of a MultiBranch, Ret, ArgInfo, Counters, ValueSite,
// Successors or Callees entry.
func (e Entry) Rows() (r Rows, ok bool) { return Rows{}, false }

// Bitmap is the bytes of a Bitmap entry.
func (e Entry) Bitmap() (b []byte, ok bool) { return nil, false }

// Trap is the method of a SpeculativeTrap entry; it is the zero Method if there
// is none.
func (e Entry) Trap() (m Method, err error) { return Method{}, nil }

// RecordNull notes that a null was seen.
func (e Entry) RecordNull() error { return nil }

// RecordTrap notes a trap of that reason in a HotSpot entry as HotSpot does:
// a second reason makes it 'many'.
func (e Entry) RecordTrap(reason uint32, recompiled bool) error { return nil }

// A Counter is a counter in place.
type Counter struct{}

// Load is the live count if the profile is adopted, otherwise the trained one.
func (c Counter) Load() uint64 { return 0 }

// Trained is the count as it was dumped.
func (c Counter) Trained() uint64 { return 0 }

// Add adds n to the live count, atomically and in place.
func (c Counter) Add(n uint64) error { return nil }

// Receivers is a type profile: rows of types with their counts, and the count
// of all that found no row.
type Receivers struct{}

func (r Receivers) Len() int             { return 0 } // rows, empty ones included
func (r Receivers) Other() Counter       { return Counter{} }
func (r Receivers) NullSeen() bool       { return false }
func (r Receivers) Gap() (Counter, bool) { return Counter{}, false } // HotSpot's nonprofiled_count, where it is kept

// Row gives row i. ok is false if it is empty.
func (r Receivers) Row(i int) (row Receiver, ok bool) { return Receiver{}, false }

// All goes through the rows that are not empty.
func (r Receivers) All() iter.Seq[Receiver] { return nil }

// Bound goes through the rows whose types are bound.
func (r Receivers) Bound() iter.Seq[Receiver] { return nil }

// Record notes a receiver as a VM would: in its row, else in an empty row that
// is claimed for it, else in the count of all others.
func (r Receivers) Record(t Type) error { return nil }

// A Receiver is a row of a type profile.
type Receiver struct {
	Type  Type
	Count Counter
}

// TypeList is the type profile of values: arguments and the return value of a
// call, or the parameters of a method.
type TypeList struct{}

func (t TypeList) Args() int                           { return 0 }
func (t TypeList) Arg(i int) (slot uint64, w TypeWord) { return 0, TypeWord{} }
func (t TypeList) Return() (w TypeWord, ok bool)       { return TypeWord{}, false }

// A TypeWord is the type profile of one value.
type TypeWord struct {
	Type     Type // Valid() is false if there is none
	NullSeen bool
	Unknown  bool
}

// Rows is the rows of an entry that is a list. What the two cells of a row are,
// the tag says: see layout.
type Rows struct{}

func (r Rows) Len() int { return 0 }

// Head is the cells before the rows: the count of a Ret, the default count and
// displacement of a MultiBranch.
func (r Rows) Head(i int) Counter { return Counter{} }

// Cell gives cell i of a row.
func (r Rows) Cell(row, i int) Counter { return Counter{} }

// Method gives the method of a Callees row.
func (r Rows) Method(row int) (Method, error) { return Method{}, nil }
