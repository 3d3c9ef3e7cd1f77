package builder_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"pgregory.net/rapid"
)

// A batchStep is a call, or a few, on a builder.
type batchStep func(b *builder.Builder)

// drawBatchSteps draws calls of all kinds that a batch can undo. Keys are few,
// so that most calls find what an earlier one has left.
func drawBatchSteps(t *rapid.T, label string) []batchStep {
	small := rapid.IntRange(0, 5)
	n := rapid.IntRange(0, 12).Draw(t, label)
	steps := make([]batchStep, n)
	for i := range steps {
		kind, x, y, z := rapid.IntRange(0, 9).Draw(t, "kind"), small.Draw(t, "x"), small.Draw(t, "y"), small.Draw(t, "z")
		steps[i] = func(b *builder.Builder) { batchCalls[kind](b, x, y, z) }
	}
	return steps
}

func keyNumber(x, y int) layout.Key {
	return layout.Key{Class: fmt.Sprint("C", x), Name: fmt.Sprint("m", y), Signature: "()V"}
}

// batchCalls are the calls that drawBatchSteps draws from.
var batchCalls = [...]func(b *builder.Builder, x, y, z int){
	func(b *builder.Builder, x, y, z int) { // a profile that is summed in place
		p := b.Profile(keyNumber(x, y), uint64(z/3))
		p.Invocations(uint64(z))
		p.Counter(builder.At{Bci: 4}, uint64(x))
		_ = p.Done()
	},
	func(b *builder.Builder, x, y, z int) { // a profile that is replaced
		row := builder.Row{Type: b.Type(builder.TypeKey{Name: fmt.Sprint("T", z)}), Count: 1}
		p := b.Profile(keyNumber(x, y), 0)
		p.VirtualCall(builder.At{Bci: int32(z)}, builder.Others{Count: 1}, row)
		_ = p.Done()
	},
	func(b *builder.Builder, x, y, z int) { // a profile in a context
		m := b.Method(keyNumber(x, y))
		p := b.ProfileIn(m, 7, b.Context(m, builder.Frame{Caller: b.Method(keyNumber(y, z)), Point: int32(x)}))
		_ = p.Done()
	},
	func(b *builder.Builder, _, _, _ int) { b.Internal().NextRun(profileset.RunRules{}) },
	func(b *builder.Builder, x, _, z int) {
		b.Internal().NextRun(profileset.RunRules{Weight: layout.Weight(x+1) * layout.WeightOne / layout.Weight(z+1)})
	},
	func(b *builder.Builder, x, y, z int) {
		b.Internal().DescribeType(b.Type(builder.TypeKey{Name: fmt.Sprint("T", x)}),
			fmt.Sprint("A", y), layout.TypeFlags(z&1))
	},
	func(b *builder.Builder, x, y, z int) {
		b.Internal().DescribeMethod(b.Method(keyNumber(x, y)), uint32(z), 0)
	},
	func(b *builder.Builder, x, y, _ int) { b.Seen(b.Method(layout.Key{Name: fmt.Sprint("named", x, y)})) },
	func(b *builder.Builder, x, y, z int) {
		b.Internal().Table(disk.TableMonitors, 0, disk.TableColumns(disk.TableMonitors)...).
			Row(uint64(b.Type(builder.TypeKey{Name: fmt.Sprint("T", x)})), uint64(y*z))
	},
	func(b *builder.Builder, x, y, z int) {
		b.Internal().Table(disk.TableSamples, 0, disk.TableColumns(disk.TableSamples)...).Row(uint64(x),
			uint64(b.Method(keyNumber(y, z))), uint64(z), uint64(y))
	},
}

func newBatchBuilder() *builder.Builder { return testarchive.New(layout.DomainHotSpot) }

// newSpillingBuilder returns a builder that keeps at most budget bytes of profiles in memory.
func newSpillingBuilder(budget int64) *builder.Builder {
	return builder.New(layout.DomainHotSpot, builder.Config{Params: testarchive.Params(layout.DomainHotSpot),
		MemoryBudget: budget})
}

// outcome returns the archive that a builder writes as text, or its error.
func outcome(b *builder.Builder) string {
	data, _, err := b.Bytes()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x, %d unmerged", data, b.Internal().Unmerged())
}

// TestBatchIsAllOrNothing checks that a batch that is rolled back does not change the archive, and that a committed
// batch keeps all of its calls.
func TestBatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before, inside, after := drawBatchSteps(t, "before"), drawBatchSteps(t, "inside"), drawBatchSteps(t, "after")
		committed := rapid.Bool().Draw(t, "committed")
		want, got := newBatchBuilder(), newSpillingBuilder(rapid.SampledFrom([]int64{0, 1, 300}).Draw(t, "budget"))
		for _, step := range before {
			step(want)
			step(got)
		}
		batch, err := got.Internal().Begin()
		if err != nil {
			if want.Err() == nil {
				t.Fatal(err)
			}
			return
		}
		for _, step := range inside {
			step(got)
		}
		if committed = committed && got.Err() == nil; committed {
			if err := batch.Commit(); err != nil {
				t.Fatal(err)
			}
			for _, step := range inside {
				step(want)
			}
		}
		batch.Rollback()
		for _, step := range after {
			step(want)
			step(got)
		}
		if want, got := outcome(want), outcome(got); got != want {
			t.Errorf("committed %v: the builder writes\n%.2000s, want\n%.2000s", committed, got, want)
		}
	})
}

