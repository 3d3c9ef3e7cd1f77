// Package reduce copies a part of an archive, such as the hottest methods, everything with counts, or methods selected
// by name. It can also replace names by keyed hashes, for archives that leave an organization.
//
//	b, report, err := reduce.Archive(ctx, s, reduce.Options{Hot: layout.WeightOne / 100 * 99})
//	if err != nil { ... }
//	_, err = b.Commit(ctx, "hot.parc")
//
// This package is experimental. It may change in any release.
package reduce

import (
	"context"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Options select what [Archive] drops, and whether it replaces names. The zero value drops only the source order.
type Options struct {
	// Hot is a part of all counts. layout.WeightOne stands for all of them, and 0 keeps every method. For each unit, the
	// fewest methods stay whose counts reach that part. Inclusive counts such as cycles cannot be added. With a Hot of
	// 99%, a method then stays if it has at least 1% of the heaviest method's count. The fewest sampled stacks that reach
	// the same part of all samples stay too, with their methods.
	Hot layout.Weight
	// DropCold drops profiles and stacks without counts, and methods without a profile, except on kept stacks.
	DropCold bool
	// Methods selects methods, and sampled stacks by their leaves. nil selects all. Hot is a part of the selected.
	Methods func(k layout.Key) bool
	// Base is an archive that the result becomes a layer on, for reader.OpenLayers; nil makes a complete archive. Methods
	// are dropped if the base has the same versions of their code in the same contexts, equal in every count, row and
	// flag. A lookup in the layers then gives the same result as in the archive. Records of compiled and inlined code
	// stay.
	//
	// Base excludes Names, and an archive that is a layer on another base. Both errors match builder.ErrMismatch.
	// Replacing the names of a layer makes it a complete archive.
	Base *reader.Store
	// MayDiffer is the maximum part of a profile's counts that may differ from Base in proportion if the profile is
	// dropped. layout.WeightOne drops everything that the base has a profile for. Invocations and all values other than
	// counts of entries then come from the base.
	MayDiffer layout.Weight
	// Names replaces all names unless it is nil. It drops texts of unknown meaning, which are aliases, properties of the
	// run other than numbers, and keys that the importer did not know.
	Names *Anonymizer
	// Config supplies Workers, Progress, MemoryBudget and SpillFolder. The rest comes from the archive.
	Config builder.Config
}

// A Report counts the kept parts.
type Report struct {
	Methods  uint64 // selected methods; methods that they refer to stay without profiles
	Profiles uint64
	Entries  uint64
	Rows     map[disk.TableKind]int // dropped rows by table

	LeftToBase uint64 // selected methods that the base has, too

	Units []layout.CountUnit // units of the archive's counts
	// Share is the lowest kept part of the counts over all units, 1 without counts.
	Share float64
	// SampleShare is the kept part of all samples if Sampled is set, else 1.
	SampleShare float64
	Sampled     bool

	counts, all         [disk.NumCountUnits]weigh.Wide
	samples, allSamples weigh.Wide
}

// ShareOf returns the kept part of the counts of a unit. ok is false if there are none, or if they cannot be added.
func (r *Report) ShareOf(u layout.CountUnit) (share float64, ok bool) {
	if r.all[u] == (weigh.Wide{}) || disk.IsInclusive(u) {
		return 1, false
	}
	return r.counts[u].Float() / r.all[u].Float(), true
}

func (r *Report) computeShares() {
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

// Archive returns a builder with a part of an archive, or with the archive under other names. Everything that the part
// refers to stays, which includes types, callers in contexts, called methods, and methods in traps. The source order is
// dropped because it is valid only for the whole archive.
//
// The part has the DumpID of the archive, so it cannot be merged with the whole or another part. If names are replaced,
// IDs of dumps are replaced too. Archive fails with an error of the reader or of ctx.
func Archive(ctx context.Context, s *reader.Store, r Options) (*builder.Builder, *Report, error) {
	out := &Report{Rows: map[disk.TableKind]int{}}
	selected, err := newSelection(ctx, s, &r, out)
	if err != nil {
		return nil, nil, err
	}
	b := builder.New(s.Header().Domain, selected.copyConfig(s.Header(), r.Config))
	t := &reduction{selection: selected, s: s, set: b.Internal(), poll: poll.New(ctx)}
	t.copier = copier.New(ctx, t.set, s, t.set.Run, t.copierHooks())
	err = lists.Run(t.adoptDumps, t.copier.DeclareShapes, t.copyRecords, t.copyMethods, t.copier.Tables, b.Err)
	if err != nil {
		return nil, nil, err
	}
	t.set.Explain(ledger.OperationReduce, "methods and profiles that were not selected")
	if r.Base != nil {
		b.Internal().ExpectBase(r.Base.Header().AsBase())
	}
	out.computeShares()
	return b, out, b.Err()
}

type reduction struct {
	*selection
	s      *reader.Store
	set    *profileset.Set
	copier *copier.Copier
	poll   *poll.Poll
}

func (t *reduction) copierHooks() copier.Hooks {
	h := copier.Hooks{Lazy: t.selective(), Entry: t.replaceValues,
		Rows: func(table *reader.Table) func(row int) (bool, error) {
			return (&rowSelection{selection: t.selection, s: t.s, t: table, whole: t.dropsTable(table)}).keepsRow
		},
		Word: t.replaceWord}
	if names := t.names; names != nil {
		h.Type = func(name, loader, _ string) (string, string, string) {
			return names.hashTypeName(name), names.hashLoader(loader), ""
		}
		h.Key = func(_ reader.Method, k layout.Key) (layout.Key, error) {
			return names.hashKey(t.s.Header().Domain, k), nil
		}
		h.Symbol = names.hashSymbol
		h.Row = func(t *reader.Table, row []uint64) {
			switch t.Kind {
			case disk.TableRuns:
				names.anonymousRun(row)
			case disk.TableInputs, disk.TableLosses:
				anonymousAccount(t.Kind, row)
			}
		}
	}
	return h
}

// adoptDumps copies a merged archive's list of dumps. It marks the set as mixed so that its tables are sorted again.
func (t *reduction) adoptDumps() error {
	if t.s.Header().Flags&disk.FlagMerged == 0 {
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
			d.ID = t.names.hashIdentity(d.ID)
			t.set.Dumps[d.ID], t.set.Copied[d.ID] = d, from
		}
	})
	return nil
}

func (t *reduction) copyRecords() error {
	if t.selective() {
		return nil
	}
	return t.copier.Records()
}

func (t *reduction) copyMethods() error { return poll.Each(t.poll, t.s.Methods(), t.copyMethod) }

func (t *reduction) copyMethod(m reader.Method) error {
	if !t.keepsMethod(m.Ref()) {
		return nil
	}
	t.out.Methods++
	if _, err := t.copier.MethodRef(m.Ref()); err != nil {
		return err
	}
	var weight weigh.Counts
	defer func() { t.out.addWeights(weight) }()
	return poll.Each(t.poll, m.Profiles(), func(p reader.Profile) error {
		if t.dropsProfile(p) {
			return nil
		}
		weight.Add(t.countProfile(p))
		return t.copier.Profile(m, p)
	})
}

func (r *Report) addWeights(weight weigh.Counts) {
	for u, n := range weight {
		r.counts[u] = r.counts[u].Plus(n)
	}
}
