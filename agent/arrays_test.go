package agent_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// Arrays that the program has made get the rows that training gave them.
func TestArraysAreBound(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Arrays.java")
		run := func(args ...string) string {
			j := startJVM(t, home, args...)
			j.Await("ready")
			archive := dumpAll(t, j)
			if _, errs := j.End(); errs != "" {
				t.Errorf("stderr: %s", errs)
			}
			return archive
		}
		trained := run("-cp", classes, "Arrays", "train")
		reportFile := filepath.Join(t.TempDir(), "report.json")
		live := run(agentFlag(t, trained, ",report="+reportFile), "-cp", classes, "Arrays", "load")
		want := archived("none").profiles(t, open(t, trained), "Arrays$Work")
		if diff := cmp.Diff(want, adopted("none").profiles(t, open(t, live), "Arrays$Work")); diff != "" || len(want) != 4 {
			t.Errorf("%d methods; the VM has not what was archived:\n%s", len(want), diff)
		}
		if text := strings.Join(want["kind(Ljava/lang/Object;)I"], "\n"); !strings.Contains(text, "[[LArrays$Cell;") {
			t.Errorf("training saw no arrays:\n%s", text)
		}
		if n := readReport(t, reportFile).count("receivers_gone"); n != 0 {
			t.Errorf("%d receivers are gone", n)
		}
	})
}
