package inventory_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// before is a program whose functions are edited one by one.
const before = `
#define KEEP __attribute__((noinline))
KEEP int plain(int x) { return x + 1; }
KEEP int branch(int x) { if (x > 3) return x * 2; return x; }
KEEP int loop(int x) { int t = 0; for (int i = 0; i < x; i++) t += i; return t; }
KEEP int nested(int x) { int t = 0; for (int i = 0; i < x; i++) if (i % 3) t += i; else t -= 1; return t; }
KEEP int choose(int x) { switch (x) { case 1: return 4; case 2: return 9; case 7: return 1; default: return x; } }
KEEP static int local(int x) { while (x > 5) x -= 2; return x; }
KEEP int calls(int x) { return plain(x) + branch(x) + local(x); }
int main(int c, char **v) {
	int t = 0;
	for (int i = 0; i < 100 * c; i++) t += calls(i) + loop(i % 9) + nested(i % 7) + choose(i % 8);
	return t == 7;
}
`

// edits are changes of one or more functions: the old text and the new one.
var edits = map[string][2]string{
	"nothing":            {"x + 1", "x + 1"},
	"constant":           {"x + 1", "x + 2"},
	"new branch":         {"x + 1", "x > 7 ? plain(x - 8) : x + 1"},
	"branch removed":     {"if (x > 3) return x * 2;", ""},
	"condition inverted": {"x > 3", "x <= 3"},
	"second branch":      {"if (x > 3) return x * 2;", "if (x > 3) return x * 2; if (x == 1) return 17;"},
	"loop removed":       {"for (int i = 0; i < x; i++) t += i;", "t = x;"},
	"loop added":         {"return x + 1;", "int t = 0; for (int i = 0; i < x % 5; i++) t += x * i; return t;"},
	"loop of two":        {"i < x; i++) t += i; return", "i < x; i++) t += i; for (int j = 0; j < x; j++) t ^= j * t; return"},
	"early exit":         {"if (i % 3) t += i; else t -= 1;", "{ if (i == 5) break; if (i % 3) t += i; else t -= 1; }"},
	"case added":         {"case 7: return 1;", "case 7: return 1; case 5: return 12345; case 3: return x * x;"},
	"case removed":       {"case 7: return 1; ", ""},
	"renamed":            {"branch", "twig"},
	"local renamed":      {"local", "inner"},
	"local global":       {"KEEP static int local", "KEEP int local"},
	"global local":       {"KEEP int loop", "KEEP static int loop"},
	"removed":            {" + choose(i % 8)", ""},
	"added":              {"int main(", "KEEP int extra(int x) { return x > 2 ? x : -x; }\nint main("},
	"added and called":   {"int main(", "KEEP int extra(int x) { return x > 2 ? plain(x) : -x; }\nint other(int x) { return extra(x); }\nint main("},
	"signature":          {"loop(int x)", "loop(long x)"},
	"call added":         {"plain(x) + branch(x)", "plain(x) + plain(x + 1) + branch(x)"},
	"loop in main":       {"int t = 0;\n\tfor", "int t = 0;\n\tfor (int i = 0; i < c; i++) t ^= choose(i);\n\tfor"},
}

// TestVerdictsOfEdits compares the verdicts on programs of instrumented IR, name by name, with what clang warns of when
// it compiles the edited program with the old profile.
func TestVerdictsOfEdits(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	for _, release := range []string{"14", "19"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			c := newCompiler(t, release)
			for _, name := range slices.Sorted(maps.Keys(edits)) {
				t.Run(name, func(t *testing.T) { c.compareEdit(t, edits[name]) })
			}
		})
	}
}

type compiler struct {
	release, folder, profile string
	store                    *reader.Store
}

func newCompiler(t *testing.T, release string) *compiler {
	t.Helper()
	c := &compiler{release: release, folder: t.TempDir()}
	c.write(t, before)
	c.run(t, "clang-"+release, "-O1", "-fprofile-generate", "app.c", "-o", "app")
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

func (c *compiler) write(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.folder, "app.c"), []byte(text), 0o600); err != nil {
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

// compareEdit compares the functions of the edited program that have no fitting profile with clang's warnings.
func (c *compiler) compareEdit(t *testing.T, edit [2]string) {
	text := strings.ReplaceAll(before, edit[0], edit[1])
	if text == before && edit[0] != edit[1] {
		t.Fatal("the edit changes nothing")
	}
	c.write(t, text)
	object := filepath.Join(c.folder, "edited.o")
	c.run(t, "clang-"+c.release, "-O1", "-fprofile-generate", "-c", "app.c", "-o", object)
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
	var without []string
	for name := range p.Functions {
		if !fits[name] {
			without = append(without, name[strings.IndexAny(name, ":;")+1:])
		}
	}
	slices.Sort(without)
	warned := warnings(c.run(t, "clang-"+c.release, "-O1", "-fprofile-use="+c.profile, "-Wno-error", "-mllvm",
		"-pgo-warn-missing-function", "-mllvm", "-no-pgo-warn-mismatch=false", "-c", "app.c", "-o", object))
	if diff := cmp.Diff(warned, without); diff != "" {
		t.Errorf("functions without a fitting profile, by clang and by check:\n%s", diff)
	}
}

var warning = regexp.MustCompile(`(?:function control flow change detected \(hash mismatch\)|no profile data available ` +
	`for function) (\S+)`)

func warnings(out string) (names []string) {
	for _, m := range warning.FindAllStringSubmatch(out, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var targets = []string{"x86_64-linux-gnu", "aarch64-linux-gnu", "x86_64-apple-macos12", "x86_64-windows-msvc"}

// TestObjectsOfOtherSystems reads object files of ELF, Mach-O and PE. Their functions have equal names and hashes.
func TestObjectsOfOtherSystems(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	c := &compiler{folder: t.TempDir()}
	c.write(t, before)
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
