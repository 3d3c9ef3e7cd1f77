package agent_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// C2 takes the method of a receiver that a profile names from the receiver's table of
// virtual methods, whatever class it is. So a class that the call can't have is refused:
// in a program that changed, and in none that did not.
func TestReceiversThatACallCannotHave(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.EachInLongForm(t, func(t *testing.T, home string) {
		r := newRig(t, home, "")
		for kind, refused := range map[kind]int{own: 0, stale: 2} {
			c := &cell{program: "Stale", archive: kind}
			file := filepath.Join(t.TempDir(), "report.json")
			if got := r.run(t, c, flags(agentFlag(t, r.archive(t, c, 0), ",report="+file))); got.failure != "" {
				t.Error(got.failure)
			}
			if n := readReport(t, file).count("receivers_refused"); n != refused {
				t.Errorf("%d receivers were refused, want %d", n, refused)
			}
		}
	})
}

// The VM may claim a row for another class while the agent binds it. In no order of their
// loads and stores does the other class get a count of training.
func TestRowsThatTheVMClaims(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	program := filepath.Join(t.TempDir(), "rows")
	if out, err := exec.Command(cc, "-std=c11", "-Wall", "-Werror", "-DPA_API=", "-I.", "-I../c/include", "-o", program,
		"testdata/rows.c", "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
