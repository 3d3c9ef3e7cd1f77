package flame

import (
	"cmp"
	"slices"
)

// A Limit bounds a layout.
type Limit struct {
	Boxes int     // minimum 2
	Depth int     // levels below the first node
	Width float64 // minimum width of a box as a share of the whole; narrower ones are merged
}

// A Box is a rectangle. X and Width are shares of the whole from 0 to 1. Depth is 0 for the first node of the layout.
type Box struct {
	Node     int // the node, or the widest of the merged nodes
	X, Width float64
	Depth    int
	Total    uint64
	Merged   int  // number of merged nodes; 0 for a single node
	Closed   bool // the node has hidden children
}

// Layout lays out a subtree. Children are inside their parent, side by side from its left edge, the widest first. The
// rest of the parent's width is its Self count. Wide boxes are opened before narrow ones, so that a limited number of
// boxes covers most of the area. Parents precede their children.
func (t *Tree) Layout(at int, limit Limit) []Box {
	l := &opener{tree: t, limit: limit, boxes: []Box{{Node: at, Width: 1, Total: t.Nodes[at].Total}}}
	l.queueBox(0)
	for len(l.waiting) > 0 {
		widest := slices.MaxFunc(l.waiting, func(a, b int) int { // the first of the widest
			return cmp.Or(cmp.Compare(l.boxes[a].Width, l.boxes[b].Width), cmp.Compare(b, a))
		})
		l.waiting = slices.DeleteFunc(l.waiting, func(box int) bool { return box == widest })
		l.openBox(widest)
	}
	return l.boxes
}

type opener struct {
	tree    *Tree
	limit   Limit
	boxes   []Box
	waiting []int // boxes that may be opened, at most the limit
}

func (l *opener) queueBox(box int) {
	b := &l.boxes[box]
	if len(l.tree.Nodes[b.Node].Children) == 0 {
		return
	}
	b.Closed = true
	if b.Depth < l.limit.Depth {
		l.waiting = append(l.waiting, box)
	}
}

// openBox adds the children of a box, unless that would exceed the limit.
func (l *opener) openBox(box int) {
	room := l.limit.Boxes - len(l.boxes)
	if room < 1 {
		return
	}
	parent := l.boxes[box]
	l.boxes[box].Closed = false
	children := l.tree.Nodes[parent.Node].Children
	scale := parent.Width / l.widthOfNode(parent.Node)
	x := parent.X
	for i, c := range children {
		n := &l.tree.Nodes[c]
		width := float64(n.Total) * scale
		last := len(children) - i
		if last > 1 && (width < l.limit.Width || room == 1) {
			l.mergeNodes(children[i:], x, parent.Depth+1, scale)
			return
		}
		l.boxes = append(l.boxes, Box{Node: c, X: x, Width: width, Depth: parent.Depth + 1, Total: n.Total})
		l.queueBox(len(l.boxes) - 1)
		x += width
		room--
	}
}

// widthOfNode returns the count for the whole width of a node. The totals of a forged archive can be saturated, so the
// children's sum may exceed the node's total.
func (l *opener) widthOfNode(node int) float64 {
	sum := 0.0
	for _, c := range l.tree.Nodes[node].Children {
		sum += float64(l.tree.Nodes[c].Total)
	}
	return max(sum, float64(l.tree.Nodes[node].Total))
}

func (l *opener) mergeNodes(nodes []int, x float64, depth int, scale float64) {
	b := Box{Node: nodes[0], X: x, Depth: depth, Merged: len(nodes)}
	for _, c := range nodes {
		b.Total = saturatingAdd(b.Total, l.tree.Nodes[c].Total)
		b.Width += float64(l.tree.Nodes[c].Total) * scale
	}
	l.boxes = append(l.boxes, b)
}
