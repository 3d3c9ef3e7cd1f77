package pages

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// closeTo allows for the rounding of some hundred additions.
func closeTo(a, b, scale float64) bool { return math.Abs(a-b) <= 1e-6*max(scale, 1) }

func TestSquarifiedBoxesFillTheirParent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := box{rapid.Float64Range(-100, 100).Draw(t, "x"), rapid.Float64Range(-100, 100).Draw(t, "y"),
			rapid.Float64Range(0.1, 2000).Draw(t, "w"), rapid.Float64Range(0.1, 2000).Draw(t, "h")}
		weights := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, 1e18), rapid.Just(0.0)), 0,
			60).Draw(t, "weights")
		total := 0.0
		for _, w := range weights {
			total += w
		}
		boxes := squarify(in, weights)
		if len(boxes) != len(weights) {
			t.Fatalf("%d boxes for %d weights", len(boxes), len(weights))
		}
		sum := 0.0
		for i, b := range boxes {
			sum += b.areaOf()
			if weights[i] > 0 && !closeTo(b.areaOf(), weights[i]/total*in.areaOf(), in.areaOf()) {
				t.Fatalf("box %d has area %v, its weight is %v of %v", i, b.areaOf(), weights[i], total)
			}
			if b.W < 0 || b.H < 0 || b.areaOf() > 0 && !inside(b, in) {
				t.Fatalf("box %d %v is not inside %v", i, b, in)
			}
			for k, other := range boxes[:i] {
				if overlap(b, other) > 1e-6*in.areaOf() {
					t.Fatalf("boxes %d %v and %d %v overlap", k, other, i, b)
				}
			}
		}
		if total > 0 && !closeTo(sum, in.areaOf(), in.areaOf()) {
			t.Fatalf("the boxes fill %v of %v", sum, in.areaOf())
		}
	})
}

func inside(b, in box) bool {
	const slack = 1e-6
	return b.X >= in.X-slack && b.Y >= in.Y-slack && b.X+b.W <= in.X+in.W+slack && b.Y+b.H <= in.Y+in.H+slack
}

func overlap(a, b box) float64 {
	w := min(a.X+a.W, b.X+b.W) - max(a.X, b.X)
	h := min(a.Y+a.H, b.Y+b.H) - max(a.Y, b.Y)
	return max(w, 0) * max(h, 0)
}

// TestSquarifyOfThePaper has the example of the paper that describes the algorithm, whose
// figures show the boxes.
func TestSquarifyOfThePaper(t *testing.T) {
	t.Parallel()
	boxes := squarify(box{0, 0, 6, 4}, []float64{6, 6, 4, 3, 2, 2, 1})
	worst := 0.0
	for _, b := range boxes {
		worst = max(worst, b.W/b.H, b.H/b.W)
	}
	if want := (box{0, 0, 3, 2}); boxes[0] != want {
		t.Errorf("the first box is %v, want %v", boxes[0], want)
	}
	if worst > 25.0/9+1e-9 {
		t.Errorf("a box is %v times longer than wide: %v", worst, boxes)
	}
	same := squarify(box{0, 0, 6, 4}, []float64{1, 2, 2, 3, 4, 6, 6})
	slices.SortFunc(same, func(a, b box) int { return int(1e6 * (b.areaOf() - a.areaOf())) })
	if !closeTo(same[0].areaOf(), 6, 1) || !closeTo(same[6].areaOf(), 1, 1) {
		t.Errorf("in another order the boxes are %v", same)
	}
}
