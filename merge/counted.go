package merge

import (
	"context"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/reader"
)

// Counted remembers what of an adopted archive was dumped, for a process that dumps many times: each dump has
// what was counted since the one before. The zero value begins with the trained counts. It is for one
// goroutine at a time, while others count.
type Counted struct{ in copier.Counted }

// Snapshot is like the function Snapshot with Increments, but counts from the last dump that was kept. Every dump
// has an ID of its own, and names the one before as Since of its layout.Provenance: a merge then takes all of
// them, and any may be lost.
func (c *Counted) Snapshot(ctx context.Context, b *builder.Builder, s *reader.Store) (Dropped, error) {
	return snapshot(ctx, b, s, Increments, c.in.Begin())
}

// Keep notes that the last dump has been written. Without it the next one has the same counts again.
func (c *Counted) Keep() { c.in.Keep() }
