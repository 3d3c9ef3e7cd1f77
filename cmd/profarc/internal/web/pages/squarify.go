package pages

import (
	"cmp"
	"slices"
)

// A box is a rectangle in SVG units. y grows downwards.
type box struct{ X, Y, W, H float64 }

func (b box) areaOf() float64 { return b.W * b.H }

// insetBox returns the box without a border and without top units at its top.
func (b box) insetBox(border, top float64) box {
	return box{b.X + border, b.Y + top, max(b.W-2*border, 0), max(b.H-top-border, 0)}
}

// squarify divides a box among weights. The resulting boxes have areas in proportion to the weights, do not overlap,
// fill the box, and are as square as the algorithm of Bruls, Huizing and van Wijk makes them. The heaviest are at the
// left and at the top. The result has the order of the weights. Boxes for weights <= 0 are empty.
func squarify(in box, weights []float64) []box {
	boxes := make([]box, len(weights))
	var order []int
	total := 0.0
	for i, w := range weights {
		if w > 0 {
			order = append(order, i)
			total += w
		}
	}
	if total == 0 || in.areaOf() == 0 {
		return boxes
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	areas := make([]float64, len(order))
	for i, at := range order {
		areas[i] = weights[at] / total * in.areaOf()
	}
	for len(order) > 0 {
		n := stripLength(areas, min(in.W, in.H))
		strip, left := cutStrip(in, areas[:n], n == len(areas))
		for i, at := range order[:n] {
			boxes[at] = strip[i]
		}
		in = left
		order = order[n:]
		areas = areas[n:]
	}
	return boxes
}

// stripLength returns the number of areas in the next strip along a side. areas must be descending. Areas are added as
// long as the least square box becomes more square.
func stripLength(areas []float64, side float64) int {
	sum, worst := 0.0, 0.0
	for i, area := range areas {
		sum += area
		if now := worstAspect(areas[0], area, sum, side); i == 0 || now <= worst {
			worst = now
		} else {
			return i
		}
	}
	return len(areas)
}

// worstAspect returns the aspect ratio of the least square box in a strip, from its largest and least areas and their
// sum.
func worstAspect(most, least, sum, side float64) float64 {
	across := sum / side
	return max(most/across/across, across*across/least)
}

// cutStrip cuts boxes off the left of a wide box or the top of a high one, and returns the rest. The last strip takes
// everything, so that rounding leaves no gap.
func cutStrip(in box, areas []float64, last bool) (strip []box, left box) {
	sum := 0.0
	for _, area := range areas {
		sum += area
	}
	if in.W < in.H { // along the top, with x and y exchanged
		strip, left = cutStrip(box{in.Y, in.X, in.H, in.W}, areas, last)
		for i, b := range strip {
			strip[i] = box{b.Y, b.X, b.H, b.W}
		}
		return strip, box{left.Y, left.X, left.H, left.W}
	}
	across := min(sum/in.H, in.W)
	if last {
		across = in.W
	}
	y := in.Y
	for i, area := range areas {
		h := area / sum * in.H
		if i == len(areas)-1 {
			h = in.Y + in.H - y
		}
		strip = append(strip, box{in.X, y, across, max(h, 0)})
		y += h
	}
	return strip, box{in.X + across, in.Y, max(in.W-across, 0), in.H}
}
