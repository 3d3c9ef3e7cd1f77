package ledger

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Totals has the total of the counts of each unit, modulo 2^64, so that differences are exact whatever the order of
// sums. Nil totals stay nil.
type Totals map[Unit]uint64

// Add adds a count. A count of the empty unit is ignored.
func (t Totals) Add(u Unit, n uint64) {
	if t != nil && u != "" && n > 0 {
		t[u] += n
	}
}

// AddAll adds other totals.
func (t Totals) AddAll(other map[Unit]uint64) {
	for u, n := range other {
		t.Add(u, n)
	}
}

// Magnitude returns the absolute value of a total or an amount. Type counts can be below 0, since failing checks count
// down.
func Magnitude(u Unit, n uint64) (size uint64, negative bool) {
	if u == TypeCounts && n > math.MaxInt64 {
		return -n, true
	}
	return n, false
}

// SortedUnits returns the units with a total, in the order of Units and then by name.
func SortedUnits[N any](t map[Unit]N) []Unit {
	return slices.SortedFunc(maps.Keys(t), compareUnits)
}

func compareUnits(x, y Unit) int {
	rank := func(u Unit) uint { return uint(slices.Index(Units, u)) } // the highest number for other units
	return cmp.Or(cmp.Compare(rank(x), rank(y)), strings.Compare(x, y))
}

// shownLines is the number of lost things that an account names.
const shownLines = 3

// FirstLines returns the first distinct lines of two texts, in alphabetical order, so that the order of merges does not
// matter.
func FirstLines(x, y string) string {
	lines := slices.DeleteFunc(strings.Split(x+"\n"+y, "\n"), func(line string) bool { return line == "" })
	slices.Sort(lines)
	lines = slices.Compact(lines)
	return strings.Join(lines[:min(len(lines), shownLines)], "\n")
}
