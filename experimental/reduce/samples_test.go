package reduce_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// A stack is a sampled stack: the names of its methods, leaf first, with "none" for an unknown one.
type stack struct {
	Frames  string
	Samples uint64
}

// readStacks returns the sampled stacks, and the keys of all methods on them.
func readStacks(t testarchive.TB, s *reader.Store) (stacks []stack, methods map[string]bool) {
	t.Helper()
	methods = map[string]bool{}
	table, err := s.Table(disk.TableSamples)
	if errors.Is(err, reader.ErrNotFound) {
		return nil, methods
	}
	if err != nil {
		t.Fatal(err)
	}
	for row := range table.Rows {
		if row == 0 || table.Cell(0, row) != table.Cell(0, row-1) {
			stacks = append(stacks, stack{Samples: table.Cell(3, row)})
		}
		name := "none"
		if m, err := s.MethodAt(layout.Ref(table.Cell(1, row))); err == nil {
			name = keyText(t, m)
			methods[name] = true
		}
		last := &stacks[len(stacks)-1]
		last.Frames += fmt.Sprintf("%s@%d ", name, table.Cell(2, row))
	}
	return stacks, methods
}

// onStacks returns the keys of the methods on sampled stacks.
func onStacks(t testarchive.TB, s *reader.Store) map[string]bool {
	_, methods := readStacks(t, s)
	return methods
}

// sampledArchive returns a builder that has stacks only: a leaf, called by main, for
// each number of samples. The last leaf is unknown.
func sampledArchive(samples ...uint64) *builder.Builder {
	b := builder.New(layout.DomainGraal, builder.Config{})
	main := b.Method(layout.Key{Class: "A", Name: "main"})
	t := b.Internal().Table(disk.TableSamples, 0, disk.ColumnWord, disk.ColumnMethod, disk.ColumnWord, disk.ColumnWord)
	for i, n := range samples {
		leaf := uint64(0)
		if i < len(samples)-1 {
			leaf = uint64(b.Method(layout.Key{Class: "A", Name: fmt.Sprint("leaf", i)}))
		}
		t.Row(uint64(i), leaf, 7, n)
		t.Row(uint64(i), uint64(main), 3, n)
	}
	return b
}

func TestHottestStacksStayWithTheirMethods(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		counts := rapid.SliceOf(rapid.SampledFrom([]uint64{0, 1, 2, 3, 1 << 40, 1<<64 - 1})).Draw(rt, "samples")
		hot := rapid.SampledFrom(someShares).Draw(rt, "share")
		s := testarchive.Build(rt, sampledArchive(counts...))
		out, report := reduced(rt, s.Store, reduce.Options{Hot: hot})
		before, _ := readStacks(rt, s.Store)
		after, methods := readStacks(rt, out.Store)
		total, sum := sumOf(before), sumOf(after)
		least := leastOf(after)
		if !enough(sum, total, hot) {
			rt.Errorf("hot %s of %v: only %v stay", hot, before, after)
		}
		if len(after) > 0 && enough(new(big.Int).Sub(sum, new(big.Int).SetUint64(least)), total, hot) {
			rt.Errorf("hot %s of %v: fewer are needed than %v", hot, before, after)
		}
		for _, dropped := range before {
			if !slices.Contains(after, dropped) && dropped.Samples > least {
				rt.Errorf("hot %s: %v is dropped, %v stay", hot, dropped, after)
			}
		}
		if int(report.Methods) != len(methods) {
			rt.Errorf("the report says %d methods, %d are on the stacks", report.Methods, len(methods))
		}
		if n := out.Header().Counts.Methods; int(n) != len(methods) {
			rt.Errorf("%d methods stay, %d are on the stacks", n, len(methods))
		}
		share, sampled := report.SampleShare, report.Sampled
		if want := ratio(sum, total); share != want {
			rt.Errorf("a share of %v, want %v", share, want)
		}
		if sampled != (total.Sign() > 0) {
			rt.Errorf("of %d samples: sampled is %t", total, sampled)
		}
		if units := report.Units; len(units) > 0 {
			rt.Errorf("counts in %v of an archive without counts", units)
		}
	})
}

