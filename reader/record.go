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

// A Counter refers to a counter in the archive and, if adopted, in the mapping. The zero Counter is 0 and constant.
type Counter struct {
	s       *Store
	trained *[disk.CellSize]byte
	live    *atomic.Uint64 // nil if the profile is not adopted
}

func counterAt(s *Store, trained, live []byte, offset int) Counter {
	c := Counter{s: s, trained: (*[disk.CellSize]byte)(trained[offset : offset+disk.CellSize])}
	if live != nil {
		c.live, _ = words.Uint64(live, offset)
	}
	return c
}

// Load returns the live count if the profile is adopted, and the trained count otherwise.
func (c Counter) Load() uint64 {
	if c.live == nil {
		return c.Trained()
	}
	n := c.live.Load()
	runtime.KeepAlive(c.s)
	return n
}

// Trained returns the count in the file.
func (c Counter) Trained() uint64 {
	if c.trained == nil {
		return 0
	}
	n := le.Uint64(c.trained[:])
	runtime.KeepAlive(c.s)
	return n
}

// Add adds n to the live count atomically. The error is ErrNotAdopted if the profile is not adopted.
func (c Counter) Add(n uint64) error {
	if c.live == nil {
		return ErrNotAdopted
	}
	c.live.Add(n)
	runtime.KeepAlive(c.s)
	return nil
}

// Word returns the live word of the counter, for VMs whose interpreter or compiled code counts without a call.
// Incrementing the word is equivalent to Add. The word never moves. It is valid while the Store is reachable, and does
// not itself keep the Store reachable. ok is false if the profile is not adopted.
func (c Counter) Word() (w *atomic.Uint64, ok bool) { return c.live, c.live != nil }

// Offset returns the offset of the counter in bytes from the start of the archive; 0 for the zero Counter. The address
// of the live word is Adoption.Base + Offset. It is also Profile.Address + Offset - Profile.Ref().Offset(), so compiled
// code can contain the distance as a constant. Offset works for cells of any kind, see Entry.Cell and Receivers.Cells.
func (c Counter) Offset() int64 {
	if c.trained == nil {
		return 0
	}
	return int64(words.AddressOfBytes(c.trained[:]) - words.AddressOfBytes(c.s.data))
}

// Record counts a receiver like a VM. It uses the row of the type, else an empty row that it claims, else the count of
// other receivers. It is safe for concurrent use. A type never gets two rows, and no count is lost. It returns the
// row, or -1 if the receiver has no row. The row stays assigned to the type, so an inline cache can increment it from
// then on. The error is ErrNotAdopted if the profile is not adopted.
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
		cells.cells.Word(0).Add(1) // the count of receivers without a row
		row = -1
	}
	runtime.KeepAlive(r.e.s)
	return row, nil
}

// A liveRows is the cells of an adopted type profile. It is as large as the trained entry.
type liveRows struct {
	cells words.View
	first uint64 // offset of the first row in cells
	rows  int
}

func (r *Receivers) adoptedRows() liveRows {
	return liveRows{r.e.adoptedView.From(uint64(r.e.headerSize())), uint64(r.first) * disk.CellSize, r.rows}
}

func (l liveRows) rowCell(i, cell int) *atomic.Uint64 {
	return l.cells.Word(l.first + uint64(2*i+cell)*disk.CellSize)
}

func (l liveRows) findRow(pointer uint64) (row int, ok bool) {
	for row := range l.rows {
		if l.rowCell(row, 0).Load() == pointer {
			return row, true
		}
	}
	return 0, false
}

// claimRow stores a pointer in the first empty row. Rows never become empty again, so concurrent claims agree.
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

// Flags returns the flags of the entry. They are live if the profile is adopted.
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

// adoptedWord returns the live 32-bit word at an offset, which must be aligned and inside the entry.
func (e Entry) adoptedWord(offset int) *atomic.Uint32 { return e.adoptedView.Word32(uint64(offset)) }

// RecordNull sets EntryNullSeen. The error is ErrNotAdopted if the profile is not adopted. It matches
// errors.ErrUnsupported if entries with this tag do not have the flag.
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

// Traps returns the traps word, live if the profile is adopted. Wide entries other than Receivers have 0.
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

func (e Entry) trapsOffset() (offset int, ok bool) {
	if !disk.IsWide(e.kind.tag) {
		return disk.EntryHeaderSize / 2, true
	}
	return disk.WideHeaderSize + disk.CellSize, e.kind.tag == layout.TagReceivers && e.Cells() >= disk.ReceiversFixed
}

// RecordTrap records a trap like HotSpot. A second reason changes the recorded one to 'many'. The error is
// ErrNotAdopted if the profile is not adopted. It matches errors.ErrUnsupported if entries with this tag have no traps
// word.
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
