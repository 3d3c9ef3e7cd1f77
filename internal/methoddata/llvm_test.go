package methoddata_test

import (
	"slices"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Of two records with other numbers of counters llvm-profdata keeps the first;
// otherwise the longer stays, whichever came first.
func TestOtherNumbersOfCounters(t *testing.T) {
	for _, asLLVM := range []bool{false, true} {
		for _, lengths := range [][2]int{{2, 3}, {3, 2}} {
			b := builder.New(layout.DomainLLVMIR, builder.Config{})
			for _, n := range lengths {
				b.NextRun(builder.Run{AsLLVM: asLLVM})
				if err := addFunction(b, builder.CounterFunction{Name: []byte("f"), Counts: []uint64{7, 8, 9}[:n]}); err != nil {
					t.Fatal(err)
				}
			}
			want := 3
			if asLLVM {
				want = lengths[0]
			}
			if got := onlyEntry(t, testarchive.Build(t, b).Store); got.Cells() != want || got.Cell(0).Load() != 7 || b.Unmerged() != 1 {
				t.Errorf("%d then %d counters, as LLVM %t: %d are kept, %d unmerged", lengths[0], lengths[1], asLLVM, got.Cells(), b.Unmerged())
			}
		}
	}
}

// The two highest numbers mark what is hot, or warm, and no count. Counts say
// more than a mark, whichever came first; llvm-profdata keeps the first.
func TestMarksAreNoCounts(t *testing.T) {
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
			b.NextRun(builder.Run{AsLLVM: c.asLLVM})
			if err := addFunction(b, builder.CounterFunction{Name: []byte("f"), Counts: n}); err != nil {
				t.Fatal(err)
			}
		}
		e, got := onlyEntry(t, testarchive.Build(t, b).Store), []uint64(nil)
		for i := range e.Cells() {
			got = append(got, e.Cell(i).Load())
		}
		if !slices.Equal(got, c.want) || b.Unmerged() != c.unmerged {
			t.Errorf("%d and %d, as LLVM %t: %d, %d unmerged", c.one, c.two, c.asLLVM, got, b.Unmerged())
		}
	}
}

// A bitmap that one run alone has stays, and is told; llvm-profdata keeps what
// the first has, and of the second the counters.
func TestBitmapsOfOneRun(t *testing.T) {
	for _, asLLVM := range []bool{false, true} {
		for _, first := range []bool{false, true} {
			b := builder.New(layout.DomainLLVMFrontend, builder.Config{})
			for _, has := range []bool{first, !first} {
				b.NextRun(builder.Run{AsLLVM: asLLVM})
				p := b.Profile(b.Method(layout.Key{Name: "f"}), 1, builder.NoContext)
				p.Counters(0, 4)
				if has {
					p.Bitmap(0, []byte{0x17})
				}
				if err := p.Done(); err != nil {
					t.Fatal(err)
				}
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
			if n != want || b.Unmerged() != 1 {
				t.Errorf("as LLVM %t, the first has it %t: %d entries, %d unmerged", asLLVM, first, n, b.Unmerged())
			}
		}
	}
}

// Of a kind with other numbers of value sites llvm-profdata keeps the first, and
// beside a mark no sites of the second.
func TestValueSitesAsLLVM(t *testing.T) {
	const hot = 1<<64 - 1
	for what, c := range map[string]struct {
		counts   [2]uint64
		sites    [2]int
		want     int // sites, and the sum of their counts
		sum      uint64
		unmerged uint64
	}{
		"as many":         {[2]uint64{1, 1}, [2]int{2, 2}, 2, 20, 0},
		"fewer":           {[2]uint64{1, 1}, [2]int{2, 1}, 2, 10, 1},
		"more":            {[2]uint64{1, 1}, [2]int{0, 1}, 0, 0, 1},
		"beside marks":    {[2]uint64{hot, hot}, [2]int{1, 1}, 1, 5, 0},
		"behind counts":   {[2]uint64{1, hot}, [2]int{1, 1}, 1, 5, 1},
		"of other counts": {[2]uint64{hot, 1}, [2]int{1, 1}, 1, 5, 1},
	} {
		b := builder.New(layout.DomainLLVMIR, builder.Config{})
		for run := range 2 {
			b.NextRun(builder.Run{AsLLVM: true})
			p := b.Profile(b.Method(layout.Key{Name: "f"}), 1, builder.NoContext)
			p.Counters(0, c.counts[run])
			for site := range c.sites[run] {
				p.ValueSite(int32(site), 0, builder.Value{Value: 9, Count: 5})
			}
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
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
		if sites != c.want || sum != c.sum || b.Unmerged() != c.unmerged {
			t.Errorf("%s: %d sites, counts of %d, %d unmerged", what, sites, sum, b.Unmerged())
		}
	}
}

func onlyEntry(t *testing.T, s *reader.Store) (entry reader.Entry) {
	t.Helper()
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Profiles() {
			for e := range p.Entries() {
				entry = e
			}
		}
	}
	return entry
}

// addFunction adds one function in bulk.
func addFunction(b *builder.Builder, f builder.CounterFunction) error {
	_, err := b.Bulk().Functions([]builder.CounterFunction{f})
	return err
}
