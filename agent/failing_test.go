package agent_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// failingCalls are the calls of the system that testdata/failing.c lets fail.
var failingCalls = []string{
	"malloc", "calloc", "realloc", "mmap", "mprotect", "fstat", "pread", "fopen", "open", "pthread_create"}

// failingAgent builds the agent with testdata/failing.c and failing_vm.c.
func failingAgent(t *testing.T) string {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	args := []string{"-std=c11", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-DPA_API=", "-I../c/include", "-I.",
		"-DAgent_OnLoad=agent_on_load", "testdata/failing.c", "testdata/failing_vm.c"}
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

// everyLater lets all calls after the one that fails fail, too.
const everyLater = "PROFARC_FAILING_ALWAYS=1"

// failures returns the settings of failures, each once and from then on: few of them, some more with
// PROFARC_EXHAUSTIVE, or with PROFARC_MATRIX the first hundred calls and ever fewer of the later ones, which repeat.
func failures(calls int) (list [][]string) {
	next := func(n int) int { return 30 * n }
	if longForm() {
		next = func(n int) int { return 10 * n }
	}
	if os.Getenv("PROFARC_MATRIX") != "" {
		next = func(n int) int { return n + 1 + n/100 }
	}
	for n := 1; n <= calls; n = next(n) {
		once := flags(fmt.Sprint("PROFARC_FAILING=", n))
		list = append(list, once, append(slices.Clone(once), everyLater))
	}
	return list
}

// Whichever call of the agent fails, of the system or of the VM, once or from then on, the program runs as without the
// agent, and adopts what it can. PROFARC_MATRIX lets more calls fail.
func TestCallsOfTheAgentFail(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	library := failingAgent(t)
	testjvm.Each(t, func(t *testing.T, home string) {
		r := newRig(t, home, "")
		c := &cell{program: "Unload", args: fewer(), options: ",policy=order,budget=100"}
		want := r.run(t, c, nil)
		if want.failure != "" {
			t.Fatal(want.failure)
		}
		agent := flags("-agentpath:" + library + "=archive=" + option(r.archive(t, c, 0)) + c.options)
		for name, kind := range map[string][]string{"system": nil, "vm": flags("PROFARC_FAILING_VM=1")} {
			t.Run(name, func(t *testing.T) {
				failEach(t, kind, func(env []string) {
					c.env = env
					judgeFailing(t, env, want, r.run(t, c, agent))
				})
			})
		}
	})
}

// fewer is the argument of Unload in the short form: a quarter of the loaders that come and go.
func fewer() []string {
	if longForm() {
		return nil
	}
	return []string{"250"}
}

// failEach has a program run without a failure, which counts the calls, and once for each failure.
func failEach(t *testing.T, kind []string, run func(env []string)) {
	t.Helper()
	counted := filepath.Join(t.TempDir(), "calls")
	run(append(flags("PROFARC_FAILING_CALLS="+counted), kind...))
	text, err := os.ReadFile(counted)
	if err != nil {
		t.Fatal(err)
	}
	calls, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || calls < 20 {
		t.Fatalf("%d calls: %v", calls, err)
	}
	all := failures(calls)
	for _, failure := range all {
		run(append(failure, kind...))
	}
	t.Logf("%d calls, %d runs", calls, len(all))
}

// judgeFailing holds a run with the agent against one without it. The agent may say a line for each part that does not
// work: one where one call fails, and adoption and the watch for flags where all do from then on.
func judgeFailing(t *testing.T, env []string, want, got result) {
	t.Helper()
	most := 1
	if slices.Contains(env, everyLater) {
		most = 2
	}
	said, errs := splitLines(got.errs)
	if got.failure != "" || got.out != want.out || errs != want.errs || len(said) > most {
		t.Errorf("%v: %s\nwrote %q, without the agent %q\nstderr: %q", env, got.failure, got.out, want.out, got.errs)
	}
}
