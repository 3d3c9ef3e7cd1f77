package perf_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/formats/stacks/perf"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
)

// TestProfilesAreThoseOfLLVM compares the profiles of real runs with the ones of llvm-profgen, by bytes.
func TestProfilesAreThoseOfLLVM(t *testing.T) {
	full.Only(t, "compiles programs and records their branches below qemu")
	for _, tool := range []string{"clang-19", "clang++-19", "g++", "qemu-x86_64", "llvm-profgen-19"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	recorder := filepath.Join(t.TempDir(), "brstack")
	mustRun(t, "go", "build", "-C", "../../../../bench", "-o", recorder, "./brstack")
	for _, c := range []struct{ compile, source string }{
		{"clang-19 -x c -O2 -g", "calls.c.txt"},
		{"clang-19 -x c -O3 -g -fdebug-info-for-profiling -no-pie -march=x86-64-v3", "calls.c.txt"},
		{"clang++-19 -x c++ -O2 -g", "objects.cc.txt"},
		{"clang++-19 -x c++ -O2 -gmlt -fdebug-info-for-profiling -ffunction-sections -Wl,--gc-sections", "objects.cc.txt"},
		{"clang++-19 -x c++ -O2 -gdwarf-4 -gz -fdebug-info-for-profiling -funique-internal-linkage-names", "objects.cc.txt"},
		{"g++ -x c++ -O2 -g", "objects.cc.txt"}, // it has .cold functions
		{"clang-19 -x c -O2 -g -fpseudo-probe-for-profiling", "calls.c.txt"},
		{"clang++-19 -x c++ -O3 -g -fdebug-info-for-profiling -fpseudo-probe-for-profiling -no-pie", "objects.cc.txt"},
		{"clang++-19 -x c++ -O2 -g -fpseudo-probe-for-profiling -mllvm -hot-cold-split=true", "objects.cc.txt"},
	} {
		t.Run(c.compile, func(t *testing.T) {
			folder := t.TempDir()
			app, trace, want := filepath.Join(folder, "app"), filepath.Join(folder, "trace"), filepath.Join(folder, "want")
			compile := strings.Fields(c.compile)
			mustRun(t, compile[0], append(compile[1:], "testdata/"+c.source, "-o", app)...)
			mustRun(t, recorder, "-every", "97", "-o", trace, "--", app)
			compare := func(flags ...string) (lost codec.Losses) {
				mustRun(t, "llvm-profgen-19", append(flags, "--perfscript="+trace, "--binary="+app, "--format=text", "-o", want)...)
				got, lost := profileOf(t, trace, app)
				if text, err := os.ReadFile(want); err != nil || !bytes.Equal(text, got) || len(text) < 100 {
					t.Errorf("%v: %v, got\n%s\nwant\n%s", flags, err, got, text)
				}
				return lost
			}
			isOfStacks := func(l codec.Loss) bool { return l.What == perf.LossStacks && l.Count > 100 }
			if lost := compare(); slices.ContainsFunc(lost, isOfStacks) {
				t.Errorf("lost %v", lost)
			}
			mustRun(t, recorder, "-stacks", "-every", "97", "-o", trace, "--", app)
			if lost := compare("--ignore-stack-samples"); !slices.ContainsFunc(lost, isOfStacks) {
				t.Errorf("the loss of stacks is missing: %v", lost)
			}
		})
	}
}

func mustRun(t *testing.T, command string, arguments ...string) {
	t.Helper()
	if out, err := exec.Command(command, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", command, arguments, err, out)
	}
}

// profileOf imports the samples of a program, and returns the archive's profile as text.
func profileOf(t *testing.T, path, app string) ([]byte, codec.Losses) {
	t.Helper()
	in, err := formats.Import(t.Context(), []formats.Input{{Name: path}},
		formats.ImportOptions{Importers: []codec.Importer{&perf.Importer{Binary: []string{app}}}})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := sample.TextExporter().Export(&text, memstore.Open(t, in.Builder)); err != nil {
		t.Fatal(err)
	}
	return text.Bytes(), in.Lost
}
