package agent_test

import (
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/jvm/testjvm"
)

// C2 takes the method of a receiver that a profile names from the receiver's table of
// virtual methods, whatever class it is. So a class that the call can't have is refused:
// in a program that changed, and in none that did not.
func TestReceiversThatACallCannotHave(t *testing.T) {
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
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
