package merge

import (
	"context"
	"errors"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Errors of Into, to match with errors.Is.
var (
	// ErrCounted means that the builder already has a dump of the archive. If two runs have the same ID because their
	// counts are equal, give each a Config.DumpID, or merge one of them with weight 2.
	ErrCounted = merging.ErrCounted
	// ErrSameProcess means that two archives have dumps of one process, and the later dump includes the earlier one.
	ErrSameProcess = merging.ErrSameProcess
)

// A Run configures how one archive is merged. The zero value adds each count once.
type Run struct {
	// Weight multiplies the counts, except traps, flags and the history of compilations. 0 is layout.WeightOne.
	Weight layout.Weight
	// AsLLVM follows llvm-profdata where its merge gives another result. A value that is new at its site is added without
	// the weight, and a function with a different number of counters is left out. The result then depends on the order of
	// the runs. If all runs set AsLLVM, the archive keeps the order of LLVM's profiles.
	AsLLVM bool
}

// Into adds the profiles of an archive to the builder. Several goroutines may call it at once. The result does not
// depend on the order, unless a weight leaves fractions or Run.AsLLVM is set.
//
// The error matches ErrCounted if the builder already has one of the archive's dumps, ErrSameProcess if it has another
// dump of the same process (see Superseded), and builder.ErrMismatch if domain, shape, kind of instrumentation or base
// differ (see Flatten). It is also an error to give a merged archive a weight, and to merge a part of a fleet's merge.
// After these errors the builder is unchanged. After any other error, from the reader or ctx, the builder has a part of
// the archive and must not be used.
func Into(ctx context.Context, b *builder.Builder, s *reader.Store, r Run) error {
	t := merging.Target{Set: b.Internal()}
	use, err := merging.UseOf(ctx, s)
	if err != nil {
		return err
	}
	run, err := t.AdmitRun(s, profileset.RunRules{Weight: r.Weight, AsLLVM: r.AsLLVM}, use)
	if err != nil {
		return err
	}
	c := copier.New(ctx, t.Set, s, run, merging.Hooks(r.Weight))
	if err := t.CopyAccounted(c, s, true, c.All); err != nil {
		return err
	}
	return t.UniteGrown()
}

// Superseded returns for each archive the index of another one that supersedes it, or -1. An archive supersedes another
// if it has each of its dumps or a later dump of the same process, and at least one later dump. A merge must leave
// superseded archives out. The order of the archives does not matter.
//
// The error matches ErrSameProcess if two of the remaining archives hold dumps of one process; otherwise it comes from
// the reader.
func Superseded(archives ...*reader.Store) ([]int, error) {
	contents := make([]merging.Contents, len(archives))
	for i, s := range archives {
		var err error
		contents[i], err = merging.ContentsOf(s)
		if err != nil {
			return nil, err
		}
	}
	return merging.Superseded(contents)
}

// KeepNewest drops, of each method with several versions of its code, the profiles of all versions except the one with
// the newest dump. It returns the number of methods with several versions and of dropped profiles.
//
// It is an error if it is not known which version ran last, if a profile lacks its Done, if spilled profiles cannot be
// read, or if ctx ends. The builder is then unchanged.
func KeepNewest(ctx context.Context, b *builder.Builder) (methods, dropped int, err error) {
	return merging.KeepVersions(ctx, b.Internal(), merging.NewestVersion)
}

// Narrowing counts the changes of NarrowRows. The zero value means that nothing had to change.
type Narrowing struct {
	Entries int // type profiles, and return points of HotSpot's, that lost rows
	Rows    int // dropped rows; their counts are added to the count of all others
	Joined  int // wide entries that became HotSpot's own again
}

// NarrowRows cuts every type profile to at most n rows, as a VM with -XX:TypeProfileWidth=n has them. The rows with the
// highest counts stay, and the other counts are added to the count of receivers without a row. HotSpot's entries have n
// rows afterwards, also where they had fewer, and wide entries become HotSpot's own again. In other domains an entry
// with fewer rows stays as it is. A merge narrows last, since narrowing loses rows. After an error, which may be
// ctx's, the builder is unchanged.
func NarrowRows(ctx context.Context, b *builder.Builder, n int) (Narrowing, error) {
	done, err := merging.NarrowRows(ctx, b.Internal(), n)
	return Narrowing(done), err
}

// Files merges the archives at paths inputs and publishes the result at path out, which may be one of them. Each
// archive counts once, in any order. Files leaves out archives that another one supersedes; see Superseded.
//
// The error comes from Superseded, Into or [builder.Builder.Commit], and the file at out is then unchanged.
func Files(ctx context.Context, out string, inputs ...string) (builder.Report, error) {
	b, err := mergeFiles(ctx, inputs)
	if err != nil {
		return builder.Report{}, err
	}
	merging.NoteOperation(b.Internal())
	return b.Commit(ctx, out)
}

func mergeFiles(ctx context.Context, paths []string) (b *builder.Builder, err error) {
	if len(paths) == 0 {
		return nil, errors.New("there are no archives to merge")
	}
	stores := make([]*reader.Store, 0, len(paths))
	defer func() {
		for _, s := range stores {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, path := range paths {
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			return nil, err
		}
		stores = append(stores, s)
	}
	superseded, err := Superseded(stores...)
	if err != nil {
		return nil, err
	}
	h := stores[0].Header()
	b = builder.New(h.Domain, builder.Config{Params: h.Params})
	for i, s := range stores {
		if superseded[i] >= 0 {
			continue
		}
		if err := s.Mapping().Guard(func() error { return Into(ctx, b, s, Run{}) }); err != nil {
			return nil, err
		}
	}
	return b, nil
}
