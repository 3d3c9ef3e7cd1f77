// Package flame adds up stacks in a tree and lays the tree out as nested rectangles, for flame graphs and icicle
// graphs.
//
// Stacks come from untrusted archives. A tree has at most MaxNodes nodes and MaxDepth levels, whatever is added. A
// layout has at most as many boxes as its caller allows.
package flame

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/names/schema"
)

// Limits of a tree. A stack that exceeds them is counted for the last frame within them.
const (
	MaxNodes = 1 << 20
	MaxDepth = 512
)

// Root is the common ancestor of all stacks.
const Root = 0

// A Node is a frame with the callers on its path to the root.
type Node struct {
	Frame    uint32 // the caller's number of the frame; 0 for the root
	Parent   int    // -1 for the root
	Depth    int    // 0 for the root
	Self     uint64 // count of stacks that end here
	Total    uint64 // count of stacks that pass through here
	Children []int  // sorted by total, the highest first, after Sum
}

// A Tree is the sum of stacks. Nodes are numbered in the order of their first stacks, so equal input gives equal
// numbers.
type Tree struct {
	Nodes []Node
	Cut   uint64 // count of truncated stacks

	limit int
	known map[child]int
}

type child struct {
	parent int
	frame  uint32
}

// New returns an empty tree.
func New() *Tree { return newLimitedTree(MaxNodes) }

func newLimitedTree(limit int) *Tree {
	return &Tree{Nodes: []Node{{Parent: -1}}, limit: limit, known: map[child]int{}}
}

// Add adds a stack with a count of n, its outermost frame first. Frames must not be 0.
func (t *Tree) Add(stack []uint32, n uint64) {
	at, whole := Root, true
	for _, frame := range stack {
		next, ok := t.childOf(at, frame)
		if !ok {
			whole = false
			break
		}
		at = next
	}
	t.Nodes[at].Self = schema.AddCounts(t.Nodes[at].Self, n)
	if !whole {
		t.Cut = schema.AddCounts(t.Cut, n)
	}
}

// childOf returns the child with a frame, and makes it if necessary. ok is false if a limit is reached.
func (t *Tree) childOf(at int, frame uint32) (next int, ok bool) {
	key := child{at, frame}
	next, ok = t.known[key]
	if ok {
		return next, true
	}
	depth := t.Nodes[at].Depth + 1
	if len(t.Nodes) >= t.limit || depth > MaxDepth {
		return 0, false
	}
	next = len(t.Nodes)
	t.known[key] = next
	t.Nodes = append(t.Nodes, Node{Frame: frame, Parent: at, Depth: depth})
	t.Nodes[at].Children = append(t.Nodes[at].Children, next)
	return next, true
}

// Sum computes the totals and removes nodes without counts. Call it once, after all stacks were added.
func (t *Tree) Sum() {
	t.known = nil
	for i := range slices.Backward(t.Nodes) {
		n := &t.Nodes[i]
		n.Total = schema.AddCounts(n.Total, n.Self)
		if n.Parent >= 0 {
			t.Nodes[n.Parent].Total = schema.AddCounts(t.Nodes[n.Parent].Total, n.Total)
		}
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.Children = slices.DeleteFunc(n.Children, func(c int) bool { return t.Nodes[c].Total == 0 })
		slices.SortFunc(n.Children, func(a, b int) int {
			return cmp.Or(cmp.Compare(t.Nodes[b].Total, t.Nodes[a].Total), cmp.Compare(a, b))
		})
	}
}

// Path returns the nodes from the root to a node, both included.
func (t *Tree) Path(at int) (path []int) {
	for ; at >= 0; at = t.Nodes[at].Parent {
		path = append(path, at)
	}
	slices.Reverse(path)
	return path
}

// A Count is the counts of a frame in a subtree.
type Count struct {
	Frame uint32
	Self  uint64 // count of stacks that end in the frame
	Total uint64 // count of stacks with the frame; recursive calls count once
}

// Frames returns the frames in the subtree of a node, sorted by Self, the highest first.
func (t *Tree) Frames(at int) []Count {
	counts := map[uint32]*Count{}
	open := map[uint32]int{} // number of occurrences on the path to the current node
	var walk func(int)
	walk = func(i int) {
		n := &t.Nodes[i]
		c := counts[n.Frame]
		if c == nil {
			c = &Count{Frame: n.Frame}
			counts[n.Frame] = c
		}
		c.Self = schema.AddCounts(c.Self, n.Self)
		if open[n.Frame] == 0 {
			c.Total = schema.AddCounts(c.Total, n.Total)
		}
		open[n.Frame]++
		for _, k := range n.Children {
			walk(k)
		}
		open[n.Frame]--
	}
	walk(at)
	delete(counts, t.Nodes[Root].Frame)
	list := make([]Count, 0, len(counts))
	for _, c := range counts {
		if c.Total > 0 {
			list = append(list, *c)
		}
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Frame, b.Frame))
	})
	return list
}

// Matched returns the count of the stacks in a subtree that contain a matching frame.
func (t *Tree) Matched(at int, matches func(frame uint32) bool) (sum uint64) {
	n := &t.Nodes[at]
	if at != Root && matches(n.Frame) {
		return n.Total
	}
	for _, k := range n.Children {
		sum = schema.AddCounts(sum, t.Matched(k, matches))
	}
	return sum
}

