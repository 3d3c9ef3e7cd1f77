package program_test

import (
	"archive/zip"
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The sources that are edited: classes of the JDK, in packages of their own.
var editedSources = []struct{ from, to, names string }{
	{"java/util", "real/util",
		"AbstractCollection AbstractList AbstractMap AbstractSet AbstractSequentialList AbstractQueue ArrayList ArrayDeque " +
			"HashMap LinkedHashMap TreeMap LinkedList PriorityQueue BitSet StringTokenizer TimSort ComparableTimSort " +
			"Hashtable Vector " +
			"StringJoiner Base64 Collections Comparators"},
	{"java/math", "real/math",
		"BigInteger BigDecimal MutableBigInteger SignedMutableBigInteger BitSieve MathContext RoundingMode"},
	{"java/util/regex", "real/regex", "Pattern Matcher CharPredicates Grapheme IntHashSet ASCII EmojiData"},
}

// editedExports are what these classes use of the JDK's own.
var editedExports = []string{"jdk.internal.access", "jdk.internal.misc", "jdk.internal.math", "jdk.internal.util",
	"jdk.internal.vm.annotation", "sun.security.action", "sun.nio.cs", "sun.text"}

func exports() (flags []string) {
	for _, p := range editedExports {
		flags = append(flags, "--add-exports", "java.base/"+p+"=ALL-UNNAMED")
	}
	return flags
}

// An editor makes versions of a program.
type editor struct {
	t        *testing.T
	dir, out string
	in       io.WriteCloser
	lines    *bufio.Scanner
}

// sourcesOfJDK finds the sources of the JDK 17 whose javac is on the path.
func sourcesOfJDK(t *testing.T) *zip.ReadCloser {
	t.Helper()
	full.Only(t, "starts JVMs")
	javac, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("no javac: put that of JDK 17 on the path")
	}
	if javac, err = filepath.EvalSymlinks(javac); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(filepath.Dir(filepath.Dir(javac)), "lib", "src.zip"))
	if err != nil {
		t.Skipf("no sources of the JDK: install openjdk-17-source (%v)", err)
	}
	t.Cleanup(func() { z.Close() })
	return z
}

// startEditor takes the sources, and has them compiled.
func startEditor(t *testing.T, seed, rounds, edits int) *editor {
	t.Helper()
	z := sourcesOfJDK(t)
	e := &editor{t: t, dir: t.TempDir()}
	e.out = filepath.Join(e.dir, "out")
	for _, s := range editedSources {
		for _, name := range strings.Fields(s.names) {
			e.take(z, s.from, s.to, name)
		}
	}
	for name, to := range map[string]string{"Drive": "edits", "Sink": "edits", "Sorts": "real/util"} {
		text, err := os.ReadFile(filepath.Join("testdata", "edits", name+".java"))
		if err != nil {
			t.Fatal(err)
		}
		e.write(filepath.Join(to, name+".java"), string(text))
	}
	args := append([]string{filepath.Join("testdata", "edits", "Edit.java"), filepath.Join(e.dir, "src"), e.out,
		strconv.Itoa(seed), strconv.Itoa(rounds), strconv.Itoa(edits)}, exports()...)
	cmd := exec.Command("java", args...)
	cmd.Stderr = os.Stderr
	in, out := testjvm.StartPiped(t, cmd)
	e.in = in
	t.Cleanup(func() {
		_ = e.in.Close()
		_ = cmd.Wait()
	})
	e.lines = bufio.NewScanner(out)
	e.expect("ready")
	return e
}