// sumOf returns the sum of all samples.
func sumOf(stacks []stack) *big.Int {
	sum := new(big.Int)
	for _, s := range stacks {
		sum.Add(sum, new(big.Int).SetUint64(s.Samples))
	}
	return sum
}

// leastOf returns the samples of the coldest stack.
func leastOf(stacks []stack) uint64 {
	least := uint64(0)
	for i, s := range stacks {
		if i == 0 || s.Samples < least {
			least = s.Samples
		}
	}
	return least
}

// ratio returns a part as a share of a whole, 1 of nothing.
func ratio(part, whole *big.Int) float64 {
	if whole.Sign() == 0 {
		return 1
	}
	x, _ := new(big.Float).SetInt(part).Float64()
	y, _ := new(big.Float).SetInt(whole).Float64()
	return x / y
}

func TestReductionsThatLoseNoSample(t *testing.T) {
	t.Parallel()
	s := testarchive.Build(t, sampledArchive(5, 1, 1<<40, 9))
	want, _ := readStacks(t, s.Store)
	for _, r := range []reduce.Options{{Hot: layout.WeightOne}, {DropCold: true}} {
		out, report := reduced(t, s.Store, r)
		got, _ := readStacks(t, out.Store)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%+v: stacks (-want +got): %s", r, d)
		}
		if report.Methods != 4 {
			t.Errorf("%+v: the report says %d methods, want 4", r, report.Methods)
		}
		if len(report.Rows) > 0 {
			t.Errorf("%+v: the report says that rows were dropped: %v", r, report.Rows)
		}
	}
}

func TestTiesBetweenStacksGoByName(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainGraal, builder.Config{})
	table := b.Internal().Table(disk.TableSamples, 0, disk.ColumnWord, disk.ColumnMethod, disk.ColumnWord, disk.ColumnWord)
	for i, name := range []string{"c", "a", "b"} {
		table.Row(uint64(i), uint64(b.Method(layout.Key{Class: "A", Name: name})), 0, 5)
	}
	out, _ := reduced(t, testarchive.Build(t, b).Store, reduce.Options{Hot: layout.WeightOne / 2})
	if _, methods := readStacks(t, out.Store); len(methods) != 2 ||
		methods[fmt.Sprintf("%q", layout.Key{Class: "A", Name: "c"})] {
		t.Errorf("%v stay", methods)
	}
}

// TestFiltersChooseStacksByTheirLeaf: the other methods on a stack stay without their profiles.
func TestFiltersChooseStacksByTheirLeaf(t *testing.T) {
	t.Parallel()
	b := sampledArchive(5, 1, 9)
	for _, name := range []string{"main", "leaf0"} {
		t.Run(name, func(t *testing.T) {
			p := b.Profile(layout.Key{Class: "A", Name: name}, 0)
			p.Count(builder.Count{Sub: layout.SubCalls, N: 1000})
			testarchive.MustDone(t, p)
		})
	}
	s := testarchive.Build(t, b)
	named := func(name string) func(layout.Key) bool { return func(k layout.Key) bool { return k.Name == name } }
	leaf := named("leaf0")
	for _, r := range []reduce.Options{{Methods: leaf}, {Methods: leaf, Hot: layout.WeightOne},
		{Methods: leaf, DropCold: true}} {
		out, report := reduced(t, s.Store, r)
		stacks, methods := readStacks(t, out.Store)
		if len(stacks) != 1 || stacks[0].Samples != 5 {
			t.Errorf("%+v: stacks %v, want one with 5 samples", r, stacks)
		}
		if len(methods) != 2 {
			t.Errorf("%+v: %v are on stacks, want 2 methods", r, methods)
		}
		if report.Methods != 1 || report.Profiles != 1 {
			t.Errorf("%+v: the report says %d methods and %d profiles, want one of each", r, report.Methods, report.Profiles)
		}
		if dropped := report.Rows[disk.TableSamples]; dropped != 4 {
			t.Errorf("%+v: the report says that %d rows were dropped, want 4", r, dropped)
		}
		if share := report.SampleShare; share != 5./15 {
			t.Errorf("%+v: a share of %v, want %v", r, share, 5./15)
		}
	}
	if out, _ := reduced(t, s.Store, reduce.Options{Methods: named("main")}); len(onStacks(t, out.Store)) > 0 {
		t.Error("a stack stays whose leaf does not")
	}
}
