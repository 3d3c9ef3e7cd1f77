package reader

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Traps is the entry's traps word, live if the profile is adopted. It is 0 of a
// wide entry other than Receivers.
func (e Entry) Traps() uint32 {
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
	return traps
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
	trap := reason & layout.EntryTrapMany
	if recompiled {
		trap |= layout.EntryTrapRecompiled
	}
	w := e.word(at)
	for {
		old := w.Load()
		if w.CompareAndSwap(old, disk.UniteTraps(old, trap)) {
			runtime.KeepAlive(e.s)
			return nil
		}
	}
}
