package reduce_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/reduce"
	"pgregory.net/rapid"
)

// A stack is a sampled stack by the names of its methods, leaf first; one that
// is not known has none.
type stack struct {
	Frames  string
	Samples uint64
}

// readStacks reads the table of samples, and gives the keys of all methods in it.
func readStacks(t testarchive.TB, s *reader.Store) (stacks []stack, methods map[string]bool) {
	t.Helper()
	methods = map[string]bool{}
	table, err := s.Table(layout.TableSamples)
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

func onStacks(t testarchive.TB, s *reader.Store) map[string]bool {
	_, methods := readStacks(t, s)
	return methods
}

// sampledArchive has stacks alone: of the leaves with those samples, all called
// by main. The last leaf is not known.
func sampledArchive(samples ...uint64) *builder.Builder {
	b := builder.New(layout.DomainGraal, builder.Config{})
	main := b.Method(layout.Key{Class: "A", Name: "main"})
	t := b.Table(layout.TableSamples, 0, layout.ColumnWord, layout.ColumnMethod, layout.ColumnWord, layout.ColumnWord)
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
	rapid.Check(t, func(rt *rapid.T) {
		counts := rapid.SliceOf(rapid.SampledFrom([]uint64{0, 1, 2, 3, 1 << 40, 1<<64 - 1})).Draw(rt, "samples")
		hot := rapid.SampledFrom(someShares).Draw(rt, "share")
		s := testarchive.Build(rt, sampledArchive(counts...))
		out, report := reduced(rt, s.Store, reduce.Options{Hot: hot})
		before, _ := readStacks(rt, s.Store)
		after, methods := readStacks(rt, out.Store)
		total, sum := sumOf(before), sumOf(after)
		least := leastOf(after)
		if !enough(sum, total, hot) || len(after) > 0 && enough(new(big.Int).Sub(sum, new(big.Int).SetUint64(least)), total, hot) {
			rt.Errorf("hot %s of %v: %v stay", hot, before, after)
		}
		for _, went := range before {
			if !slices.Contains(after, went) && went.Samples > least {
				rt.Errorf("hot %s of %v: %v stay", hot, before, after)
			}
		}
		if int(report.Methods) != len(methods) || int(out.Header().Counts.Methods) != len(methods) {
			rt.Errorf("%d methods on the stacks, %+v, %+v", len(methods), report, out.Header().Counts)
		}
		share, sampled := report.SampleShare()
		if want := ratio(sum, total); share != want || sampled != (total.Sign() > 0) || len(report.Units()) > 0 {
			rt.Errorf("a share of %v, want %v; %+v", share, want, report)
		}
	})
}

func sumOf(stacks []stack) *big.Int {
	sum := new(big.Int)
	for _, s := range stacks {
		sum.Add(sum, new(big.Int).SetUint64(s.Samples))
	}
	return sum
}

func leastOf(stacks []stack) uint64 {
	least := uint64(0)
	for i, s := range stacks {
		if i == 0 || s.Samples < least {
			least = s.Samples
		}
	}
	return least
}

func ratio(part, whole *big.Int) float64 {
	if whole.Sign() == 0 {
		return 1
	}
	x, _ := new(big.Float).SetInt(part).Float64()
	y, _ := new(big.Float).SetInt(whole).Float64()
	return x / y
}

func TestReductionsThatLoseNoSample(t *testing.T) {
	s := testarchive.Build(t, sampledArchive(5, 1, 1<<40, 9))
	want, _ := readStacks(t, s.Store)
	for _, r := range []reduce.Options{{Hot: layout.WeightOne}, {DropCold: true}} {
		out, report := reduced(t, s.Store, r)
		got, _ := readStacks(t, out.Store)
		if d := cmp.Diff(want, got); d != "" || report.Methods != 4 || len(report.Rows) > 0 {
			t.Errorf("%+v: %+v: %s", r, report, d)
		}
	}
}

func TestOfEqualStacksTheFirstByNameStays(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	table := b.Table(layout.TableSamples, 0, layout.ColumnWord, layout.ColumnMethod, layout.ColumnWord, layout.ColumnWord)
	for i, name := range []string{"c", "a", "b"} {
		table.Row(uint64(i), uint64(b.Method(layout.Key{Class: "A", Name: name})), 0, 5)
	}
	out, _ := reduced(t, testarchive.Build(t, b).Store, reduce.Options{Hot: layout.WeightOne / 2})
	if _, methods := readStacks(t, out.Store); len(methods) != 2 || methods[fmt.Sprintf("%q", layout.Key{Class: "A", Name: "c"})] {
		t.Errorf("%v stay", methods)
	}
}

// TestFiltersChooseStacksByTheirLeaf: the other methods on a stack stay without
// their profiles.
func TestFiltersChooseStacksByTheirLeaf(t *testing.T) {
	b := sampledArchive(5, 1, 9)
	for _, name := range []string{"main", "leaf0"} {
		p := b.Profile(b.Method(layout.Key{Class: "A", Name: name}), 0, builder.NoContext)
		p.Count(builder.Count{Sub: layout.SubCalls, N: 1000})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	s := testarchive.Build(t, b)
	named := func(name string) func(layout.Key) bool { return func(k layout.Key) bool { return k.Name == name } }
	for _, r := range []reduce.Options{{Methods: named("leaf0")}, {Methods: named("leaf0"), Hot: layout.WeightOne}, {Methods: named("leaf0"), DropCold: true}} {
		out, report := reduced(t, s.Store, r)
		stacks, methods := readStacks(t, out.Store)
		if len(stacks) != 1 || stacks[0].Samples != 5 || len(methods) != 2 || report.Methods != 1 || report.Profiles != 1 || report.Rows[layout.TableSamples] != 4 {
			t.Errorf("%+v: %+v, %v", r, report, stacks)
		}
		if share, _ := report.SampleShare(); share != 5./15 {
			t.Errorf("a share of %v", share)
		}
	}
	if out, _ := reduced(t, s.Store, reduce.Options{Methods: named("main")}); len(onStacks(t, out.Store)) > 0 {
		t.Error("a stack stays whose leaf does not")
	}
}
