package program_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A generation is a program of generated methods, and the same after an edit of each.
type generation struct {
	old, now map[string]string // source by class
	kinds    map[string]string // by class
}

// generate draws methods and edits them, each kind of edit n times.
func generate(seed uint64, n int) *generation {
	g := &generation{map[string]string{}, map[string]string{}, map[string]string{}}
	for _, c := range changes {
		for done, tries := 0, 0; done < n && tries < 100*n; tries++ {
			seed++
			name := fmt.Sprint("E", len(g.kinds))
			was := newMethod(name, seed)
			if c.prepare != nil {
				c.prepare(was)
			}
			is := newMethod(name, seed)
			is.body, is.number, is.parts = cloned(was.body), was.number, slices.Clone(was.parts)
			if c.edit(is) && is.source() != was.source() {
				g.old[name], g.now[name], g.kinds[name] = was.source(), is.source(), c.kind
				done++
			}
		}
	}
	return g
}

// trainSources compiles the classes, runs them, and returns the run and its code. The VM
// counts every bytecode from the first call on.
func trainSources(t *testing.T, sources map[string]string, times int) version {
	t.Helper()
	full.Only(t, "starts JVMs")
	javac, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("no javac: put that of JDK 17 on the path")
	}
	src, out := t.TempDir(), t.TempDir()
	lib, err := filepath.Abs(filepath.Join("testdata", "flow", "Lib.java"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-d", out, lib}
	var names []string
	for name := range sources {
		names = append(names, name)
	}
	slices.Sort(names)
	all := "package flow;\n\npublic class All {\n    public static void main(String[] args) throws Exception {\n"
	for _, name := range names {
		all += fmt.Sprintf("        Lib.run(%q, %d, %s::run);\n", name, times, name)
	}
	all += "        System.out.println(\"done\");\n        System.in.read();\n    }\n}\n"
	for _, name := range append(names, "All") {
		text, path := sources[name], filepath.Join(src, name+".java")
		if name == "All" {
			text = all
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if text, err := exec.Command(javac, args...).CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, text)
	}
	return runSources(t, out)
}

func runSources(t *testing.T, dir string) version {
	t.Helper()
	c, err := program.OpenClassPath([]string{dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	options := "-Xbatch -XX:Tier0ProfilingStartPercentage=0 -XX:Tier0InvokeNotifyFreqLog=0 -XX:CompileCommand=quiet " +
		"-XX:CompileCommand=exclude,flow.E*::*"
	cmd := exec.Command("java", append(strings.Fields(options), "-cp", dir, "flow.All")...)
	in, out := testjvm.StartPiped(t, cmd)
	defer func() {
		_ = in.Close()
		_ = cmd.Wait()
	}()
	v := version{ClassPath: c}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "done"; {
		v.output += lines.Text() + "\n"
	}
	vm, err := live.Attach(t.Context(), cmd.Process.Pid)
	if err != nil {
		t.Skipf("cannot read a JVM here: %v", err)
	}
	b, _,
		err := vm.Dump(t.Context(), live.Options{Class: func(name string) bool { return strings.HasPrefix(name, "flow/E") }})
	if err != nil {
		t.Fatal(err)
	}
	v.Store = open(t, b)
	return v
}

// countedAt returns what an entry of any kind says.
func countedAt(t *testing.T, e reader.Entry) found {
	if f, ok := finding(t, e); ok || f.total > 0 {
		named := map[string]float64{}
		for what, n := range f.counts {
			named[hiddenNumber.ReplaceAllString(what, "")] += n
		}
		f.counts = named
		return f
	}
	f := found{counts: map[string]float64{}}
	if tag := e.Tag(); tag == layout.TagCounter || tag == layout.TagJump || tag == layout.TagCallType {
		f.kind, f.total = "count", float64(e.Cell(0).Trained())
		f.counts["count"] = f.total
	}
	return f
}

// hiddenNumber is the number of a hidden class, which is made up anew in each run.
var hiddenNumber = regexp.MustCompile(`#[0-9]+$`)

// asOften reports whether two entries were counted about as often.
func asOften(f, g found) bool { return f.total <= 1.25*g.total+20 && g.total <= 1.25*f.total+20 }

// A fate is what became of the points of a kind of edit.
type fate struct{ edits, points, moved, filled, refused, wrong int }

func (o *fate) add(p fate) {
	o.edits += p.edits
	o.points, o.moved, o.filled, o.refused, o.wrong = o.points+p.points, o.moved+p.moved, o.filled+p.filled,
		o.refused+p.refused, o.wrong+p.wrong
}

// hold holds an adapted profile against that of a fresh run. A point is wrong if a share
// differs by more than 0.1, or a count by more than a quarter.
func hold(t *testing.T, marks disk.Marks, adapted, fresh reader.Profile, what string) (o fate) {
	t.Helper()
	for e := range fresh.Entries() {
		truth, f := countedAt(t, e), found{}
		if adapted != (reader.Profile{}) {
			now, there := adapted.At(e.Point())
			if !there {
				t.Errorf("%s: no entry at %d", what, e.Point())
				continue
			}
			f = countedAt(t, now)
		}
		known := truth.total >= enough
		if known {
			o.points++
		}
		switch {
		case f.total < enough && known && f.total == 0:
			o.refused++
		case f.total < enough && !known:
		case f.kind == truth.kind && asOften(f, truth) && (f.total < enough || truth.total < enough || f.agrees(truth)):
			mark, ok := marks.At(adapted.Bytes(), e.Point())
			if !ok && f.total > 0 && marks != nil {
				t.Errorf("%s at %d: counts without a mark", what, e.Point())
			}
			o.moved += 1 - btoi(mark.Derived)
			o.filled += btoi(mark.Derived)
		default:
			o.wrong++
			t.Logf("wrong: %s at %d: %s %v, a fresh run counts %v", what, e.Point(), f.kind, f.counts, truth.counts)
		}
	}
	return o
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestFlowOfEditedMethods edits generated methods, and holds the profiles that are moved to
// each against a fresh run's. No point may be wrong.
func TestFlowOfEditedMethods(t *testing.T) {
	full.Only(t, "starts JVMs")
	seed, n := uint64(1), 1
	if s, err := strconv.Atoi(os.Getenv("PROFARC_EDIT_ROUNDS")); err == nil {
		n = s
	}
	if s, err := strconv.Atoi(os.Getenv("PROFARC_EDIT_SEED")); err == nil {
		seed = uint64(s) * 1_000_000
	}
	g := generate(seed, n)
	if dir := os.Getenv("PROFARC_EDIT_KEEP"); dir != "" {
		for name := range g.kinds {
			_ = os.WriteFile(filepath.Join(dir, name+".old.java"), []byte("// "+g.kinds[name]+"\n"+g.old[name]), 0o666)
			_ = os.WriteFile(filepath.Join(dir, name+".new.java"), []byte(g.now[name]), 0o666)
		}
	}
	old, now := trainSources(t, g.old, 3000), trainSources(t, g.now, 3000)
	table := g.judge(t, old, now)
	sum := fate{}
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %6s %7s %7s %7s %7s %6s\n", "edit", "edits", "points", "moved", "filled", "refused", "wrong")
	for _, c := range append(changes, change{kind: "all"}) {
		o := table[c.kind]
		if c.kind == "all" {
			o = &sum
		}
		if o != nil {
			fmt.Fprintf(&b, "%-24s %6d %7d %7d %7d %7d %6d\n", c.kind, o.edits, o.points, o.moved, o.filled, o.refused, o.wrong)
			sum.add(*o)
		}
	}
	t.Log("\n" + b.String())
	if sum.wrong > 0 || float64(sum.moved+sum.filled) < 0.6*float64(sum.points) {
		t.Errorf("%d of %d points are wrong, %d are right", sum.wrong, sum.points, sum.moved+sum.filled)
	}
}

// judge moves the profiles, and compares.
func (g *generation) judge(t *testing.T, old, now version) map[string]*fate {
	t.Helper()
	o := fit.Options{Into: builder.New(layout.DomainHotSpot, builder.ConfigOf(old.Header()))}
	exact, renamed := map[layout.Key]bool{}, map[layout.Key]bool{}
	o.Each = func(v *fit.Verdict) error {
		if v.State == fit.Exact {
			exact[key(t, v.Method)] = true
		}
		renamed[v.To] = v.State == fit.Renamed
		return nil
	}
	if c, err := strconv.ParseFloat(os.Getenv("PROFARC_EDIT_CONFIDENCE"), 64); err == nil {
		o.Confidence = c
	}
	var against fit.Code = now.ClassPath
	if os.Getenv("PROFARC_EDIT_ARCHIVED") != "" {
		against = fit.Archived(now.Store)
	}
	if _, err := fit.Check(t.Context(), old.Store, against, o); err != nil {
		t.Fatal(err)
	}
	adapted := open(t, o.Into)
	moved, err := adapted.TableOrEmpty(disk.TableMoved)
	if err != nil {
		t.Fatal(err)
	}
	marks := disk.ParseMarks(moved.Rows, moved.Cell)
	if r, err := fit.Check(t.Context(), adapted, against, fit.Options{}); err != nil || r.Guessed.Points != len(marks) {
		t.Errorf("a check of what was adapted finds %d guesses of %d: %v", r.Guessed.Points, len(marks), err)
	}
	table := map[string]*fate{}
	for m, err := range now.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k := key(t, m)
		kind := g.kinds[strings.TrimPrefix(k.Class, "flow/")]
		fresh, ok := profileIn(t, now.Store, k)
		if !ok || exact[k] || kind == "" {
			continue
		}
		moved, _ := profileIn(t, adapted, k)
		marks := marks
		if renamed[k] {
			marks = nil // the code is the same
		}
		result := hold(t, marks, moved, fresh, kind+" "+k.Class+"."+k.Name)
		if k.Name != "run" && moved == (reader.Profile{}) {
			continue // it is new
		}
		if table[kind] == nil {
			table[kind] = &fate{}
		}
		result.edits = int(math.Min(1, float64(strings.Count(k.Name, "run"))))
		table[kind].add(result)
	}
	return table
}
