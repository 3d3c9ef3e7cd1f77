package reader

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
)

// A Counter is a counter in place. The zero Counter is 0 and cannot be counted in.
type Counter struct {
	s       *Store
	trained *[disk.CellSize]byte
	live    *atomic.Uint64 // nil if the profile is not adopted
}

// counterAt is the counter at an offset in trained and, if the profile is
// adopted, at the same offset in live. It panics if it is outside.
func counterAt(s *Store, trained, live []byte, offset int) Counter {
	c := Counter{s: s, trained: (*[disk.CellSize]byte)(trained[offset : offset+disk.CellSize])}
	if live != nil {
		c.live, _ = words.Uint64(live, offset)
	}
	return c
}

// Load is the live count if the profile is adopted, otherwise the trained one.
func (c Counter) Load() uint64 {
	if c.live == nil {
		return c.Trained()
	}
	n := c.live.Load()
	runtime.KeepAlive(c.s)
	return n
}

// Trained is the count as it was dumped.
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

// Record notes a receiver as a VM would: in its row, else in an empty row that
// is claimed for it, else in the count of all others. Several goroutines may
// record at once: a type never gets two rows, and no count is lost. The error
// is ErrNotAdopted if the profile is not adopted.
func (r Receivers) Record(t Type) error {
	if !r.e.kind.adopted {
		return ErrNotAdopted
	}
	if t.s != r.e.s {
		return errForeign
	}
	p := r.e.s.adoption.Load().pointer(t)
	row, ok := r.rowOf(p)
	if !ok {
		row, ok = r.claimRow(p)
	}
	count := 0 // the cell of the count of all others
	if ok {
		count = r.first + 2*row + 1
	}
	r.live(count).Add(1)
	runtime.KeepAlive(r.e.s)
	return nil
}

// live returns a cell of the adopted entry. It has the cell, since the trained entry is
// as large.
func (r *Receivers) live(cell int) *atomic.Uint64 {
	w, _ := words.Uint64(r.e.live(), r.e.header()+cell*disk.CellSize)
	return w
}

// rowOf finds the row that holds a pointer.
func (r *Receivers) rowOf(pointer uint64) (row int, ok bool) {
	for row := range r.rows {
		if r.live(r.first+2*row).Load() == pointer {
			return row, true
		}
	}
	return 0, false
}

// claimRow puts a pointer into the first empty row. Rows never become empty again, so
// that concurrent claims for one type get the same row.
func (r *Receivers) claimRow(pointer uint64) (row int, ok bool) {
	for row := range r.rows {
		cell := r.live(r.first + 2*row)
		if cell.Load() == 0 {
			cell.CompareAndSwap(0, pointer)
		}
		if cell.Load() == pointer {
			return row, true
		}
	}
	return 0, false
}

// Flags are the entry's flags, live if the profile is adopted.
func (e Entry) Flags() layout.EntryFlags {
	if !e.kind.adopted {
		flags := e.raw().Flags()
		runtime.KeepAlive(e.s)
		return flags
	}
	flags := layout.EntryFlags(e.word(0).Load() >> 8)
	runtime.KeepAlive(e.s)
	return flags
}

// word is the live 32-bit word at an offset, which the entry has and which is
// aligned as every entry is.
func (e Entry) word(offset int) *atomic.Uint32 {
	w, _ := words.Uint32(e.live(), offset)
	return w
}

// RecordNull sets the flag that a null was seen. The error is ErrNotAdopted if the
// profile is not adopted, and matches errors.ErrUnsupported if entries of this tag do
// not have the flag.
func (e Entry) RecordNull() error {
	if e.kind.tag.Wide() && e.kind.tag != layout.TagReceivers {
		return fmt.Errorf("null in a %s entry: %w", e.kind.tag, errors.ErrUnsupported)
	}
	if !e.kind.adopted {
		return ErrNotAdopted
	}
	e.word(0).Or(uint32(layout.EntryNullSeen) << 8)
	runtime.KeepAlive(e.s)
	return nil
}

// Traps is the entry's traps word, live if the profile is adopted. It is 0 of a
// wide entry other than Receivers.
func (e Entry) Traps() layout.EntryTraps {
	at, ok := e.trapsAt()
	if !ok {
		return 0
	}
	traps := uint32(0)
	if e.kind.adopted {
		traps = e.word(at).Load()
	} else {
		traps = le.Uint32(e.raw()[at:])
	}
	runtime.KeepAlive(e.s)
	return layout.EntryTraps(traps)
}

// trapsAt is where the traps word lies: in the header of a HotSpot entry, and
// in the second cell of a wide Receivers entry.
func (e Entry) trapsAt() (offset int, ok bool) {
	if !e.kind.tag.Wide() {
		return disk.EntryHeaderSize / 2, true
	}
	return disk.WideHeaderSize + disk.CellSize, e.kind.tag == layout.TagReceivers && e.Cells() >= disk.ReceiversFixed
}

// RecordTrap notes a trap of that reason as HotSpot does: a second reason makes
// it 'many'. The error is ErrNotAdopted if the profile is not adopted, and
// matches errors.ErrUnsupported if entries of this tag keep no traps.
func (e Entry) RecordTrap(reason uint32, recompiled bool) error {
	at, ok := e.trapsAt()
	if !ok {
		return fmt.Errorf("trap in a %s entry: %w", e.kind.tag, errors.ErrUnsupported)
	}
	if !e.kind.adopted {
		return ErrNotAdopted
	}
	trap := layout.EntryTraps(reason) & layout.EntryTrapMany
	if recompiled {
		trap |= layout.EntryTrapRecompiled
	}
	w := e.word(at)
	for {
		old := w.Load()
		if w.CompareAndSwap(old, uint32(disk.UniteTraps(layout.EntryTraps(old), trap))) {
			runtime.KeepAlive(e.s)
			return nil
		}
	}
}
