package merge

import (
	"context"
	"fmt"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Counts says which counts of an archive are copied.
type Counts int

// The choices.
const (
	Trained    Counts = iota // as they were dumped
	Totals                   // as they are now, in an adopted archive
	Increments               // counted since the dump: live minus trained; profiles without any are left out
)

// Dropped is what a copy of an adopted archive lacks: what native code has made impossible in
// live cells, and damaged profiles. The zero value is nothing, as always with Trained.
type Dropped struct {
	Rows  int          // rows, and type words, that are copied without their type or method
	First []DroppedRow // the first 8 of them, in the order of the archive

	// Profiles is the number of profiles that the copy lacks. Those that share a damaged page of the file
	// cannot be read either, nor later versions of the code that a damaged profile leads to.
	Profiles int
	Lost     []LostProfile // the first 8 of them that the archive leads to
}

// A LostProfile is a profile that a copy lacks.
type LostProfile struct {
	Method layout.Key
	// Err matches layout.ErrCorrupt if the profile is damaged, and builder.ErrDuplicate if the
	// run has recorded it beside the copy.
	Err error
}

func (d Dropped) String() string {
	text := fmt.Sprintf("%d profiles, and %d types or methods of rows", d.Profiles, d.Rows)
	for _, p := range d.Lost {
		text += fmt.Sprintf("; %q: %v", nameOf(p.Method), p.Err)
	}
	for _, r := range d.First {
		text += fmt.Sprintf("; %v", r)
	}
	return text
}

func nameOf(k layout.Key) string { return strings.TrimPrefix(k.Class+"."+k.Name, ".") + k.Signature }

// A DroppedRow is a row or type word of an adopted archive whose type or method is not in
// the copy. Readers of the copy pass over the row.
type DroppedRow struct {
	Method layout.Key
	Point  int32  // of the entry
	Reason string // the defect of the live cell
}

func (r DroppedRow) String() string {
	return fmt.Sprintf("%q at %d: %s", nameOf(r.Method), r.Point, r.Reason)
}

// shownDropped is how many rows, and how many profiles, a Dropped names.
const shownDropped = 8

// add is a copier.Hooks.Dropped.
func (d *Dropped) add(m reader.Method, point int32, reason string) error {
	if d.Rows++; len(d.First) == shownDropped {
		return nil
	}
	key, err := m.Key()
	d.First = append(d.First, DroppedRow{key, point, reason})
	return err
}

// lose is a copier.Hooks.Lost.
func (d *Dropped) lose(m reader.Method, err error) error {
	if d.Profiles++; len(d.Lost) == shownDropped {
		return nil
	}
	key, unnamed := m.Key()
	d.Lost = append(d.Lost, LostProfile{key, err})
	return unnamed
}

// hooks notes what a copy lacks. That of trained counts lacks nothing, or fails.
func (d *Dropped) hooks(take Counts) copier.Hooks {
	if take == Trained {
		return copier.Hooks{}
	}
	return copier.Hooks{Dropped: d.add, Lost: d.lose}
}

// all copies an archive, and counts also the profiles that it did not come to.
func (d *Dropped) all(c *copier.Copier) error {
	before := d.Profiles
	err := c.All()
	if err == nil && d.Profiles > before {
		d.Profiles += c.Unmet()
	}
	return err
}

// Snapshot copies everything in an archive into the builder, for a snapshot of an adopted archive. A damaged
// profile does not end a copy of Totals or Increments, nor does one that the run has recorded already: the copy
// lacks it, which Dropped says. An empty builder with builder.ConfigOf the header then writes the same bytes
// again. To sum several archives, see Into. The error matches ErrMismatch if domain or shape differ,
// ErrDuplicate if a profile of a copy with Trained is recorded already, ErrCounted if one of the dumps was
// merged, and otherwise is the reader's or ctx's. The counts beside an error are of the part that was
// copied.
//
// A snapshot is a dump of its own: Totals and Increments clear the builder's DumpID if it is the
// archive's, and Increments sets layout.FlagDelta.
func Snapshot(ctx context.Context, b *builder.Builder, s *reader.Store, take Counts) (Dropped, error) {
	return snapshot(ctx, b, s, take, nil)
}

func snapshot(ctx context.Context, b *builder.Builder, s *reader.Store, take Counts, since *copier.Counted) (Dropped,
	error) {
	contents, err := merging.ContentsOf(s)
	if err != nil {
		return Dropped{}, err
	}
	t := merging.Target{Set: b.Internal()}
	var run profileset.Run
	t.Locked(func() { run, err = t.AdmitCopy(s, &contents, copier.Take(take)) })
	if err != nil {
		return Dropped{}, err
	}
	var dropped Dropped
	c := copier.New(ctx, t.Set, s, run, dropped.hooks(take))
	c.Take = copier.Take(take)
	c.Since = since
	err = dropped.all(c)
	return dropped, err
}
