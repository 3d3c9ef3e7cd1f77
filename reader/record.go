package reader

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// A Counter is a counter in place. The zero Counter is 0 and cannot be counted in.
type Counter struct {
	s       *Store
	trained *[disk.CellSize]byte
	live    *atomic.Uint64 // nil if the profile is not adopted
}

// counterAt returns the counter at an offset in trained and, if the profile is
// adopted, at the same offset in live. It panics if it is outside.
func counterAt(s *Store, trained, live []byte, offset int) Counter {
	c := Counter{s: s, trained: (*[disk.CellSize]byte)(trained[offset : offset+disk.CellSize])}
	if live != nil {
		c.live, _ = words.Uint64(live, offset)
	}
	return c
}

// Load returns the live count if the profile is adopted, otherwise the trained one.
func (c Counter) Load() uint64 {
	if c.live == nil {
		return c.Trained()
	}
	n := c.live.Load()
	runtime.KeepAlive(c.s)
	return n
}

// Trained returns the count as it was dumped.
func (c Counter) Trained() uint64 {
	if c.trained == nil {
		return 0
	}
	n := le.Uint64(c.trained[:])
	runtime.KeepAlive(c.s)
	return n
}

// Add adds n to the live count, atomically and in place. The error is
// ErrNotAdopted if the profile is not adopted.
func (c Counter) Add(n uint64) error {
	if c.live == nil {
		return ErrNotAdopted
	}
	c.live.Add(n)
	runtime.KeepAlive(c.s)
	return nil
}

// Word returns the live word of the counter, for VMs whose compiled code or interpreter counts in it without
// a call: Add of the word is all that Add does. It stays where it is, and is valid as long as the Store is
// reachable, which the word itself does not see to. ok is false if the profile is not adopted.
func (c Counter) Word() (w *atomic.Uint64, ok bool) { return c.live, c.live != nil }

// Offset returns where the counter is in the archive, in bytes from its start; 0 for the zero
// Counter. In the adopted mapping its word is at Adoption.Base + Offset, and as far from
// Profile.Address as Offset is from Profile.Ref().Offset(): so compiled code may have it as
// a constant. It is valid for cells of any kind: see Entry.Cell and Receivers.Cells.
func (c Counter) Offset() int64 {
	if c.trained == nil {
		return 0
	}
	return int64(words.Address(c.trained[:]) - words.Address(c.s.data))
}

// Record notes a receiver as a VM would: in its row, else in an empty row that is claimed for it, else in the
// count of all others. Several goroutines may record at once: a type never gets two rows, and no count is
// lost. It returns the number of the row, which stays the type's, so that an inline cache can count in it
// without a search from then on; or -1 if the receiver has no row. The error is ErrNotAdopted if the profile is not adopted.
func (r Receivers) Record(t Type) (row int, err error) {
	if !r.e.isAdopted() {
		return -1, ErrNotAdopted
	}
	if t.s != r.e.s {
		return -1, errForeignType
	}
	a := r.e.s.adoption.Load()
	p := a.pointerTo(t)
	cells := r.adoptedRows()
	row, ok := cells.findRow(p)
	if !ok {
		row, ok = cells.claimRow(p)
	}
	if ok {
		cells.rowCell(row, 1).Add(1)
	} else {
		cells.otherCount().Add(1)
		row = -1
	}
	runtime.KeepAlive(r.e.s)
	return row, nil
}

// A liveRows is the cells of an adopted type profile. It has them, since the trained entry is as large.
type liveRows struct {
	cells words.View
	first uint64 // of the cells of the rows
	rows  int
}

func (r *Receivers) adoptedRows() liveRows {
	return liveRows{r.e.adoptedView.From(uint64(r.e.headerSize())), uint64(r.first) * disk.CellSize, r.rows}
}

// rowCell returns a cell of a row: 0 for the pointer, 1 for the count.
func (l liveRows) rowCell(i, cell int) *atomic.Uint64 {
	return l.cells.Word(l.first + uint64(2*i+cell)*disk.CellSize)
}

