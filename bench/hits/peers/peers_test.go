package peers

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/bench/ratios"
)

// TestPeersAgree: all stores find all keys and miss all others, which [field.measure]
// checks, and the report names them.
func TestPeersAgree(t *testing.T) {
	dir := t.TempDir()
	r, err := ratios.Open("")
	if err != nil {
		t.Fatal(err)
	}
	if err := Measure(dir, 2000, 1, r); err != nil {
		t.Fatal(err)
	}
	rows := 3
	if err := buildLMDB(filepath.Join(dir, "program")); errors.Is(err, errMissing) {
		t.Logf("without LMDB: %v", err)
		rows--
	}
	if len(r.Tables) != 2 || len(r.Tables[0].Rows) != rows || len(r.Tables[1].Rows) != rows {
		t.Errorf("tables %+v", r.Tables)
	}
}
