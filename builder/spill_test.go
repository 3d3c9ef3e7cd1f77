package builder_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"pgregory.net/rapid"
)

// TestSpilledCopies: a builder that keeps no profile in memory writes the same bytes.
func TestSpilledCopies(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		folder := t.TempDir()
		config := builder.ConfigOf(s.Header())
		config.MemoryBudget, config.SpillFolder = 1, folder
		b := builder.New(s.Header().Domain, config)
		if _, err := merge.Snapshot(t.Context(), b, s.Store, merge.Trained); err != nil {
			t.Fatal(err)
		}
		got, _, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, (*mapped.Mapping)(s.Mapping()).Unchecked()) {
			t.Error("the copy has other bytes")
		}
		if names, err := os.ReadDir(folder); runtime.GOOS != "windows" && (err != nil || len(names) > 0) {
			t.Errorf("%v, %v in the folder", names, err)
		}
	})
}

// TestSpilledMerges: so does one that merges runs, narrows their rows and keeps one version of each method.
func TestSpilledMerges(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	for _, domain := range []layout.Domain{layout.DomainHotSpot, layout.DomainLLVMIR, layout.DomainGraal} {
		rapid.Check(t, func(t *rapid.T) {
			runs := []testarchive.Archive{testarchive.DrawRun(t, domain, "a"), testarchive.DrawHighRun(t, domain, "b"),
				testarchive.DrawRun(t, domain, "c")}
			versions := rapid.SampledFrom([]merging.Versions{merging.AllVersions, merging.NewestVersion,
				merging.HeaviestVersion}).Draw(t, "versions")
			write := func(budget int64) string {
				b := builder.New(domain, builder.Config{Params: testarchive.Params(domain), MemoryBudget: budget})
				for i, run := range runs {
					if err := merge.Into(t.Context(), b, run.Store,
						merge.Run{Weight: layout.Weight(i+1) * layout.WeightOne}); err != nil {
						return err.Error()
					}
				}
				_, _, err := merging.KeepVersions(t.Context(), b.Internal(), versions)
				if errors.Is(err, merging.ErrVersionOrder) {
					return err.Error()
				}
				if err != nil {
					t.Fatal(err)
				}
				if !domain.LLVM() {
					if _, err := merge.NarrowRows(t.Context(), b, 1); err != nil {
						t.Fatal(err)
					}
				}
				return outcome(b)
			}
			want := write(-1)
			for _, budget := range []int64{1, 1000} {
				if got := write(budget); got != want {
					t.Fatalf("with %d bytes in memory: %.500s, want %.500s", budget, got, want)
				}
			}
		})
	}
}

// TestSpillFolder: the builder returns an error of the file, which says where the file is and what to do.
func TestSpillFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "missing")
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: testarchive.Params(layout.DomainHotSpot),
		MemoryBudget: 1, SpillFolder: folder})
	for i := range 3 {
		p := b.Profile(keyNumber(i, i), 0)
		p.Invocations(1)
		_ = p.Done()
	}
	path := filepath.Join(t.TempDir(), "app.parc")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := b.Commit(t.Context(), path)
	if !errors.Is(err, fs.ErrNotExist) || !errors.Is(b.Err(), fs.ErrNotExist) {
		t.Errorf("Commit: %v, Err: %v", err, b.Err())
	}
	for _, text := range []string{folder, "raise the budget"} {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q in it", err, text)
		}
	}
	if old, err := os.ReadFile(path); string(old) != "old" {
		t.Errorf("the old file is %q, %v", old, err)
	}
}
