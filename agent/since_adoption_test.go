package agent_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

// The report says which methods behave otherwise than in training, and only those.
func TestDrift(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Adopted.java")
		archive := train(t, home, classes, 20000)
		drift := func(mode string) map[string]any {
			file := filepath.Join(t.TempDir(), "report.json")
			// C1 with profiling is the last tier, so that all is counted.
			startJVM(t, home, agentFlag(t, archive, ",drift,report="+file), "-XX:TieredStopAtLevel=3", "-cp", classes,
				"Adopted", mode, "20000").End()
			return readReport(t, file)["drift"].(map[string]any)
		}
		same, other := drift("train"), drift("differ")
		if same["methods_compared"].(float64) < 9 || same["branches_compared"].(float64) < 3 || ofWork(same) != "" {
			t.Errorf("a run as in training: %v", same)
		}
		if got := ofWork(other); got != "Adopted$Work::branch(I)I" {
			t.Errorf("a run that takes a branch the other way differs in %q: %v", got, other)
		}
	})
}

// ofWork returns the methods of the class Work that a drift lists.
func ofWork(drift map[string]any) string {
	var names []string
	for _, m := range drift["methods"].([]any) {
		if name := m.(map[string]any)["method"].(string); strings.HasPrefix(name, "Adopted$Work") {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
