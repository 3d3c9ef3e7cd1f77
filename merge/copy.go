package merge

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/copier"
	"github.com/profarc/profarc/internal/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Take says which counts of an archive are copied.
type Take int

// The choices.
const (
	Trained Take = iota // as they were dumped
	Live                // as they are now, in an adopted archive
	Delta               // counted since the dump: live minus trained; profiles without any are left out
)

// Dropped is what a copy of an adopted archive lacks since native code has written what is
// impossible into live cells. The zero value is nothing, as always with Trained.
type Dropped struct {
	Rows  int          // rows, and type words, that are copied without their type or method
	First []DroppedRow // the first 8 of them, in the order of the archive
}

// A DroppedRow is a row or type word of an adopted archive whose type or method is not in
// the copy. Readers of the copy pass over the row.
type DroppedRow struct {
	Method layout.Key
	Point  int32  // of the entry
	Reason string // what is wrong with the live cell
}

func (r DroppedRow) String() string {
	name := strings.TrimPrefix(r.Method.Class+"."+r.Method.Name, ".") + r.Method.Signature
	return fmt.Sprintf("%q at %d: %s", name, r.Point, r.Reason)
}

// shownDropped is how many rows a Dropped names.
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

// Copy copies everything in an archive into the builder, for a snapshot of an adopted
// archive. An empty builder with builder.ConfigOf the header then writes the same bytes
// again. To sum several archives, see Into. The error matches ErrMismatch if domain or
// shape differ, ErrDuplicate if the run has recorded one of the profiles, ErrCounted if
// one of the dumps was merged, and otherwise is the reader's, or that of ctx. What it
// returns beside an error is of the part that was copied.
//
// A snapshot is a dump of its own: Live and Delta clear the builder's DumpID if it is the
// archive's, and Delta sets layout.FlagDelta.
func Copy(ctx context.Context, b *builder.Builder, s *reader.Store, take Take) (Dropped, error) {
	contents, err := ContentsOf(s)
	if err != nil {
		return Dropped{}, err
	}
	t := target{profileset.Of(b)}
	run, err := t.admit(s, &contents, take)
	if err != nil {
		return Dropped{}, err
	}
	var dropped Dropped
	c := copier.New(ctx, t.Set, s, run, copier.Hooks{Dropped: dropped.add})
	c.Take = copier.Take(take)
	err = c.All()
	return dropped, err
}

// admit checks an archive, notes its dumps, and returns the run that the copy belongs to.
func (b target) admit(s *reader.Store, contents *Contents, take Take) (profileset.Run, error) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.Shaped = profileset.ShapeUse{Types: true, Returns: true}
	h := s.Header()
	if h.Domain != b.Domain || !s.Mapping().Shape().SameSettings(b.Shape) {
		return b.Run, fmt.Errorf("%s: %w: it is of domain %s and keeps %s, the others of %s keep %s: add archives of one domain and one VM", s.Mapping().Name(), profileset.ErrMismatch,
			h.Domain, describeShape(s.Mapping().Shape()), b.Domain, describeShape(b.Shape))
	}
	if err := cmp.Or(b.JoinProducer(h), b.DeclareLocked(s.Mapping().EntryShapes())); err != nil {
		return b.Run, fmt.Errorf("%s: %w", s.Mapping().Name(), err)
	}
	for id := range contents.ids {
		if _, ok := b.Dumps[id]; ok {
			return b.Run, fmt.Errorf("builder: %w: %x", ErrCounted, id)
		}
	}
	if take != Delta {
		b.note(contents)
	}
	if take != Trained && b.Heading.DumpID == h.DumpID {
		b.Heading.DumpID = [16]byte{}
	}
	if take == Delta {
		b.Heading.Flags |= layout.FlagDelta
	}
	return b.Run, nil
}
