package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// TestMain draws fewer examples unless all tests run.
func TestMain(m *testing.M) {
	if err := full.LimitDraws(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// checkSame fails if two archives differ.
func checkSame(t testarchive.TB, what string, x, y testarchive.Archive) {
	t.Helper()
	if !bytes.Equal(x.Bytes, y.Bytes) {
		t.Errorf("%s makes other bytes; accounts: %s", what, cmp.Diff(accountOf(t, x), accountOf(t, y)))
	}
}

// accountOf returns the account of an archive.
func accountOf(t testarchive.TB, a testarchive.Archive) ledger.Account {
	t.Helper()
	account, err := archived.Account(a.Store)
	if err != nil {
		t.Fatal(err)
	}
	return account
}

// checkEachDomain runs a property in a parallel subtest for every domain.
func checkEachDomain(t *testing.T, check func(t *rapid.T, domain layout.Domain)) {
	t.Helper()
	for _, domain := range testarchive.Domains {
		t.Run(domain.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { check(t, domain) })
		})
	}
}

func TestMergeAlgebra(t *testing.T) {
	t.Parallel()
	sum := testarchive.Merge
	checkEachDomain(t, func(t *rapid.T, domain layout.Domain) {
		run := func(name string) testarchive.Archive { return testarchive.DrawHighRun(t, domain, name) }
		x, y, z := run("x"), run("y"), run("z")
		all := sum(t, x, y, z)
		checkSame(t, "another order", all, sum(t, z, x, y))
		checkSame(t, "(x+y)+z", all, sum(t, sum(t, x, y), z))
		checkSame(t, "x+(y+z)", all, sum(t, x, sum(t, z, y)))
		empty := testarchive.Config(domain)
		empty.Flags = disk.FlagMerged
		none := testarchive.Build(t, builder.New(domain, empty))
		checkSame(t, "nothing + x", sum(t, x), sum(t, none, x))
		checkSame(t, "x + nothing", sum(t, x, y), sum(t, sum(t, x, none), y))
		checkSame(t, "several goroutines", all, mergeAtOnce(t, x, y, z))
	})
}

// TestSaturatedCountersAreNamed merges counters of which the shorter ones saturate and are then dropped, or are dropped
// one by one.
func TestSaturatedCountersAreNamed(t *testing.T) {
	t.Parallel()
	run := func(id byte, counts ...uint64) testarchive.Archive {
		config := testarchive.Config(layout.DomainCustom)
		config.DumpID[0] = id
		b := builder.New(layout.DomainCustom, config)
		p := b.Profile(layout.Key{Name: "f"}, 0)
		p.Counters(0, counts...)
		testarchive.MustDone(t, p)
		return testarchive.Build(t, b)
	}
	sum := testarchive.Merge
	x, y, z := run(1, 1<<64-1), run(2, 7), run(3, 1, 2)
	all := sum(t, x, y, z)
	checkSame(t, "x+(y+z)", all, sum(t, x, sum(t, y, z)))
	checkSame(t, "(x+y)+z", all, sum(t, sum(t, x, y), z))
	losses := accountOf(t, all).Losses
	if len(losses) != 1 || losses[0].First != "f" || losses[0].Amount != 6 {
		t.Errorf("lost: %+v", losses)
	}
}

