package facts

import (
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type sampleTree struct {
	leaf   layout.Ref
	nodes  []sampleNode // parents precede children; the first is the leaf itself
	at     map[layout.Ref]int32
	leaves map[int32][]stacks.LeafPoint // points by node; nil unless lines are tallied
}

type sampleNode struct {
	sampledCall
	point  int32 // point of the call
	parent int32
	stacks int
	sum    uint64
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
		of.stacks, of.sum = of.stacks+l.Stacks, schema.AddCounts(of.sum, t.Unit.Choose(l.Count, l.Time))
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
	k := &sampleTree{leaf: leaf.Ref(), at: map[layout.Ref]int32{}}
	k.nodes = []sampleNode{{sampledCall: sampledCall{caller: k.leaf}}}
	if lines {
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
		parent := k.at[c.Inner()]
		call := sampledCall{f.Caller.Ref(), k.nodes[parent].caller}
		k.nodes = append(k.nodes, sampleNode{sampledCall: call, point: f.Point, parent: parent})
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
	for i := range k.nodes {
		n := &k.nodes[i]
		if i > 0 && n.stacks > 0 {
			t.addCalls(k, n)
		}
		t.addLeafPoints(k, int32(i))
	}
}

// addCalls adds the total of a node to its caller and call, unless these are also on its way to the leaf.
func (t *SampleTally) addCalls(k *sampleTree, n *sampleNode) {
	if n.caller != k.leaf && !k.isOnPath(n.parent, func(m *sampleNode) bool { return m.caller == n.caller }) {
		addTotal(t.methods, n.caller, n.sum)
	}
	if k.leaves == nil {
		return
	}
	if !k.isOnPath(n.parent, func(m *sampleNode) bool { return m.caller == n.caller && m.point == n.point }) {
		addTotal(t.lines, sampledPoint{n.caller, n.point}, n.sum)
	}
	if !k.isOnPath(n.parent, func(m *sampleNode) bool { return m.sampledCall == n.sampledCall }) {
		addTotal(t.calls, n.sampledCall, n.sum)
	}
}

// isOnPath reports whether a call from a node to the leaf is wanted.
func (k *sampleTree) isOnPath(at int32, wanted func(*sampleNode) bool) bool {
	for ; at != 0; at = k.nodes[at].parent {
		if wanted(&k.nodes[at]) {
			return true
		}
	}
	return false
}

func addTotal[K comparable](counts map[K]*StackCounts, key K, sum uint64) {
	of := countsOf(counts, key)
	of.Total = schema.AddCounts(of.Total, sum)
}

func (t *SampleTally) addLeafPoints(k *sampleTree, n int32) {
	for _, p := range k.leaves[n] {
		sum := t.Unit.Choose(p.Count, p.Time)
		of := countsOf(t.lines, sampledPoint{k.leaf, p.Point})
		of.Self = schema.AddCounts(of.Self, sum)
		if !k.isOnPath(n, func(m *sampleNode) bool { return m.caller == k.leaf && m.point == p.Point }) {
			of.Total = schema.AddCounts(of.Total, sum) // otherwise that caller has added it
		}
	}
}

// sumSubtrees adds each node to its parent.
func (k *sampleTree) sumSubtrees() {
	for i := len(k.nodes) - 1; i > 0; i-- {
		n := &k.nodes[i]
		to := &k.nodes[n.parent]
		to.stacks, to.sum = to.stacks+n.stacks, schema.AddCounts(to.sum, n.sum)
	}
}
