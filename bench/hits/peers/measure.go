// Package peers measures how long key-value stores take to find the profile of a method by its
// key and to read a counter of it: LMDB and a small reader of CDB's format, with the keys and
// values that the archive has.
package peers

import (
	"fmt"
	"runtime/debug"

	"github.com/profarc/profarc/bench/ratios"
)

// Measure builds all stores of n methods in a directory, and adds the tables of hits and
// misses to the report.
func Measure(dir string, n, rounds int, r *ratios.Report) error {
	f, err := newField(dir, n)
	if err != nil {
		return err
	}
	defer f.close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector must not run beside a turn
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
