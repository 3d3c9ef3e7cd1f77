package coverage_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/reader"
)

// A build is a program of testdata/program, compiled by a release of LLVM and run.
type build struct {
	release string
	dir     string
	raw     []byte
}

// tool finds a program of a release of LLVM, or skips the test.
func tool(t testing.TB, name, release string) string {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	path, err := exec.LookPath(name + "-" + release)
	if err != nil {
		t.Skipf("no %s of LLVM %s on this machine", name, release)
	}
	return path
}

func run(t testing.TB, dir string, env []string, command ...string) []byte {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, problems.Bytes())
	}
	return out
}

var instrument = []string{"-fprofile-instr-generate", "-fcoverage-mapping"}

// newBuild copies the program to a folder of its own.
func newBuild(t testing.TB, release string) *build {
	t.Helper()
	b := &build{release: release, dir: t.TempDir()}
	if err := os.CopyFS(b.dir, os.DirFS(filepath.Join("testdata", "program"))); err != nil {
		t.Fatal(err)
	}
	return b
}

// compile builds the program with more flags, and runs it.
func compile(t testing.TB, release string, flags ...string) *build {
	t.Helper()
	clang, b := tool(t, "clang++", release), newBuild(t, release)
	flags = append(slices.Clone(instrument), flags...)
	run(t, b.dir, nil, slices.Concat([]string{clang, "-w", "-x", "c", "-c", "-o", "states.o", "states.c"}, flags)...)
	run(t, b.dir, nil, slices.Concat([]string{clang, "-std=c++17", "-o", "app", "main.cpp", "./other.cpp",
		"states.o"}, flags)...)
	b.train(t)
	return b
}

// train runs the program and keeps its profile.
func (b *build) train(t testing.TB) {
	t.Helper()
	run(t, b.dir, []string{"LLVM_PROFILE_FILE=app.profraw"}, filepath.Join(b.dir, "app"))
	var err error
	if b.raw, err = os.ReadFile(filepath.Join(b.dir, "app.profraw")); err != nil {
		t.Fatal(err)
	}
	run(t, b.dir, nil, tool(t, "llvm-profdata", b.release), "merge", "-o", "app.profdata", "app.profraw")
}

// judge is the release whose llvm-cov has the last word. That of 14 leaves out few lines: a
// macro beside a comment.
const judge = "19"

// cov runs llvm-cov of a release on a program or object file.
func (b *build) cov(t testing.TB, release, program string, args ...string) []byte {
	t.Helper()
	command := append([]string{tool(t, "llvm-cov", release), args[0], "-instr-profile=app.profdata"}, args[1:]...)
	return run(t, b.dir, nil, append(command, program)...)
}

func (b *build) store(t testing.TB) *reader.Store { return storeOf(t, b.raw) }

func storeOf(t testing.TB, profile []byte) *reader.Store {
	t.Helper()
	r, err := (&llvm.Importer{}).Import(&codec.Input{Reader: bytes.NewReader(profile), Name: "app.profraw"})
	if err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, r.Sum)
}

func (b *build) coverage(t testing.TB, program string) *coverage.Coverage {
	t.Helper()
	mapping, err := coverage.Open(filepath.Join(b.dir, program))
	if err != nil {
		t.Fatal(err)
	}
	c, err := coverage.New(b.store(t), mapping)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fileLines are the counts of all lines that have one, by file.
type fileLines map[string]map[int]uint64

// lcovLines reads the lines out of a tracefile.
func lcovLines(t testing.TB, tracefile []byte) fileLines {
	t.Helper()
	files := fileLines{}
	var lines map[int]uint64
	for s := bufio.NewScanner(bytes.NewReader(tracefile)); s.Scan(); {
		if name, ok := strings.CutPrefix(s.Text(), "SF:"); ok {
			lines = map[int]uint64{}
			files[filepath.Clean(name)] = lines
		}
		var line int
		var count uint64
		if n, _ := fmt.Sscanf(s.Text(), "DA:%d,%d", &line, &count); n == 2 {
			lines[line] = count
		}
	}
	return files
}

func ourLines(t testing.TB, c *coverage.Coverage) fileLines {
	t.Helper()
	names, err := c.Files()
	if err != nil {
		t.Fatal(err)
	}
	files := fileLines{}
	for _, name := range names {
		v, err := c.View(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Clean(name)] = mapped(v)
	}
	return files
}

func mapped(v *coverage.View) map[int]uint64 {
	lines := map[int]uint64{}
	for line := range v.Lines() {
		if line.Mapped {
			lines[line.Number] = line.Count
		}
	}
	return lines
}

// TestLinesAreThoseOfLLVM: every line of every file has the count that llvm-cov gives it.
func TestLinesAreThoseOfLLVM(t *testing.T) {
	t.Parallel()
	for release, flags := range map[string][]string{"14": {"-O0"}, "19": {"-O1", "-DEXTRA=2"}} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			b := compile(t, release, flags...)
			if n := b.compareFiles(t, "app"); n < 200 {
				t.Errorf("llvm-cov has %d lines", n)
			}
			b.compareFunctions(t)
		})
	}
}

