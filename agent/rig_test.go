package agent_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
)

// A rig has the programs of the matrix, compiled, and their archives for a JDK.
type rig struct {
	home, otherHome string
	classes         string
	before          string // the classes of Stale before it changed
	dir             string

	mu       sync.Mutex
	archives map[string]*trained
}

// A trained archive is made once.
type trained struct {
	once sync.Once
	path string
}

const matrixSources = "testdata/matrix"

func newRig(t *testing.T, home, otherHome string) *rig {
	t.Helper()
	r := &rig{home: home, otherHome: otherHome, dir: t.TempDir(), archives: map[string]*trained{}}
	testjvm.Need(t, testjvm.First()) // compiles for both, so that their bytecodes are the same
	r.classes = r.compile(t, testjvm.First(),
		"VERSION", "Small", "CALLED", "Big", "OBJECTS", "new Big()", "KEPT", "new Still()")
	r.before = r.compile(t, testjvm.First(),
		"VERSION", "Big", "CALLED", "Small", "OBJECTS", "new Small()", "KEPT", "new Moved()")
	return r
}

// compile compiles the programs, with words replaced.
func (r *rig) compile(t *testing.T, home string, words ...string) string {
	t.Helper()
	found, err := filepath.Glob(matrixSources + "/*.java")
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	dir := t.TempDir()
	sources := []string{filepath.Join(dir, "Many.java")}
	write(t, sources[0], manyClasses())
	for _, f := range found {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, filepath.Join(dir, filepath.Base(f)))
		write(t, sources[len(sources)-1], strings.NewReplacer(words...).Replace(string(text)))
	}
	return testjvm.Compile(t, home, sources...)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// manyClasses returns the source of a class with many classes in it.
func manyClasses() string {
	const n = 240
	b := &strings.Builder{}
	fmt.Fprintf(b, "import java.util.function.IntUnaryOperator;\nclass Many {\n\tstatic final int COUNT = %d;\n", n)
	b.WriteString("\tstatic int apply(IntUnaryOperator f, int i) { return f.applyAsInt(i); }\n")
	b.WriteString("\tstatic class Base { int get(int i) { return i; } }\n")
	for i := range n {
		fmt.Fprintf(b, "\tstatic class C%d extends Base implements IntUnaryOperator {\n", i)
		fmt.Fprintf(b, "\t\t@Override int get(int i) { return i * %d; }\n", i)
		fmt.Fprintf(b, "\t\tstatic int call(Base b, int i) { return b.get(i) + (b instanceof C%d ? 1 : 0); }\n", i)
		fmt.Fprintf(b,
			"\t\tpublic int applyAsInt(int i) { return call(i %% 3 == 0 ? new C%d() : i %% 3 == 1 ? this : new Base(), i); "+
				"}\n\t}\n", (i*7+1)%n)
	}
	return b.String() + "}\n"
}

// javaAgent returns a jar that makes Redefine an agent for Java code.
func (r *rig) javaAgent(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "redefine.jar")
	b := &bytes.Buffer{}
	z := zip.NewWriter(b)
	w, err := z.Create("META-INF/MANIFEST.MF")
	if err == nil {
		_,
			err = fmt.Fprintf(w,
			"Manifest-Version: 1.0\nPremain-Class: Redefine\nAgent-Class: Redefine\n"+
				"Can-Retransform-Classes: true\nCan-Redefine-Classes: true\n\n")
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, path, b.String())
	return path
}

// ---- archives ----

// archive returns the archive of a kind for a cell, nth is the number of the run.
func (r *rig) archive(t *testing.T, c *cell, nth int) string {
	t.Helper()
	if c.file != "" {
		return c.file
	}
	switch c.archive {
	case alike:
		return r.train(t, r.home, r.classes, c.program, c.flags...)
	case stale:
		return r.train(t, r.home, r.before, c.program, c.flags...)
	case foreign:
		return r.train(t, r.home, r.classes, "Threads")
	case other:
		testjvm.Need(t, r.otherHome)
		return r.train(t, r.otherHome, r.classes, c.program)
	case damaged:
		return r.forge(t, r.train(t, r.home, r.classes, c.program), nth)
	default:
		return r.train(t, r.home, r.classes, c.program)
	}
}

// train runs a program and returns the archive of its profiles.
func (r *rig) train(t *testing.T, home, classes, program string, flags ...string) string {
	t.Helper()
	key := fmt.Sprint(home, classes == r.before, program, flags)
	r.mu.Lock()
	made := r.archives[key]
	if made == nil {
		made = &trained{path: filepath.Join(r.dir, fmt.Sprintf("%d.parc", len(r.archives)))}
		r.archives[key] = made
	}
	r.mu.Unlock()
	made.once.Do(func() {
		j := startJVM(t, home, append(flags, "-cp", classes, program)...)
		j.Await("ready")
		if err := os.Rename(dump(t, j), made.path); err != nil {
			t.Fatal(err)
		}
		j.End()
	})
	return made.path
}

// forge makes an archive invalid, in another place for each number, and corrects its checksums.
func (r *rig) forge(t *testing.T, path string, nth int) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	choose := rand.New(rand.NewPCG(uint64(nth), 0))
	spans := slices.DeleteFunc(slices.Clone(h.Regions[disk.RegionIX-1:]), func(s layout.Span) bool { return s.Size == 0 })
	for range 1 + nth%7 {
		span := spans[choose.IntN(len(spans))]
		words := data[span.Offset:span.End()]
		from, to := 4*choose.Int64N(span.Size/4), 4*choose.Int64N(span.Size/4)
		copy(words[to:to+4], words[from:]) // mostly another reference, or another number
	}
	tree, ps := disk.SumTreeOf(h), disk.RegionOf(h, disk.RegionPS)
	for n := range tree.Pages() {
		page := tree.PageSpan(n)
		sum := disk.Checksum(data[page.Offset:page.End()])
		binary.LittleEndian.PutUint64(data[ps.Offset+tree.SlotOffset(0, n):], sum)
	}
	h.SumRoot = tree.ComputeLevels(data[ps.Offset:ps.End()])
	copy(data, disk.AppendHeader(nil, h))
	forged := filepath.Join(t.TempDir(), "forged.parc")
	write(t, forged, string(data))
	return forged
}

