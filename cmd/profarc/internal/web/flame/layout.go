package flame

import (
	"cmp"
	"container/heap"
)

// A Limit bounds a layout.
type Limit struct {
	Boxes int     // at least 2
	Depth int     // levels below the first node
	Width float64 // of a box, as a share of the whole: narrower ones are merged
}

// A Box is a rectangle. X and Width are shares of the whole, from 0 to 1; Depth is 0 for the node
// at which the layout begins.
type Box struct {
	Node     int // the widest one of those that are merged
	X, Width float64
	Depth    int
	Total    uint64
	Merged   int  // how many nodes the box stands for, 0 for one that is shown itself
	Closed   bool // the node has children, which are not shown
}

// Layout lays out a node and the nodes below it. Children lie within their parent, side by side
// from its left edge, the widest first; what remains of the parent is its own. Wide boxes are
// opened before narrow ones, so that few boxes show most. Parents come before their children.
func (t *Tree) Layout(at int, limit Limit) []Box {
	l := &opener{tree: t, limit: limit, boxes: []Box{{Node: at, Width: 1, Total: t.Nodes[at].Total}}}
	l.wait(0)
	for l.waiting.Len() > 0 {
		l.open(heap.Pop(&l.waiting).(waitingBox).box)
	}
	return l.boxes
}

// An opener opens boxes.
type opener struct {
	tree    *Tree
	limit   Limit
	boxes   []Box
	waiting waitingBoxes
}

// wait notes that a box has children to be shown.
func (l *opener) wait(box int) {
	b := &l.boxes[box]
	if len(l.tree.Nodes[b.Node].Children) == 0 {
		return
	}
	if b.Closed = true; b.Depth < l.limit.Depth {
		heap.Push(&l.waiting, waitingBox{box, b.Width})
	}
}

// open adds the children of a box, unless there are too many boxes.
func (l *opener) open(box int) {
	room := l.limit.Boxes - len(l.boxes)
	if room < 1 {
		return
	}
	parent := l.boxes[box]
	l.boxes[box].Closed = false
	children := l.tree.Nodes[parent.Node].Children
	scale := parent.Width / l.whole(parent.Node)
	x := parent.X
	for i, c := range children {
		n := &l.tree.Nodes[c]
		width := float64(n.Total) * scale
		last := len(children) - i
		if last > 1 && (width < l.limit.Width || room == 1) {
			l.merge(children[i:], x, parent.Depth+1, scale)
			return
		}
		l.boxes = append(l.boxes, Box{Node: c, X: x, Width: width, Depth: parent.Depth + 1, Total: n.Total})
		l.wait(len(l.boxes) - 1)
		x += width
		room--
	}
}

// whole returns what the width of a node stands for. The totals of a forged archive may have
// come to the highest number there is, so that the children's are more.
func (l *opener) whole(node int) float64 {
	sum := 0.0
	for _, c := range l.tree.Nodes[node].Children {
		sum += float64(l.tree.Nodes[c].Total)
	}
	return max(sum, float64(l.tree.Nodes[node].Total))
}

// merge adds one box for several nodes.
func (l *opener) merge(nodes []int, x float64, depth int, scale float64) {
	b := Box{Node: nodes[0], X: x, Depth: depth, Merged: len(nodes)}
	for _, c := range nodes {
		b.Total = add(b.Total, l.tree.Nodes[c].Total)
		b.Width += float64(l.tree.Nodes[c].Total) * scale
	}
	l.boxes = append(l.boxes, b)
}

// A waitingBox is a box that may be opened.
type waitingBox struct {
	box   int
	width float64
}

// waitingBoxes is a heap with the widest box first, of several that are as wide the first one.
type waitingBoxes []waitingBox

func (w waitingBoxes) Len() int { return len(w) }
func (w waitingBoxes) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(w[j].width, w[i].width), cmp.Compare(w[i].box, w[j].box)) < 0
}
func (w waitingBoxes) Swap(i, j int) { w[i], w[j] = w[j], w[i] }

// Push adds a box.
func (w *waitingBoxes) Push(b any) { *w = append(*w, b.(waitingBox)) }

// Pop removes the last box.
func (w *waitingBoxes) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}
