// Package wren tests the C facade in Wren, a VM that profarc did not write.
package wren

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestCountsOfWrenAreExact runs scripts in an edited Wren. Each count must equal an audit, also after three
// runs on the archive, and the output must stay the same with advice.
func TestCountsOfWrenAreExact(t *testing.T) {
	t.Parallel()
	full.Only(t, "compiles Wren")
	if os.Getenv("WREN_SOURCE") == "" {
		t.Skip("WREN_SOURCE names no git directory of Wren: clone https://github.com/wren-lang/wren to check the counts")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("Python 3 is missing: install python3 to check the counts in Wren")
	}
	check := exec.CommandContext(t.Context(), python, "-B", "measure.py", "-C", t.TempDir(), "-check", "delta_blue")
	out, err := check.CombinedOutput()
	if err != nil {
		t.Fatalf("measure.py -check: %v\n%s", err, out)
	}
	if reason, skipped := strings.CutPrefix(string(out), "skipped: "); skipped {
		t.Skip(reason)
	}
	if !strings.Contains(string(out), "have exact counts") {
		t.Errorf("measure.py -check printed %q, want that the counts are exact", out)
	}
}
