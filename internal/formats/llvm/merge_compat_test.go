package llvm

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// compatStore reads files in their order as llvm-profdata of a release does,
// which writes a version of the indexed format. weights may be nil.
func compatStore(t testing.TB, version int, files [][]byte, weights []int) *reader.Store {
	t.Helper()
	var params layout.Params
	params.LLVMVersion = uint32(version)
	var b *builder.Builder
	for i, f := range files {
		o := ReadOptions{
			Name:   "test",
			Config: builder.Config{Params: params},
			Into:   b,
			Run:    profileset.RunRules{AsLLVM: true},
		}
		if weights != nil {
			o.Run.Weight = layout.Weight(weights[i]) * layout.WeightOne
		}
		b, _ = readInto(t, o, f)
	}
	return memstore.Open(t, b)
}

// Raw files that are merged as llvm-profdata does come to its bytes, also where
// sites have several values without a name: they are paired as it pairs them.
func TestCompatMergeOfSamples(t *testing.T) {
	merged := map[string]int{}
	for _, s := range samples(t) {
		if len(s.raws) == 0 {
			continue
		}
		merged[s.release]++
		t.Run(s.name(), func(t *testing.T) {
			version := indexedVersion(s.profdata)
			store := compatStore(t, version, s.raws, nil)
			text, _ := writeText(t, store, WriteOptions{})
			requireSame(t, text, s.proftext)
			indexed, _ := writeIndexed(t, store, WriteOptions{Version: version})
			requireSame(t, indexed, s.profdata)
		})
	}
	if len(merged) < 4 {
		t.Errorf("samples of few releases: %v", merged)
	}
}
