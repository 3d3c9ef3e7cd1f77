package ledger

import (
	"math"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
)

// Totals has the total of the counts of each unit. Sums saturate at 2^64-1. A nil map cannot be added to.
type Totals map[Unit]uint64

// Add adds a count. A count of the empty unit is ignored.
func (t Totals) Add(u Unit, n uint64) {
	if u != "" && n > 0 {
		t[u] = disk.SaturatingAdd(t[u], n)
	}
}

// AddAll adds other totals.
func (t Totals) AddAll(other map[Unit]uint64) {
	for u, n := range other {
		t.Add(u, n)
	}
}

// SortedUnits returns the units with a total, in the order of Units and then by name.
func SortedUnits[N any](t map[Unit]N) []Unit {
	units := make([]Unit, 0, len(t))
	for u := range t {
		units = append(units, u)
	}
	slices.SortFunc(units, compareUnits)
	return units
}

func compareUnits(x, y Unit) int {
	rank := func(u Unit) int {
		if i := slices.Index(Units, u); i >= 0 {
			return i
		}
		return len(Units)
	}
	if c := rank(x) - rank(y); c != 0 {
		return c
	}
	return strings.Compare(x, y)
}

// beyond reports whether a total has saturated, so that nothing can be subtracted from it.
func beyond(n uint64) bool { return n == math.MaxUint64 }
