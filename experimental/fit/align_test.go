package fit

import (
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/methodcode"
)

// sketchOf returns what a point tests, in numbers of a test.
func sketchOf(what, operands uint16) disk.SketchPoint {
	return disk.SketchPoint{What: what, Operands: operands}
}

// What an edit brings may be as like an old point as that is itself: here an
// else with a condition of its own, after a loop's condition and the first one.
// Where nothing is known of what the points test, nothing is said of them.
func TestUnchangedStartStays(t *testing.T) {
	t.Parallel()
	old := []methodcode.Point{
		{Bci: 6, Kind: methodcode.Branch, Targets: []int32{3}, Sketch: sketchOf(9, 1)},
		{Bci: 12, Kind: methodcode.Branch, Targets: []int32{2}, Sketch: sketchOf(1, 2)},
		{Bci: 21, Kind: methodcode.Jump, Targets: []int32{0}},
	}
	edited := []methodcode.Point{
		{Bci: 6, Kind: methodcode.Branch, Targets: []int32{5}, Sketch: sketchOf(9, 1)},
		{Bci: 12, Kind: methodcode.Branch, Targets: []int32{3}, Sketch: sketchOf(1, 2)},
		{Bci: 18, Kind: methodcode.Jump, Targets: []int32{4}},
		{Bci: 25, Kind: methodcode.Branch, Targets: []int32{4}, Sketch: sketchOf(1, 2)},
		{Bci: 34, Kind: methodcode.Jump, Targets: []int32{0}},
	}
	for known, want := range map[bool][]int{true: {0, 1, -1}, false: {-1, -1, -1}} {
		got := alignPoints(newCodeFlow(described(old, known), 26), newCodeFlow(described(edited, known), 39),
			func() error { return nil }).to
		if !slices.Equal(got, want) {
			t.Errorf("bytecodes known: %t: points went to %d, want %d", known, got, want)
		}
	}
}

// described returns points with or without what their bytecodes say.
func described(points []methodcode.Point, known bool) []methodcode.Point {
	points = slices.Clone(points)
	for i := range points {
		if !known {
			points[i].Sketch = disk.SketchPoint{}
		}
	}
	return points
}
