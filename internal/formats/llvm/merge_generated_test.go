package llvm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// generatedPairs returns how many pairs of files are made for each release. More can
// be asked for with PROFARC_GENERATED_PAIRS.
func generatedPairs(t testing.TB) int {
	text := os.Getenv("PROFARC_GENERATED_PAIRS")
	if text == "" {
		return 16
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Odd profiles that are merged as llvm-profdata does come to its bytes: indexed
// and as text, with weights, and without functions that never ran.
func TestGeneratedMerges(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	for release, version := range releases {
		t.Run(release, func(t *testing.T) {
			profdata := tool(t, "llvm-profdata", release)
			same := 0
			for seed := range generatedPairs(t) {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					if generatedMerge(t, profdata, version, uint64(seed)) {
						same++
					}
				})
			}
			t.Logf("%d merges compared", same)
			if same < generatedPairs(t)/2 {
				t.Errorf("llvm-profdata merged %d of %d pairs", same, generatedPairs(t))
			}
		})
	}
}

// generatedMerge compares one merge. It reports false if llvm-profdata refuses
// the files, as it does with two values alike of a kind that has none.
func generatedMerge(t *testing.T, profdata string, version int, seed uint64) bool {
	g, dir := newGenerator(seed, version), t.TempDir()
	var files [][]byte
	var weights []int
	merge := []string{profdata, "merge", "--num-threads=1"}
	for i := range 2 + g.IntN(4)/3 {
		name := fmt.Sprintf("%d.prof", i)
		files, weights = append(files, g.file(t)), append(weights, 1+g.IntN(3)*g.IntN(2))
		save(t, dir, name, files[i])
		if g.one(4) {
			run(t, dir, profdata, "merge", "-o", name, name)
			files[i] = mustLoad(t, filepath.Join(dir, name))
		}
		merge = append(merge, fmt.Sprintf("--weighted-input=%d,%s", weights[i], name))
	}
	sparse := g.one(3)
	merge = append(merge, fmt.Sprintf("--sparse=%t", sparse))
	for _, form := range []string{"--text", "--binary"} {
		cmd := exec.Command(merge[0], append(merge[1:], form, "-o", form[2:])...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("%s", out)
			return false
		}
	}
	store := compatStore(t, version, files, weights)
	text, _ := writeText(t, store, WriteOptions{Sparse: sparse})
	requireSame(t, text, mustLoad(t, filepath.Join(dir, "text")))
	indexed, _ := writeIndexed(t, store, WriteOptions{Version: version, Sparse: sparse})
	requireSame(t, indexed, mustLoad(t, filepath.Join(dir, "binary")))
	return true
}
