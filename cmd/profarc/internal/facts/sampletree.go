package facts

import (
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A sampleTree is what was sampled of one leaf, by its calling contexts: a node adds a caller
// to its parent, and a stack is the way from the leaf to a node.
type sampleTree struct {
	leaf   layout.Ref
	nodes  []sampleNode // parents before their children; the first is the leaf itself
	at     map[layout.Ref]int32
	onPath map[layout.Ref]int // callers on the way to the node that is visited
}

// A sampleNode has the samples of a context and, after sum, of all that begin with it.
type sampleNode struct {
	caller       layout.Ref
	parent       int32
	child, other int32 // the last child, and the child of the parent before this one; 0 for none
	stacks       int
	samples      uint64
}

// addContexts adds the samples of an archive of domain sampled.
func (t *SampleTally) addContexts(s *reader.Store) error {
	tree := &sampleTree{}
	err := stacks.Leaves(s, func(l stacks.Leaf) error {
		if l.Method.Ref() != tree.leaf {
			t.addTree(tree)
			tree = newSampleTree(l.Method.Ref())
		}
		n, err := tree.node(s, l.Context)
		if err != nil {
			return err
		}
		of := &tree.nodes[n]
		of.stacks, of.samples = of.stacks+l.Stacks, disk.SaturatingAdd(of.samples, l.Count)
		return nil
	})
	t.addTree(tree)
	return err
}

func newSampleTree(leaf layout.Ref) *sampleTree {
	return &sampleTree{leaf: leaf, nodes: make([]sampleNode, 1), at: map[layout.Ref]int32{}, onPath: map[layout.Ref]int{}}
}

// node returns the number of the node of a context. It adds those on the way to it that there are not yet.
func (k *sampleTree) node(s *reader.Store, c reader.Context) (int32, error) {
	var missing []reader.Context
	parent := int32(0)
	for c.Ref() != 0 {
		n, ok := k.at[c.Ref()]
		if parent = n; ok {
			break
		}
		missing = append(missing, c)
		if c.Inner() == 0 {
			break
		}
		var err error
		if c, err = s.ContextAt(c.Inner()); err != nil {
			return 0, err
		}
	}
	for i := len(missing) - 1; i >= 0; i-- {
		f, err := missing[i].Caller()
		if err != nil {
			return 0, err
		}
		n := int32(len(k.nodes))
		k.nodes = append(k.nodes, sampleNode{caller: f.Caller.Ref(), parent: parent, other: k.nodes[parent].child})
		k.nodes[parent].child, k.at[missing[i].Ref()] = n, n
		parent = n
	}
	return parent, nil
}

// addTree adds the samples of a leaf to it and to the methods that were on the stack.
func (t *SampleTally) addTree(k *sampleTree) {
	if len(k.nodes) == 0 {
		return
	}
	k.sum()
	all, leaf := k.nodes[0], t.method(k.leaf)
	t.Stacks, t.Samples = t.Stacks+all.stacks, disk.SaturatingAdd(t.Samples, all.samples)
	leaf.Self, leaf.Total = disk.SaturatingAdd(leaf.Self, all.samples), disk.SaturatingAdd(leaf.Total, all.samples)
	k.onPath[k.leaf]++
	k.visit(func(n *sampleNode) {
		if k.onPath[n.caller]++; k.onPath[n.caller] == 1 { // not a recursive call
			of := t.method(n.caller)
			of.Total = disk.SaturatingAdd(of.Total, n.samples)
		}
	}, func(n *sampleNode) { k.onPath[n.caller]-- })
}

// sum adds what each node has to its parent.
func (k *sampleTree) sum() {
	for i := len(k.nodes) - 1; i > 0; i-- {
		n := k.nodes[i]
		to := &k.nodes[n.parent]
		to.stacks, to.samples = to.stacks+n.stacks, disk.SaturatingAdd(to.samples, n.samples)
	}
}

// visit calls enter with each node before its children, but for the first, and leave after
// them. A call for each caller would need as much stack as the deepest sample.
func (k *sampleTree) visit(enter, leave func(*sampleNode)) {
	for n := k.nodes[0].child; n != 0; {
		enter(&k.nodes[n])
		if child := k.nodes[n].child; child != 0 {
			n = child
			continue
		}
		for n != 0 {
			leave(&k.nodes[n])
			if other := k.nodes[n].other; other != 0 {
				n = other
				break
			}
			n = k.nodes[n].parent
		}
	}
}