// TestRollbackOfManyFunctions: rolling back many large batches restores large lists and indices.
func TestRollbackOfManyFunctions(t *testing.T) {
	t.Parallel()
	functions := func(from, to int) (all []profileset.Function) {
		for i := from; i < to; i++ {
			all = append(all, profileset.Function{Name: fmt.Appendf(nil, "function%d", i), Code: 1,
				Cells: words.LittleEndianBytes([]uint64{uint64(i), 1})})
		}
		return all
	}
	want, got := builder.New(layout.DomainLLVMIR, builder.Config{}),
		builder.New(layout.DomainLLVMIR, builder.Config{MemoryBudget: 1 << 16})
	for round := range 4 {
		for i, b := range []*builder.Builder{want, got} {
			b.Internal().NextRun(profileset.RunRules{})
			if _, err := b.Internal().AddFunctions(functions(0, 3000*(round+1))); err != nil {
				t.Fatal(i, err)
			}
		}
		batch, err := got.Internal().Begin()
		if err != nil {
			t.Fatal(err)
		}
		got.Internal().NextRun(profileset.RunRules{Weight: 3 * layout.WeightOne})
		if _, err := got.Internal().AddFunctions(functions(round*1000, 20000)); err != nil {
			t.Fatal(err)
		}
		batch.Rollback()
	}
	if outcome(want) != outcome(got) {
		t.Error("batches that were rolled back changed the archive")
	}
}

// TestBatchMisuse: an open batch is an error where a builder has to be complete,
// and so is Done on a profile that outlives its batch.
func TestBatchMisuse(t *testing.T) {
	t.Parallel()
	b := newBatchBuilder()
	early := b.Profile(keyNumber(1, 1), 0)
	batch, err := b.Internal().Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Internal().Begin(); !errors.Is(err, profileset.ErrBatch) {
		t.Errorf("a second batch: %v", err)
	}
	if _, _, err := b.Bytes(); !errors.Is(err, profileset.ErrBatch) {
		t.Errorf("Bytes: %v", err)
	}
	if _, err := b.Commit(t.Context(), filepath.Join(t.TempDir(), "a.parc")); !errors.Is(err, profileset.ErrBatch) {
		t.Errorf("Commit: %v", err)
	}
	if _, err := merge.NarrowRows(t.Context(), b, 1); !errors.Is(err, profileset.ErrBatch) {
		t.Errorf("NarrowRows: %v", err)
	}
	if err := early.Done(); err == nil {
		t.Error("a profile from before the batch was accepted in it")
	}
	b.Type(builder.TypeKey{Name: "a name with a NUL byte \x00"})
	if err := batch.Commit(); err == nil {
		t.Error("a batch with an error was committed")
	}
	late := b.Profile(keyNumber(2, 2), 0)
	batch.Rollback()
	if err := b.Err(); err != nil {
		t.Errorf("after Rollback: %v", err)
	}
	if err := late.Done(); err == nil {
		t.Error("a profile was accepted after its batch was rolled back")
	}
	if err := batch.Commit(); err == nil {
		t.Error("a batch was committed after Rollback")
	}
}

// BenchmarkEmptyBatch: Begin and Commit take no longer for a large builder.
func BenchmarkEmptyBatch(bench *testing.B) {
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	for i := range 100_000 {
		f := profileset.Function{Name: fmt.Appendf(nil, "f%d", i), Cells: words.LittleEndianBytes([]uint64{1})}
		if _, err := b.Internal().AddFunctions([]profileset.Function{f}); err != nil {
			bench.Fatal(err)
		}
	}
	for bench.Loop() {
		batch, err := b.Internal().Begin()
		if err == nil {
			err = batch.Commit()
		}
		if err != nil {
			bench.Fatal(err)
		}
	}
}

// TestBatchCanBeRepeated: a profile that was a duplicate in a batch that was rolled
// back can be recorded again.
func TestBatchCanBeRepeated(t *testing.T) {
	t.Parallel()
	b := newBatchBuilder()
	record := func() error {
		p := b.Profile(keyNumber(1, 2), 3)
		p.Invocations(5)
		return p.Done()
	}
	batch, err := b.Internal().Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := record(); err != nil {
		t.Fatal(err)
	}
	if err := record(); !errors.Is(err, builder.ErrDuplicate) {
		t.Fatalf("the second time in one run: %v", err)
	}
	batch.Rollback()
	if err := record(); err != nil {
		t.Fatal(err)
	}
	once := newBatchBuilder()
	p := once.Profile(keyNumber(1, 2), 3)
	p.Invocations(5)
	testarchive.MustDone(t, p)
	x, _, _ := b.Bytes()
	y, _, _ := once.Bytes()
	if !bytes.Equal(x, y) {
		t.Error("a duplicate in a batch that was rolled back shows in the archive")
	}
}
