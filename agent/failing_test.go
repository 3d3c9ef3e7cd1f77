package agent_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// failingCalls are the calls that testdata/failing.c lets fail.
var failingCalls = []string{
	"malloc", "calloc", "realloc", "mmap", "mprotect", "fstat", "pread", "fopen", "open", "pthread_create"}

// failingAgent builds the agent with testdata/failing.c.
func failingAgent(t *testing.T) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	args := []string{"-std=c11", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-DPA_API=", "-I../c/include", "-I.",
		"testdata/failing.c"}
	for _, folder := range []string{"*.c", "../c/src/*.c"} {
		sources, err := filepath.Glob(folder)
		if err != nil || len(sources) == 0 {
			t.Fatal(folder, err)
		}
		args = append(args, sources...)
	}
	for _, call := range failingCalls {
		args = append(args, "-Wl,--wrap="+call)
	}
	path := filepath.Join(t.TempDir(), "failing.so")
	if out, err := exec.Command(cc, append(args, "-lpthread", "-o", path)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// failures returns the settings of all failures: each call once and from then on, or few of them in the short form.
func failures(calls int) (list [][]string) {
	once := func(n int) []string { return flags(fmt.Sprint("PROFARC_FAILING=", n)) }
	always := func(n int) []string { return append(once(n), "PROFARC_FAILING_ALWAYS=1") }
	if os.Getenv("PROFARC_MATRIX") != "" {
		for n := 1; n <= calls; n++ {
			list = append(list, once(n), always(n))
		}
		return list
	}
	for n := 1; n <= calls; n = n*2 + 1 { // most of what differs happens at the start
		list = append(list, once(n), always(n+1))
	}
	return list
}

// Whichever call of the agent fails, once or from then on, the program runs as without the agent, and adopts what it
// can. PROFARC_MATRIX lets each call fail.
func TestCallsOfTheAgentFail(t *testing.T) {
	t.Parallel()
	library := failingAgent(t)
	testjvm.Each(t, func(t *testing.T, home string) {
		failEach(t, newRig(t, home, ""), &cell{program: "Unload", options: ",policy=order,budget=100"}, library)
	})
}

// failEach runs a program once for each failure.
func failEach(t *testing.T, r *rig, c *cell, library string) {
	t.Helper()
	want := r.run(t, c, nil)
	if want.failure != "" {
		t.Fatal(want.failure)
	}
	counted := filepath.Join(t.TempDir(), "calls")
	agent := flags("-agentpath:" + library + "=archive=" + option(r.archive(t, c, 0)) + c.options)
	c.env = flags("PROFARC_FAILING_CALLS=" + counted)
	judgeFailing(t, c, want, r.run(t, c, agent))
	text, err := os.ReadFile(counted)
	if err != nil {
		t.Fatal(err)
	}
	calls, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || calls < 20 {
		t.Fatalf("%d calls: %v", calls, err)
	}
	all := failures(calls)
	for _, c.env = range all {
		judgeFailing(t, c, want, r.run(t, c, agent))
	}
	t.Logf("%d calls, %d runs", calls, len(all))
}

// judgeFailing holds a run with the agent against one without it. The agent may say one line.
func judgeFailing(t *testing.T, c *cell, want, got result) {
	t.Helper()
	said, errs := splitLines(got.errs)
	if got.failure != "" || got.out != want.out || errs != want.errs || len(said) > 1 {
		t.Errorf("%v: %s\nwrote %q, without the agent %q\nstderr: %q", c.env, got.failure, got.out, want.out, got.errs)
	}
}
