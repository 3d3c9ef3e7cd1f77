package inventory_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/formats/llvm/inventory"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestVerdictsOfEdits compares the verdicts on edited programs, name by name, with what clang does when it compiles the
// edited program with the old profile.
func TestVerdictsOfEdits(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	for _, release := range []string{"14", "19"} {
		for kind, judge := range judges {
			for _, source := range []string{"app.c", "app.cpp"} {
				t.Run(release+kind+"/"+source, func(t *testing.T) {
					t.Parallel()
					c := newCompiler(t, release, kind, source)
					edits := map[string]map[string][2]string{"app.c": editsOfC, "app.cpp": editsOfCPP}[source]
					for _, name := range slices.Sorted(maps.Keys(edits)) {
						t.Run(name, func(t *testing.T) { c.compareEdit(t, edits[name], judge) })
					}
					t.Run("folder", func(t *testing.T) { c.compareFolder(t, judge) })
				})
			}
		}
	}
}

// A judge returns the instrumented functions for which clang finds no fitting profile.
type judge func(t *testing.T, c *compiler, source string, instrumented []string) []string

// judges are by the kind of instrumentation.
var judges = map[string]judge{
	"-fprofile-generate":       warnedOf,
	"-fprofile-instr-generate": withoutEntryCount,
}

type compiler struct {
	release, kind, source, folder, profile string
	store                                  *reader.Store
}

