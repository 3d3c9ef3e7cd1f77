// Package flame adds up stacks in a tree and lays the tree out as nested rectangles, for flame graphs and icicle
// graphs.
//
// Stacks come from untrusted archives. A tree has at most MaxNodes nodes and MaxDepth levels, whatever is added. A
// layout has at most as many boxes as its caller allows.
package flame

import (
	"cmp"
	"math"
	"slices"
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
	t.Nodes[at].Self = saturatingAdd(t.Nodes[at].Self, n)
	if !whole {
		t.Cut = saturatingAdd(t.Cut, n)
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
		n.Total = saturatingAdd(n.Total, n.Self)
		if n.Parent >= 0 {
			t.Nodes[n.Parent].Total = saturatingAdd(t.Nodes[n.Parent].Total, n.Total)
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
		c.Self = saturatingAdd(c.Self, n.Self)
		if open[n.Frame] == 0 {
			c.Total = saturatingAdd(c.Total, n.Total)
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
		sum = saturatingAdd(sum, t.Matched(k, matches))
	}
	return sum
}

func saturatingAdd(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint64
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
	p.Cut = saturatingAdd(p.Cut, t.Cut)
	scale := shareUnits / max(float64(t.Nodes[Root].Total), 1)
	in := make([]int, len(t.Nodes)) // node of the pair by node of t; parents come first
	for i, n := range t.Nodes {
		if i != Root && n.Total > 0 {
			if at, ok := p.childOf(in[n.Parent], renamed(side, n.Frame)); !ok {
				in[i] = in[n.Parent]
			} else {
				in[i] = at
				p.Sides = append(p.Sides, make([][2]uint64, len(p.Nodes)-len(p.Sides))...)
				p.Sides[at][side] = saturatingAdd(p.Sides[at][side], n.Total)
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
