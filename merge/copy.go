package merge

import (
	"context"
	"fmt"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Counts selects the counts that a copy of an archive has. The zero value is Trained.
type Counts = copier.Counts

// Values of Counts.
const (
	Trained    = copier.Trained    // counts of the file
	Totals     = copier.Totals     // counts of the file and of this run, in an adopted archive
	Increments = copier.Increments // counts of this run only; profiles without any are left out
)

// Dropped lists the parts of an adopted archive that a copy lacks. These are damaged profiles, and live cells in which
// native code has stored an impossible value. A dump of package profarc also lists functions and types whose names no
// archive can hold. The zero value means that nothing is missing. A copy with Trained always has it.
type Dropped struct {
	Rows  int          // rows and type words copied without their type or method
	First []DroppedRow // the first 8 of them, in the order of the archive

	// Profiles is the number of profiles that the copy lacks. It includes all profiles on a damaged page, and later
	// versions of the code that can only be found from a damaged profile.
	Profiles int
	Lost     []LostProfile // the first 8 of them that can be named
}

// A LostProfile is a profile that a copy lacks.
type LostProfile struct {
	Method layout.Key
	// Err matches layout.ErrCorrupt if the profile is damaged, builder.ErrDuplicate if the builder already had a profile
	// of that method, code id and context, and layout.ErrTooLarge if no archive can hold the key of a function of the run.
	Err error
}

// String names the missing parts in one line, for a log.
func (d Dropped) String() string {
	text := fmt.Sprintf("%d profiles, and %d types or methods of rows", d.Profiles, d.Rows)
	for _, p := range d.Lost {
		text += fmt.Sprintf("; %.80q: %v", nameOf(p.Method), p.Err)
	}
	for _, r := range d.First {
		text += fmt.Sprintf("; %.80q at %d: %s", nameOf(r.Method), r.Point, r.Reason)
	}
	return text
}

func nameOf(k layout.Key) string { return strings.TrimPrefix(k.Class+"."+k.Name, ".") + k.Signature }

// A DroppedRow is a row or type word that a copy has without its type or method. Readers of the copy skip the row.
type DroppedRow struct {
	Method layout.Key
	Point  int32  // profile point of the entry
	Reason string // the defect of the live cell
}

// shownDropped is the number of rows, and of profiles, that a Dropped names.
const shownDropped = 8

func (d *Dropped) addRow(m reader.Method, point int32, reason string) error {
	if d.Rows++; len(d.First) == shownDropped {
		return nil
	}
	key, err := m.Key()
	d.First = append(d.First, DroppedRow{key, point, reason})
	return err
}

// addProfile is a copier.Hooks.Lost.
func (d *Dropped) addProfile(m reader.Method, err error) error {
	if d.Profiles++; len(d.Lost) == shownDropped {
		return nil
	}
	var key layout.Key
	var unnamed error
	if m.Valid() {
		key, unnamed = m.Key()
	}
	d.Lost = append(d.Lost, LostProfile{key, err})
	return unnamed
}

// hooks returns hooks that record the missing parts. A copy of trained counts has none, and fails instead.
func (d *Dropped) hooks(take Counts) copier.Hooks {
	if take == Trained {
		return copier.Hooks{}
	}
	return copier.Hooks{Dropped: d.addRow, Lost: d.addProfile, Lazy: take == Increments}
}

// copyAll copies an archive, and counts also the profiles that could not be found.
func (d *Dropped) copyAll(c *copier.Copier) error {
	before := d.Profiles
	err := c.All()
	if err == nil && d.Profiles > before {
		d.Profiles += c.Unmet()
	}
	return err
}

// dumpReason explains why a snapshot has other counts than its archive.
const dumpReason = "counts of the run, and damaged profiles"

// Snapshot copies an archive into the builder, with the counts that take selects. With Totals or Increments the archive
// must be adopted. Snapshot then skips damaged profiles and those that the builder already has, and lists them in
// Dropped. With Trained such a profile ends the copy with an error. To merge several archives, see Into.
//
// The error matches builder.ErrMismatch if domain or shape differ, and ErrCounted if a merge has added one of the dumps
// before. Other errors come from the reader or from ctx.
//
// An empty builder with builder.ConfigOf of the header and Trained reproduces the bytes of the archive. Totals and
// Increments create a new dump, and clear the builder's DumpID if it equals the archive's. Increments also sets
// bit 0 of Config.Flags.
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
	t.Locked(func() { run, err = t.AdmitCopy(s, &contents, take) })
	if err != nil {
		return Dropped{}, err
	}
	var dropped Dropped
	c := copier.New(ctx, t.Set, s, run, dropped.hooks(take))
	c.Counts = take
	if since != nil {
		c.Since = since
	}
	err = dropped.copyAll(c)
	t.Explain(ledger.OperationDump, dumpReason)
	return dropped, err
}

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
