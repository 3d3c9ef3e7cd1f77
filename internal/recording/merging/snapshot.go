package merging

import (
	"cmp"
	"context"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// AdmitCopy checks an archive, notes its dumps, and returns the run for the copy. The caller holds mu.
func (b Target) AdmitCopy(s *reader.Store, contents *Contents, take copier.Counts) (profileset.Run, error) {
	if _, adopted := s.Adoption(); take != copier.Trained && !adopted {
		return b.Run, reader.ErrNotAdopted
	}
	b.Shaped = profileset.ShapeUse{Types: true, Returns: true}
	h := s.Header()
	if h.Domain != b.Domain || !(*mapped.Mapping)(s.Mapping()).Shape().SameSettings(b.Shape) {
		return b.Run,
			fmt.Errorf("%s: %w: it is of domain %s and keeps %s, the others of %s keep %s: add archives of one domain and "+
				"one VM", s.Mapping().Name(), profileset.ErrMismatch,
				h.Domain, DescribeShape((*mapped.Mapping)(s.Mapping()).Shape()), b.Domain, DescribeShape(b.Shape))
	}
	shapes := (*mapped.Mapping)(s.Mapping()).Shape().Declared.Shapes()
	if err := cmp.Or(b.JoinProducer(h), b.DeclareLocked(shapes)); err != nil {
		return b.Run, fmt.Errorf("%s: %w", s.Mapping().Name(), err)
	}
	for id := range contents.ids {
		if _, ok := b.Dumps[id]; ok {
			return b.Run, fmt.Errorf("builder: %w: %x", ErrCounted, id)
		}
	}
	if take != copier.Increments {
		b.NoteDumps(contents)
	}
	if take != copier.Trained && b.Heading.DumpID == h.DumpID {
		b.Heading.DumpID = [16]byte{}
	}
	if take == copier.Increments {
		b.Heading.Flags |= disk.FlagDelta
		b.CountedSince(h.DumpID)
	}
	return b.Run, nil
}

// CanAddSet reports whether AddSet can merge a set. It has one dump, an account, and neither runs nor a base.
func CanAddSet(b *profileset.Set) bool {
	for _, kind := range []disk.TableKind{disk.TableRuns, disk.TableBase, disk.TableDumps, disk.TableVersions} {
		if b.Tables[kind] != nil {
			return false
		}
	}
	return b.Domain != layout.DomainHotSpot && b.Heading.Flags&disk.FlagMerged == 0 && b.Heading.DumpID != [16]byte{} &&
		b.Tables[disk.TableInputs] != nil
}

// AddSet merges a set as merge.Into merges its archive of that name. The account is settled with the target's.
func (b Target) AddSet(ctx context.Context, from *profileset.Set, name string, asLLVM bool) (err error) {
	var h layout.Header
	from.Locked(func() {
		err = from.EndRuns()
		from.DescribeHeader(&h)
	})
	if err != nil {
		return err
	}
	dump := profileset.Dump{ID: h.DumpID, Time: h.DumpTime, Weight: layout.WeightOne}
	run, err := b.JoinRun(&Contents{name: name, header: &h, shapes: from.Shape.Declared.Shapes(),
		Dumps: []profileset.Dump{dump}, ids: map[[16]byte]bool{h.DumpID: true}, sampleTypes: sampleTypesOfSet(from)},
		profileset.RunRules{AsLLVM: asLLVM}, profileset.ShapeUse{})
	if err != nil {
		return err
	}
	if err := b.Absorb(ctx, from, run); err != nil {
		return err
	}
	return b.UniteGrown()
}
