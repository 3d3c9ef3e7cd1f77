package partmerge

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/reader"
)

// Join adds all parts of a merge, in any order, to a builder that is empty except for the Params of one part. The
// archive then has the same bytes as after merge.Into for each original archive. The error matches ErrPart if an
// archive is no part, or if a part is missing, occurs twice, or belongs to a merge of other archives; in these cases
// nothing has been added. Other errors are as from merge.Into.
func Join(ctx context.Context, b *profileset.Set, parts ...*reader.Store) error {
	all, err := sortParts(parts)
	if err != nil {
		return err
	}
	t := merging.Target{Set: b}
	use := profileset.ShapeUse{}
	for _, p := range all {
		of, err := merging.UseOf(ctx, p.s)
		if err != nil {
			return err
		}
		use.Types = use.Types || of.Types
		use.Returns = use.Returns || of.Returns
	}
	contents, err := merging.ContentsOf(all[0].s)
	if err != nil {
		return err
	}
	contents.Dumps = all[0].dumps
	run, err := t.JoinRun(&contents, profileset.RunRules{}, use)
	if err != nil {
		return err
	}
	for i, p := range all {
		if i > 0 {
			t.Locked(func() { run = t.NewRun(profileset.RunRules{}) })
		}
		if err := p.copyTo(ctx, t, run); err != nil {
			return err
		}
	}
	return t.UniteGrown()
}

type partStore struct {
	merging.Part
	s     *reader.Store
	dumps []profileset.Dump
}

// sortParts returns the parts in order. The error matches ErrPart unless they are all parts of one merge.
func sortParts(stores []*reader.Store) ([]partStore, error) {
	all := make([]partStore, len(stores))
	for i, s := range stores {
		p, ok, err := merging.PartOf(s)
		if err == nil && !ok {
			err = fmt.Errorf("%w: it is no part", merging.ErrPart)
		}
		dumps, failed := mergedDumps(s)
		if err = cmp.Or(err, failed); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Mapping().Name(), err)
		}
		all[i] = partStore{p, s, dumps}
	}
	slices.SortFunc(all, func(x, y partStore) int { return x.From.Compare(y.From) })
	at := merging.Bound{}
	for i, p := range all {
		switch {
		case p.From != at || i > 0 && at == (merging.Bound{}):
			return nil, fmt.Errorf("%s: %w: it has %s, the part before ends at %q", p.s.Mapping().Name(), merging.ErrPart,
				p.Part, at)
		case !p.ofOneMerge(&all[0]):
			return nil, fmt.Errorf("%s: %w: it was merged from other archives, or with other weights, than %s",
				p.s.Mapping().Name(), merging.ErrPart, all[0].s.Mapping().Name())
		}
		at = p.To
	}
	if len(all) == 0 || at != (merging.Bound{}) {
		return nil, fmt.Errorf("%w: the last one is missing: the parts end at %q", merging.ErrPart, at)
	}
	return all, nil
}

func (p *partStore) ofOneMerge(q *partStore) bool {
	x := p.s.Header()
	y := q.s.Header()
	return x.Domain == y.Domain && x.Params == y.Params && x.Producer == y.Producer && x.ProducerID == y.ProducerID &&
		x.Fingerprint == y.Fingerprint && x.DumpTime == y.DumpTime && x.Flags == y.Flags && slices.Equal(p.dumps, q.dumps)
}

// mergedDumps returns the dumps merged into an archive. It returns nil if nothing was merged, although the archive then
// has a dump ID.
func mergedDumps(s *reader.Store) ([]profileset.Dump, error) {
	if s.Header().Flags&disk.FlagMerged == 0 {
		return nil, nil
	}
	return copier.Dumps(s)
}

// copyTo copies the content of a part. It leaves out stubs for profiles of other parts, and the row that identifies the
// part.
func (p *partStore) copyTo(ctx context.Context, t merging.Target, run profileset.Run) error {
	chooser := newChooser(p.Part, p.s)
	hooks := merging.Hooks(0)
	hooks.Lazy = true
	hooks.Elsewhere = copier.ALatecomer
	hooks.Chosen = chooser.chooseMethod
	hooks.Rows = func(table *reader.Table) func(row int) (bool, error) {
		if table.Kind != disk.TableProperties {
			return nil
		}
		return func(row int) (bool, error) {
			key, err := table.Text(0, row)
			return key != merging.PartProperty, err
		}
	}
	return copier.New(ctx, t.Set, p.s, run, hooks).All()
}
