package agent_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// A release that the agent was not run with adopts nothing, and one line says so. Those in between are tried on
// request.
func TestReleases(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	home := testjvm.First()
	testjvm.Need(t, home)
	classes := testjvm.Compile(t, home, "testdata/Adopted.java")
	archive, other := train(t, home, classes, 2000), sharedObject(t, home, "release")
	for _, c := range []struct {
		release, options, refusal string
	}{
		{"17", "", ""},
		{"16", ",untried", "the agent knows HotSpot of JDK 17 to 25"},
		{"21", "", "the option untried has it try this one"},
		{"21", ",untried", ""},
		{"26", ",untried", "the agent knows HotSpot of JDK 17 to 25"},
	} {
		reportFile := filepath.Join(t.TempDir(), "report.json")
		j := startJVM(t, home, "-agentpath:"+other+"="+c.release,
			agentFlag(t, archive, c.options+",report="+reportFile), "-cp", classes, "Adopted", "load")
		j.Await("ready")
		_, errs := j.End()
		if c.refusal != "" {
			if strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.refusal) {
				t.Errorf("JDK %s%s: %q, want a line with %q", c.release, c.options, errs, c.refusal)
			}
		} else if n := readReport(t, reportFile).count("methods_adopted"); errs != "" || n < 9 {
			t.Errorf("JDK %s%s: %d methods adopted; %s", c.release, c.options, n, errs)
		}
	}
}
