package merging

import (
	"context"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

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
