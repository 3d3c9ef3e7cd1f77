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

	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/reader"
)

// What the cache of the VM (JEP 515) trained stays as the VM recorded it, cell for cell, and is no count of the run in
// a dump.
func TestCachedProfilesAreKept(t *testing.T) {
	t.Parallel()
	home := testjvm.Second()
	testjvm.Need(t, home)
	dir := t.TempDir()
	classes, jar := testjvm.Compile(t, home, "testdata/Adopted.java"), filepath.Join(dir, "app.jar")
	configuration, cache := filepath.Join(dir, "app.config"), filepath.Join(dir, "app.aot")
	tool(t, home, "jar", "--create", "--file", jar, "-C", classes, ".")

	j := testjvm.Start(t, home, "-XX:AOTMode=record", "-XX:AOTConfiguration="+configuration, "-cp", jar, "Adopted",
		"train", "20000")
	j.Await("ready")
	trained := dump(t, j)
	j.End()
	tool(t, home, "java", "-XX:AOTMode=create", "-XX:AOTConfiguration="+configuration, "-XX:AOTCache="+cache, "-cp", jar)

	reportFile := filepath.Join(dir, "report.json")
	j = testjvm.Start(t, home, agentFlag(t, trained, ",report="+reportFile), "-XX:AOTCache="+cache, "-cp", jar,
		"Adopted", "load")
	j.Await("ready")
	v := adopted("none")
	v.invocations = func(reader.Profile) uint64 { return 0 } // those of the interpreter are not in the cache
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
	if r := readReport(t, reportFile); r.count("methods_kept_of_cache") < 9 || r.count("methods_adopted_over_cache") != 0 {
		t.Errorf("%d profiles of the cache were kept, %d replaced", r.count("methods_kept_of_cache"),
			r.count("methods_adopted_over_cache"))
	}
}

// Profiles of an archive get into a cache that is recorded by a run which executes none of their methods, and from the
// cache into a VM.
func TestArchiveReachesACache(t *testing.T) {
	t.Parallel()
	home := testjvm.Second()
	testjvm.Need(t, home)
	dir := t.TempDir()
	classes, jar := testjvm.Compile(t, home, "testdata/Adopted.java"), filepath.Join(dir, "app.jar")
	configuration, cache := filepath.Join(dir, "app.config"), filepath.Join(dir, "app.aot")
	tool(t, home, "jar", "--create", "--file", jar, "-C", classes, ".")
	trained := train(t, home, classes, 20000)

	j := testjvm.Start(t, home, "-XX:AOTMode=record", "-XX:AOTConfiguration="+configuration,
		agentFlag(t, trained, ",flags=keep,record"), "-cp", jar, "Adopted", "load")
	j.Await("ready")
	await(t, "compiled code of all methods", func() bool {
		list := tool(t, home, "jcmd", fmt.Sprint(j.PID()), "Compiler.codelist")
		return strings.Count(list, " Adopted$Work.") >= 9
	})
	j.End()
	tool(t, home, "java", "-XX:AOTMode=create", "-XX:AOTConfiguration="+configuration, "-XX:AOTCache="+cache, "-cp", jar)

	reportFile := filepath.Join(dir, "report.json")
	j = testjvm.Start(t, home, agentFlag(t, trained, ",report="+reportFile), "-XX:AOTCache="+cache, "-cp", jar,
		"Adopted", "load")
	j.Await("ready")
	want := archived("Adopted$Line").profiles(t, open(t, trained), "Adopted$Work")
	cached := func() map[string][]string {
		return adopted("Adopted$Line").profiles(t, open(t, dumpAll(t, j)), "Adopted$Work")
	}
	await(t, "the methods of loaded classes", func() bool { return len(cached()) == len(want) })
	if diff := cmp.Diff(want, cached()); diff != "" {
		t.Errorf("the cache has not what was archived:\n%s", diff)
	}
	j.End()
	if r := readReport(t, reportFile); r.count("methods_kept_of_cache") < 9 {
		t.Errorf("%d profiles are the cache's, the others were adopted", r.count("methods_kept_of_cache"))
	}
}

// notCounts matches the numbers of an entry as text that are no counts, and the words.
var notCounts = regexp.MustCompile(`(?m)^\d+ tag \d+|flags \d+|\[-?\d+\]|traps \[[\d ]*\]`)

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
