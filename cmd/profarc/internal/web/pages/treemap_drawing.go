package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/internal/system/lists"
)

// A treemap shows groups and their parts as areas in proportion to their values.
type treemap struct {
	Label string
	Class string // width of the window, "wide" or "narrow"
	W, H  float64
	Tiles []tile

	of     uint64              // total of all values
	amount func(uint64) string // formats a value
	all    link                // link to all groups
}

// A tile is a rectangle of a treemap. Its CSS class is a heat, or marks a frame around other tiles or a tile for
// invisibly small ones.
type tile struct {
	box
	Class string
	Link  link       // its text is for screen readers
	Label *nameLabel // nil if the tile is too small
}

// A branch is a group of a treemap, or a part of a group.
type branch struct {
	link  link // link with its name
	value uint64
	parts []branch
	of    int // number of its parts
	rest  int // number of branches that it stands for, or 0

	isMethod bool
	method   int32 // index in the tally, for a method
}

// Limits of a treemap, for groups, for parts of all groups together, and for the least area of a part. The remaining
// groups share one tile, and so do the remaining parts of a group. Reports have fewer parts.
const (
	mostGroups    = 28
	mostParts     = 240
	partsInReport = 45
	leastArea     = 30
)

// Sizes of labels in SVG units. A narrower tile has no label.
const (
	labelHeight   = 17
	narrowestName = 32
)

// newTreemaps returns treemaps of groups for wide and narrow windows, with about parts parts. t has their other fields.
func newTreemaps(t treemap, groups []branch, parts int) []*treemap {
	wide, narrow := t, t
	wide.Class, wide.W, wide.H = "wide", 1100, 560
	narrow.Class, narrow.W, narrow.H = "narrow", 360, 420
	wide.addGroups(groups, parts)
	narrow.addGroups(groups, parts/2)
	return []*treemap{&wide, &narrow}
}

func (t *treemap) addGroups(groups []branch, parts int) {
	shown := foldBranches(groups, t.all, mostGroups, func(branch) bool { return true })
	fewest := cutoffOf(shown, parts, float64(t.of)*leastArea/(t.W*t.H))
	boxes := divideBox(box{0, 0, t.W, t.H}, shown)
	for i, g := range shown {
		t.addGroup(boxes[i], g, fewest)
	}
}

// cutoffOf returns the least value of a displayed part, which limits their number.
func cutoffOf(groups []branch, parts int, least float64) uint64 {
	var values []uint64
	for _, g := range groups {
		for _, p := range g.parts {
			values = append(values, p.value)
		}
	}
	slices.SortFunc(values, func(a, b uint64) int { return cmp.Compare(b, a) })
	if len(values) > parts {
		least = max(least, float64(values[parts])+1)
	}
	return uint64(least)
}

// foldBranches returns at most most branches, the heaviest first, and one branch for the rest. keep selects the
// branches that may be shown. all is the link of the rest.
func foldBranches(list []branch, all link, most int, keep func(branch) bool) []branch {
	var shown []branch
	var rest branch
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b branch) int { return cmp.Compare(b.value, a.value) })
	for _, b := range list {
		if b.rest == 0 && len(shown) < most && keep(b) {
			shown = append(shown, b)
			continue
		}
		rest.rest, rest.value = rest.rest+max(b.rest, 1), schema.AddCounts(rest.value, b.value)
	}
	if rest.value == 0 {
		return shown
	}
	rest.link = all
	rest.link.Text = fmt.Sprintf("%s more", cli.Grouped(uint64(rest.rest)))
	return append(shown, rest)
}

// divideBox divides a box among branches. A branch that stands for several comes last, whatever its value.
func divideBox(in box, list []branch) (boxes []box) {
	var values []float64
	sum := 0.0
	for _, b := range list {
		values = append(values, float64(b.value))
		sum += float64(b.value)
	}
	n := len(list) - 1
	if n < 1 || list[n].rest == 0 {
		return squarify(in, values)
	}
	first, last := cutStrip(in, []float64{(1 - values[n]/sum) * in.areaOf()}, false)
	return append(squarify(first[0], values[:n]), last)
}

func (t *treemap) addGroup(b box, g branch, least uint64) {
	inner := b.insetBox(1.5, labelHeight)
	if len(g.parts) == 0 || inner.W < labelHeight || inner.H < labelHeight {
		t.addTile(b, g, "")
		return
	}
	t.addTile(b, g, "frame")
	parts := foldBranches(g.parts, g.link, len(g.parts), func(p branch) bool { return p.value >= least })
	for i, place := range divideBox(inner, parts) {
		t.addTile(place, parts[i], "")
	}
}

// addTile adds the tile of a branch, unless it is invisibly small. Without a class it gets its heat.
func (t *treemap) addTile(b box, g branch, class string) {
	if b.W < 0.5 || b.H < 0.5 {
		return
	}
	share := cli.Share(g.value, t.of)
	shown := tile{box: b, Class: cmp.Or(class, heatClass(share)), Link: g.link}
	if g.rest > 0 {
		shown.Class = "more"
	}
	name := shortenLine(escape.Printable(g.link.Text))
	if label := labelOf(name); b.H >= labelHeight && b.W >= narrowestName {
		shown.Label = &label
	}
	shown.Link.Text = fmt.Sprintf("%s: %s, %s", name, t.amount(g.value), percentText(share))
	t.Tiles = append(t.Tiles, shown)
}

const mostTitle = 300

// A nameLabel is a name in a box. Browsers shorten Head first, which has its packages, and then Tail.
type nameLabel struct{ Head, Tail string }

// labelOf divides a name before its last part. The last part of a closure's name begins with the function that the
// closure is in. A receiver loses its parentheses.
func labelOf(name string) nameLabel {
	name = receiver().ReplaceAllString(name, "$1")
	name = string([]rune(name[:min(len(name), 4*mostTitle)]))
	end := strings.IndexAny(name+"(", "([<")
	at := strings.LastIndexAny(name[:end], "./:")
	for at > 0 && closure().MatchString(name[at+1:]) {
		at = strings.LastIndexAny(name[:at], "./:")
	}
	return nameLabel{name[:at+1], name[at+1:]}
}

// receiver matches a pointer receiver of Go.
var receiver = lazyregexp.New(`\(\*([^()]+)\)`)

// closure matches the names that Go appends to a function for its closures.
var closure = lazyregexp.New(`^(func|gowrap|deferwrap)?[0-9]`)

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
	areas := lists.Map(order, func(at int) float64 { return weights[at] / total * in.areaOf() })
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