// mergeAtOnce merges every archive in a goroutine of its own.
func mergeAtOnce(t testarchive.TB, stores ...testarchive.Archive) testarchive.Archive {
	h := stores[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	errs := make([]error, len(stores))
	var wait sync.WaitGroup
	for i, s := range stores {
		wait.Go(func() { errs[i] = merge.Into(t.Context(), b, s.Store, merge.Run{}) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return testarchive.Build(t, b)
}

// TestWeightTwoIsMergingTwice: a run of weight 2 counts as much as two runs that counted the same.
func TestWeightTwoIsMergingTwice(t *testing.T) {
	t.Parallel()
	checkEachDomain(t, func(t *rapid.T, domain layout.Domain) {
		x, y := testarchive.DrawRun(t, domain, "x"), testarchive.DrawRun(t, domain, "y")
		b := testarchive.New(domain)
		mustMerge(t, b, y, merge.Run{})
		mustMerge(t, b, x, merge.Run{Weight: 2 * layout.WeightOne})
		weighted, twice := testarchive.Build(t, b), testarchive.Merge(t, y, x, secondRun(t, x))
		for _, kind := range []disk.TableKind{disk.TableMonitors, disk.TableThreads} {
			checkSameWords(t, weighted, twice, kind)
		}
		checkSameCounts(t, weighted, twice)
	})
}

// mustMerge merges an archive into a builder.
func mustMerge(t testarchive.TB, b *builder.Builder, s testarchive.Archive, run merge.Run) {
	t.Helper()
	if err := merge.Into(t.Context(), b, s.Store, run); err != nil {
		t.Fatal(err)
	}
}

// secondRun returns the archive of another run that counted the same.
func secondRun(t testarchive.TB, s testarchive.Archive) testarchive.Archive {
	config := builder.ConfigOf(s.Header())
	config.DumpID[15] ^= 1
	b := builder.New(s.Header().Domain, config)
	if _, err := merge.Snapshot(t.Context(), b, s.Store, merge.Trained); err != nil {
		t.Fatal(err)
	}
	return testarchive.Build(t, b)
}

// checkSameCounts compares all count cells of two archives with the same profiles.
func checkSameCounts(t *rapid.T, x, y testarchive.Archive) {
	t.Helper()
	counts := func(s testarchive.Archive) (all []uint64) {
		shape := (*mapped.Mapping)(s.Mapping()).Shape()
		for m, err := range s.Methods() {
			if err != nil {
				t.Fatal(err)
			}
			for p, err := range m.Profiles() {
				if err != nil {
					t.Fatal(err)
				}
				n, _ := p.Invocations()
				all = append(all, n.Load())
				for e := range p.Entries() {
					for cell := range shape.Counts(disk.Entry(e.Bytes())) {
						all = append(all, disk.Entry(e.Bytes()).Cell(cell))
					}
				}
			}
		}
		slices.Sort(all) // the highest come first only where something was summed
		return all
	}
	if a, b := counts(x), counts(y); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Fatalf("counts differ:\n%v\n%v", a, b)
	}
}

// checkSameWords compares the columns of numbers of a table of two archives.
func checkSameWords(t *rapid.T, x, y testarchive.Archive, kind disk.TableKind) {
	t.Helper()
	a, errA := x.Table(kind)
	b, errB := y.Table(kind)
	if (errA == nil) != (errB == nil) {
		t.Fatalf("table %d: %v, %v", kind, errA, errB)
	}
	if a.Rows != b.Rows {
		t.Fatalf("table %d has %d and %d rows", kind, a.Rows, b.Rows)
	}
	for r := range a.Rows {
		for c := range a.Columns() {
			if a.Column(c) == disk.ColumnWord && a.Cell(c, r) != b.Cell(c, r) {
				t.Fatalf("table %d, row %d, column %d: %d and %d", kind, r, c, a.Cell(c, r), b.Cell(c, r))
			}
		}
	}
}

func TestMergeOfSpecimens(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		merged := testarchive.Merge(t, s)
		checkSame(t, "merging a merged archive alone", merged, testarchive.Merge(t, merged))
	})
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainHotSpot)
	s := testarchive.Build(t, testarchive.New(layout.DomainHotSpot))
	mustMerge(t, b, s, merge.Run{})
	once := testarchive.Build(t, b)
	for what, c := range map[string]struct {
		s    testarchive.Archive
		run  merge.Run
		want error
	}{
		"a dump twice":          {s, merge.Run{}, merge.ErrCounted},
		"a dump inside a merge": {once, merge.Run{}, merge.ErrCounted},
		"a weight for a merge":  {once, merge.Run{Weight: 3 * layout.WeightOne}, merging.ErrWeighted},
		"another domain": {testarchive.Build(t, builder.New(layout.DomainGraal, builder.Config{})), merge.Run{},
			builder.ErrMismatch},
	} {
		t.Run(what, func(t *testing.T) {
			if err := merge.Into(t.Context(), b, c.s.Store, c.run); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", what, err, c.want)
			}
		})
	}
	checkSame(t, "an archive that was refused", once, testarchive.Build(t, b))
}

