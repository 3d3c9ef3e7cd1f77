package c_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// lastingRunner builds tests/lasting.c, and returns a function that runs it.
func lastingRunner(t *testing.T) func(args ...string) (printed string) {
	t.Helper()
	program := sanitized(t, "address,undefined").client(t, "tests/lasting.c")
	return func(args ...string) string {
		t.Helper()
		out, stderr, status := runProgram(t, program, args...)
		if status != 0 || len(stderr) > 0 {
			t.Fatalf("%s: exit status %d: %s%s", args, status, out, stderr)
		}
		return strings.TrimSpace(string(out))
	}
}

// lastingCounts returns what the functions of tests/lasting.c have counted.
func lastingCounts(t *testing.T, s *reader.Store) counts {
	t.Helper()
	found := counts{}
	for i := range 40 {
		name := fmt.Sprintf("f%d", i)
		p, err := s.Profile(layout.Key{Class: "L", Name: name}, uint64(i%3))
		if err != nil {
			continue // it never counted
		}
		calls, _ := p.Invocations()
		backedges, _ := p.Backedges()
		found[name+" calls"], found[name+" backedges"] = calls.Load(), backedges.Load()
		countsAt(t, p, branchPoint, name, found)
		countsAt(t, p, callPoint, name, found)
		if e, ok := p.At(addPoint); ok {
			found[name+" seen"], found[name+" largest"] = e.Cell(0).Load(), e.Cell(1).Load()
		}
	}
	maps.DeleteFunc(found, func(_ string, n uint64) bool { return n == 0 })
	return found
}

// TestCheckpointsAddUpToTheDump: with an archive and without one, in one process and in a child for every other
// checkpoint, after failed checkpoints, and with functions that were released and used again, the checkpoints and the
// archive add up to the dump of a run that did the same.
func TestCheckpointsAddUpToTheDump(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	runs := lastingRunner(t)
	app := filepath.Join(t.TempDir(), "app.parc")
	runs("dump", app, app)
	for _, archive := range []string{app, filepath.Join(t.TempDir(), "none.parc")} {
		dump := filepath.Join(t.TempDir(), "dump.parc")
		runs("dump", archive, dump)
		want := lastingCounts(t, open(t, dump))
		if len(want) < 200 {
			t.Fatalf("%d counts", len(want))
		}
		for _, how := range []string{"checkpoints", "fork"} {
			folder := t.TempDir()
			runs(how, archive, folder)
			files, err := filepath.Glob(filepath.Join(folder, "*.parc"))
			if err != nil || len(files) != 12 {
				t.Fatal(files, err)
			}
			if archive == app {
				files = append(files, app)
			}
			if got := lastingCounts(t, merged(t, files...)); !maps.Equal(got, want) {
				t.Errorf("%s: counts\n%v, want\n%v", how, got, want)
			}
		}
	}
}

// TestCheckpointsAreAsLargeAsWhatCounted: a checkpoint is at most twice as large as an archive of the functions that
// have counted.
func TestCheckpointsAreAsLargeAsWhatCounted(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/costs.c")
	out, _, status := runProgram(t, program, t.TempDir(), "3000", "1", "2000", "100", "300", "300")
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if status != 0 || len(lines) != 7 {
		t.Fatalf("exit status %d: %s", status, out)
	}
	for _, line := range lines[1:] {
		f := strings.Fields(line)
		bytes, alone := lastingNumber(t, f[3]), lastingNumber(t, f[4])
		if bytes == 0 || bytes > 2*alone {
			t.Errorf("%s: %d bytes, the functions alone %d", line, bytes, alone)
		}
	}
}

