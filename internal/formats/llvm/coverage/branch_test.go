package coverage_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/formats/llvm/coverage"
)

// A span is the place of a condition: line and column of its begin and its end.
type span [4]uint64

// outcomes are how often a condition was true and false.
type outcomes [2]uint64

type fileBranches map[string]map[span]outcomes

// llvmBranches reads the branches of all files out of what llvm-cov exports. Branches
// of one place are summed.
func llvmBranches(t testing.TB, exported []byte) (fileBranches, int) {
	t.Helper()
	var export struct {
		Data []struct {
			Files []struct {
				Filename string
				Branches [][]uint64
			}
		}
	}
	if err := json.Unmarshal(exported, &export); err != nil {
		t.Fatal(err)
	}
	files, n := fileBranches{}, 0
	for _, f := range export.Data[0].Files {
		at := map[span]outcomes{}
		for _, b := range f.Branches {
			n++
			place := span(b[:4])
			o := at[place]
			o[0], o[1] = o[0]+b[4], o[1]+b[5]
			at[place] = o
		}
		if len(at) > 0 {
			files[filepath.Clean(f.Filename)] = at
		}
	}
	return files, n
}

func ourBranches(t testing.TB, c *coverage.Coverage) fileBranches {
	t.Helper()
	names, err := c.Files()
	if err != nil {
		t.Fatal(err)
	}
	files := fileBranches{}
	for _, name := range names {
		v, err := c.View(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range v.Branches {
			file := filepath.Clean(name)
			if files[file] == nil {
				files[file] = map[span]outcomes{}
			}
			files[file][span{uint64(b.Line), uint64(b.Column), uint64(b.EndLine),
				uint64(b.EndColumn)}] = outcomes{b.True, b.False}
		}
	}
	return files
}

// TestBranchesAreThoseOfLLVM compares every branch with what llvm-cov exports.
func TestBranchesAreThoseOfLLVM(t *testing.T) {
	t.Parallel()
	for name, variant := range map[string]struct {
		release string
		flags   []string
	}{
		"14":         {"14", []string{"-O0"}},
		"19":         {"19", []string{"-O1", "-DEXTRA=2"}},
		"conditions": {"19", []string{"-fcoverage-mcdc"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := compile(t, variant.release, variant.flags...)
			want, n := llvmBranches(t, b.cov(t, judge, "app", "export"))
			if n < 50 {
				t.Fatalf("llvm-cov has %d branches", n)
			}
			if diff := cmp.Diff(want, ourBranches(t, b.coverage(t, "app"))); diff != "" {
				t.Errorf("other branches than llvm-cov has:\n%s", diff)
			}
		})
	}
}