// TestMergeNamesTheDumpToLeaveOut: of a sum and a dump that it contains, the dump is named,
// whichever comes first.
func TestMergeNamesTheDumpToLeaveOut(t *testing.T) {
	t.Parallel()
	open := func(b *builder.Builder, name string) *reader.Store {
		s, err := b.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	sum := testarchive.New(layout.DomainHotSpot)
	var dumps []*reader.Store
	for id, name := range []string{"one.parc", "two.parc"} {
		t.Run(name, func(t *testing.T) {
			dumps = append(dumps, open(builder.New(layout.DomainHotSpot, builder.Config{DumpID: [16]byte{byte(id + 1)}}), name))
			if err := merge.Into(t.Context(), sum, dumps[id], merge.Run{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	all := open(sum, "all.parc")
	for want, order := range map[string][]*reader.Store{
		"two.parc: a dump is counted already: 02000000000000000000000000000000, which all.parc has too: leave this " +
			"archive out": {all, dumps[1]},
		"all.parc: a dump is counted already: 02000000000000000000000000000000, which two.parc has too: leave two.parc out": {dumps[1], all},
	} {
		b := testarchive.New(layout.DomainHotSpot)
		err := errors.Join(merge.Into(t.Context(), b, order[0], merge.Run{}),
			merge.Into(t.Context(), b, order[1], merge.Run{}))
		if !errors.Is(err, merge.ErrCounted) || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// TestMergeCountsUnmatchableProfiles: methods whose keys hold within one run only are summed, and counted.
func TestMergeCountsUnmatchableProfiles(t *testing.T) {
	t.Parallel()
	run := func(id byte) testarchive.Archive {
		b := builder.New(layout.DomainGraal, builder.Config{DumpID: [16]byte{id}})
		for name, flags := range map[string]layout.MethodFlags{"?7": layout.MethodNotMatchable, "main": 0} {
			m := b.Method(layout.Key{Name: name})
			b.Internal().DescribeMethod(m, 0, flags)
			p := b.ProfileIn(m, 0, profileset.NoContext)
			p.Invocations(1)
			testarchive.MustDone(t, p)
		}
		return testarchive.Build(t, b)
	}
	b := builder.New(layout.DomainGraal, builder.Config{})
	for id := range byte(3) {
		mustMerge(t, b, run(id+1), merge.Run{})
		if got := b.Internal().Unmatchable(); got != uint64(id) {
			t.Errorf("%d profiles are unmatchable, want %d", got, id)
		}
	}
}

// TestRunsWithoutTypeProfilesFitAnyShape: a run without a type profile does not show
// how many rows its VM keeps. It fits every other run, whichever is merged first.
func TestRunsWithoutTypeProfilesFitAnyShape(t *testing.T) {
	t.Parallel()
	run := func(id byte, params layout.Params, receivers bool) testarchive.Archive {
		b := builder.New(layout.DomainHotSpot, builder.Config{Params: params, DumpID: [16]byte{id}})
		p := b.Profile(layout.Key{Class: "A", Name: "a"}, 0)
		p.Counter(builder.At{Bci: 1}, uint64(id))
		if receivers {
			p.VirtualCall(builder.At{Bci: 4}, builder.Others{Count: 3},
				builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 2})
		}
		testarchive.MustDone(t, p)
		return testarchive.Build(t, b)
	}
	sum := testarchive.Merge
	short := run(1, layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 0}, false)
	shorter := run(2, layout.Params{TypeProfileWidth: 4, BciProfileWidth: 1, ReceiverGap: 0}, false)
	long := run(3, layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 1}, true)
	other := run(4, layout.Params{TypeProfileWidth: 3, BciProfileWidth: 2, ReceiverGap: 1}, true)
	all := sum(t, short, shorter, long)
	checkSame(t, "another order", all, sum(t, long, shorter, short))
	checkSame(t, "a sum of sums", all, sum(t, sum(t, shorter, short), long))
	checkSame(t, "several goroutines", all, mergeAtOnce(t, shorter, long, short))
	if got := disk.ShapeOfParams(&all.Header().Params); got != disk.ShapeOfParams(&long.Header().Params) {
		t.Errorf("shape %+v, want that of the run with type profiles", got)
	}
	checkSame(t, "another order of short runs", sum(t, short, shorter), sum(t, shorter, short))
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: long.Header().Params})
	mustMerge(t, b, short, merge.Run{})
	mustMerge(t, b, long, merge.Run{})
	if err := merge.Into(t.Context(), b, other.Store, merge.Run{}); !errors.Is(err, builder.ErrMismatch) {
		t.Errorf("another number of rows: %v", err)
	}
}

// begun returns the profile of A.a.
func begun(b *builder.Builder) *builder.Profile {
	return b.Profile(layout.Key{Class: "A", Name: "a"}, 0)
}

// TestShapeOfRecordedProfiles: a recorded profile has entries of the shape that the
// builder had then, so no archive may change the shape afterwards.
func TestShapeOfRecordedProfiles(t *testing.T) {
	t.Parallel()
	small := layout.Params{TypeProfileWidth: 2}
	wide := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 4, ReceiverGap: 1}})
	recordCall(t, wide)
	plain := builder.New(layout.DomainHotSpot, builder.Config{Params: small})
	testarchive.MustDone(t, begun(plain))
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: small})
	mustMerge(t, b, testarchive.Build(t, plain), merge.Run{})
	b.Internal().NextRun(profileset.RunRules{})
	recordCall(t, b)
	if err := merge.Into(t.Context(), b, testarchive.Build(t, wide).Store, merge.Run{}); !errors.Is(err,
		builder.ErrMismatch) {
		t.Errorf("%v, want ErrMismatch", err)
	}
	testarchive.Build(t, b)
}

