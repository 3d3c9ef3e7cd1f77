package merge

import (
	"cmp"
	"context"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Flatten adds layers to an empty builder as one archive: each version of a method's code is
// the one of the layer that answers for it. Types, tables and all else of the layers are united
// as by Into, so that layers which have no version in common are merged.
//
// The archive lists the dumps of all layers, and is merged with none of them. The error matches ErrMismatch
// if the layers could not be merged, and otherwise is the reader's, or ctx's.
func Flatten(ctx context.Context, b *builder.Builder, l *reader.Layers) error {
	f := flattening{t: merging.Target{Set: b.Internal()}, poll: poll.New(ctx), answered: map[answeredVersion]bool{}}
	for _, s := range l.Stores() {
		if err := f.addLayer(ctx, s); err != nil {
			return err
		}
	}
	return f.t.UniteGrown()
}

// An answeredVersion is a version of the code of a method.
type answeredVersion struct {
	method profileset.MethodRef
	code   uint64
}

// A flattening copies layers, the topmost first.
type flattening struct {
	t        merging.Target
	poll     *poll.Poll
	answered map[answeredVersion]bool // by layers above
}

// addLayer copies what the layers above leave to s.
func (f *flattening) addLayer(ctx context.Context, s *reader.Store) error {
	run, err := f.joinLayer(ctx, s)
	if err != nil {
		return err
	}
	c := copier.New(ctx, f.t.Set, s, run, copier.Hooks{Skip: func(t *reader.Table) bool {
		return merging.IsRelisted(t) || t.Kind == disk.TableBase
	}})
	if err := c.Records(); err != nil {
		return err
	}
	var own []answeredVersion
	for m, err := range s.Methods() {
		if err = cmp.Or(err, f.poll.Err()); err != nil {
			return err
		}
		own, err = f.addMethod(c, m, own)
		if err != nil {
			return err
		}
	}
	for _, v := range own {
		f.answered[v] = true
	}
	return c.Tables()
}

// addMethod copies the profiles of a method whose version no layer above has, and appends their versions.
func (f *flattening) addMethod(c *copier.Copier, m reader.Method, own []answeredVersion) ([]answeredVersion, error) {
	ref, err := c.MethodRef(m.Ref())
	if err != nil {
		return own, err
	}
	for p, err := range m.Profiles() {
		if err = cmp.Or(err, f.poll.Err()); err != nil {
			return own, err
		}
		v := answeredVersion{ref, p.Code()}
		if f.answered[v] {
			continue
		}
		if err := c.Profile(m, p); err != nil {
			return own, err
		}
		own = append(own, v)
	}
	return own, nil
}

// joinLayer makes a layer a part of the builder's archive. A dump that several layers have, as a
// run that adopted the base has, is not counted twice: each version is of one layer.
func (f *flattening) joinLayer(ctx context.Context, s *reader.Store) (profileset.Run, error) {
	contents, err := merging.ContentsOf(s)
	if err != nil {
		return profileset.Run{}, err
	}
	use, err := merging.UseOf(ctx, s)
	if err != nil {
		return profileset.Run{}, err
	}
	rest := contents.Besides(f.t)
	run, err := f.t.JoinRun(&rest, profileset.RunRules{}, use)
	if err == nil {
		f.t.Locked(func() { f.t.NoteDumps(&contents) })
	}
	return run, err
}

// CopyLayers copies the live counts of adopted layers into the builder, for a snapshot, as
// Snapshot does with one archive.
//
// With Totals the snapshot takes the place of the topmost archive: it has all of that, and from the layers
// beneath the versions in which something was counted, with their trained counts. So it answers for them from
// then on, and no count is in both. It is a layer on the same base.
//
// With Increments it has the increments of all layers, and is no layer: it is merged with the
// archive that Flatten makes of them. With Trained it is Flatten.
func CopyLayers(ctx context.Context, b *builder.Builder, l *reader.Layers, take Counts) (Dropped, error) {
	if take == Trained {
		return Dropped{}, Flatten(ctx, b, l)
	}
	var dropped Dropped
	for i, s := range l.Stores() {
		c := layerCopy{ctx: ctx, t: merging.Target{Set: b.Internal()}, s: s, take: take, dropped: &dropped}
		if err := c.copyLayer(i == 0); err != nil {
			return dropped, err
		}
	}
	if take == Totals && len(l.Stores()) > 1 {
		b.Internal().ExpectBase(l.Stores()[1].Header().AsBase())
	}
	return dropped, b.Err()
}

// A layerCopy copies what a snapshot has of one layer.
type layerCopy struct {
	ctx     context.Context
	t       merging.Target
	s       *reader.Store
	take    Counts
	dropped *Dropped
	copied  map[layout.Ref]bool // methods of a layer beneath
}

func (l *layerCopy) copyLayer(top bool) error {
	contents, err := merging.ContentsOf(l.s)
	if err != nil {
		return err
	}
	hooks := l.dropped.hooks(l.take)
	hooks.Skip = isBase
	if top {
		return l.copyWithHooks(&contents, hooks, l.dropped.copyAll)
	}
	l.copied = map[layout.Ref]bool{}
	hooks.Lazy = true
	hooks.Skip = l.skipsTable
	hooks.Rows = l.keepsRow
	return l.copyWithHooks(&contents, hooks, l.copyCounted)
}

func (l *layerCopy) copyWithHooks(contents *merging.Contents, hooks copier.Hooks,
	copyAll func(*copier.Copier) error) error {
	run, err := l.t.AdmitCopy(l.s, contents, l.take)
	if err != nil {
		return err
	}
	c := copier.New(l.ctx, l.t.Set, l.s, run, hooks)
	c.Counts = l.take
	return copyAll(c)
}

// isBase reports whether a table says what the archive is a layer on. Of a snapshot that is said in the end.
func isBase(t *reader.Table) bool { return t.Kind == disk.TableBase }

// skipsTable reports whether a table of a layer beneath is not copied. Tables about the code of profiles are
// copied, and for Totals also the runs that the trained counts are of.
func (l *layerCopy) skipsTable(t *reader.Table) bool {
	return !describesCode(t) && (l.take != Totals || t.Kind != disk.TableRuns && t.Kind != disk.TableClassPath)
}

func (l *layerCopy) keepsRow(t *reader.Table) func(row int) (bool, error) {
	return func(row int) (bool, error) {
		return len(l.copied) > 0 && (!describesCode(t) || l.copied[layout.Ref(t.Cell(0, row))]), nil
	}
}

// describesCode reports whether the rows of a table belong to profiles of their methods.
func describesCode(t *reader.Table) bool {
	return t.Kind == disk.TableCode || t.Kind == disk.TableMoved
}

// copyCounted copies the versions in which something was counted, of all methods of the layer.
func (l *layerCopy) copyCounted(c *copier.Copier) error {
	if err := c.DeclareShapes(); err != nil {
		return err
	}
	steps := poll.New(l.ctx)
	for m, err := range l.s.Methods() {
		err = cmp.Or(err, steps.Err())
		if err == nil {
			err = l.copyCountedVersions(c, m)
		}
		if err != nil {
			return err
		}
	}
	return c.Tables()
}

// copyCountedVersions copies the versions of a method in which something was counted: of Totals with all
// their contexts, as they then answer alone.
func (l *layerCopy) copyCountedVersions(c *copier.Copier, m reader.Method) error {
	changed := map[uint64]bool{}
	for p, err := range m.Profiles() {
		has := false
		if err == nil {
			has, err = c.Changed(p)
		}
		if err = c.WithoutLost(m, err); err != nil {
			return err
		}
		if has {
			changed[p.Code()] = true
		}
	}
	for p, err := range m.Profiles() {
		if err != nil || !changed[p.Code()] {
			continue // what cannot be read is counted already
		}
		l.copied[m.Ref()] = true
		if err := c.WithoutLost(m, c.Profile(m, p)); err != nil {
			return err
		}
	}
	return nil
}
