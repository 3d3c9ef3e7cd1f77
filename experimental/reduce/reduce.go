package reduce

import (
	"cmp"
	"context"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Options say what [Archive] leaves out, and whether it replaces names. The zero value
// keeps everything except the source order.
type Options struct {
	// Hot is a part of all counts; layout.WeightOne is all of them, and 0 keeps every method. Of each unit,
	// the fewest methods stay whose counts together reach that part. Inclusive counts, such as cycles, cannot
	// be added up: there, with a Hot of 99%, every method stays that has at least 1% of the heaviest one's.
	// The fewest sampled stacks that reach that part of all samples stay too, with the methods on them.
	Hot layout.Weight
	// DropCold drops profiles and sampled stacks that counted nothing, and methods
	// that have no profile left or are unexecuted. Those on a stack are executed.
	DropCold bool
	// Methods, if not nil, says which methods may stay, and with them the sampled
	// stacks whose leaves they are. Hot is then a part of their counts and samples.
	Methods func(k layout.Key) bool
	// Base, if not nil, is an archive that the part becomes a layer on: reader.OpenLayers opens the two
	// together. Methods are left out that the base has too: with profiles of the same versions of their code
	// in the same contexts, which say the same in every count, row and flag, so that a lookup in the layers
	// finds for every version that the archive has what it finds in the archive. What is known of code that a
	// VM compiled and inlined stays. Neither Names goes with it nor an archive that is a layer on another
	// base: the error then matches builder.ErrMismatch. A layer whose names are replaced is one no longer.
	Base *reader.Store
	// MayDiffer is the part of its counts by which a profile may differ from the one in Base
	// and be left out, in what they are of and in their proportions; layout.WeightOne leaves
	// out whatever the base has a profile of. How often the method ran, and all else but the
	// counts of entries, is then as the base has it.
	MayDiffer layout.Weight
	// Names, if not nil, replaces all names. Texts of unknown meaning are left out: aliases, properties of
	// the run except numbers, and keys that the importer did not know.
	Names *Anonymizer
	// Config has Workers and Progress for Commit, and the memory and the folder of the
	// builder; the rest is the archive's.
	Config builder.Config
}

// A Report says what stayed.
type Report struct {
	Methods  uint64 // that were chosen; methods that these refer to stay without profiles
	Profiles uint64
	Entries  uint64
	Rows     map[layout.TableKind]int // of tables, that were left out

	LeftToBase uint64 // methods that were chosen, and that the base has too

	Units []layout.CountUnit // that the archive has counts of
	// Share is the lowest part of all counts of any unit that stayed, 1 if there are no counts.
	Share float64
	// SampleShare is the part of all samples of stacks that stayed, if the archive is Sampled.
	SampleShare float64
	Sampled     bool

	counts, all         [disk.NumCountUnits]weigh.Wide
	samples, allSamples weigh.Wide
}

// ShareOf returns the part of all counts of a unit that stayed. ok is false if there were
// none, or if they cannot be summed.
func (r *Report) ShareOf(u layout.CountUnit) (share float64, ok bool) {
	if r.all[u] == (weigh.Wide{}) || disk.IsInclusive(u) {
		return 1, false
	}
	return r.counts[u].Float() / r.all[u].Float(), true
}

// finish sets what follows from the counts.
func (r *Report) finish() {
	r.Share, r.SampleShare = 1, 1
	for u := range disk.NumCountUnits {
		if r.all[u] != (weigh.Wide{}) {
			r.Units = append(r.Units, u)
		}
		share, _ := r.ShareOf(u)
		r.Share = min(r.Share, share)
	}
	r.Sampled = r.allSamples != (weigh.Wide{})
	if r.Sampled {
		r.SampleShare = r.samples.Float() / r.allSamples.Float()
	}
}

// Archive returns a builder that holds a part of an archive, or the archive with other names. Everything that
// the part refers to stays too: types, the callers in contexts, called methods, and methods in traps. The
// source order is left out, since it holds for the whole archive only.
//
// The part has the DumpID of the archive, so that it is not merged with the whole or with another part. Where
// names are replaced, so are IDs of dumps. The error is the reader's, or ctx's.
func Archive(ctx context.Context, s *reader.Store, r Options) (*builder.Builder, *Report, error) {
	out := &Report{Rows: map[layout.TableKind]int{}}
	cut, err := newCut(ctx, s, &r, out)
	if err != nil {
		return nil, nil, err
	}
	b := builder.New(s.Header().Domain, cut.config(s.Header(), r.Config))
	t := &reduction{cut: cut, s: s, set: profileset.Of((*profileset.Face)(b)), poll: poll.New(ctx)}
	t.copier = copier.New(ctx, t.set, s, t.set.Run, t.hooks())
	for _, step := range []func() error{t.adoptDumps, t.copier.DeclareShapes, t.copyRecords, t.copyMethods,
		t.copier.Tables, b.Err} {
		if err := step(); err != nil {
			return nil, nil, err
		}
	}
	if r.Base != nil {
		b.ExpectBase(r.Base.Header().AsBase())
	}
	out.finish()
	return b, out, b.Err()
}

// A reduction copies the part of an archive that a cut keeps.
type reduction struct {
	*cut
	s      *reader.Store
	set    *profileset.Set
	copier *copier.Copier
	poll   *poll.Poll
}

// hooks returns how the copy differs from the archive.
func (t *reduction) hooks() copier.Hooks {
	h := copier.Hooks{
		Lazy:  t.selective(),
		Entry: t.valueSite,
		Rows:  func(table *reader.Table) func(row int) (bool, error) { return t.rowsOf(t.s, table).stay },
		Word:  t.word,
	}
	if names := t.names; names != nil {
		h.Type = func(name, loader, _ string) (string, string, string) {
			return names.typeName(name), names.loader(loader), ""
		}
		h.Key = func(_ reader.Method, k layout.Key) (layout.Key, error) { return names.key(t.s.Header().Domain, k), nil }
		h.Symbol = names.symbol
		h.Row = func(t *reader.Table, row []uint64) {
			if t.Kind == disk.TableRuns {
				names.anonymousRun(row)
			}
		}
	}
	return h
}

// adoptDumps copies the list of dumps of a merged archive. It marks the set as mixed, so
// that its tables are sorted again.
func (t *reduction) adoptDumps() error {
	if t.s.Header().Flags&layout.FlagMerged == 0 {
		return nil
	}
	dumps, err := copier.Dumps(t.s)
	if err != nil {
		return err
	}
	from := profileset.Source{Name: t.s.Mapping().Name(), Dumps: len(dumps)}
	t.set.Locked(func() {
		t.set.Mixed = true
		for _, d := range dumps {
			d.ID = t.names.identity(d.ID)
			t.set.Dumps[d.ID], t.set.Copied[d.ID] = d, from
		}
	})
	return nil
}

// copyRecords copies all types, methods and contexts, unless the cut is selective.
func (t *reduction) copyRecords() error {
	if t.selective() {
		return nil
	}
	return t.copier.Records()
}

// copyMethods copies the methods and profiles that the cut keeps.
func (t *reduction) copyMethods() error {
	for m, err := range t.s.Methods() {
		if err = cmp.Or(err, t.poll.Err()); err != nil {
			return err
		}
		if err := t.copyMethod(m); err != nil {
			return err
		}
	}
	return nil
}

func (t *reduction) copyMethod(m reader.Method) error {
	if !t.keeps(m.Ref()) {
		return nil
	}
	t.out.Methods++
	if _, err := t.copier.MethodRef(m.Ref()); err != nil {
		return err
	}
	var weight weigh.Counts
	defer func() { t.out.keep(weight) }()
	for p, err := range m.Profiles() {
		if err = cmp.Or(err, t.poll.Err()); err != nil {
			return err
		}
		if t.drops(p) {
			continue
		}
		weight.Add(t.took(p))
		if err := t.copier.Profile(m, p); err != nil {
			return err
		}
	}
	return nil
}

// keep adds the weights of a method that stays.
func (r *Report) keep(weight weigh.Counts) {
	for u, n := range weight {
		r.counts[u] = r.counts[u].Plus(n)
	}
}
