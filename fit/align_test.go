package fit

import (
	"slices"
	"testing"
)

// What an edit brings may be as like an old point as that is itself: here an
// else with a condition of its own, behind a loop's condition and the first one.
func TestUnchangedStartStays(t *testing.T) {
	ifne, irem, load := uint64(1), uint64(2), uint64(3)
	old := []Point{
		{Bci: 6, Kind: Branch, Targets: []int32{3}, What: 9, Around: []uint64{4, 5, 6, 7}},
		{Bci: 12, Kind: Branch, Targets: []int32{2}, What: ifne, Around: []uint64{load, irem, 8, 8}},
		{Bci: 21, Kind: Jump, Targets: []int32{0}, What: 10, Around: []uint64{8, 8, 11, 12}},
	}
	edited := []Point{
		{Bci: 6, Kind: Branch, Targets: []int32{5}, What: 9, Around: []uint64{4, 5, 6, 7}},
		{Bci: 12, Kind: Branch, Targets: []int32{3}, What: ifne, Around: []uint64{load, irem, 8, 10}},
		{Bci: 18, Kind: Jump, Targets: []int32{4}, What: 10, Around: []uint64{irem, 8, load, irem}},
		{Bci: 25, Kind: Branch, Targets: []int32{4}, What: ifne, Around: []uint64{load, irem, 8, 8}},
		{Bci: 34, Kind: Jump, Targets: []int32{0}, What: 10, Around: []uint64{8, 8, 11, 12}},
	}
	for _, known := range []bool{true, false} {
		a, b := newSide(described(old, known), 26), newSide(described(edited, known), 39)
		if got, want := align(a, b).to, []int{0, 1, 4}; !slices.Equal(got, want) {
			t.Errorf("bytecodes known: %t: points went to %d, want %d", known, got, want)
		}
		if n := unchanged(&a, &b); n != 2 {
			t.Errorf("bytecodes known: %t: %d points are unchanged, want 2", known, n)
		}
	}
}

// described are points with or without what their bytecodes say.
func described(points []Point, known bool) []Point {
	points = slices.Clone(points)
	for i := range points {
		if !known {
			points[i].What, points[i].Around = 0, nil
		}
	}
	return points
}