// recordCall records the profile of A.a, which has a call.
func recordCall(t *testing.T, b *builder.Builder) {
	t.Helper()
	p := begun(b)
	p.VirtualCall(builder.At{Bci: 3}, builder.Others{Count: 5},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 2})
	testarchive.MustDone(t, p)
}

// TestReferredMethodsAreExecuted: a method that one run has seen only, and that
// another has called or sampled, is executed.
func TestReferredMethodsAreExecuted(t *testing.T) {
	t.Parallel()
	caller, callee := layout.Key{Class: "A", Name: "caller"}, layout.Key{Class: "A", Name: "callee"}
	for name, refer := range map[string]func(b *builder.Builder){
		"as a caller": func(b *builder.Builder) {
			m := b.Method(callee)
			testarchive.MustDone(t, b.ProfileIn(m, 0, b.Context(m, builder.Frame{Caller: b.Method(caller)})))
		},
		"on a stack": func(b *builder.Builder) {
			b.Internal().Table(disk.TableSamples, 0, disk.ColumnWord, disk.ColumnMethod, disk.ColumnWord, disk.ColumnWord).Row(0,
				uint64(b.Method(caller)), 3, 1)
		},
		"as a callee": func(b *builder.Builder) {
			p := b.Profile(callee, 0)
			testarchive.RecordAs(b, layout.DomainJamaica,
				func() { p.Callees(1, builder.Callee{Method: b.Method(caller), Count: 2}) })
			testarchive.MustDone(t, p)
		},
	} {
		seen, ran := builder.New(layout.DomainGraal, builder.Config{}), builder.New(layout.DomainGraal, builder.Config{})
		seen.Seen(seen.Method(caller))
		refer(ran)
		for _, order := range [][]*builder.Builder{{seen, ran}, {ran, seen}} {
			b := builder.New(layout.DomainGraal, builder.Config{})
			for _, one := range order {
				mustMerge(t, b, testarchive.Build(t, one), merge.Run{})
			}
			m, err := testarchive.Build(t, b).Find(caller)
			if err != nil {
				t.Fatal(err)
			}
			if m.Unexecuted() {
				t.Errorf("%s: the caller is unexecuted", name)
			}
		}
	}
}

// TestMergedRunsShareAClassPath: runs with the same class path share its rows after a merge.
func TestMergedRunsShareAClassPath(t *testing.T) {
	t.Parallel()
	pathWith := func(last string) []layout.ClassPathEntry {
		return []layout.ClassPathEntry{{Path: "app.jar"},
			{Path: last, Content: layout.Content{Kind: disk.ContentFile, Size: 3, Sum: 4}}}
	}
	with := func(last string) func(*builder.Config) {
		return func(c *builder.Config) { c.Run.ClassPath = pathWith(last) }
	}
	all, err := mergeLatest(t, processDump(t, 1, 1, 1, with("a")), processDump(t, 2, 2, 1, with("b")),
		processDump(t, 3, 3, 1, with("a")))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := all.Table(disk.TableClassPath)
	if err != nil {
		t.Fatal(err)
	}
	if paths.Rows != 4 {
		t.Errorf("%d rows of class paths, want 4", paths.Rows)
	}
	runs, err := all.Runs()
	if err != nil {
		t.Fatal(err)
	}
	var got [][]layout.ClassPathEntry
	for _, r := range runs {
		got = append(got, r.ClassPath)
	}
	a, b := pathWith("a"), pathWith("b")
	if d := cmp.Diff([][]layout.ClassPathEntry{a, b, a}, got); d != "" {
		t.Errorf("class paths of the runs (-want +got): %s", d)
	}
}
