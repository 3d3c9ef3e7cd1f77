package merge_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// A ran has the outcomes of one run at a method's sites, which are a branch at 3, a switch at 9, and a type check at
// 20.
type ran struct {
	branch [2]uint64
	cases  [3]uint64
	types  [2]uint64
	null   bool
}

// runOf returns the archive of a run, by the names of methods.
func runOf(t testarchive.TB, id byte, methods map[string]ran) testarchive.Archive {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{DumpID: [16]byte{id},
		Params: layout.Params{TypeProfileWidth: 2, VMRelease: 17}})
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		did := methods[name]
		p := b.Profile(layout.Key{Class: "A", Name: name, Signature: "()V"}, 7)
		p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: did.branch[0], Displacement: 16, NotTaken: did.branch[1]})
		p.MultiBranch(builder.At{Bci: 9}, builder.SwitchCase{Count: did.cases[0]},
			builder.SwitchCase{Count: did.cases[1]},
			builder.SwitchCase{Count: did.cases[2]})
		at := builder.At{Bci: 20}
		if did.null {
			at.Flags = layout.EntryNullSeen
		}
		var rows []builder.Row
		for i, n := range did.types {
			if n > 0 {
				rows = append(rows, builder.Row{Type: b.Type(builder.TypeKey{Name: fmt.Sprint("T", i)}), Count: n})
			}
		}
		p.ReceiverType(at, builder.Others{}, rows...)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return testarchive.Build(t, b)
}

// A certainSite is an outcome of a site of a method.
type certainSite struct {
	method  string
	point   int32
	outcome uint64
}

// certainOf returns the table of outcomes that were certain.
func certainOf(t testarchive.TB, s *reader.Store) map[certainSite]uint64 {
	t.Helper()
	table, err := s.TableOrEmpty(disk.TableCertain)
	if err != nil {
		t.Fatal(err)
	}
	all := map[certainSite]uint64{}
	for row := range table.Rows {
		p, err := s.ProfileAt(layout.Ref(table.Cell(0, row)))
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Method()
		if err != nil {
			t.Fatal(err)
		}
		name, err := m.Name()
		site := certainSite{name.String(), int32(table.Cell(1, row)), table.Cell(2, row)}
		if _, twice := all[site]; twice || err != nil {
			t.Errorf("%v has two rows, %v", site, err)
		}
		all[site] = table.Cell(3, row)
	}
	return all
}

// wantCertain returns the expected table. For each site with several outcomes over all runs, it adds the counts of the
// runs in which the site had only one.
func wantCertain(runs []map[string]ran) map[certainSite]uint64 {
	want := map[certainSite]uint64{}
	seen := map[certainSite]map[uint64]bool{}
	for _, run := range runs {
		for name, did := range run {
			add := func(point int32, certain map[uint64]uint64, outcomes ...uint64) {
				site := certainSite{method: name, point: point}
				if seen[site] == nil {
					seen[site] = map[uint64]bool{}
				}
				for _, o := range outcomes {
					seen[site][o] = true
				}
				for o, n := range certain {
					want[certainSite{name, point, o}] += n
				}
			}
			for point, counts := range map[int32][]uint64{3: did.branch[:], 9: did.cases[:]} {
				ways := map[uint64]uint64{}
				for i, n := range counts {
					if n > 0 {
						ways[uint64(i)] = n
					}
				}
				outcomes := slices.Collect(maps.Keys(ways))
				if len(ways) > 1 {
					ways = nil
				}
				add(point, ways, outcomes...)
			}
			if did.null {
				add(20, nil, 1)
			} else if n := did.types[0] + did.types[1]; n > 0 {
				add(20, map[uint64]uint64{disk.OutcomeNoNull: n}, disk.OutcomeNoNull)
			}
		}
	}
	maps.DeleteFunc(want, func(s certainSite, _ uint64) bool {
		return len(seen[certainSite{method: s.method, point: s.point}]) < 2
	})
	return want
}

func randomRun(r *rand.Rand) map[string]ran {
	count := func() uint64 { return uint64(max(0, r.IntN(6)-2)) * uint64(1+r.IntN(2000)) }
	run := map[string]ran{}
	for i := range 4 {
		if r.IntN(5) > 0 {
			run[fmt.Sprint("m", i)] = ran{[2]uint64{count(), count()}, [3]uint64{count(), count(), count()},
				[2]uint64{count(), count()}, r.IntN(3) == 0}
		}
	}
	return run
}

