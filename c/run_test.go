package c_test

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// The points of tests/run.c, which are the ones of its functions.
const (
	callPoint   = 3
	branchPoint = 6
	addPoint    = 9
	laterPoint  = 12
)

// counts has what was counted by function and outcome.
type counts map[string]uint64

// add adds what tests/run.c counts for a number.
func (c counts) add(n uint64) counts {
	for i, name := range []string{"m", "n"} {
		n := n << i
		each := counts{"calls": n, "backedges": 3 * n, "taken": n, "not taken": 2 * n, "Circle": n, "seen": n}
		for what, count := range each {
			c[name+" "+what] += count
		}
		c[name+" largest"] = max(c[name+" largest"], n)
	}
	return c
}

// addMore adds what it counts at points that no run before has had.
func (c counts) addMore(n uint64) counts {
	c["m later taken"] += n
	c["m later Circle"] += n
	return c
}

// countsOf returns the counts of an archive. Of the two classes that share a row it has the sum.
func countsOf(t *testing.T, s *reader.Store) counts {
	t.Helper()
	found := counts{}
	for _, name := range []string{"m", "n"} {
		p, err := s.Profile(layout.Key{Class: "A", Name: name}, 1)
		if err != nil {
			t.Fatal(err)
		}
		calls, _ := p.Invocations()
		backedges, _ := p.Backedges()
		found[name+" calls"], found[name+" backedges"] = calls.Load(), backedges.Load()
		countsAt(t, p, branchPoint, name, found)
		countsAt(t, p, callPoint, name, found)
		countsAt(t, p, laterPoint, name+" later", found)
		if e, ok := p.At(addPoint); ok {
			found[name+" seen"], found[name+" largest"] = e.Cell(0).Load(), e.Cell(1).Load()
		}
		delete(found, name+" Square")
		delete(found, name+" Line")
	}
	maps.DeleteFunc(found, func(_ string, n uint64) bool { return n == 0 })
	return found
}

// countsAt notes the counts of a branch and of the receivers at a point.
func countsAt(t *testing.T, p reader.Profile, point int32, name string, found counts) {
	t.Helper()
	for e := range p.Points(point) {
		r, ok := e.Receivers()
		if !ok {
			found[name+" taken"], found[name+" not taken"] = e.Cell(1).Load(), e.Cell(3).Load()
			continue
		}
		for row := range r.All() {
			class, err := row.Type.Name()
			if err != nil {
				t.Fatal(err)
			}
			found[name+" "+class.String()] = row.Count.Load()
		}
	}
}

func wantCounts(t *testing.T, s *reader.Store, want counts) {
	t.Helper()
	if got := countsOf(t, s); !maps.Equal(got, want) {
		t.Errorf("counts\n%v, want\n%v", got, want)
	}
}

func open(t *testing.T, path string) *reader.Store {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return openBytes(t, data)
}

// merged returns the sum of archives.
func merged(t *testing.T, paths ...string) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainCustom, builder.Config{})
	for _, path := range paths {
		if err := merge.Into(t.Context(), b, open(t, path), merge.Run{}); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return openBytes(t, data)
}

// runner builds tests/run.c, and returns a function that runs it.
func runner(t *testing.T) (program string, runs func(args ...string) (printed string)) {
	t.Helper()
	program = sanitized(t, "address,undefined").client(t, "tests/run.c")
	return program, func(args ...string) string {
		t.Helper()
		out, stderr, status := runProgram(t, program, args...)
		if status != 0 || len(stderr) > 0 {
			t.Fatalf("%s: exit status %d: %s%s", args, status, out, stderr)
		}
		return string(out)
	}
}

// TestRunsLearn: each run begins with what the ones before have counted.
func TestRunsLearn(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	_, runs := runner(t)
	app := filepath.Join(t.TempDir(), "app.parc")
	for i := range uint64(3) {
		runs("dump", app, app, strconv.FormatUint(7+i, 10))
	}
	want := counts{}.add(7).add(8).add(9)
	s := open(t, app)
	wantCounts(t, s, want)
	if id := s.Header().ProducerID; !bytes.HasPrefix(id[:], []byte{0xb1, 0x5e, 7, 0}) || s.Header().DumpID == [16]byte{} {
		t.Errorf("producer %x, dump %x", id, s.Header().DumpID)
	}
	// New points of a function that the archive has become part of its profile.
	runs("more", app, app, "5")
	wantCounts(t, open(t, app), want.add(5).addMore(5))
	runs("more", app, app, "6")
	wantCounts(t, open(t, app), want.add(6).addMore(6))
}

// TestRunsWithoutAnArchive: a run that cannot use its archive counts, is told why, and can write the next one.
func TestRunsWithoutAnArchive(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	_, runs := runner(t)
	app := filepath.Join(t.TempDir(), "app.parc")
	for _, c := range []struct{ id, want string }{
		{"id", "14 app.parc: the file can't be opened: No such file or directory\n0\n"},
		{"id", "0 app.parc: no error\n0\n"},
		{"other-shape", "9 app.parc: the archive has another shape of a tag or name: draw a new id, or delete the file\n0\n"},
		{"other-id", "9 app.parc: the archive is of another producer"},
		{"no-id", "13 app.parc: the VM has no id: draw one with uuidgen\n13\n"},
	} {
		if got := runs("start", app, c.id); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.id, got, c.want)
		}
	}
	data, err := os.ReadFile(app)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-100] ^= 1
	runs("start", writeArchive(t, data), "id")
	if got := runs("start", writeArchive(t, data[:1000]), "id"); !strings.HasPrefix(got, "6 ") {
		t.Errorf("a file that is cut short: %q", got)
	}
}

