package agent_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/reader"
)

// What the cache of the VM (JEP 515) trained stays as the VM recorded it, cell for cell, and is no count of the run in
// a dump.
func TestCachedProfilesAreKept(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	r := newRecording(t)

	j := r.start(t, []string{"-XX:AOTMode=record", "-XX:AOTConfiguration=" + r.configuration}, "train", "20000")
	trained := dump(t, j)
	j.End()
	r.create(t)

	reportFile := filepath.Join(t.TempDir(), "report.json")
	j = r.start(t, []string{agentFlag(t, trained, ",report="+reportFile), "-XX:AOTCache=" + r.cache}, "load")
	v := adopted("none")
	v.invocations = func(reader.Profile) uint64 { return 0 } // the cache has no counts of the interpreter
	want := v.profiles(t, open(t, trained), "Adopted$Work")
	kept := func() map[string][]string { return v.profiles(t, open(t, dumpAll(t, j)), "Adopted$Work") }
	await(t, "the methods of loaded classes", func() bool { return len(kept()) == len(want) })
	if diff := cmp.Diff(want, kept()); diff != "" || len(want) != 9 {
		t.Errorf("%d methods; the VM has not what its cache has:\n%s", len(want), diff)
	}
	for method, cells := range adopted("none").profiles(t, open(t, dump(t, j)), "Adopted$Work") {
		if text := notCounts.ReplaceAllString(strings.Join(cells, "\n"), ""); strings.ContainsAny(text, "123456789") {
			t.Errorf("the program did not run %s, and a dump has counts of it:\n%s", method, strings.Join(cells, "\n"))
		}
	}
	j.End()
	if got := readReport(t, reportFile); got.count("methods_kept_of_cache") < 9 ||
		got.count("methods_adopted_over_cache") != 0 {
		t.Errorf("%d profiles of the cache were kept, %d replaced", got.count("methods_kept_of_cache"),
			got.count("methods_adopted_over_cache"))
	}
}

// Profiles of an archive get into a cache that is recorded by a run which executes none of their methods, and from the
// cache into a VM.
func TestArchiveReachesACache(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	r := newRecording(t)
	trained := train(t, r.home, r.classes, 20000)

	j := r.start(t, []string{"-XX:AOTMode=record", "-XX:AOTConfiguration=" + r.configuration,
		agentFlag(t, trained, ",flags=keep,record")}, "load")
	await(t, "compiled code of all methods", func() bool {
		list := tool(t, r.home, "jcmd", fmt.Sprint(j.PID()), "Compiler.codelist")
		return strings.Count(list, " Adopted$Work.") >= 9
	})
	j.End()
	r.create(t)

	reportFile := filepath.Join(t.TempDir(), "report.json")
	j = r.start(t, []string{agentFlag(t, trained, ",report="+reportFile), "-XX:AOTCache=" + r.cache}, "load")
	want := archived("Adopted$Line").profiles(t, open(t, trained), "Adopted$Work")
	cached := func() map[string][]string {
		return adopted("Adopted$Line").profiles(t, open(t, dumpAll(t, j)), "Adopted$Work")
	}
	await(t, "the methods of loaded classes", func() bool { return len(cached()) == len(want) })
	if diff := cmp.Diff(want, cached()); diff != "" {
		t.Errorf("the cache has not what was archived:\n%s", diff)
	}
	j.End()
	if got := readReport(t, reportFile); got.count("methods_kept_of_cache") < 9 {
		t.Errorf("%d profiles are the cache's, the others were adopted", got.count("methods_kept_of_cache"))
	}
}

// notCounts matches the numbers of an entry as text that are no counts, and the words.
var notCounts = regexp.MustCompile(`(?m)^\d+ tag \d+|flags \d+|\[-?\d+\]|traps \[[\d ]*\]`)

// A recording makes a cache of the VM of the program Adopted.
type recording struct{ home, classes, jar, configuration, cache string }

func newRecording(t *testing.T) recording {
	t.Helper()
	home := testjvm.Second()
	testjvm.Need(t, home)
	path, classes := filepath.Join(t.TempDir(), "app"), testjvm.Compile(t, home, "testdata/Adopted.java")
	return recording{home, classes, jarOf(t, home, classes), path + ".config", path + ".aot"}
}

// start starts the program, and waits until it is ready.
func (r recording) start(t *testing.T, flags []string, args ...string) *runningJVM {
	t.Helper()
	j := startJVM(t, r.home, append(append(flags, "-cp", r.jar, "Adopted"), args...)...)
	j.Await("ready")
	return j
}

// create makes the cache of what was recorded.
func (r recording) create(t *testing.T) {
	t.Helper()
	tool(t, r.home, "java", "-XX:AOTMode=create", "-XX:AOTConfiguration="+r.configuration, "-XX:AOTCache="+r.cache,
		"-cp", r.jar)
}

// jarOf packs classes: a cache takes none of a folder.
func jarOf(t *testing.T, home, classes string) string {
	t.Helper()
	jar := filepath.Join(t.TempDir(), "app.jar")
	tool(t, home, "jar", "--create", "--file", jar, "-C", classes, ".")
	return jar
}

// tool runs a program of a JDK, and returns what it prints.
func tool(t *testing.T, home, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(home, "bin", name), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}