// take copies a source file into another package.
func (e *editor) take(z *zip.ReadCloser, from, to, name string) {
	e.t.Helper()
	f, err := z.Open(path.Join("java.base", from, name+".java"))
	if err != nil {
		e.t.Skipf("other sources than those of JDK 17: %v", err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		e.t.Fatal(err)
	}
	old := strings.ReplaceAll(from, "/", ".")
	text := strings.Replace(string(b), "\npackage "+old+";",
		"\npackage "+strings.ReplaceAll(to, "/", ".")+"; import "+old+".*;", 1)
	for _, s := range editedSources[1:] {
		was := strings.ReplaceAll(s.from, "/", ".") + "."
		for _, named := range strings.Fields(s.names) {
			text = strings.ReplaceAll(text, was+named, strings.ReplaceAll(s.to, "/", ".")+"."+named)
		}
	}
	e.write(filepath.Join(to, name+".java"), text)
}

func (e *editor) write(name, text string) {
	e.t.Helper()
	name = filepath.Join(e.dir, "src", name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) expect(want string) {
	e.t.Helper()
	if !e.lines.Scan() || e.lines.Text() != want {
		e.t.Fatalf("the editor says %q, want %q: %v", e.lines.Text(), want, e.lines.Err())
	}
}

// edit returns the kinds of edits by round and by class and method.
func (e *editor) edit(hot []string) map[int]map[string]string {
	e.t.Helper()
	fmt.Fprintln(e.in, strings.Join(append(hot, ""), "\n"))
	kinds := map[int]map[string]string{}
	for e.lines.Scan() && e.lines.Text() != "done" {
		f := strings.Split(e.lines.Text(), "\t")
		if len(f) != 4 {
			e.t.Fatalf("the editor says %q", e.lines.Text())
		}
		round, err := strconv.Atoi(f[0])
		if err != nil {
			e.t.Fatal(err)
		}
		if kinds[round] == nil {
			kinds[round] = map[string]string{}
		}
		if method := f[2] + "." + f[3]; kinds[round][method] == "" {
			kinds[round][method] = f[1]
		} else {
			kinds[round][method] = "several"
		}
	}
	return kinds
}

// A version is a version of the program that has run.
type version struct {
	*program.ClassPath
	*reader.Store
	output string
}

// run trains a version. The VM counts from the first call of a method on, and
// does not compile so well that it stops counting.
func (e *editor) run(name string) version {
	e.t.Helper()
	dir := filepath.Join(e.out, name)
	c, err := program.OpenClassPath([]string{dir}, 0)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(c.Close)
	args := append(exports(), "-Xbatch", "-XX:TieredStopAtLevel=3", "-XX:CompileThresholdScaling=0.001",
		"-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,real.*::*", "-cp", dir, "edits.Drive", "20")
	cmd := exec.Command("java", args...)
	in, out := testjvm.StartPiped(e.t, cmd)
	defer func() {
		_ = in.Close()
		_ = cmd.Wait()
	}()
	v := version{ClassPath: c}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "done"; {
		v.output += lines.Text() + "\n"
	}
	vm, err := live.Attach(e.t.Context(), cmd.Process.Pid)
	if err != nil {
		e.t.Skipf("cannot read a JVM here: %v", err)
	}
	b, _,
		err := vm.Dump(e.t.Context(), live.Options{Class: func(name string) bool { return strings.HasPrefix(name, "real/") }})
	if err != nil {
		e.t.Fatal(err)
	}
	v.Store = open(e.t, b)
	return v
}

// hot returns the methods that a run counted much of.
func hot(t *testing.T, s *reader.Store) []string {
	names := map[string]bool{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			for e := range p.Entries() {
				if _, ok := finding(t, e); ok {
					k := key(t, m)
					names[k.Class+"."+k.Name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// A found is what an entry says: how often each side of a branch was taken, each
// type was met, each case was chosen.
type found struct {
	kind   string
	counts map[string]float64
	total  float64
}

// enough is how much must have been counted to say anything.
const enough = 100

// finding returns what an entry says; ok is false if it is too little.
func finding(t *testing.T, e reader.Entry) (f found, ok bool) {
	t.Helper()
	f.counts = map[string]float64{}
	add := func(what string, n uint64) {
		f.counts[what] += float64(n)
		f.total += float64(n)
	}
	if b, is := e.Branch(); is {
		f.kind = "branch"
		add("taken", b.Taken.Trained())
		add("not taken", b.NotTaken.Trained())
	} else if r, is := e.Receivers(); is {
		f.kind = "types"
		add("other", uint64(max(0, int64(r.Other().Trained()))))
		for row := range r.All() {
			name, err := row.Type.Name()
			if err != nil {
				t.Fatal(err)
			}
			add(name.String(), row.Count.Trained())
		}
	} else if rows, is := e.Rows(); is && e.Tag() == layout.TagMultiBranch {
		f.kind = "switch"
		add("default", rows.Head(0).Trained())
		for i := range rows.Len() {
			add(fmt.Sprint("case ", i), rows.Cell(i, 0).Trained())
		}
	}
	return f, f.total >= enough
}

// tolerance is how far shares may be apart.
const tolerance = 0.1

// agrees reports whether two entries say the same.
func (f found) agrees(g found) bool {
	if f.kind != g.kind {
		return false
	}
	for what := range f.counts {
		if math.Abs(f.counts[what]/f.total-g.counts[what]/g.total) > tolerance {
			return false
		}
	}
	for what := range g.counts {
		if _, ok := f.counts[what]; !ok && g.counts[what]/g.total > tolerance {
			return false
		}
	}
	return true
}

// mayHaveBecome reports whether two entries may be of the same point, by what was
// counted: as much, of the same types, on the same sides or opposite ones.
func (f found) mayHaveBecome(g found) bool {
	if f.kind != g.kind || f.total > 1.1*g.total || g.total > 1.1*f.total {
		return false
	}
	swapped := found{f.kind, map[string]float64{"taken": f.counts["not taken"], "not taken": f.counts["taken"]}, f.total}
	return f.agrees(g) || f.kind == "branch" && swapped.agrees(g) ||
		f.kind == "switch" && slices.EqualFunc(slices.Sorted(maps.Values(f.counts)), slices.Sorted(maps.Values(g.counts)),
			func(x, y float64) bool { return math.Abs(x-y) <= f.total/10 })
}

// An outcome is what became of points of a kind of edit.
type outcome struct {
	edits                                   int
	points, movable, moved, right, wrong    int
	weightMovable, weightMoved, weightRight float64
}

func (o *outcome) add(p outcome) {
	o.edits += p.edits
	o.points, o.movable, o.moved, o.right, o.wrong = o.points+p.points, o.movable+p.movable, o.moved+p.moved,
		o.right+p.right, o.wrong+p.wrong
	o.weightMovable, o.weightMoved, o.weightRight = o.weightMovable+p.weightMovable, o.weightMoved+p.weightMoved,
		o.weightRight+p.weightRight
}

// judgeMethod compares what was moved of a method with what a fresh run counted.
func judgeMethod(t *testing.T, old, adapted, fresh reader.Profile, what string) (o outcome) {
	var truth []found
	for e := range fresh.Entries() {
		if f, ok := finding(t, e); ok {
			truth = append(truth, f)
		}
	}
	for e := range old.Entries() {
		f, ok := finding(t, e)
		if !ok {
			continue
		}
		o.points++
		if i := slices.IndexFunc(truth, f.mayHaveBecome); i >= 0 {
			truth = slices.Delete(truth, i, i+1)
			o.movable++
			o.weightMovable += f.total
		}
	}
	if adapted == (reader.Profile{}) {
		return o
	}
	for e := range adapted.Entries() {
		f, ok := finding(t, e)
		if !ok {
			continue
		}
		now, there := fresh.At(e.Point())
		if !there {
			t.Errorf("%s: no entry at %d", what, e.Point())
			continue
		}
		g, _ := finding(t, now)
		o.moved++
		o.weightMoved += f.total
		if f.agrees(g) {
			o.right++
			o.weightRight += f.total
		} else {
			o.wrong++
			t.Logf("wrong: %s at %d: %s %v, a fresh run counts %v", what, e.Point(), f.kind, f.counts, g.counts)
		}
	}
	return o
}

// TestEditsOfRealSources edits sources of the JDK, and holds the profiles that are
// moved to each version against a fresh run's.
func TestEditsOfRealSources(t *testing.T) {
	full.Only(t, "starts JVMs")
	rounds, edits := 4, 80
	if n, err := strconv.Atoi(os.Getenv("PROFARC_EDIT_ROUNDS")); err == nil {
		rounds = n
	}
	e := startEditor(t, 1, rounds, edits)
	old := e.run("old")
	kinds := e.edit(hot(t, old.Store))
	tables := map[string]map[string]*outcome{}
	for round := 1; round <= rounds; round++ {
		now := e.run(strconv.Itoa(round))
		if now.output != old.output {
			t.Logf("round %d prints\n%s, not\n%s", round, now.output, old.output)
		}
		for mode, o := range map[string]fit.Options{"sketches": {}, "--old": {Old: old.ClassPath},
			"as often": {Confidence: fit.AssumedConfidence}} {
			if tables[mode] == nil {
				tables[mode] = map[string]*outcome{}
			}
			e.judge(old, now, o, kinds[round], tables[mode])
		}
	}
	for mode, table := range tables {
		if mode == "as often" {
			report(t, mode, table, 0.99, 0.7)
		} else {
			report(t, mode, table, 0.999, 0.6)
		}
	}
}

// judge moves profiles to a version, and compares.
func (e *editor) judge(old, now version, o fit.Options, kinds map[string]string, table map[string]*outcome) {
	t := e.t
	t.Helper()
	o.Into = builder.New(layout.DomainHotSpot, builder.ConfigOf(old.Header()))
	if c, err := strconv.ParseFloat(os.Getenv("PROFARC_EDIT_CONFIDENCE"), 64); err == nil {
		o.Confidence = c
	}
	var changed []fit.Verdict
	o.Each = func(v *fit.Verdict) error {
		if v.State == fit.Moved || v.State == fit.Stale {
			changed = append(changed, *v)
		}
		return nil
	}
	if _, err := fit.Check(t.Context(), old.Store, now.ClassPath, o); err != nil {
		t.Fatal(err)
	}
	adapted := open(t, o.Into)
	counted := map[string]bool{}
	for _, v := range changed {
		k := key(t, v.Method)
		name := k.Class + "." + k.Name
		kind, ok := kinds[name]
		if !ok {
			kind = "member renamed"
		}
		fresh, ok := profileIn(t, now.Store, k)
		if !ok {
			continue
		}
		moved, _ := profileIn(t, adapted, k)
		if table[kind] == nil {
			table[kind] = &outcome{}
		}
		result := judgeMethod(t, v.Profile, moved, fresh, kind+" "+name+k.Signature)
		if !counted[name] {
			result.edits++
			counted[name] = true
		}
		table[kind].add(result)
	}
}

func profileIn(t *testing.T, s *reader.Store, k layout.Key) (p reader.Profile, ok bool) {
	t.Helper()
	m, err := s.Find(k)
	if err != nil {
		return p, false
	}
	p, _, err = m.Profile(layout.CodeAny)
	return p, err == nil
}

// report logs the table. right is the least share of the points and counts that were moved
// that must be right, moved the least share of the counts that could be moved that must be.
func report(t *testing.T, mode string, table map[string]*outcome, right, moved float64) {
	var b strings.Builder
	sum := &outcome{}
	fmt.Fprintf(&b, "%s\n%-24s %6s %7s %8s %6s %6s %6s %8s   %s\n", mode, "edit", "edits", "points", "movable", "moved",
		"right", "wrong", "dropped", "weight: moved of movable, right of moved")
	line := func(kind string, o *outcome) {
		fmt.Fprintf(&b, "%-24s %6d %7d %8d %6d %6d %6d %8d   %6.1f%% %7.2f%%\n", kind, o.edits, o.points, o.movable, o.moved,
			o.right, o.wrong, o.points-o.moved,
			100*o.weightMoved/max(o.weightMovable, 1), 100*o.weightRight/max(o.weightMoved, 1))
	}
	for _, kind := range slices.SortedFunc(maps.Keys(table), cmp.Compare) {
		line(kind, table[kind])
		sum.add(*table[kind])
	}
	line("all", sum)
	t.Log(b.String())
	if float64(sum.right) < right*float64(sum.moved) || sum.weightRight < right*sum.weightMoved {
		t.Errorf("%s: %d of %d points, and %.2f%% of the counts, are right", mode, sum.right, sum.moved,
			100*sum.weightRight/sum.weightMoved)
	}
	if sum.weightMoved < moved*sum.weightMovable {
		t.Errorf("%s: %.1f%% of the counts that could be moved are", mode, 100*sum.weightMoved/sum.weightMovable)
	}
	if sum.edits < 200 {
		t.Errorf("%s: %d edits", mode, sum.edits)
	}
}