// TestRunsWithoutMemory lets each allocation of a run fail, and then all that follow, too: it counts on, and frees all.
func TestRunsWithoutMemory(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	_, runs := runner(t)
	app := filepath.Join(t.TempDir(), "app.parc")
	runs("dump", app, app, "3")
	b := sanitized(t, "address,undefined")
	b.link = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc"
	out, stderr, status := runProgram(t, b.client(t, "tests/failing.c"), app, app+".more")
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	t.Logf("%d allocations failed first", n)
	if status != 0 || len(stderr) > 0 || err != nil || n < 100 {
		t.Errorf("exit status %d: %s%s", status, out, stderr)
	}
}

// TestRunsWriteCheckpoints kills processes after some checkpoints. All of a process are summed, and what it
// counted after the last one is lost, and nothing else.
func TestRunsWriteCheckpoints(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program, runs := runner(t)
	dir := t.TempDir()
	app := filepath.Join(dir, "app.parc")
	runs("dump", app, app, "3")
	want, files := counts{}.add(3), []string{app}
	for process := range 2 {
		folder := filepath.Join(dir, fmt.Sprint(process))
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		killAfter(t, 4, program, "checkpoints", app, folder)
		written, err := filepath.Glob(filepath.Join(folder, "*.parc"))
		if err != nil || len(written) < 4 {
			t.Fatal(written, err)
		}
		for _, path := range written {
			if strings.HasSuffix(path, "/1.parc") {
				continue // one is lost
			}
			want.add(10)
			files = append(files, path)
		}
	}
	wantCounts(t, merged(t, files...), want)
}

// killAfter starts a process, and kills it after it has printed n lines.
func killAfter(t *testing.T, n int, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); n > 0 && lines.Scan(); {
		n--
	}
	_ = c.Process.Kill()
	_ = c.Wait() // it was killed
	if n > 0 {
		t.Fatalf("the process ended %d lines too early", n)
	}
}

// TestForkedRuns: a process that forks and its child write what each counted itself.
func TestForkedRuns(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	_, runs := runner(t)
	dir := t.TempDir()
	app, parent := filepath.Join(dir, "app.parc"), filepath.Join(dir, "parent.parc")
	child := filepath.Join(dir, "child.parc")
	runs("dump", app, app, "3")
	runs("fork", app, parent, child)
	wantCounts(t, open(t, parent), counts{}.add(3).add(5).addMore(5).add(100).addMore(100))
	wantCounts(t, open(t, child), counts{}.add(3).add(10).addMore(10))
	runs("fork-checkpoints", app, parent, child)
	wantCounts(t, merged(t, app, parent+".early", parent, child),
		counts{}.add(3).add(5).addMore(5).add(100).addMore(100).add(10).addMore(10))
	// Without an archive too.
	runs("fork-checkpoints", filepath.Join(dir, "none.parc"), parent, child)
	wantCounts(t, merged(t, parent+".early", parent, child),
		counts{}.add(5).addMore(5).add(100).addMore(100).add(10).addMore(10))
}

