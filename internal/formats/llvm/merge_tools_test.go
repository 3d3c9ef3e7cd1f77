package llvm

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// Two files with weights, read together or merged as archives, come to the bytes that llvm-profdata writes of
// them, if values are weighted as it does. Temporal traces are the exception: it leaves traces of different
// weights in the order of the files, which makes no difference here.
func TestWeightedMergeIsThatOfLLVM(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	profdata := tool(t, "llvm-profdata", "19")
	merged := 0
	for _, s := range samples(t) {
		raws := s.sources()["raw"]
		if s.release != "19" || len(raws) != 2 || !s.exact("raw") || filepath.Base(s.dir) == "vp-ir-temporal2" {
			continue
		}
		merged++
		t.Run(s.name(), func(t *testing.T) {
			dir := t.TempDir()
			command := []string{profdata, "merge", "-o", "want.profdata"}
			for i, raw := range raws {
				save(t, dir, fmt.Sprint(i, ".profraw"), raw)
				command = append(command, fmt.Sprintf("--weighted-input=%d,%d.profraw", 3-i, i))
			}
			run(t, dir, command...)
			want, err := os.ReadFile(filepath.Join(dir, "want.profdata"))
			if err != nil {
				t.Fatal(err)
			}
			for way, b := range map[string]*builder.Builder{"read": weightedRead(t, raws), "merged": weightedMerge(t, raws)} {
				got, _ := writeIndexed(t, memstore.Open(t, b), WriteOptions{Version: releases["19"]})
				t.Run(way, func(t *testing.T) { requireSame(t, got, want) })
			}
		})
	}
	if merged == 0 {
		t.Error("no sample has two files")
	}
}

// weightOf returns the weight of a file in the test.
func weightOf(i int) profileset.RunRules {
	return profileset.RunRules{Weight: layout.Weight(3-i) * layout.WeightOne, AsLLVM: true}
}

func weightedRead(t *testing.T, raws [][]byte) (b *builder.Builder) {
	for i, raw := range raws {
		b, _ = readInto(t, ReadOptions{Into: b, Run: weightOf(i)}, raw)
	}
	return b
}

func weightedMerge(t *testing.T, raws [][]byte) (b *builder.Builder) {
	for i, raw := range raws {
		one, _ := readInto(t, ReadOptions{Config: builder.Config{DumpID: [16]byte{byte(i + 1)}}}, raw)
		s := memstore.Open(t, one)
		if b == nil {
			b = builder.New(s.Header().Domain, builder.Config{})
		}
		if err := merge.Into(t.Context(), b, s, merge.Run{Weight: weightOf(i).Weight, AsLLVM: true}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}
