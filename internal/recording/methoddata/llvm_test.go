package methoddata_test

import (
	"slices"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

// checkUnmerged checks the number of entries that could not be merged.
func checkUnmerged(t *testing.T, b *builder.Builder, want uint64) {
	t.Helper()
	if got := b.Internal().Unmerged(); got != want {
		t.Errorf("%d entries unmerged, want %d", got, want)
	}
}

// addF adds the function f with counters by the bulk API.
func addF(t *testing.T, b *builder.Builder, counters []uint64) {
	t.Helper()
	f := profileset.Function{Name: []byte("f"), Cells: words.LittleEndianBytes(counters)}
	if _, err := b.Internal().AddFunctions([]profileset.Function{f}); err != nil {
		t.Fatal(err)
	}
}

// countersOfF returns the counters of the function f, which must have no other entry.
func countersOfF(t *testing.T, b *builder.Builder) (counters []uint64) {
	t.Helper()
	p, err := testarchive.Build(t, b).Profile(layout.Key{Name: "f"}, layout.CodeAny)
	entries := slices.Collect(p.Entries())
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i := range entries[0].Cells() {
		counters = append(counters, entries[0].Cell(i).Load())
	}
	return counters
}

// TestNumbersOfCountersThatDiffer: llvm-profdata keeps the first of two records with different numbers of counters.
// Other merges keep the longer one, in both orders.
func TestNumbersOfCountersThatDiffer(t *testing.T) {
	t.Parallel()
	for _, asLLVM := range []bool{false, true} {
		for _, lengths := range [][2]int{{2, 3}, {3, 2}} {
			b := builder.New(layout.DomainLLVMIR, builder.Config{})
			for _, n := range lengths {
				b.Internal().NextRun(profileset.RunRules{AsLLVM: asLLVM})
				addF(t, b, []uint64{7, 8, 9}[:n])
			}
			want := 3
			if asLLVM {
				want = lengths[0]
			}
			got := countersOfF(t, b)
			if len(got) != want {
				t.Errorf("%d then %d counters, as LLVM %t: %d are kept, want %d", lengths[0], lengths[1], asLLVM, len(got), want)
			}
			if got[0] != 7 {
				t.Errorf("the first counter is %d, want 7", got[0])
			}
			checkUnmerged(t, b, 1)
		}
	}
}

// TestMarksAreNotCounts: the two highest values mark a hot or warm function. A merge prefers counts to a mark, in both
// orders; llvm-profdata keeps the first record.
func TestMarksAreNotCounts(t *testing.T) {
	t.Parallel()
	const hot, warm = 1<<64 - 1, 1<<64 - 2
	counts, marked := []uint64{1, 2, 3}, []uint64{hot, 5, 6}
	for _, c := range []struct {
		one, two, want []uint64
		asLLVM         bool
		unmerged       uint64
	}{
		{counts, marked, counts, false, 1},
		{marked, counts, counts, false, 1},
		{counts, marked, counts, true, 1},
		{marked, counts, marked, true, 1},
		{marked, marked, marked, false, 0},
		{[]uint64{warm, 9, 1}, marked, []uint64{hot, 9, 6}, false, 0},
		{[]uint64{warm, 9, 1}, marked, []uint64{hot, 9, 1}, true, 0},
	} {
		b := builder.New(layout.DomainLLVMIR, builder.Config{})
		for _, n := range [][]uint64{c.one, c.two} {
			b.Internal().NextRun(profileset.RunRules{AsLLVM: c.asLLVM})
			addF(t, b, n)
		}
		if got := countersOfF(t, b); !slices.Equal(got, c.want) {
			t.Errorf("%d and %d, as LLVM %t: %d, want %d", c.one, c.two, c.asLLVM, got, c.want)
		}
		checkUnmerged(t, b, c.unmerged)
	}
}

// TestBitmapsOfOneRun: a bitmap that only one run has is kept and counted as unmerged. llvm-profdata keeps the entries
// of the first run and adds the counters of the second.
func TestBitmapsOfOneRun(t *testing.T) {
	t.Parallel()
	for _, asLLVM := range []bool{false, true} {
		for _, first := range []bool{false, true} {
			b := builder.New(layout.DomainLLVMFrontend, builder.Config{})
			for _, has := range []bool{first, !first} {
				b.Internal().NextRun(profileset.RunRules{AsLLVM: asLLVM})
				p := b.Profile(layout.Key{Name: "f"}, 1)
				p.Counters(0, 4)
				if has {
					p.Bitmap(0, []byte{0x17})
				}
				testarchive.MustDone(t, p)
			}
			n := 0
			m, err := testarchive.Build(t, b).Store.Find(layout.Key{Name: "f"})
			if err != nil {
				t.Fatal(err)
			}
			both, _, err := m.Profile(1)
			if err != nil {
				t.Fatal(err)
			}
			for e := range both.Entries() {
				n++
				if e.Tag() == layout.TagCounters && e.Cell(0).Load() != 8 {
					t.Errorf("counter %d", e.Cell(0).Load())
				}
			}
			want := 2
			if asLLVM && !first {
				want = 1
			}
			if n != want {
				t.Errorf("as LLVM %t, the first has it %t: %d entries, want %d", asLLVM, first, n, want)
			}
			checkUnmerged(t, b, 1)
		}
	}
}

// TestValueSitesAsLLVM: if the numbers of value sites of a kind differ, llvm-profdata keeps the sites of the first
// record. If a record has a mark, it adds no sites of the second.
func TestValueSitesAsLLVM(t *testing.T) {
	t.Parallel()
	const hot = 1<<64 - 1
	for what, c := range map[string]struct {
		counts   [2]uint64
		sites    [2]int
		want     int // number of sites, and their total count
		sum      uint64
		unmerged uint64
	}{
		"as many":             {[2]uint64{1, 1}, [2]int{2, 2}, 2, 20, 0},
		"fewer":               {[2]uint64{1, 1}, [2]int{2, 1}, 2, 10, 1},
		"more":                {[2]uint64{1, 1}, [2]int{0, 1}, 0, 0, 1},
		"two marks":           {[2]uint64{hot, hot}, [2]int{1, 1}, 1, 5, 0},
		"counts, then a mark": {[2]uint64{1, hot}, [2]int{1, 1}, 1, 5, 1},
		"a mark, then counts": {[2]uint64{hot, 1}, [2]int{1, 1}, 1, 5, 1},
	} {
		t.Run(what, func(t *testing.T) {
			b := builder.New(layout.DomainLLVMIR, builder.Config{})
			for run := range 2 {
				b.Internal().NextRun(profileset.RunRules{AsLLVM: true})
				p := b.Profile(layout.Key{Name: "f"}, 1)
				p.Counters(0, c.counts[run])
				for site := range c.sites[run] {
					p.ValueSite(int32(site), 0, builder.Value{Value: 9, Count: 5})
				}
				testarchive.MustDone(t, p)
			}
			m, err := testarchive.Build(t, b).Store.Find(layout.Key{Name: "f"})
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := m.Profile(1)
			if err != nil {
				t.Fatal(err)
			}
			sites, sum := 0, uint64(0)
			for e := range p.Entries() {
				if rows, ok := e.Rows(); ok && e.Tag() == layout.TagValueSite {
					sites++
					sum += rows.Cell(0, 1).Load()
				}
			}
			if sites != c.want || sum != c.sum {
				t.Errorf("%s: %d sites with counts of %d, want %d with %d", what, sites, sum, c.want, c.sum)
			}
			checkUnmerged(t, b, c.unmerged)
		})
	}
}