// TestVariantsOfInstrumentation: what options of clang change in mapping and counters does
// not change the lines.
func TestVariantsOfInstrumentation(t *testing.T) {
	t.Parallel()
	for name, variant := range map[string]struct {
		release string
		flags   []string
	}{
		"bytes":            {"19", []string{"-mllvm", "-enable-single-byte-coverage=true"}},
		"conditions":       {"19", []string{"-fcoverage-mcdc"}},
		"unpacked":         {"14", []string{"-mllvm", "-enable-name-compression=false"}},
		"relative":         {"19", []string{"-fcoverage-compilation-dir=."}},
		"another folder":   {"14", []string{"-fcoverage-prefix-map=/=/elsewhere/"}},
		"without unused":   {"19", []string{"-ffunction-sections", "-Wl,--gc-sections"}},
		"unused functions": {"14", []string{"-DUNUSED"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := compileAlone(t, variant.release, variant.flags...)
			b.compareFiles(t, "app")
		})
	}
}

// TestObjectFilesOfOtherMachines: the mapping is the same in every object format.
func TestObjectFilesOfOtherMachines(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"14", "19"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			b := compileAlone(t, release)
			for _, machine := range []string{"arm64-apple-macos11", "x86_64-pc-windows-msvc", "s390x-linux-gnu",
				"i386-linux-gnu"} {
				run(t, b.dir, nil, slices.Concat([]string{tool(t, "clang", release), "-w", "--target=" + machine, "-DALONE", "-c",
					"-o", machine, "states.c"}, instrument)...)
				b.compareFiles(t, machine)
			}
		})
	}
}

// compileAlone builds the C file of the program with more flags, and runs it.
func compileAlone(t testing.TB, release string, flags ...string) *build {
	t.Helper()
	b := newBuild(t, release)
	run(t, b.dir, nil, slices.Concat([]string{tool(t, "clang", release), "-w", "-O1", "-DALONE", "-o", "app",
		"./states.c"}, instrument, flags)...)
	b.train(t)
	return b
}

// compareFiles compares all lines of a program or object file with llvm-cov's, and
// returns how many there are.
func (b *build) compareFiles(t *testing.T, program string) (lines int) {
	t.Helper()
	got, want := ourLines(t, b.coverage(t, program)), lcovLines(t, b.cov(t, judge, program, "export", "-format=lcov"))
	for _, file := range want {
		lines += len(file)
	}
	if lines < 50 {
		t.Fatalf("%s: llvm-cov has %d lines", program, lines)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: other lines than llvm-cov has:\n%s", program, diff)
	}
	if b.release != judge {
		b.compareOwn(t, program, got)
	}
	return lines
}

// compareOwn compares lines with llvm-cov of the release that compiled it, which which may lack one or two.
func (b *build) compareOwn(t *testing.T, program string, got fileLines) {
	t.Helper()
	missing := 0
	for file, own := range lcovLines(t, b.cov(t, b.release, program, "export", "-format=lcov")) {
		missing += len(got[file]) - len(own)
		for line, count := range own {
			if n, ok := got[file][line]; !ok || n != count {
				t.Errorf("%s: %s: line %d: %d (%v), llvm-cov %s has %d", program, file, line, n, ok, b.release, count)
			}
		}
	}
	if missing != 1 {
		t.Errorf("%s: llvm-cov %s lacks %d lines, want 1", program, b.release, missing)
	}
}

// compareFunctions compares each function, also each instantiation of a template, with what
// llvm-cov shows of it.
func (b *build) compareFunctions(t *testing.T) {
	t.Helper()
	c := b.coverage(t, "app")
	all, err := c.Functions()
	if err != nil {
		t.Fatal(err)
	}
	shown := shownFunctions(b.cov(t, judge, "app", "show", "-name-regex=."))
	compared := 0
	for _, f := range all {
		name := f.Name
		want, ok := shown[name]
		if !ok {
			t.Errorf("llvm-cov does not show %s", name)
			continue
		}
		compared++
		got := map[int]string{}
		for line, count := range mapped(f.View()) {
			got[line] = rounded(count)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: other lines than llvm-cov has:\n%s", name, diff)
		}
	}
	if compared < 45 || compared != len(shown) {
		t.Errorf("%d functions compared, llvm-cov shows %d", compared, len(shown))
	}
}

// shownFunctions reads what llvm-cov show prints of single functions: the counts of lines, rounded.
func shownFunctions(text []byte) map[string]map[int]string {
	functions := map[string]map[int]string{}
	var lines map[int]string
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if !strings.Contains(s.Text(), "|") {
			if name, ok := strings.CutSuffix(s.Text(), ":"); ok {
				lines = map[int]string{}
				functions[name] = lines
			}
			continue
		}
		cells := strings.SplitN(s.Text(), "|", 3)
		number, err := strconv.Atoi(strings.TrimSpace(cells[0]))
		if count := strings.TrimSpace(cells[1]); err == nil && count != "" {
			lines[number] = count
		}
	}
	return functions
}

// rounded returns a count as llvm-cov show prints it: three digits.
func rounded(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	if len(digits) <= 3 {
		return digits
	}
	whole := (len(digits)-1)%3 + 1
	text := digits[:whole]
	if whole < 3 {
		text += "." + digits[whole:3]
	}
	return text + string(" kMGTPEZY"[(len(digits)-1)/3])
}