// TestWhatWasCertainIsKept checks that the table does not depend on the order and grouping of merges.
func TestWhatWasCertainIsKept(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 26))
	rows := 0
	for range 60 {
		var runs []map[string]ran
		var archives []weighted
		for i := range 5 {
			runs = append(runs, randomRun(r))
			archives = append(archives, weighted{Archive: runOf(t, byte(i+1), runs[i])})
		}
		once := whole(t, archives)
		want := wantCertain(runs)
		if got := certainOf(t, once.Store); !maps.Equal(got, want) {
			t.Fatalf("runs %v\ngot  %v\nwant %v", runs, got, want)
		}
		rows += len(want)
		left := slices.Clone(archives)
		for len(left) > 1 {
			r.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
			both := weighted{Archive: whole(t, left[:2])}
			left = append([]weighted{both}, left[2:]...)
		}
		checkSame(t, "by twos", left[0].Archive, once)
		checkSame(t, "with an empty run", whole(t, append(left[:1:1], weighted{Archive: runOf(t, 99, nil)})),
			whole(t, append(archives[:5:5], weighted{Archive: runOf(t, 99, nil)})))
	}
	if rows < 100 {
		t.Errorf("only %d rows", rows)
	}
}

// TestFirstPollution merges many runs that never took a branch with one that did. The merged counts alone look like
// the outcomes of any rarely taken branch.
func TestFirstPollution(t *testing.T) {
	t.Parallel()
	clean := func(id byte, n uint64) weighted {
		return weighted{Archive: runOf(t, id, map[string]ran{"m": {branch: [2]uint64{n, 0}}})}
	}
	polluted := weighted{Archive: runOf(t, 9, map[string]ran{"m": {branch: [2]uint64{1784, 200}}})}
	merged := whole(t, []weighted{clean(1, 1784), clean(2, 3784), polluted})
	want := map[certainSite]uint64{{"m", 3, 0}: 5568}
	if got := certainOf(t, merged.Store); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	half := []weighted{clean(1, 1784), {Archive: runOf(t, 9, map[string]ran{"m": {branch: [2]uint64{1784, 200}}})}}
	half[0].run.Weight = layout.WeightOne / 2
	if got := certainOf(t, whole(t, half).Store); !maps.Equal(got, map[certainSite]uint64{{"m", 3, 0}: 892}) {
		t.Errorf("with half the weight: %v", got)
	}
	certain := whole(t, []weighted{clean(1, 1784), clean(2, 3784)})
	for table, err := range certain.Tables() {
		if table.Kind == disk.TableCertain || err != nil {
			t.Errorf("a table of what is certain still: %v", err)
		}
	}
	both := builder.New(layout.DomainHotSpot, builder.Config{Params: merged.Header().Params})
	mustMerge(t, both, merged, merge.Run{})
	if _, _, err := merging.KeepVersions(t.Context(), both.Internal(), merging.NewestVersion); err != nil {
		t.Fatal(err)
	}
	if got := certainOf(t, testarchive.Build(t, both).Store); !maps.Equal(got, want) {
		t.Errorf("after versions were dropped: %v", got)
	}
	newer := builder.New(layout.DomainHotSpot, builder.Config{DumpID: [16]byte{77}, DumpTime: time.Now(),
		Params: merged.Header().Params})
	p := newer.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 8)
	p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: 1 << 30, Displacement: 16})
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	both = builder.New(layout.DomainHotSpot, builder.Config{Params: merged.Header().Params})
	mustMerge(t, both, merged, merge.Run{})
	mustMerge(t, both, testarchive.Build(t, newer), merge.Run{})
	if _, dropped, err := merging.KeepVersions(t.Context(), both.Internal(), merging.HeaviestVersion); dropped != 1 ||
		err != nil {
		t.Fatal(dropped, err)
	}
	if got := certainOf(t, testarchive.Build(t, both).Store); len(got) > 0 {
		t.Errorf("of a version that was dropped: %v", got)
	}
	for _, name := range []string{"m", "other"} {
		t.Run(name, func(t *testing.T) {
			b, report, err := reduce.Archive(t.Context(), merged.Store,
				reduce.Options{Methods: func(k layout.Key) bool { return k.Name == name }})
			if err != nil {
				t.Fatal(err)
			}
			kept := map[certainSite]uint64{}
			if name == "m" {
				kept = want
			}
			if lost := report.Rows[disk.TableCertain]; lost != 1-len(kept) {
				t.Errorf("reduced to %s: %d rows lost", name, lost)
			}
			if got := certainOf(t, testarchive.Build(t, b).Store); !maps.Equal(got, kept) {
				t.Errorf("reduced to %s: %v", name, got)
			}
		})
	}
}