// TestRunsCountExactly: four threads count while checkpoints are written, with an archive and without one. The
// checkpoints have all that was counted, once.
func TestRunsCountExactly(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	dir := t.TempDir()
	app := filepath.Join(dir, "app.parc")
	const n = 3000
	// The thread sanitizer lets no program map anything at the bases that most archives ask for.
	for round, sanitizers := range []string{"thread", "address,undefined"} {
		t.Run(sanitizers, func(t *testing.T) {
			program := sanitized(t, sanitizers).client(t, "tests/run.c")
			if out, stderr, status := runProgram(t, program, "busy", app, dir, strconv.Itoa(n)); status != 0 {
				t.Fatalf("exit status %d: %s%s", status, out, stderr)
			}
			var files []string
			if round > 0 {
				files = append(files, app)
			}
			for i := range 5 {
				files = append(files, filepath.Join(dir, fmt.Sprint(i, ".parc")))
			}
			s := merged(t, files...)
			got, each := countsOf(t, s), uint64(round+1)*4*n/2
			for _, name := range []string{"m", "n"} {
				if got[name+" calls"] != each || got[name+" seen"] != each ||
					got[name+" taken"]+got[name+" not taken"] != each || receiversOf(t, s, name) != each {
					t.Errorf("%s, %s: %v and %d receivers, want %d of each", sanitizers, name, got, receiversOf(t, s, name), each)
				}
			}
			if err := os.WriteFile(app, (*mapped.Mapping)(s.Mapping()).Unchecked(), 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// receiversOf returns how many receivers a function has seen.
func receiversOf(t *testing.T, s *reader.Store, name string) (sum uint64) {
	t.Helper()
	p, err := s.Profile(layout.Key{Class: "A", Name: name}, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, _ := p.At(callPoint)
	r, ok := e.Receivers()
	if !ok {
		t.Fatalf("%s has no receivers", name)
	}
	sum = r.Other().Load()
	for row := range r.All() {
		sum += row.Count.Load()
	}
	return sum
}

// testVM is the VM of tests/vm.h.
var testVM = profarc.VM{ID: [16]byte{0xb1, 0x5e, 7}, Name: "test VM 1", Rows: 2, Shapes: []layout.EntryShape{{
	Tag: layout.TagProducer, Name: "Operands", Cells: []layout.CellShape{{Name: "seen", Kind: layout.CellCount},
		{Name: "largest", Kind: layout.CellMax}}}}}

// TestRunsOfBothLanguagesLearn: a VM in Go begins with what a VM in C has learned, and the other way round.
func TestRunsOfBothLanguagesLearn(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	_, runs := runner(t)
	app := filepath.Join(t.TempDir(), "app.parc")
	runs("dump", app, app, "7")
	r, err := profarc.Start(app, testVM)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i, name := range []string{"m", "n"} {
		t.Run(name, func(t *testing.T) {
			f, n := r.Function(layout.Key{Class: "A", Name: name}, 1), uint64(8)<<i
			taken, notTaken := f.Branch(branchPoint)
			if got := f.Calls().Load(); got != 7<<i || taken.Load() != got || notTaken.Load() != 2*got {
				t.Errorf("%s: %d calls, %d taken, %d not taken", name, got, taken.Load(), notTaken.Load())
			}
			f.Calls().Count(n)
			f.Backedges().Count(3 * n)
			taken.Count(n)
			notTaken.Count(2 * n)
			f.Words(addPoint, layout.TagProducer)[0].Count(n)
			f.Words(addPoint, layout.TagProducer)[1].Count(n - f.Words(addPoint, layout.TagProducer)[1].Load())
			for range n {
				f.Receivers(callPoint).Record(r.Type("Circle"))
			}
			f.Branch(laterPoint)
		})
	}
	if _, err := r.Dump(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	runs("dump", app, app, "9")
	wantCounts(t, open(t, app), counts{}.add(7).add(8).add(9))
}

// TestCodeIDsOfBothLanguagesAreTheSame compares pa_code_id with the CodeID of package profarc.
func TestCodeIDsOfBothLanguagesAreTheSame(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	_, runs := runner(t)
	for _, code := range []string{"", "a", "load 0; ifneg 6; ...", strings.Repeat("nop ", 100)} {
		if got, want := runs("code", code), fmt.Sprintln(profarc.CodeID([]byte(code))); got != want {
			t.Errorf("%q: %s, want %s", code, got, want)
		}
	}
}

// TestAnonymousKeysOfBothLanguagesAreTheSame compares pa_anonymous_key with AnonymousKey, also in a buffer too small.
func TestAnonymousKeysOfBothLanguagesAreTheSame(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	_, runs := runner(t)
	for _, name := range []string{"", "f", "f<0>"} {
		for _, ordinal := range []int{0, 7, 1<<32 - 1} {
			want := profarc.AnonymousKey(layout.Key{Class: "file.js", Name: name}, ordinal)
			size := len(want.Name)
			for room, printed := range map[int]string{size: fmt.Sprintln(want.Class, want.Name), size - 1: ""} {
				if got := runs("anonymous", name, strconv.Itoa(ordinal), strconv.Itoa(room)); got != printed {
					t.Errorf("%q, ordinal %d, room %d: %q, want %q", name, ordinal, room, got, printed)
				}
			}
		}
	}
}

// TestCountsOfSeveralThreads: one thread that counts by a load and a store loses nothing. Two that count in one word
// may lose nearly all, if each is interrupted between the two; nothing is counted that neither has added.
func TestCountsOfSeveralThreads(t *testing.T) {
	t.Parallel()
	b := build{cc: compilers(t)[0], flags: "-O2"}
	const each = 20_000_000
	counted := func(threads string) int {
		out, stderr, status := runProgram(t, b.client(t, "tests/run.c"), "threads", threads, strconv.Itoa(each))
		n, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if status != 0 || err != nil {
			t.Fatalf("%s%s: %v", out, stderr, err)
		}
		return n
	}
	if n := counted("1"); n != each {
		t.Errorf("%d of %d were counted by one thread", n, each)
	}
	n := counted("2")
	if n < 2 || n > 2*each {
		t.Errorf("%d of %d were counted", n, 2*each)
	}
	t.Logf("%.1f%% of what two threads counted in one word was lost", 100-float64(n)/(2*each)*100)
}

// TestTutorial runs the tutorial three times.
func TestTutorial(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "examples/first.c")
	dir := t.TempDir()
	for i := range 3 {
		c := exec.Command(program)
		c.Dir = dir
		out, err := c.Output()
		if want := fmt.Sprintf("known so far: %d calls, ", 1000*i); err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%q, %v, want %q", out, err, want)
		}
	}
}