// otherCount returns the count of all others.
func (l liveRows) otherCount() *atomic.Uint64 { return l.cells.Word(0) }

// findRow finds the row that holds a pointer.
func (l liveRows) findRow(pointer uint64) (row int, ok bool) {
	for row := range l.rows {
		if l.rowCell(row, 0).Load() == pointer {
			return row, true
		}
	}
	return 0, false
}

// claimRow puts a pointer into the first empty row. Rows never become empty again, so
// that concurrent claims for one type get the same row.
func (l liveRows) claimRow(pointer uint64) (row int, ok bool) {
	for row := range l.rows {
		cell := l.rowCell(row, 0)
		if cell.Load() == 0 {
			cell.CompareAndSwap(0, pointer)
		}
		if cell.Load() == pointer {
			return row, true
		}
	}
	return 0, false
}

// Flags returns the entry's flags, live if the profile is adopted.
func (e Entry) Flags() layout.EntryFlags {
	if !e.isAdopted() {
		flags := e.trainedBytes().Flags()
		runtime.KeepAlive(e.s)
		return flags
	}
	flags := layout.EntryFlags(e.adoptedWord(0).Load() >> 8)
	runtime.KeepAlive(e.s)
	return flags
}

// adoptedWord returns the live 32-bit word at an offset, which the entry has and which is aligned as every entry is.
func (e Entry) adoptedWord(offset int) *atomic.Uint32 { return e.adoptedView.Word32(uint64(offset)) }

// RecordNull sets the flag that a null was seen. The error is ErrNotAdopted if the profile is not adopted,
// and matches errors.ErrUnsupported if entries of this tag do not have the flag.
func (e Entry) RecordNull() error {
	if disk.IsWide(e.kind.tag) && e.kind.tag != layout.TagReceivers {
		return fmt.Errorf("null in a %s entry: %w", e.kind.tag, errors.ErrUnsupported)
	}
	if !e.isAdopted() {
		return ErrNotAdopted
	}
	e.adoptedWord(0).Or(uint32(layout.EntryNullSeen) << 8)
	runtime.KeepAlive(e.s)
	return nil
}

// Traps returns the entry's traps word, live if the profile is adopted. It is 0 of a
// wide entry other than Receivers.
func (e Entry) Traps() layout.EntryTraps {
	at, ok := e.trapsOffset()
	if !ok {
		return 0
	}
	traps := uint32(0)
	if e.isAdopted() {
		traps = e.adoptedWord(at).Load()
	} else {
		traps = le.Uint32(e.trainedBytes()[at:])
	}
	runtime.KeepAlive(e.s)
	return layout.EntryTraps(traps)
}

// trapsOffset returns where the traps word is: in the header of a HotSpot entry, and
// in the second cell of a wide Receivers entry.
func (e Entry) trapsOffset() (offset int, ok bool) {
	if !disk.IsWide(e.kind.tag) {
		return disk.EntryHeaderSize / 2, true
	}
	return disk.WideHeaderSize + disk.CellSize, e.kind.tag == layout.TagReceivers && e.Cells() >= disk.ReceiversFixed
}

// RecordTrap notes a trap of that reason as HotSpot does: a second reason makes
// it 'many'. The error is ErrNotAdopted if the profile is not adopted, and
// matches errors.ErrUnsupported if entries of this tag keep no traps.
func (e Entry) RecordTrap(reason uint32, recompiled bool) error {
	at, ok := e.trapsOffset()
	if !ok {
		return fmt.Errorf("trap in a %s entry: %w", e.kind.tag, errors.ErrUnsupported)
	}
	if !e.isAdopted() {
		return ErrNotAdopted
	}
	trap := layout.EntryTraps(reason) & disk.EntryTrapMany
	if recompiled {
		trap |= layout.EntryTrapRecompiled
	}
	w := e.adoptedWord(at)
	for {
		old := w.Load()
		if w.CompareAndSwap(old, uint32(disk.UniteTraps(layout.EntryTraps(old), trap))) {
			runtime.KeepAlive(e.s)
			return nil
		}
	}
}
