// Package peers measures lookups of profiles and counters in key-value stores with the same data as an archive. The
// stores are LMDB and a small reader of CDB's format.
package peers

import (
	"fmt"
	"runtime/debug"

	"github.com/profarc/profarc/bench/ratios"
)

// Measure builds stores of n methods in dir, and adds tables of hits and misses to the report.
func Measure(dir string, n, rounds int, r *ratios.Report) error {
	f, err := newField(dir, n)
	if err != nil {
		return err
	}
	defer f.close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the garbage collector must not run during a turn
	for _, missing := range []bool{false, true} {
		t, err := f.measure(rounds, missing)
		if err != nil {
			return err
		}
		fmt.Print(t.Text())
		r.Add(t)
	}
	return nil
}
