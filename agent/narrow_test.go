package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// A wideRig has the archives of two runs of Wide with other types each.
type wideRig struct {
	home, classes string
	flags         []string
	trained       []*reader.Store
}

func newWideRig(t *testing.T, home string, flags ...string) *wideRig {
	r := &wideRig{home: home, classes: testjvm.Compile(t, home, "testdata/Wide.java"), flags: flags}
	for _, letters := range []string{"aaab", "cccccddb"} {
		j := startJVM(t, home, append(flags, "-cp", r.classes, "Wide", "train", letters)...)
		j.Await("ready")
		r.trained = append(r.trained, open(t, dump(t, j)))
		j.End()
	}
	return r
}

// merged writes the sum of the runs, and with as many rows as a VM has if rows is not
// negative: then by the merge, which the agent is compared with.
func (r *wideRig) merged(t *testing.T, rows int) string {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for _, s := range r.trained {
		if err := merge.Into(t.Context(), b, s, merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := merging.CountWidened(t.Context(), b.Internal()); err != nil || n < 4 {
		t.Fatalf("%d entries are wide, %v", n, err)
	}
	if rows >= 0 {
		if _, err := merge.NarrowRows(t.Context(), b, rows); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "merged.parc")
	if _, err := b.Commit(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

// load runs Wide with an archive and so many rows, and returns its profiles and report.
func (r *wideRig) load(t *testing.T, archive string, rows int) (string, report) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	flags := append([]string{agentFlag(t, archive, ",drift,report="+file), fmt.Sprint("-XX:TypeProfileWidth=", rows)},
		r.flags...)
	j := startJVM(t, r.home, append(flags, "-cp", r.classes, "Wide", "load")...)
	j.Await("ready")
	live := dumpAll(t, j)
	if _, errs := j.End(); errs != "" {
		t.Errorf("stderr: %s", errs)
	}
	return live, readReport(t, file)
}

// withoutDisplacements leaves out what depends on the sizes of the entries between, and
// is the VM's own.
func withoutDisplacements(profiles map[string][]string) map[string][]string {
	for _, lines := range profiles {
		for i, line := range lines {
			lines[i] = regexp.MustCompile(` \[-?\d+\]`).ReplaceAllString(line, "")
		}
	}
	return profiles
}

// A VM adopts what a merge made wide, and what another VM recorded with other rows, as a
// merge for its rows has it.
func TestAdoptionNarrows(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.EachInLongForm(t, func(t *testing.T, home string) {
		for _, flags := range [][]string{nil, {"-XX:+UnlockDiagnosticVMOptions", "-XX:TypeProfileLevel=222"}} {
			r := newWideRig(t, home, flags...)
			for _, rows := range []int{2, 0, 1, 4} {
				live, report := r.load(t, r.merged(t, -1), rows)
				want := withoutDisplacements(archived("none").profiles(t, open(t, r.merged(t, rows)), "Wide$Work"))
				got := withoutDisplacements(adopted("none").profiles(t, open(t, live), "Wide$Work"))
				if diff := cmp.Diff(want, got); diff != "" || len(want) != 5 {
					t.Errorf("%d rows %v: %d methods; the VM has not what a merge for it has:\n%s", rows, flags, len(want), diff)
				}
				if n := report.count("methods_refused_other_layout"); n != 0 {
					t.Errorf("%d rows %v: %d methods were refused", rows, flags, n)
				}
			}
		}
	})
}

// TestFewAdoptingMethodsAreReported checks the line at the exit and the report of an archive of an older program, and
// that a lower limit, or none, leaves the line out.
func TestFewAdoptingMethodsAreReported(t *testing.T) {
	t.Parallel()
	home := testjvm.First()
	testjvm.Need(t, home)
	classes, file := testjvm.Compile(t, home, "testdata/Adopted.java"), filepath.Join(t.TempDir(), "report.json")
	trained := train(t, home, classes, 2000)
	source, err := os.ReadFile("testdata/Adopted.java")
	if err != nil {
		t.Fatal(err)
	}
	edited := filepath.Join(t.TempDir(), "Adopted.java")
	text := strings.Replace(string(source), "i % 3 == 0", "i % 3 == 1", 1)
	if err := os.WriteFile(edited, []byte(text), 0o600); err != nil || text == string(source) {
		t.Fatal("no edit", err)
	}
	changed := testjvm.Compile(t, home, edited)
	for warn, says := range map[string]bool{"warn=100,": true, "warn=0,": false, "warn=100,quiet,": false} {
		j := startJVM(t, home, agentFlag(t, trained, ","+warn+"report="+file), "-cp", changed, "Adopted", "load")
		j.Await("ready")
		_, errs := j.End()
		line := regexp.MustCompile(
			`^profarc: only \d+ of \d+ methods \(\d+%\) adopted; .*\d+ have other bytecodes.*train anew\n$`)
		if says != line.MatchString(errs) || !says && errs != "" {
			t.Errorf("%s stderr: %q", warn, errs)
		}
	}
	refused := fmt.Sprint(readReport(t, file)["refused"])
	if !strings.Contains(refused, "method:Adopted$Work::") || !strings.Contains(refused, "reason:other_code") {
		t.Errorf("the report names %s", refused)
	}
}

// Where no compiler uses profiles, one line says so.
func TestVMsThatUseNoProfiles(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	home := testjvm.First()
	testjvm.Need(t, home)
	classes := testjvm.Compile(t, home, "testdata/Adopted.java")
	flag := agentFlag(t, train(t, home, classes, 2000), "")
	for mode, why := range map[string]string{"-Xint": "compiles nothing", "-XX:TieredStopAtLevel=1": "C1 alone",
		"-XX:TieredStopAtLevel=3": "leaves out C2", "-XX:-TieredCompilation": ""} {
		t.Run(mode, func(t *testing.T) {
			j := startJVM(t, home, flag, mode, "-cp", classes, "Adopted", "load")
			j.Await("ready")
			if _, errs := j.End(); why == "" && errs != "" || !strings.Contains(errs, why) || strings.Count(errs, "\n") > 1 {
				t.Errorf("%s: stderr is %q", mode, errs)
			}
		})
	}
}
