package merge

import (
	"context"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/reader"
)

// Counted remembers which counts of an adopted archive were dumped, for a process that dumps many times. Each dump has
// the counts since the last kept dump. The zero value begins with the trained counts. One goroutine at a time may use
// it, while others count.
type Counted struct{ in copier.Counted }

// Snapshot is like the function Snapshot with Increments, but counts from the last kept dump. Every dump gets a new ID
// and names the last kept dump in Since of its layout.Provenance. A merge therefore adds all of them, and any may be
// lost.
func (c *Counted) Snapshot(ctx context.Context, b *builder.Builder, s *reader.Store) (Dropped, error) {
	return snapshot(ctx, b, s, Increments, &c.in)
}

// Keep records that the last dump has been written. Without Keep the next dump has the same counts again.
func (c *Counted) Keep() { c.in.Keep() }
