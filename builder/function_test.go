package builder_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// AddFunction gives what the way for all profiles gives, merged or not.
func TestAddFunctionIsTheSameAsAProfile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		short, long := builder.New(layout.DomainLLVMIR, builder.Config{}), builder.New(layout.DomainLLVMIR, builder.Config{})
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			run := builder.Run{Weight: builder.Weight(rapid.SampledFrom([]uint64{0, 1e9, 25e8}).Draw(t, "weight"))}
			short.NextRun(run)
			long.NextRun(run)
			for i := range 6 {
				if rapid.Bool().Draw(t, "skipped") {
					continue
				}
				f := builder.Function{
					Name: fmt.Appendf(nil, "_ZN2ns1fE%dv", i), Hash: rapid.Uint64Range(0, 1).Draw(t, "hash"),
					Counts: rapid.SliceOfN(rapid.OneOf(rapid.Uint64Max(9), rapid.Just(uint64(1<<64-2))), 0, 3).Draw(t, "counts"),
				}
				p := long.Profile(long.Method(layout.Key{Name: string(f.Name)}), f.Hash, builder.NoContext)
				p.Counters(0, f.Counts...)
				if err := errors.Join(short.AddFunction(&f), p.Done()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !bytes.Equal(built(fatal{rapid: t}, short).bytes, built(fatal{rapid: t}, long).bytes) {
			t.Fatal("other bytes")
		}
	})
}

func TestAddFunctionRefusesWhatAProfileRefuses(t *testing.T) {
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	if err := errors.Join(b.AddFunction(&builder.Function{Name: []byte("f")}), b.AddFunction(&builder.Function{})); err != nil {
		t.Fatal(err)
	}
	if err := b.AddFunction(&builder.Function{Name: []byte("f")}); !errors.Is(err, builder.ErrDuplicate) {
		t.Errorf("a function given twice: %v", err)
	}
	if err := builder.New(layout.DomainLLVMIR, builder.Config{}).AddFunction(&builder.Function{Name: []byte("a\x00b")}); err == nil {
		t.Error("a name with a NUL byte was taken")
	}
}

// Of two records with other numbers of counters llvm-profdata keeps the first;
// otherwise the longer stays, whichever came first.
func TestOtherNumbersOfCounters(t *testing.T) {
	for _, asLLVM := range []bool{false, true} {
		for _, lengths := range [][2]int{{2, 3}, {3, 2}} {
			b := builder.New(layout.DomainLLVMIR, builder.Config{})
			for _, n := range lengths {
				b.NextRun(builder.Run{AsLLVM: asLLVM})
				if err := b.AddFunction(&builder.Function{Name: []byte("f"), Counts: []uint64{7, 8, 9}[:n]}); err != nil {
					t.Fatal(err)
				}
			}
			want := 3
			if asLLVM {
				want = lengths[0]
			}
			if got := onlyEntry(t, built(t, b).Store); got.Cells() != want || got.Cell(0).Load() != 7 || b.Unmerged() != 1 {
				t.Errorf("%d then %d counters, as LLVM %t: %d are kept, %d unmerged", lengths[0], lengths[1], asLLVM, got.Cells(), b.Unmerged())
			}
		}
	}
}
