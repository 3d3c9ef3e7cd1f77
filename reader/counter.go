package reader

import (
	"runtime"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/words"
)

// A Counter is a counter in place. The zero Counter counts nothing.
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
