package merge

import (
	"context"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Flatten copies layers into an empty builder as one archive. Each version of a method's code comes from the topmost
// layer that has it. Types, tables and all other contents are merged as by Into. Layers without a common version are
// therefore merged completely.
//
// The archive lists the dumps of all layers, and can no longer be merged with any layer. The error matches
// builder.ErrMismatch if the layers could not be merged. Other errors come from the reader or from ctx.
func Flatten(ctx context.Context, b *builder.Builder, l *reader.Layers) error {
	f := flattening{t: merging.Target{Set: b.Internal()}, poll: poll.New(ctx), answered: map[answeredVersion]bool{}}
	f.t.Explain(ledger.OperationFlatten, "profiles that a higher layer replaces")
	for _, s := range l.Stores() {
		if err := f.addLayer(ctx, s); err != nil {
			return err
		}
	}
	return f.t.UniteGrown()
}

type answeredVersion struct {
	method profileset.MethodRef
	code   uint64
}

// A flattening copies layers, the topmost first.
type flattening struct {
	t        merging.Target
	poll     *poll.Poll
	answered map[answeredVersion]bool // versions of higher layers
}

// addLayer copies the versions of s that no higher layer has.
func (f *flattening) addLayer(ctx context.Context, s *reader.Store) error {
	run, err := f.joinLayer(ctx, s)
	if err != nil {
		return err
	}
	c := copier.New(ctx, f.t.Set, s, run, copier.Hooks{Skip: func(t *reader.Table) bool {
		return merging.IsListedAnew(t) || t.Kind == disk.TableBase
	}})
	return f.t.CopyAccounted(c, s, true, func() error { return f.copyUnanswered(c, s) })
}

func (f *flattening) copyUnanswered(c *copier.Copier, s *reader.Store) error {
	if err := c.Records(); err != nil {
		return err
	}
	var own []answeredVersion
	err := poll.Each(f.poll, s.Methods(), func(m reader.Method) (err error) {
		own, err = f.addMethod(c, m, own)
		return err
	})
	if err != nil {
		return err
	}
	for _, v := range own {
		f.answered[v] = true
	}
	return c.Tables()
}

// addMethod copies the profiles of a method whose version no higher layer has, and appends their versions to own.
func (f *flattening) addMethod(c *copier.Copier, m reader.Method, own []answeredVersion) ([]answeredVersion, error) {
	ref, err := c.MethodRef(m.Ref())
	if err != nil {
		return own, err
	}
	err = poll.Each(f.poll, m.Profiles(), func(p reader.Profile) error {
		v := answeredVersion{ref, p.Code()}
		if f.answered[v] {
			return nil
		}
		own = append(own, v)
		return c.Profile(m, p)
	})
	return own, err
}

// joinLayer adds the layer's list of dumps to the builder. Layers may have common dumps, for instance if a run adopted
// the base. Such a dump is not counted twice, since each version comes from one layer.
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

// CopyLayers copies the live counts of adopted layers into the builder. It is Snapshot for layers, with the same
// errors.
//
// With Totals the snapshot can replace the topmost archive, as a layer on the same base. It has everything in that
// archive. From lower layers it has the versions with new counts, including their trained counts. The snapshot hides
// these versions of the lower layers, so no count is used twice.
//
// With Increments the snapshot has the increments of all layers. It is not a layer, and can be merged with the result
// of Flatten. With Trained, CopyLayers is Flatten.
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

type layerCopy struct {
	ctx     context.Context
	t       merging.Target
	s       *reader.Store
	take    Counts
	dropped *Dropped
	copied  map[layout.Ref]bool // copied methods of a lower layer; nil for the topmost one
}

func (l *layerCopy) copyLayer(top bool) error {
	contents, err := merging.ContentsOf(l.s)
	if err != nil {
		return err
	}
	hooks := l.dropped.hooks(l.take)
	hooks.Skip = func(t *reader.Table) bool { return t.Kind == disk.TableBase }
	if !top {
		hooks.Skip = l.skipsTable
	}
	if top || l.take == Increments {
		return l.copyWithHooks(&contents, hooks, l.dropped.copyAll)
	}
	l.copied = map[layout.Ref]bool{}
	hooks.Lazy = true
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
	l.t.Explain(ledger.OperationDump, dumpReason)
	return copyAll(c)
}

// skipsTable reports whether to omit a table of a lower layer. A snapshot needs the tables that describe code. With
// Totals it also needs the runs of the trained counts.
func (l *layerCopy) skipsTable(t *reader.Table) bool {
	return !copier.DescribesCode(t.Kind) && (l.take != Totals || t.Kind != disk.TableRuns && t.Kind != disk.TableClassPath)
}

func (l *layerCopy) keepsRow(t *reader.Table) func(row int) (bool, error) {
	return func(row int) (bool, error) {
		return len(l.copied) > 0 && (!copier.DescribesCode(t.Kind) || l.copied[layout.Ref(t.Cell(0, row))]), nil
	}
}

// copyCounted copies the versions with new counts from all methods of the layer.
func (l *layerCopy) copyCounted(c *copier.Copier) error {
	if err := c.DeclareShapes(); err != nil {
		return err
	}
	copyVersions := func(m reader.Method) error { return l.copyCountedVersions(c, m) }
	if err := poll.Each(poll.New(l.ctx), l.s.Methods(), copyVersions); err != nil {
		return err
	}
	return c.Tables()
}

// copyCountedVersions copies the versions of a method that have new counts. With Totals it copies all their contexts,
// because the snapshot hides the lower layers' contexts of these versions.
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
			continue // the first loop has recorded the error
		}
		l.copied[m.Ref()] = true
		if err := c.WithoutLost(m, c.Profile(m, p)); err != nil {
			return err
		}
	}
	return nil
}
