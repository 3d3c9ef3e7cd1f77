package reader

import (
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// An Entry is one profile entry. The zero Entry is none; no accessor takes it.
type Entry struct {
	s     *Store
	place place
	at    int // in its section
	kind  entryKind
}

// An entryKind is what nearly everybody asks of an entry first. It is a struct
// so that an Entry has few fields, and goes from call to call in registers.
type entryKind struct {
	tag     layout.Tag
	adopted bool
}

// Tag is what the entry records.
func (e Entry) Tag() layout.Tag { return e.kind.tag }

// Point is the profile point that the entry belongs to.
func (e Entry) Point() int32 {
	point := e.raw().Point()
	runtime.KeepAlive(e.s)
	return point
}

// Sub refines the tag of a wide entry.
func (e Entry) Sub() layout.Sub {
	sub := e.raw().Sub()
	runtime.KeepAlive(e.s)
	return sub
}

// Offset is where the entry lies, in bytes from the start of its section.
func (e Entry) Offset() int { return e.at }

// Bytes returns the trained entry as it lies in the file. It must not be written
// to.
func (e Entry) Bytes() []byte { return e.raw() }

func (e Entry) raw() disk.Entry { return e.s.trained(e.place) }

// live is the adopted entry, nil if the profile is not adopted.
func (e Entry) live() []byte {
	if !e.kind.adopted {
		return nil
	}
	return e.s.live(e.place)
}

// Cell returns cell i as a counter, whatever it is. It panics if there is none.
func (e Entry) Cell(i int) Counter {
	if i < 0 {
		panic("reader: a cell before the first")
	}
	return counterAt(e.s, e.raw(), e.live(), e.header()+i*disk.CellSize)
}

// Cells is the number of cells.
func (e Entry) Cells() int { return (e.place.size() - e.header()) / disk.CellSize }

func (e Entry) header() int {
	if e.kind.tag.Wide() {
		return disk.WideHeaderSize
	}
	return disk.EntryHeaderSize
}

// Jump is a branch that is always taken.
type Jump struct {
	Taken        Counter
	Displacement int64 // to the entry of the target, in bytes
}

// Branch is a conditional branch.
type Branch struct {
	Taken, NotTaken Counter
	Displacement    int64 // to the entry of the target, in bytes
}

// Counter returns the count of a Counter, CallType or Count entry.
func (e Entry) Counter() (c Counter, ok bool) {
	switch e.kind.tag {
	case layout.TagCounter, layout.TagCallType, layout.TagCount:
		if e.Cells() > 0 {
			return e.Cell(0), true
		}
	}
	return Counter{}, false
}

// Jump is the content of a Jump entry.
func (e Entry) Jump() (j Jump, ok bool) {
	if e.kind.tag != layout.TagJump || e.Cells() < 2 {
		return Jump{}, false
	}
	return Jump{e.Cell(0), int64(e.Cell(1).Trained())}, true
}

// Branch is the content of a Branch entry.
func (e Entry) Branch() (b Branch, ok bool) {
	if e.kind.tag != layout.TagBranch || e.Cells() < 3 {
		return Branch{}, false
	}
	return Branch{e.Cell(0), e.Cell(2), int64(e.Cell(1).Trained())}, true
}

// Bitmap is the bytes of a Bitmap entry, live if the profile is adopted. They
// are valid while e is reachable.
func (e Entry) Bitmap() (b []byte, ok bool) {
	if e.kind.tag != layout.TagBitmap {
		return nil, false
	}
	n := min(e.raw().Rows(), e.place.size()-disk.WideHeaderSize)
	b = e.current()[disk.WideHeaderSize:]
	runtime.KeepAlive(e.s)
	return b[:n], true
}

// current is the entry's bytes, of the adopted block if there is one.
func (e Entry) current() []byte {
	if e.kind.adopted {
		return e.live()
	}
	return e.raw()
}

// Trap is the method of a SpeculativeTrap entry; it is the zero Method if there
// is none.
func (e Entry) Trap() (m Method, err error) {
	if e.kind.tag != layout.TagSpeculativeTrap || e.Cells() < 1 {
		return Method{}, nil
	}
	return e.MethodCell(0)
}