// ---- runs ----

// A result is what a run left.
type result struct{ out, errs, failure string }

// run runs a cell's program with further flags.
func (r *rig) run(t *testing.T, c *cell, further []string) (got result) {
	t.Helper()
	const limit = 5 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	dir := t.TempDir()
	command := append(append([]string{}, c.prefix...), filepath.Join(r.home, "bin", "java"),
		"-XX:ErrorFile="+filepath.Join(dir, "hs_err"), "-XX:-CreateCoredumpOnCrash", "-Xlog:disable",
		"-Xlog:all=error:stderr")
	command = append(append(append(command, further...), c.flags...), "-cp", cmp.Or(c.jar, r.classes), c.program)
	command = append(command, c.args...)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "LC_ALL=C.UTF-8"), c.env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	got = result{out: out.String(), errs: errs.String()}
	if crash, readErr := os.ReadFile(filepath.Join(dir, "hs_err")); readErr == nil {
		got.failure = "the VM crashed:\n" + string(crash[:min(len(crash), 6000)])
	} else if err != nil {
		got.failure = fmt.Sprintf("%v\n%s", err, got.errs)
	}
	return got
}

// cell runs a cell n times, and judges each run by one without the agent.
func (r *rig) cell(t *testing.T, c cell, n int, row *row) {
	if len(c.prefix) > 0 {
		if _, err := exec.LookPath(c.prefix[0]); err != nil {
			t.Skip(err)
		}
	}
	if c.prepare != nil {
		c.prepare(t, r, &c)
	}
	want := r.run(t, &c, nil)
	if strings.Contains(want.failure, "not supported") || strings.Contains(want.failure, "Unrecognized VM option") {
		t.Skip(want.failure)
	}
	if want.failure != "" {
		t.Fatalf("without the agent: %s", want.failure)
	}
	for i := range n {
		row.add(r.judge(t, &c, want, i))
	}
	if c.adopts && row.adopted == 0 {
		t.Error("nothing was adopted")
	}
}

// judge runs a cell with the agent once. It returns how many methods were adopted.
func (r *rig) judge(t *testing.T, c *cell, want result, nth int) (o outcome) {
	t.Helper()
	dir := t.TempDir()
	reportFile := filepath.Join(dir, "report.json")
	agent := agentFlag(t, option(r.archive(t, c, nth)), ",warn=0,report="+option(reportFile)+c.options)
	got := r.run(t, c, strings.Fields(strings.Repeat(agent+" ", max(c.agents, 1))))
	said, errs := splitLines(got.errs)
	switch {
	case got.failure != "":
		o.crashed = true
		t.Errorf("run %d: %s", nth, got.failure)
	case got.out != want.out:
		o.differs = true
		t.Errorf("run %d: wrote %q, without the agent %q", nth, got.out, want.out)
	case errs != want.errs, !saysOnly(said, c):
		o.differs = true
		t.Errorf("run %d: stderr is %q, without the agent %q", nth, got.errs, want.errs)
	}
	if _, err := os.Stat(reportFile); err == nil {
		o.adopted = readReport(t, reportFile).count("methods_adopted")
	}
	return o
}

// option returns a path as an option of the agent has it.
func option(path string) string { return strings.ReplaceAll(path, ",", ",,") }

// splitLines splits what was written to stderr into the agent's lines and others.
func splitLines(text string) (agents []string, others string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "profarc: ") {
			agents = append(agents, line)
		} else {
			others += line
		}
	}
	return agents, others
}

// saysOnly reports whether the agent said what it must, and nothing else. A damaged archive may be refused.
func saysOnly(said []string, c *cell) bool {
	switch {
	case c.archive == damaged:
		return len(said) == 0 || len(said) == 1 && strings.Contains(said[0], "no profiles adopted")
	case c.says == "":
		return len(said) == 0
	}
	return len(said) == 1 && strings.Contains(said[0], c.says)
}

// ---- the table ----

// An outcome is what became of a run.
type outcome struct {
	crashed, differs bool
	adopted          int
}

type row struct {
	release                        int
	cell                           string
	runs, crashes, differ, adopted int
}

func (r *row) add(o outcome) {
	r.runs++
	r.adopted = max(r.adopted, o.adopted)
	if o.crashed {
		r.crashes++
	}
	if o.differs {
		r.differ++
	}
}

type table struct{ rows []*row }

func (t *table) row(release int, cell string) *row {
	r := &row{release: release, cell: cell}
	t.rows = append(t.rows, r)
	return r
}

func (t *table) String() string {
	b := &strings.Builder{}
	all := row{cell: "all"}
	fmt.Fprintf(b,
		"\n| JDK | cell | runs | crashes, failures | other output | most methods adopted |\n|---|---|---|---|---|---|\n")
	for _, r := range t.rows {
		fmt.Fprintf(b, "| %d | %s | %d | %d | %d | %d |\n", r.release, r.cell, r.runs, r.crashes, r.differ, r.adopted)
		all.runs, all.crashes, all.differ = all.runs+r.runs, all.crashes+r.crashes, all.differ+r.differ
	}
	fmt.Fprintf(b, "| | %s | %d | %d | %d | |\n", all.cell, all.runs, all.crashes, all.differ)
	return b.String()
}
