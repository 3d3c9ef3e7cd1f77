package agent_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// TestAdoptsBesideAgents: beside an agent for Java code and beside a debugger nine of ten methods adopt that adopt
// without them, and the program writes the same. Methods of the JDK that ran before this agent could begin have a
// MethodData by then: an agent for Java code makes the VM run more of them.
func TestAdoptsBesideAgents(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	agentFlag(t, "none", "") // it skips the test where the agent can't be built
	testjvm.EachInLongForm(t, func(t *testing.T, home string) {
		r := newRig(t, home, home)
		instrument := "-javaagent:" + r.javaAgent(t)
		alone := r.adopted(t)
		for _, f := range [][]string{{instrument}, {debugger}, {instrument, debugger}} {
			if got := r.adopted(t, f...); 10*got < 9*alone {
				t.Errorf("%v: %d methods adopt or had a profile before, %d alone", f, got, alone)
			}
		}
	})
}

// adopted runs Mixed with its archive and further flags. It returns how many methods adopted or had a profile before.
func (r *rig) adopted(t *testing.T, flags ...string) int {
	t.Helper()
	c := &cell{program: "Mixed", flags: flags}
	path := filepath.Join(t.TempDir(), "report.json")
	agent := agentFlag(t, option(r.archive(t, c, 0)), ",report="+option(path))
	want, got := r.run(t, c, nil), r.run(t, c, strings.Fields(agent))
	if got.failure != "" || got.out != want.out {
		t.Errorf("%v: %s, wrote %q, without the agent %q", flags, got.failure, got.out, want.out)
	}
	report := readReport(t, path)
	return report.count("methods_adopted") + report.count("methods_refused_already_profiled")
}
