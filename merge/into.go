package merge

import (
	"context"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Errors of Into, to match with errors.Is.
var (
	// ErrCounted: a dump is in the builder already. Of two runs that counted just the same, either needs a
	// Config.DumpID of its own, or one a Run.Weight of 2 in place of the other.
	ErrCounted = merging.ErrCounted
	// ErrWeighted: weights apply to single dumps, before they are merged.
	ErrWeighted = merging.ErrWeighted
	// ErrSameProcess: two archives hold dumps of one process, and the later dump includes the
	// counts of the earlier.
	ErrSameProcess = merging.ErrSameProcess
)

// A Run says how the profiles of one archive are merged. The zero value counts each profile once.
type Run struct {
	// Weight multiplies the counts, except traps, flags and the history of compilations. 0 is layout.WeightOne.
	Weight layout.Weight
	// AsLLVM merges as llvm-profdata does where the results differ: a value that is new at its site is added
	// without the weight, and a function with another number of counters is left out. The result then depends on
	// the order of the runs, and if all runs are merged so, the archive keeps the order of LLVM's profiles.
	AsLLVM bool
}

// rules returns the rules of package profileset for the run.
func (r Run) rules() profileset.RunRules { return profileset.RunRules{Weight: r.Weight, AsLLVM: r.AsLLVM} }

// Into adds the profiles of another run to the builder's. Several goroutines may call it: the result does not
// depend on the order, as long as no run has a weight that leaves fractions.
//
// The archive lists the dumps that it was made from. The error matches ErrCounted if the builder has one of
// them, ErrSameProcess if it has another dump of the same process (see Superseded), ErrWeighted for a weight
// of a merged archive, and builder.ErrMismatch if domain, shape or kind of instrumentation differ, or the
// archives on which they are layers (see Flatten). After one of these four, and after the refusal of an
// archive that is a part of a fleet's merge, the builder is unchanged. Any other error is the reader's or
// ctx's; the builder then has a part of the run, and must not be used.
func Into(ctx context.Context, b *builder.Builder, s *reader.Store, r Run) error {
	t := merging.Target{Set: b.Internal()}
	use, err := merging.UseOf(ctx, s)
	if err != nil {
		return err
	}
	run, err := t.AdmitRun(s, r.rules(), use)
	if err != nil {
		return err
	}
	if err := copier.New(ctx, t.Set, s, run, merging.Hooks(r.Weight)).All(); err != nil {
		return err
	}
	return t.UniteGrown()
}

// Superseded finds archives that must not be merged, since another one has each of their dumps or a later one
// of the same process, and at least one that is later. For each archive it returns the index of the other, or
// -1. The result does not depend on the order. The error matches ErrSameProcess if two of the remaining
// archives hold dumps of one process, and otherwise is the reader's.
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
