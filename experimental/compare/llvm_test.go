package compare_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const samples = "../../../shared/samples/llvm"

// TestFiguresAreThoseOfLLVM compares the figures of each pair of sample profiles with the output of llvm-profdata.
func TestFiguresAreThoseOfLLVM(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	tested := 0
	for _, version := range []string{"14", "19", "22"} {
		t.Run(version, func(t *testing.T) {
			tool, err := exec.LookPath("llvm-profdata-" + version)
			for _, name := range []string{"x.proftext", "x.profdata"} {
				files, _ := filepath.Glob(filepath.Join(samples, version, "*", name))
				if err != nil || len(files) == 0 {
					t.Logf("no llvm-profdata-%s, or no samples of it", version)
					continue
				}
				opened := map[string]sample{}
				for _, f := range files {
					opened[f] = openSample(t, f)
				}
				tested += eachPair(files, func(a, b string, cs bool) bool { return sameAsLLVM(t, tool, opened, a, b, cs) })
			}
		})
	}
	if tested == 0 {
		t.Skip("no llvm-profdata, or no recorded samples next to the project")
	}
	t.Logf("%d comparisons", tested)
	if tested < 40 {
		t.Error("too few comparisons to say anything")
	}
}

// TestRecordedFigures compares the figures of two small profiles with recorded output of llvm-profdata 19.
func TestRecordedFigures(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/overlap.txt")
	if err != nil {
		t.Fatal(err)
	}
	a, b := openSample(t, "testdata/a.proftext"), openSample(t, "testdata/b.proftext")
	r, err := compare.Stores(t.Context(), a.Store, b.Store, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := asLLVM(r); got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// eachPair compares files with themselves and with some others. It returns the number of possible comparisons.
func eachPair(files []string, same func(a, b string, cs bool) bool) (n int) {
	for i, a := range files {
		for _, step := range []int{0, 1, 3, 5} {
			for _, cs := range []bool{false, true} {
				if same(a, files[(i+step)%len(files)], cs) {
					n++
				}
			}
		}
	}
	return n
}

// sameAsLLVM compares two files. It returns false if they are not comparable, or if llvm-profdata's figures make no
// sense.
func sameAsLLVM(t *testing.T, tool string, opened map[string]sample, a, b string, cs bool) bool {
	t.Helper()
	sa, sb := opened[a], opened[b]
	domain := sa.Header().Domain
	if sb.Header().Domain != domain || cs != (sa.cs && sb.cs) || sa.mixed || sb.mixed {
		return false
	}
	args := []string{"overlap", a, b}
	if cs {
		args = append(args, "--cs")
	}
	out, err := exec.Command(tool, args...).Output()
	if err != nil || !strings.Contains(string(out), "Program level") {
		return false // a profile without counts, or of a newer version
	}
	r, err := compare.Stores(t.Context(), sa.Store, sb.Store, compare.Options{ContextSensitive: cs})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asLLVM(r), figures(string(out)); got != want {
		t.Errorf("%s %s --cs=%v: got\n%swant\n%s", a, b, cs, got, want)
	}
	return true
}

// TestBothKindsOfRecords checks that a profile with both kinds of records agrees with itself in each kind, with the
// totals of llvm-profdata.
func TestBothKindsOfRecords(t *testing.T) {
	t.Parallel()
	path := filepath.Join(samples, "14", "vp-cs-merged", "x.proftext")
	tool, err := exec.LookPath("llvm-profdata-14")
	if _, missing := os.Stat(path); err != nil || missing != nil {
		t.Skip("no llvm-profdata-14, or no recorded samples next to the project")
	}
	s := openSample(t, path)
	for _, cs := range []bool{false, true} {
		r, err := compare.Stores(t.Context(), s.Store, s.Store, compare.Options{ContextSensitive: cs})
		if err != nil {
			t.Fatal(err)
		}
		if score, ok := scoreOf(r); !ok || math.Abs(score-1) > 1e-9 {
			t.Fatalf("--cs=%v: score %v, %v", cs, score, ok)
		}
		out, err := exec.Command(tool, "overlap", fmt.Sprint("--cs=", cs), path, path).Output()
		if want := fmt.Sprintf("Edge profile base count sum: %.0f\n", r.Kinds[0].SumA); err != nil ||
			!strings.Contains(string(out), want) {
			t.Errorf("--cs=%v: %q is not in %s", cs, want, out)
		}
	}
}

// figures returns the lines of llvm-profdata's output that have figures.
func figures(out string) string {
	_, list, _ := strings.Cut(out, "Program level:\n")
	return list
}

// asLLVM prints a report in the format of llvm-profdata.
func asLLVM(r *compare.Report) string {
	var b strings.Builder
	line := func(format string, n string) { b.WriteString("  " + format + ": " + n + "\n") }
	percent := func(v float64) string { return strconv.FormatFloat(100*v, 'f', 3, 64) + "%" }
	p := r.Profiles
	mismatch, only := p.Mismatch > 0, p.OnlyB > 0
	line("# of functions overlap", strconv.Itoa(p.Matched))
	if mismatch {
		line("# of functions mismatch", strconv.Itoa(p.Mismatch))
	}
	if only {
		line("# of functions only in test_profile", strconv.Itoa(p.OnlyB))
	}
	names := map[string]string{"edges": "Edge", "indirect_calls": "IndirectCall", "mem_ops": "MemOP", "vtables": "VTable"}
	for _, k := range r.Kinds {
		name := names[k.Kind]
		line(name+" profile overlap", percent(k.Overlap))
		if mismatch {
			line("Mismatched count percentage ("+name+")", percent(k.Mismatch))
		}
		if only {
			line("Percentage of "+name+" profile only in test_profile", percent(k.OnlyB))
		}
		line(name+" profile base count sum", strconv.FormatFloat(k.SumA, 'f', 0, 64))
		line(name+" profile test count sum", strconv.FormatFloat(k.SumB, 'f', 0, 64))
	}
	return b.String()
}

// A sample is the archive of a sample profile.
type sample struct {
	*reader.Store
	cs    bool // has context-sensitive records
	mixed bool // has others too, which llvm-profdata mixes up
}

// openSample imports a sample profile.
func openSample(t *testing.T, path string) sample {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := (&llvm.Importer{}).Import(&codec.Input{Reader: file, Name: path})
	if err != nil {
		t.Fatal(err)
	}
	s := sample{Store: memstore.Open(t, r.Sum)}
	cs, plain := false, false
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Profiles() {
			isCS := s.Header().Domain == layout.DomainLLVMIR && p.Code()&(1<<60) != 0
			cs, plain = cs || isCS, plain || !isCS
		}
	}
	s.cs, s.mixed = cs, cs && plain
	return s
}