func newCompiler(t *testing.T, release, kind, source string) *compiler {
	t.Helper()
	c := &compiler{release: release, kind: kind, source: source, folder: t.TempDir()}
	c.write(t, source, c.before())
	c.run(t, "clang++-"+release, "-O1", kind, "-x", c.language(), source, "-o", "app")
	raw := filepath.Join(c.folder, "app.profraw")
	app := exec.Command(filepath.Join(c.folder, "app"))
	app.Env = append(os.Environ(), "LLVM_PROFILE_FILE="+raw)
	if out, err := app.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.profile = filepath.Join(c.folder, "app.profdata")
	c.run(t, "llvm-profdata-"+release, "merge", raw, "-o", c.profile)
	in, err := formats.Import(t.Context(), []formats.Input{{Name: raw}}, formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c.store, err = in.Builder.Open("app.parc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.store.Close() })
	return c
}

func (c *compiler) before() string {
	if c.source == "app.cpp" {
		return beforeCPP
	}
	return beforeC
}

func (c *compiler) language() string {
	if c.source == "app.cpp" {
		return "c++"
	}
	return "c"
}

func (c *compiler) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(c.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (c *compiler) run(t *testing.T, tool string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = c.folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", tool, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (c *compiler) compareEdit(t *testing.T, edit [2]string, judge judge) {
	text := strings.ReplaceAll(c.before(), edit[0], edit[1])
	if text == c.before() && edit[0] != edit[1] {
		t.Fatal("the edit changes nothing")
	}
	c.write(t, c.source, text)
	c.compareVerdicts(t, c.source, judge)
}

// compareFolder moves the program to another folder, which is a part of the names of local functions.
func (c *compiler) compareFolder(t *testing.T, judge judge) {
	c.write(t, "other/"+c.source, c.before())
	c.compareVerdicts(t, "other/"+c.source, judge)
}

// compareVerdicts compares the functions of a program that have no fitting profile with those of a judge.
func (c *compiler) compareVerdicts(t *testing.T, source string, judge judge) {
	object := filepath.Join(c.folder, "edited.o")
	c.run(t, "clang-"+c.release, "-O1", c.kind, "-c", source, "-o", object)
	p, err := inventory.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	fits := map[string]bool{}
	o := fit.Options{Each: func(v *fit.Verdict) error {
		if k, err := v.Method.Key(); err == nil && v.State == fit.Exact {
			fits[k.Name] = true
		}
		return nil
	}}
	if _, err := fit.Check(t.Context(), c.store, p, o); err != nil {
		t.Fatal(err)
	}
	var all, without []string
	for name := range p.Functions {
		short := name[strings.IndexAny(name, ":;")+1:]
		all = append(all, short)
		if !fits[name] {
			without = append(without, short)
		}
	}
	slices.Sort(without)
	if diff := cmp.Diff(judge(t, c, source, all), without); diff != "" {
		t.Errorf("functions without a fitting profile, by clang and by check:\n%s", diff)
	}
}

var warning = regexp.MustCompile(`(?:function control flow change detected \(hash mismatch\)|no profile data available ` +
	`for function) (\S+)`)

// warnedOf returns the functions that clang warns of. Only its pass for instrumented IR names them.
func warnedOf(t *testing.T, c *compiler, source string, _ []string) (names []string) {
	t.Helper()
	weak := "-no-pgo-warn-mismatch-comdat-weak=false"
	if c.release == "14" {
		weak = "-no-pgo-warn-mismatch-comdat=false"
	}
	out := c.run(t, "clang-"+c.release, "-O1", "-fprofile-use="+c.profile, "-Wno-error", "-mllvm",
		"-pgo-warn-missing-function", "-mllvm", "-no-pgo-warn-mismatch=false", "-mllvm", weak, "-c", source, "-o", "used.o")
	for _, m := range warning.FindAllStringSubmatch(out, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var (
	definition = regexp.MustCompile(`(?m)^define .*@"?([\w.$]+)"?\(.*$`)
	warned     = regexp.MustCompile(`of \d+ functions, (\d+) ha(?:s|ve) (mismatched|no) data`)
)

// withoutEntryCount returns the functions that have no count in the IR, and expects as many in clang's warnings
// -Wprofile-instr-out-of-date and -Wprofile-instr-missing, which name none. Functions that are not instrumented have no
// count either.
func withoutEntryCount(t *testing.T, c *compiler, source string, instrumented []string) (names []string) {
	t.Helper()
	out := c.run(t, "clang-"+c.release, "-O1", "-fprofile-instr-use="+c.profile, "-Wprofile-instr-out-of-date",
		"-Wprofile-instr-missing", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", source, "-o", "-")
	for _, m := range definition.FindAllStringSubmatch(out, -1) {
		if !strings.Contains(m[0], " !prof ") && slices.Contains(instrumented, m[1]) {
			names = append(names, m[1])
		}
	}
	count := 0
	for _, m := range warned.FindAllStringSubmatch(out, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		count += n
	}
	if count != len(names) {
		t.Errorf("clang warns of %d functions, and %d have no count: %s", count, len(names), names)
	}
	slices.Sort(names)
	return names
}

var targets = []string{"x86_64-linux-gnu", "aarch64-linux-gnu", "x86_64-apple-macos12", "x86_64-windows-msvc"}

// TestObjectsOfOtherSystems reads object files of ELF, Mach-O and PE. Their functions have equal names and hashes.
func TestObjectsOfOtherSystems(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	c := &compiler{folder: t.TempDir()}
	c.write(t, "app.c", beforeC)
	for _, kind := range []string{"-fprofile-generate", "-fprofile-instr-generate"} {
		t.Run(kind, func(t *testing.T) {
			var want map[string]uint64
			for _, target := range targets {
				c.run(t, "clang-19", "-target", target, "-O1", kind, "-c", "app.c", "-o", "app.o")
				p, err := inventory.Open(filepath.Join(c.folder, "app.o"))
				if err != nil {
					t.Fatal(target, err)
				}
				got := map[string]uint64{}
				for name, versions := range p.Functions {
					got[name] = versions[0].ID
				}
				if want == nil {
					want = got
				}
				if diff := cmp.Diff(want, got); diff != "" || len(got) != 8 {
					t.Errorf("%s: %s", target, diff)
				}
				checkKind(t, p, kind)
			}
		})
	}
}

// checkKind expects that a program is known to have a kind of instrumentation.
func checkKind(t *testing.T, p *inventory.Program, kind string) {
	t.Helper()
	domains := map[string]layout.Domain{"-fprofile-generate": layout.DomainLLVMIR,
		"-fprofile-instr-generate": layout.DomainLLVMFrontend}
	for other, domain := range domains {
		if err := p.CheckDomain(domain); (err == nil) != (other == kind) {
			t.Error(fmt.Errorf("%s against %s: %w", kind, other, err))
		}
	}
}