func lastingNumber(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestEvalsDoNotGrowAnArchive: of 1,000 evals under one key in each of 50 runs, the archive keeps eight. It grows by a
// row of the table runs only.
func TestEvalsDoNotGrowAnArchive(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	runs := lastingRunner(t)
	app := filepath.Join(t.TempDir(), "app.parc")
	var first int64
	for run := range int64(50) {
		dropped := lastingNumber(t, runs("evals", app, fmt.Sprint(10000*(run+1)), "1000"))
		if dropped != 992 && dropped != 1000 {
			t.Fatalf("run %d dropped %d versions", run, dropped)
		}
		info, err := os.Stat(app)
		if err != nil {
			t.Fatal(err)
		}
		if run == 0 {
			first = info.Size()
		} else if info.Size() > first+200*run {
			t.Fatalf("%d bytes after run %d, %d after the first", info.Size(), run, first)
		}
	}
	s := open(t, app)
	if s.Header().Counts.Profiles != 8 {
		t.Errorf("%d profiles", s.Header().Counts.Profiles)
	}
	for code := uint64(500992); code < 501000; code++ { // the heaviest of the last run
		p, err := s.Profile(layout.Key{Class: "E", Name: "eval"}, code)
		if err != nil {
			t.Fatal(code, err)
		}
		if calls, _ := p.Invocations(); calls.Load() != code-500000+1 {
			t.Errorf("code %d: %d calls", code, calls.Load())
		}
	}
}

// TestDumpsKeepTheTimesOfUnusedVersions: a version that a run did not use keeps the time of its last run.
func TestDumpsKeepTheTimesOfUnusedVersions(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	runs := lastingRunner(t)
	app := filepath.Join(t.TempDir(), "app.parc")
	runs("versions", app, "1", "2", "3")
	first := open(t, app).Header().DumpTime
	runs("versions", app, "2", "4")
	second := open(t, app).Header().DumpTime
	runs("versions", app, "4")
	want := map[uint64]int64{1: first, 3: first, 2: second}
	got := map[uint64]int64{}
	s := open(t, app)
	for table, err := range s.Tables() {
		if err != nil {
			t.Fatal(err)
		}
		for row := range table.Rows {
			if table.Kind == disk.TableVersions {
				got[table.Cell(1, row)] = int64(table.Cell(2, row))
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("times %v, want %v", got, want)
	}
	// Beyond the bound, the used versions stay, and of the others the one with the highest code.
	runs("versions", app, "10", "11", "12", "13", "14", "15", "16")
	s = open(t, app)
	for code := range uint64(20) {
		_, err := s.Profile(layout.Key{Class: "E", Name: "v"}, code)
		if kept := code >= 10 && code <= 16 || code == 4; kept != (err == nil) {
			t.Errorf("code %d: %v", code, err)
		}
	}
}

// TestReleasedFunctionsAreSmall: a released function with a branch and a call takes less than 150 bytes.
func TestReleasedFunctionsAreSmall(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := build{cc: compilers(t)[0], flags: "-O2"}.client(t, "tests/lasting.c")
	for how, most := range map[string]int64{"one": 150, "many": 260} {
		out, _, status := runProgram(t, program, "released", how, "100000")
		if n := lastingNumber(t, strings.TrimSpace(string(out))); status != 0 || n > most || n < 40 {
			t.Errorf("%s: %d bytes, at most %d are allowed", how, n, most)
		}
	}
}

// TestStartsInAFolder: runs find their archive by the VM's ID, and remove what was not used for 30 days.
func TestStartsInAFolder(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	runs := lastingRunner(t)
	folder := filepath.Join(t.TempDir(), "profiles")
	for want, n := range []string{"3", "4"} {
		if got := runs("in", folder, n); got != []string{"3", "7"}[want] {
			t.Errorf("%s calls", got)
		}
	}
	old := filepath.Join(folder, strings.Repeat("0a", 16)+".parc")
	other, own := filepath.Join(folder, "other.parc"), filepath.Join(folder, "b15e07"+strings.Repeat("0", 26)+".parc")
	long := time.Now().Add(-31 * 24 * time.Hour)
	for _, path := range []string{old, other} {
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{old, other, own} {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if got := runs("in", folder, "1"); got != "8" {
		t.Errorf("%s calls after 30 days", got)
	}
	for path, stays := range map[string]bool{old: false, other: true, own: true} {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestDumpsKeepArchivesOfOtherVMs: a dump does not replace the archive of another VM, and replaces what is no archive.
func TestDumpsKeepArchivesOfOtherVMs(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	runs := lastingRunner(t)
	app := filepath.Join(t.TempDir(), "app.parc")
	runs("dump", app, app)
	before, err := os.ReadFile(app)
	if err != nil {
		t.Fatal(err)
	}
	if got := runs("replace", app); strings.Count(got, "archive of another VM") != 2 {
		t.Error(got)
	}
	if after, err := os.ReadFile(app); err != nil || string(after) != string(before) {
		t.Error("the archive of another VM was replaced", err)
	}
	if err := os.WriteFile(app, before[:len(before)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := runs("replace", app); !strings.HasPrefix(got, "0 ") { // the second VM keeps the archive of the first
		t.Error(got)
	}
}

// TestWorkersShareMemory: each of 64 forked workers takes at most 1.2 times the memory of a worker alone, and little
// more than what it counts in. Their checkpoints add up to all that they counted.
func TestWorkersShareMemory(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	program := build{cc: compilers(t)[0], flags: "-O2"}.client(t, "tests/workers.c")
	app, folder := filepath.Join(t.TempDir(), "app.parc"), t.TempDir()
	means := func(workers string) (pss, private int64) {
		out, stderr, status := runProgram(t, program, app, folder, "25000", workers)
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if status != 0 || len(lines) != 3 {
			t.Fatalf("exit status %d: %s%s", status, out, stderr)
		}
		t.Logf("%s workers: %q", workers, lines)
		f := strings.Fields(lines[1])
		return lastingNumber(t, f[0]), lastingNumber(t, f[1])
	}
	alone, _ := means("1")
	pss, private := means("64")
	if info, err := os.Stat(app); err != nil || info.Size() < 8<<20 {
		t.Fatal(info, err)
	} else if 10*pss > 12*alone || private*1024 > info.Size()/5 {
		t.Errorf("%d kB, %d of them private; a worker alone has %d kB", pss, private, alone)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.parc"))
	if err != nil || len(files) != 65 {
		t.Fatal(len(files), err)
	}
	s := merged(t, append(files, app)...)
	for i := range 25000 {
		want := uint64(1) // of the server
		for worker := range 64 {
			if i/2500 == worker%10 {
				want++
			}
		}
		p, err := s.Profile(layout.Key{Class: fmt.Sprintf("org/example/Class%05d", i/10),
			Name: fmt.Sprintf("method%06d", i), Signature: "()V"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if calls, _ := p.Invocations(); calls.Load() != want {
			t.Fatalf("function %d: %d calls, want %d", i, calls.Load(), want)
		}
	}
}

// TestForkServer runs the example of docs/embedding.md. A generation of workers begins with the counts of all before.
func TestForkServer(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	tools, folder := t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-o", tools, "github.com/profarc/profarc/cmd/profarc")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server := exec.Command(sanitized(t, "address,undefined").client(t, "examples/workers.c"))
	server.Dir = folder
	server.Env = append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"))
	out, err := server.CombinedOutput()
	for _, line := range []string{"0 begins with 0 ", "1 begins with 4000 ", "2 begins with 8000 "} {
		if err != nil || !strings.Contains(string(out), "generation "+line) {
			t.Errorf("%v: %s, want %s", err, out, line)
		}
	}
}
