package profarc_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc"
)

// A test that needs a run with a process of its own starts this program again, with the directory of the run in
// one of these variables.
const ofRun = "PROFARC_TEST_RUN"

// runsOfTheirOwn has what such a process does, by the variable.
var runsOfTheirOwn = map[string]func(dir string) error{ofRun: writeCheckpoints}

func TestMain(m *testing.M) {
	for variable, run := range runsOfTheirOwn {
		if dir := os.Getenv(variable); dir != "" {
			if err := run(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}

// writeCheckpoints counts and writes checkpoints until it is killed. It tells each that it has written.
func writeCheckpoints(dir string) error {
	r, err := profarc.Start(filepath.Join(dir, "app.parc"), tinyVM)
	if err != nil {
		return err
	}
	for i := uint64(0); ; i++ {
		counted := counts{}
		trainRun(r, i, counted)
		if _, err := r.Checkpoint(context.Background(), filepath.Join(dir, fmt.Sprintf("%d.parc", i))); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// TestKilledBetweenCheckpoints: processes that are killed lose what they counted after their last checkpoint, and
// nothing else. All checkpoints of one process are summed.
func TestKilledBetweenCheckpoints(t *testing.T) {
	t.Parallel()
	dir, truth := t.TempDir(), counts{}
	app := filepath.Join(dir, "app.parc")
	first := start(t, app)
	trainRun(first, 1000, truth)
	if _, err := first.Dump(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	files := []string{app}
	for process := range 3 {
		sub := filepath.Join(dir, fmt.Sprint(process))
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(app, filepath.Join(sub, "app.parc")); err != nil {
			t.Fatal(err)
		}
		killAfter(t, sub, 4+process)
		written, err := filepath.Glob(filepath.Join(sub, "[0-9]*.parc"))
		if err != nil || len(written) < 4+process {
			t.Fatal(written, err)
		}
		for i, path := range written {
			files = append(files, path)
			trainRun(first, uint64(i), truth) // what the process counted for this checkpoint
		}
	}
	all := filepath.Join(dir, "all.parc")
	if err := sum(t.Context(), all, files...); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(truth, func(_ string, n uint64) bool { return n == 0 })
	want(t, read(t, all), truth)
}

// killAfter starts a process that writes checkpoints into a directory, and kills it after it has written n.
func killAfter(t *testing.T, dir string, n int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Env, command.Stderr = append(os.Environ(), ofRun+"="+dir), os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); n > 0 && lines.Scan(); {
		n--
	}
	_ = command.Process.Kill()
	_ = command.Wait() // it was killed
	if n > 0 {
		t.Fatalf("the process ended %d checkpoints too early", n)
	}
}
