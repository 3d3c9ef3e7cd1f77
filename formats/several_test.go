package formats_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/testkit/testprofile"
	"github.com/profarc/profarc/merge"
)

// TestAnImportOfSeveralIsAMergeOfImports compares the bytes of both, of files with contexts, tables, types, losses and
// counts that exceed the highest value.
func TestAnImportOfSeveralIsAMergeOfImports(t *testing.T) {
	t.Parallel()
	var random, folded [][]byte
	for seed := range uint64(40) {
		random = append(random, testprofile.Encode(t, testprofile.Random(seed*8)))
		folded = append(folded, fmt.Appendf(nil, "main;a;b %d\nmain;c%d %d\nno stack\nmain;a %d\n", seed, seed%7,
			uint64(math.MaxUint64), seed+1))
	}
	harbour, err := os.ReadFile("../internal/formats/jamaica/testdata/harbour.txt")
	if err != nil {
		t.Fatal(err)
	}
	later := append(bytes.Clone(harbour), "PROFILE: 7 (1%)   harbour/Crane.drop()V\n"...)
	for name, files := range map[string][][]byte{"pprof": random, "folded": folded, "jamaica": {harbour, later},
		"text": {[]byte(graalText), []byte(strings.Replace(graalText, "5", "6", 1))}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var inputs []formats.Input
			var want *builder.Builder
			for i, data := range files {
				name := fmt.Sprint("file ", i)
				inputs = append(inputs, input(name, string(data)))
				in, _ := requireImport(t, formats.ImportOptions{Unordered: true}, input(name, string(data)))
				s, err := in.Builder.Open(name)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = builder.New(s.Header().Domain, builder.Config{Params: s.Header().Params})
				}
				if err := merge.Into(t.Context(), want, s, merge.Run{}); err != nil {
					t.Fatal(err)
				}
			}
			merged, report, err := want.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			in, data := requireImport(t, formats.ImportOptions{SkipBad: true}, inputs...)
			if !bytes.Equal(data, merged) || len(report.Unaccounted) > 0 || len(in.Skipped) > 0 {
				t.Errorf("%d bytes of the import, %d of the merge; unaccounted %v, skipped %v", len(data), len(merged),
					report.Unaccounted, in.Skipped)
			}
		})
	}
}
