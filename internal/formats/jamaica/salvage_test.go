package jamaica

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
)

// Salvage leaves out lines that are damaged or cut, and names them.
func TestDamagedLinesAreSalvaged(t *testing.T) {
	const text = "PROFILE: 1 (16%)            A.m()V\nPROFILE: x (1%) B.n()V\nPROFILE: 5 (83%)            C.o()V\nPROFILE_THREADS: 1"
	b, report, err := Read(strings.NewReader(text), ReadOptions{Name: "dir/a.prof", Salvage: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := report.Totals[ledger.Bytecodes]; n != 6 {
		t.Errorf("%d bytecodes, want 6", n)
	}
	if _, _, err := b.Bytes(); err != nil {
		t.Error(err)
	}
	want := codec.Losses{{What: LossDamaged, Count: 2, Line: 2, First: []string{
		`a.prof:2: not what a JamaicaVM writes here: expected a number of bytecodes, found "1%) B.n()V"`,
		"a.prof:4: the text is cut off: copy the file again, or remove its last line"}}}
	if diff := cmp.Diff(want, report.Lost); diff != "" {
		t.Errorf("other losses (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(report.Salvaged, "line 2: not what") {
		t.Errorf("salvaged: %q", report.Salvaged)
	}
}
