package merging

import (
	"context"

	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// AddSet merges a set of one dump as merge.Into merges its archive of that name. The set has neither runs nor a base,
// and is not of HotSpot. Its account is settled with the account of the target.
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
		Dumps: []profileset.Dump{dump}, ids: map[[16]byte]bool{h.DumpID: true}},
		profileset.RunRules{AsLLVM: asLLVM}, profileset.ShapeUse{})
	if err != nil {
		return err
	}
	if err := b.Absorb(ctx, from, run); err != nil {
		return err
	}
	return b.UniteGrown()
}