// Filtered returns the tree of the stacks that contain a frame in focus and none that is ignored. Nodes keep their
// numbers, and nodes without such stacks have no counts. A nil focus accepts all stacks, and a nil ignored excludes
// none.
func (t *Tree) Filtered(focus, ignored func(frame uint32) bool) *Tree {
	kept := &Tree{Nodes: make([]Node, len(t.Nodes)), Cut: t.Cut}
	inFocus := make([]bool, len(t.Nodes))
	out := make([]bool, len(t.Nodes))
	for i, n := range t.Nodes { // parents precede their children
		if n.Parent < 0 {
			inFocus[i] = focus == nil
		} else {
			inFocus[i] = inFocus[n.Parent] || focus != nil && focus(n.Frame)
			out[i] = out[n.Parent] || ignored != nil && ignored(n.Frame)
			kept.Nodes[n.Parent].Children = append(kept.Nodes[n.Parent].Children, i)
		}
		n.Total, n.Children = 0, nil
		if !inFocus[i] || out[i] {
			n.Self = 0
		}
		kept.Nodes[i] = n
	}
	kept.Sum()
	return kept
}

// Folded returns the tree without the frames that keep rejects. Their counts go to their callers.
func (t *Tree) Folded(keep func(frame uint32) bool) *Tree {
	folded := New()
	in := make([]int, len(t.Nodes)) // node of folded by node of t; parents come first
	for i, n := range t.Nodes {
		if i != Root {
			in[i] = in[n.Parent]
		}
		if i != Root && keep(n.Frame) {
			if at, ok := folded.childOf(in[i], n.Frame); ok {
				in[i] = at
			}
		}
		self := &folded.Nodes[in[i]].Self
		*self = schema.AddCounts(*self, n.Self)
	}
	folded.Cut = t.Cut
	folded.Sum()
	return folded
}

// Around returns the stacks through a frame in two trees. The first has the callers of its outermost call, from the
// frame outwards, and the second what that calls. The frame is node 1 of both. If no stack has it, both are empty.
func (t *Tree) Around(frame uint32) (callers, callees *Tree) {
	callers, callees = New(), New()
	for i, n := range t.Nodes {
		if n.Self == 0 {
			continue
		}
		var stack []uint32
		for _, at := range t.Path(i)[1:] {
			stack = append(stack, t.Nodes[at].Frame)
		}
		if at := slices.Index(stack, frame); at >= 0 {
			callees.Add(stack[at:], n.Self)
			slices.Reverse(stack[:at+1])
			callers.Add(stack[:at+1], n.Self)
		}
	}
	callers.Sum()
	callees.Sum()
	return callers, callees
}

// A Pair is a tree with the stacks of two archives. The total of a node is the mean of its shares in A and in B, so
// that stacks of only one archive are visible too.
type Pair struct {
	*Tree
	Sides [][2]uint64 // totals in A and in B, by node
}

// shareUnits is the scaled total of each side.
const shareUnits = 1 << 40

// NewPair returns the pair of two summed trees. renamed maps the frames of a side to common frames.
func NewPair(a, b *Tree, renamed func(side int, frame uint32) uint32) *Pair {
	p := &Pair{Tree: New(), Sides: make([][2]uint64, 1)}
	for side, t := range []*Tree{a, b} {
		p.addTree(side, t, renamed)
	}
	p.Sum()
	return p
}

// addTree adds a tree. Counts beyond the limits of a tree go to the last node within them.
func (p *Pair) addTree(side int, t *Tree, renamed func(side int, frame uint32) uint32) {
	p.Sides[Root][side] = t.Nodes[Root].Total
	p.Cut = schema.AddCounts(p.Cut, t.Cut)
	scale := shareUnits / max(float64(t.Nodes[Root].Total), 1)
	in := make([]int, len(t.Nodes)) // node of the pair by node of t; parents come first
	for i, n := range t.Nodes {
		if i != Root && n.Total > 0 {
			if at, ok := p.childOf(in[n.Parent], renamed(side, n.Frame)); !ok {
				in[i] = in[n.Parent]
			} else {
				in[i] = at
				p.Sides = append(p.Sides, make([][2]uint64, len(p.Nodes)-len(p.Sides))...)
				p.Sides[at][side] = schema.AddCounts(p.Sides[at][side], n.Total)
			}
		}
		p.Nodes[in[i]].Self += uint64(float64(n.Self) * scale)
	}
}

// Change returns the change of a node's share from A to B, from -1 to 1.
func (p *Pair) Change(at int) float64 { return p.shareOnSide(at, 1) - p.shareOnSide(at, 0) }

func (p *Pair) shareOnSide(at, side int) float64 {
	return float64(p.Sides[at][side]) / max(float64(p.Sides[Root][side]), 1)
}

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
		b.Total = schema.AddCounts(b.Total, l.tree.Nodes[c].Total)
		b.Width += float64(l.tree.Nodes[c].Total) * scale
	}
	l.boxes = append(l.boxes, b)
}
