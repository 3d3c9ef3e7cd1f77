package source_test

import (
	"context"
	"errors"
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

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/formats/stacks/pprof/source"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testprofile"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// busy is a program that writes a CPU profile of itself.
const busy = `package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"sort"
	"strings"
	"time"
)

type shape interface{ area(n int) int }

type square struct{ side int }

func (s square) area(n int) int {
	t := 0
	for i := range n {
		t += mix(i, s.side)
	}
	return t
}

type circle struct{ radius int }

func (c *circle) area(n int) int {
	t := 0
	for i := range n {
		t ^= mix(c.radius, i)
	}
	return t
}

func mix(a, b int) int {
	h := uint64(a)*0x9e3779b97f4a7c15 + uint64(b)
	for range 20 {
		h ^= h >> 29
		h *= 0xbf58476d1ce4e5b9
	}
	return int(h >> 40)
}

func words(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint("word ", mix(i, n)%100))
	}
	sort.Strings(all)
	return strings.Join(all, " ")
}

func largest[T any](all []T, less func(a, b T) bool) (most T) {
	for _, one := range all {
		if less(most, one) {
			most = one
		}
	}
	return most
}

func round(n int) int {
	shapes := []shape{square{n}, &circle{n}}
	t := 0
	for _, s := range shapes {
		t += s.area(3000)
	}
	text := words(400)
	t += len(text)
	most := largest(strings.Fields(text), func(a, b string) bool {
		return score(a) < score(b)
	})
	return t + len(most)
}

func score(s string) int {
	t := 0
	for i := range len(s) {
		t += mix(int(s[i]), i)
	}
	return t
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(f)
	defer pprof.StopCPUProfile()
	done := make(chan int)
	for worker := range 2 {
		go work(worker, time.Now().Add(2*time.Second), done)
	}
	fmt.Println(<-done + <-done)
}

func work(n int, until time.Time, done chan int) {
	defer func() { done <- n }()
	for time.Now().Before(until) {
		n += round(n)
	}
}
`

// edits of the program, each applied alone.
var edits = map[string][2]string{
	"nothing":          {"", ""},
	"comment above":    {"func mix(", "// mix mixes.\nfunc mix("},
	"comment inside":   {"	text := words(400)\n", "	// all words\n	text := words(400)\n"},
	"statement first":  {"	shapes := []shape{", "	n++\n	shapes := []shape{"},
	"call removed":     {"		t += mix(int(s[i]), i)\n", "		t += int(s[i]) * i\n"},
	"call swapped":     {"t ^= mix(c.radius, i)", "t ^= other(c.radius, i)"},
	"function renamed": {"score(", "rate("},
	"function unused":  {"	text := words(400)\n", "	text := \"a b c\"\n"},
	"method by value":  {"func (c *circle)", "func (c circle)"},
	"lines joined": {"	for i := range n {\n		t += mix(i, s.side)\n	}\n",
		"	for i := range n { t += mix(i, s.side) }\n"},
	"closure moved": {"bool {\n		return score(a)", "bool {\n\n		return score(a)"},
	"worker edited": {"		n += round(n)\n", "		k := n\n		n += round(k)\n"},
	"closure named": {"func(a, b string) bool {\n		return score(a) < score(b)\n	})", "lower)"},
}

// added is code that some edits call.
const added = `
func other(a, b int) int { return a*31 + b }

func lower(a, b string) bool { return score(a) < score(b) }
`

// writeProgram writes the program in a module of its own, with an edit.
func writeProgram(t *testing.T, edit [2]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	text := strings.ReplaceAll(busy, edit[0], edit[1])
	if edit[0] == "" {
		text = busy
	} else if text == busy {
		t.Fatalf("no %q in the program", edit[0])
	}
	rest := added
	if strings.HasPrefix(edit[1], "rate") {
		rest = strings.ReplaceAll(added, "score(", "rate(")
	}
	err := errors.Join(os.WriteFile(filepath.Join(dir, "main.go"), []byte(text+rest), 0o666),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/busy\n\ngo 1.24\n"), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func buildProgram(t *testing.T, dir string, settings ...string) (binary string) {
	t.Helper()
	binary = filepath.Join(dir, "busy")
	// Without inlining the disassembler shows all calls.
	cmd := exec.Command("go", "build", "-gcflags=-l", "-o", binary, ".")
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOPROXY=off", "CGO_ENABLED=0"), settings...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}

// A callSite is a call in a binary: the function, the line from its start, and the callee, "" if only a run knows.
type callSite struct {
	caller string
	line   int64
	callee string
}

var (
	objectText = regexp.MustCompile(`^TEXT (.+)\(SB\) `)
	objectCall = regexp.MustCompile(`^\s+main\.go:(\d+)\s+0x[0-9a-f]+\s+[0-9a-f]+\s+CALL (\S+)`)
)

// disassembled returns the calls that go tool objdump shows, and the functions.
func disassembled(t *testing.T, binary string, starts map[string]int64) (sites map[callSite]bool,
	functions map[string]bool) {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", "-s", `^main\.`, binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	sites, functions = map[callSite]bool{}, map[string]bool{}
	function := ""
	for line := range strings.Lines(string(out)) {
		if m := objectText.FindStringSubmatch(line); m != nil {
			function = plainName(m[1])
			functions[function] = true
		}
		m := objectCall.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, _ := strconv.ParseInt(m[1], 10, 64)
		callee, direct := strings.CutSuffix(m[2], "(SB)")
		if !direct {
			callee = ""
		}
		sites[callSite{function, n - starts[function], plainName(callee)}] = true
	}
	return sites, functions
}

var typeArguments = regexp.MustCompile(`\[.*\]`)

func plainName(name string) string { return typeArguments.ReplaceAllString(name, "") }

// startLines returns the lines of functions in the program's source, as the compiler numbers them.
func startLines(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`^func (?:\(\w+ (\*?)(\w+)\) )?(\w+)`)
	starts := map[string]int64{}
	function, closures := "", 0
	for n, line := range strings.Split(string(text), "\n") {
		if m := declared.FindStringSubmatch(line); m != nil {
			closures = 0
			function = "main." + m[3]
			switch {
			case m[1] != "":
				function = "main.(*" + m[2] + ")." + m[3]
			case m[2] != "":
				function = "main." + m[2] + "." + m[3]
			}
			starts[function] = int64(n + 1)
		} else if strings.Contains(line, "func(") && function != "" {
			closures++
			starts[fmt.Sprint(function, ".func", closures)] = int64(n + 1)
		}
	}
	return starts
}

// profileProgram returns an archive of the program's profile of itself, and its calls.
func profileProgram(t *testing.T) (*reader.Store, map[callSite]bool) {
	t.Helper()
	dir := writeProgram(t, [2]string{})
	file := filepath.Join(dir, "cpu.pprof")
	if out, err := exec.Command(buildProgram(t, dir), file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[callSite]bool{}
	for _, s := range p.Sample {
		var frames []profile.Line
		for _, l := range s.Location {
			frames = append(frames, l.Line...)
		}
		if len(frames) < 2 || !strings.HasPrefix(frames[1].Function.Name, "main.") {
			continue
		}
		caller, callee := frames[1], frames[0].Function.Name
		calls[callSite{plainName(caller.Function.Name), caller.Line - caller.Function.StartLine, plainName(callee)}] = true
	}
	s, _ := testprofile.Import(t, data)
	return s, calls
}

// judge returns the functions of the profile that the program has, and the functions with all profiled calls where
// they were, in the machine code of the program.
func judge(t *testing.T, dir, binary string, calls map[callSite]bool) (present, whole map[string]bool) {
	t.Helper()
	sites, functions := disassembled(t, binary, startLines(t, dir))
	if len(calls) < 10 {
		t.Fatalf("the profile has %d calls of the program", len(calls))
	}
	present, whole = map[string]bool{}, map[string]bool{}
	for c := range calls {
		present[c.caller] = functions[c.caller]
		whole[c.caller] = functions[c.caller]
	}
	for c := range calls {
		called := sites[c] || sites[callSite{c.caller, c.line, ""}] || strings.HasPrefix(c.callee, "runtime.") &&
			slices.ContainsFunc(slices.Collect(maps.Keys(sites)), func(s callSite) bool {
				return s.caller == c.caller && s.line == c.line && strings.HasPrefix(s.callee, "runtime.")
			})
		// A signal stops a function anywhere, new stacks are made at its start, and barriers are in assembly.
		if !called && c.callee != "runtime.asyncPreempt" && c.callee != "runtime.morestack_noctxt" &&
			strings.Contains(c.callee, ".") {
			whole[c.caller] = false
		}
	}
	return present, whole
}

// TestEditsAsTheBinaryHasThem compares verdicts with the calls that the disassembler finds in the rebuilt program.
func TestEditsAsTheBinaryHasThem(t *testing.T) {
	full.Only(t, "builds programs")
	s, calls := profileProgram(t)
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			dir := writeProgram(t, edit)
			binary := buildProgram(t, dir)
			present, whole := judge(t, dir, binary, calls)
			tree, err := source.OpenBuild(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			built, err := source.OpenBinary(binary)
			if err != nil {
				t.Fatal(err)
			}
			for what, code := range map[string]fit.Code{"source": tree, "binary": built} {
				r, verdicts := checkedCode(t, s, code)
				if share := 1 - r.Share(fit.Unchecked); share < 0.85 { // one edit makes a method unchecked
					t.Errorf("%s: %v was checked", what, share)
				}
				for function := range whole {
					state := verdicts[function].State
					if what == "source" && name == "function unused" && !present[function] {
						continue // the linker leaves it out, and the source has it
					}
					if (state == fit.Exact) != whole[function] || (state == fit.Gone) == present[function] &&
						state != fit.Unchecked {
						t.Errorf("%s: %s is %s (%s); it is there: %v, with all its calls: %v", what, function, state,
							verdicts[function].Reason, present[function], whole[function])
					}
				}
			}
		})
	}
}

// TestBinariesOfOtherSystems: the files of all systems have the same verdicts.
func TestBinariesOfOtherSystems(t *testing.T) {
	full.Only(t, "builds programs")
	s, calls := profileProgram(t)
	for _, system := range []string{"darwin/arm64", "darwin/amd64", "windows/amd64", "linux/arm64"} {
		for _, name := range []string{"nothing", "call removed", "statement first"} {
			t.Run(system+" "+name, func(t *testing.T) {
				dir := writeProgram(t, edits[name])
				_, whole := judge(t, dir, buildProgram(t, dir), calls)
				system, machine, _ := strings.Cut(system, "/")
				built, err := source.OpenBinary(buildProgram(t, dir, "GOOS="+system, "GOARCH="+machine))
				if err != nil {
					t.Fatal(err)
				}
				_, verdicts := checkedCode(t, s, built)
				for function := range whole {
					if state := verdicts[function].State; (state == fit.Exact) != whole[function] {
						t.Errorf("%s is %s (%s); with all its calls: %v", function, state, verdicts[function].Reason,
							whole[function])
					}
				}
			})
		}
	}
}

func checkedCode(t *testing.T, s *reader.Store, code fit.Code) (*fit.Report, map[string]fit.Verdict) {
	t.Helper()
	verdicts := map[string]fit.Verdict{}
	r, err := fit.Check(context.Background(), s, code, fit.Options{Each: func(v *fit.Verdict) error {
		var k layout.Key
		k, err := v.Method.Key()
		verdicts[plainName(k.Name)] = *v
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, verdicts
}

func TestWithoutGoCommand(t *testing.T) {
	dir := writeProgram(t, [2]string{})
	t.Setenv("PATH", t.TempDir())
	if _, err := source.OpenBuild(t.Context(), dir); !errors.Is(err, source.ErrNoGoCommand) {
		t.Error(err)
	}
}

// TestModuleThatIsNotHere: nothing is downloaded, and functions of the module are unchecked, with the reason.
func TestModuleThatIsNotHere(t *testing.T) {
	t.Parallel()
	dir := writeProgram(t, [2]string{"import (", "import (\n\t_ \"example.com/missing/part\"\n"})
	tree, err := source.OpenBuild(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_, verdicts := checked(t, profiled(t, []call{
		{"main.round", 4, "main.square.area", 3},
		{"example.com/missing/part.F", 4, "main.mix", 3},
		{"example.com/unknown.F", 4, "main.mix", 3},
		{"net/http.Serve", 4, "main.mix", 3},
	}), tree)
	for name, want := range map[string]fit.Verdict{
		"main.round":                 {State: fit.Exact, Reason: "all calls"},
		"example.com/missing/part.F": {State: fit.Unchecked, Reason: "no required module provides package"},
		"example.com/unknown.F":      {State: fit.Gone, Reason: "no such package"},
		"net/http.Serve":             {State: fit.Unchecked, Reason: "not in the source"},
	} {
		if v := verdicts[name]; v.State != want.State || !strings.Contains(v.Reason, want.Reason) {
			t.Errorf("%s is %s: %s, want %s: %s", name, v.State, v.Reason, want.State, want.Reason)
		}
	}
}

func TestBinaryWithoutLines(t *testing.T) {
	full.Only(t, "builds programs")
	t.Parallel()
	binary := buildProgram(t, writeProgram(t, [2]string{}), "GOFLAGS=-ldflags=-w")
	if _, err := source.OpenBinary(binary); !errors.Is(err, source.ErrNoLines) {
		t.Error(err)
	}
	if !source.IsBinary(binary) || source.IsBinary("build_test.go") {
		t.Error("not told by its build information")
	}
}
