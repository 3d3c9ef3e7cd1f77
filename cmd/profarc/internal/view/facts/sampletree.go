package facts

import (
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type sampleTree struct {
	leaf  layout.Ref
	nodes []sampleNode // parents precede children; the first is the leaf itself
	at    map[layout.Ref]int32
	// Number of occurrences on the path to the visited node.
	onPath       map[layout.Ref]int
	pointsOnPath map[sampledPoint]int
	callsOnPath  map[sampledCall]int
	leaves       map[int32][]stacks.LeafPoint // points by node; nil unless lines are tallied
}

type sampleNode struct {
	caller       layout.Ref
	point        int32 // point of the call
	parent       int32
	child, other int32 // first child, and next sibling, after sumSubtrees; 0 for none
	stacks       int
	sum          uint64
}

func (t *SampleTally) addContexts(s *reader.Store) error {
	tree := &sampleTree{}
	err := stacks.Leaves(s, func(l stacks.Leaf) (err error) {
		if l.Method.Ref() != tree.leaf {
			t.addLeafTree(tree)
			tree, err = newSampleTree(l.Method, t.lines != nil)
			if err != nil {
				return err
			}
		}
		n := tree.at[l.Context.Ref()]
		of := &tree.nodes[n]
		sum := t.Unit.Choose(l.Count, l.Time)
		of.stacks, of.sum = of.stacks+l.Stacks, schema.AddCounts(of.sum, sum)
		t.whole += float64(sum)
		if tree.leaves != nil {
			tree.leaves[n] = append(tree.leaves[n], l.Points()...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.addLeafTree(tree)
	return nil
}

func newSampleTree(leaf reader.Method, lines bool) (*sampleTree, error) {
	k := &sampleTree{leaf: leaf.Ref(), nodes: make([]sampleNode, 1), at: map[layout.Ref]int32{},
		onPath: map[layout.Ref]int{}}
	if lines {
		k.pointsOnPath = map[sampledPoint]int{}
		k.callsOnPath = map[sampledCall]int{}
		k.leaves = map[int32][]stacks.LeafPoint{}
	}
	for c, err := range leaf.Contexts() { // parents precede their children
		if err != nil {
			return nil, err
		}
		f, err := c.Caller()
		if err != nil {
			return nil, err
		}
		k.at[c.Ref()] = int32(len(k.nodes))
		k.nodes = append(k.nodes, sampleNode{caller: f.Caller.Ref(), point: f.Point, parent: k.at[c.Inner()]})
	}
	return k, nil
}

func (t *SampleTally) addLeafTree(k *sampleTree) {
	if len(k.nodes) == 0 {
		return
	}
	k.sumSubtrees()
	all := k.nodes[0]
	leaf := countsOf(t.methods, k.leaf)
	t.Stacks, t.Sum = t.Stacks+all.stacks, schema.AddCounts(t.Sum, all.sum)
	leaf.Self, leaf.Total = schema.AddCounts(leaf.Self, all.sum), schema.AddCounts(leaf.Total, all.sum)
	k.onPath[k.leaf]++
	t.addLeafPoints(k, 0)
	k.visitNodes(func(n int32) {
		at := &k.nodes[n]
		addUnlessRecursive(t.methods, k.onPath, at.caller, at.sum)
		if k.leaves == nil {
			return
		}
		addUnlessRecursive(t.lines, k.pointsOnPath, sampledPoint{at.caller, at.point}, at.sum)
		addUnlessRecursive(t.calls, k.callsOnPath, k.callAt(at), at.sum)
		t.addLeafPoints(k, n)
	}, func(n int32) {
		at := &k.nodes[n]
		if k.onPath[at.caller]--; k.leaves != nil {
			k.pointsOnPath[sampledPoint{at.caller, at.point}]--
			k.callsOnPath[k.callAt(at)]--
		}
	})
}

func addUnlessRecursive[K comparable](counts map[K]*StackCounts, onPath map[K]int, key K, sum uint64) {
	if onPath[key]++; onPath[key] == 1 {
		of := countsOf(counts, key)
		of.Total = schema.AddCounts(of.Total, sum)
	}
}

func (k *sampleTree) callAt(n *sampleNode) sampledCall {
	if n.parent == 0 {
		return sampledCall{n.caller, k.leaf}
	}
	return sampledCall{n.caller, k.nodes[n.parent].caller}
}

func (t *SampleTally) addLeafPoints(k *sampleTree, n int32) {
	for _, p := range k.leaves[n] {
		key := sampledPoint{k.leaf, p.Point}
		sum := t.Unit.Choose(p.Count, p.Time)
		of := countsOf(t.lines, key)
		of.Self = schema.AddCounts(of.Self, sum)
		if k.pointsOnPath[key] == 0 { // otherwise a caller at the same point already added it
			of.Total = schema.AddCounts(of.Total, sum)
		}
	}
}

// sumSubtrees adds each node to its parent, and links the nodes with stacks.
func (k *sampleTree) sumSubtrees() {
	for i := len(k.nodes) - 1; i > 0; i-- {
		n := &k.nodes[i]
		to := &k.nodes[n.parent]
		if n.stacks > 0 {
			to.stacks, to.sum = to.stacks+n.stacks, schema.AddCounts(to.sum, n.sum)
			n.other, to.child = to.child, int32(i)
		}
	}
}

// visitNodes calls enter with each node before its children, and leave after them, except for the first node. It does
// not recurse, since samples can be arbitrarily deep.
func (k *sampleTree) visitNodes(enter, leave func(int32)) {
	for n := k.nodes[0].child; n != 0; {
		enter(n)
		if child := k.nodes[n].child; child != 0 {
			n = child
			continue
		}
		for n != 0 {
			leave(n)
			if other := k.nodes[n].other; other != 0 {
				n = other
				break
			}
			n = k.nodes[n].parent
		}
	}
}
