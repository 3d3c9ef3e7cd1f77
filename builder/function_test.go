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
