package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats/hotspot"
	"github.com/profarc/profarc/formats/hotspot/live"
	"github.com/profarc/profarc/formats/hotspot/replay"
	"github.com/profarc/profarc/internal/training"
)

// Errors of HotSpot's tools say what is wrong, and the command says what to do.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{hotspot.ErrNoMethodData, "-XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData"},
		{replay.ErrClass, "--class-path"},
		{live.ErrStructure, "wait until it has started"},
		{live.ErrNoTables, "wait until it has started"},
		{live.ErrNotHotSpot, "wait until it has started"},
		{live.ErrNotHotSpot, "as jps shows it"},
		{live.ErrOpenJ9, "run the program on HotSpot"},
		{live.ErrTraced, "(--running)"},
		{live.ErrUnsupported, "import what it prints"},
		{training.ErrUnsupported, "import what it prints"},
		{training.ErrPermission, "--cap-add=SYS_PTRACE"},
	} {
		if got := Message(fmt.Errorf("app: %w", test.err)); !strings.HasPrefix(got, "app: "+test.err.Error()+": ") || !strings.Contains(got, test.want) {
			t.Errorf("%q does not say %q", got, test.want)
		}
	}
}
