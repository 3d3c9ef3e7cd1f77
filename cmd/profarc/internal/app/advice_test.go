package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli/formatadvice"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/training"
	"github.com/profarc/profarc/merge"
)

// TestLossesNameFlags: the command says which flag keeps what a format has lost.
func TestLossesNameFlags(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	formatadvice.PrintLosses(&b, codec.Losses{{What: llvm.LossBitmaps, Count: 2}, {What: llvm.LossTextVTables, Count: 1},
		{What: llvm.LossContext, Count: 1}, {What: hotspot.LossContents, Count: 1}})
	lines := strings.Split(b.String(), "\n")
	for i, flag := range []string{": see --profdata-version", ": see --keep-vtable-symbols", "no place for them",
		"profarc dump of the running process"} {
		if !strings.HasSuffix(lines[i], flag) {
			t.Errorf("%q does not end with %q", lines[i], flag)
		}
	}
}

// Errors of HotSpot's tools name the fault, and the command says what to do.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{hotspot.ErrNoMethodData, "-XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData"},
		{live.ErrStructure, "wait until it has started"},
		{live.ErrNoTables, "wait until it has started"},
		{live.ErrNotHotSpot, "wait until it has started"},
		{live.ErrNotHotSpot, "as jps shows it"},
		{live.ErrOpenJ9, "run the program on HotSpot"},
		{live.ErrTraced, "(--running)"},
		{live.ErrUnsupported, "import what it prints"},
		{merge.ErrCounted, "--run"},
		{iprof.ErrSalvageable, "--salvage"},
		{parse.ErrExpansion, "--max-expansion"},
		{text.ErrOrder, "--unordered"},
		{training.ErrUnsupported, "import what it prints"},
		{training.ErrPermission, "--cap-add=SYS_PTRACE"},
	} {
		if got := Message(fmt.Errorf("app: %w", test.err)); !strings.HasPrefix(got, "app: "+test.err.Error()+": ") ||
			!strings.Contains(got, test.want) {
			t.Errorf("%q does not say %q", got, test.want)
		}
	}
}
