package builder_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"pgregory.net/rapid"
)

// TestFunctionsAreTheSameAsProfiles: Bulk.Functions adds what Profile and Done add,
// merged or not, in any order of the functions of a run.
func TestFunctionsAreTheSameAsProfiles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		short, long := builder.New(layout.DomainLLVMIR, builder.Config{}), builder.New(layout.DomainLLVMIR, builder.Config{})
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			run := profileset.RunRules{Weight: layout.Weight(rapid.SampledFrom([]uint64{0, 1e9, 25e8}).Draw(t, "weight"))}
			short.Internal().NextRun(run)
			long.Internal().NextRun(run)
			var functions []profileset.Function
			key := rapid.Custom(func(t *rapid.T) [2]uint64 {
				return [2]uint64{rapid.Uint64Max(200).Draw(t, "name"), rapid.Uint64Max(1).Draw(t, "hash")}
			})
			for _, k := range rapid.SliceOfNDistinct(key, 0, 300, rapid.ID).Draw(t, "functions") {
				f := profileset.Function{Name: fmt.Appendf(nil, "_ZN2ns1fE%dv", k[0]), Code: k[1]}
				counts := rapid.SliceOfN(rapid.OneOf(rapid.Uint64Max(9), rapid.Just(uint64(1<<64-2))), 0, 3).Draw(t, "counts")
				p := long.Profile(layout.Key{Name: string(f.Name)}, f.Code)
				p.Counters(0, counts...)
				testarchive.MustDone(t, p)
				if rapid.Bool().Draw(t, "as cells") {
					for _, n := range counts {
						f.Cells = binary.LittleEndian.AppendUint64(f.Cells, n)
					}
				} else {
					f.Cells = words.LittleEndianBytes(counts)
				}
				functions = append(functions, f)
			}
			if n, err := short.Internal().AddFunctions(functions); err != nil || n != len(functions) {
				t.Fatal(n, err)
			}
		}
		if !bytes.Equal(testarchive.Build(t, short).Bytes, testarchive.Build(t, long).Bytes) {
			t.Fatal("functions and profiles make other bytes")
		}
	})
}

func TestFunctionsFailLikeProfiles(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainLLVMIR, builder.Config{}).Internal()
	for _, name := range []string{"f", ""} {
		if _, err := b.AddFunctions([]profileset.Function{{Name: []byte(name)}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.AddFunctions([]profileset.Function{{Name: []byte("f")}}); !errors.Is(err, builder.ErrDuplicate) {
		t.Errorf("a function given twice: %v", err)
	}
	names := []profileset.Function{{Name: []byte("a")}, {Name: []byte("a\x00b")}, {Name: []byte("c")}}
	set := builder.New(layout.DomainLLVMIR, builder.Config{}).Internal()
	if n, err := set.AddFunctions(names); err == nil || n != 1 {
		t.Errorf("a name with a NUL byte after a valid one: %d are added, error %v", n, err)
	}
}
