package partmerge

import (
	"context"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/reader"
)

type Options struct {
	Run profileset.RunRules // rules of the run, as for merge.Into
	// OneShape promises that all archives have the shape of the builder's Params, so that nothing outside the part must be
	// read to find it. A different shape returns ErrMismatch.
	OneShape bool
}

// Merge merges the part p of an archive into the builder, as merge.Into does with the whole. The builder becomes an
// archive that records its part, and Join combines it with the others. Do not add anything else to it. Merge reads only
// the page checksums, the index, names and tables of the archive, and the profiles in the part.
func Merge(ctx context.Context, b *profileset.Set, s *reader.Store, p merging.Part, o Options) error {
	t := merging.Target{Set: b}
	use, err := useOf(ctx, t, s, o)
	if err != nil {
		return err
	}
	run, err := t.AdmitRun(s, o.Run, use)
	if err != nil {
		return err
	}
	b.Table(disk.TableProperties, 0).RowOnce(uint64(b.Symbol(merging.PartProperty)),
		uint64(b.Symbol(propertyOf(p))))
	b.Locked(func() { b.Partial = true })
	chooser := newChooser(p, s)
	hooks := merging.Hooks(o.Run.Weight)
	hooks.Lazy = true
	hooks.Elsewhere = copier.AStub
	hooks.Chosen = chooser.chooseMethod
	hooks.Kind = chooser.chooseType
	hooks.Rows = chooser.chooseRows
	c := copier.New(ctx, t.Set, s, run, hooks)
	chooser.copied = c.Copied
	if err := t.CopyAccounted(c, s, p.From == merging.Bound{}, c.All); err != nil {
		return err
	}
	return t.UniteGrown()
}

// useOf returns the parts of the shape on which entries of an archive depend. With OneShape it checks the shape and
// reads no entries.
func useOf(ctx context.Context, t merging.Target, s *reader.Store, o Options) (use profileset.ShapeUse, err error) {
	if !o.OneShape {
		return merging.UseOf(ctx, s)
	}
	var have disk.Shape
	t.Locked(func() { have = t.Shape })
	if shape := disk.ShapeOfParams(&s.Header().Params); !shape.SameSettings(have) {
		err = fmt.Errorf("%s: %w: its VM keeps %s, the others' %s", s.Mapping().Name(), profileset.ErrMismatch,
			merging.DescribeShape(shape), merging.DescribeShape(have))
	}
	return use, err
}

// propertyOf returns the value of the property that identifies a part, which PartOf reads.
func propertyOf(p merging.Part) string {
	from, _ := p.From.MarshalText() // MarshalText cannot fail
	to, _ := p.To.MarshalText()
	return string(from) + " " + string(to)
}
