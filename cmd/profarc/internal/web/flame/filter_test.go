package flame

import (
	"slices"
	"testing"
)

// A filtered tree counts the stacks that pass the filter.
func TestFilteredTreesHaveTheStacksThatPass(t *testing.T) {
	t.Parallel()
	is := func(wanted ...uint32) func(uint32) bool {
		return func(f uint32) bool { return slices.Contains(wanted, f) }
	}
	for seed := range uint64(20) {
		tree, all, counts := grown(seed, 200, 1000)
		for name, filter := range map[string][2]func(uint32) bool{
			"focus": {is(2), nil}, "ignore": {nil, is(2)}, "both": {is(1, 4), is(3)}, "the same": {is(1), is(1)},
			"nothing": {nil, nil}, "none": {is(9), nil}, "all": {is(1, 2, 3, 4), is(9)},
		} {
			passing := New()
			left := uint64(0)
			for i, stack := range all {
				if (filter[0] == nil || slices.ContainsFunc(stack, filter[0])) &&
					(filter[1] == nil || !slices.ContainsFunc(stack, filter[1])) {
					passing.Add(stack, counts[i])
					left += counts[i]
				}
			}
			passing.Sum()
			kept := tree.Filtered(filter[0], filter[1])
			if got := kept.Nodes[Root].Total; got != left {
				t.Errorf("seed %d, %s: %d counts are left, want %d", seed, name, got, left)
			}
			if got, want := kept.Frames(Root), passing.Frames(Root); !slices.Equal(got, want) {
				t.Errorf("seed %d, %s: %v, want %v", seed, name, got, want)
			}
			checkSame(t, kept, Root, passing, Root)
			for i, n := range kept.Nodes {
				if of := tree.Nodes[i]; n.Frame != of.Frame || n.Parent != of.Parent || n.Depth != of.Depth || n.Total > of.Total {
					t.Errorf("seed %d, %s: node %d is %+v, was %+v", seed, name, i, n, of)
				}
			}
			checkLayout(t, kept, Root, Limit{Boxes: 40, Depth: 100})
		}
		if tree.Nodes[Root].Total != tree.Filtered(nil, nil).Nodes[Root].Total {
			t.Errorf("seed %d: the tree itself was changed", seed)
		}
	}
}

// checkSame checks that two nodes have the same counts, and below them the same frames.
func checkSame(t *testing.T, a *Tree, atA int, b *Tree, atB int) {
	t.Helper()
	na, nb := &a.Nodes[atA], &b.Nodes[atB]
	if na.Frame != nb.Frame || na.Self != nb.Self || na.Total != nb.Total || len(na.Children) != len(nb.Children) {
		t.Fatalf("%+v, want %+v", na, nb)
	}
	for _, child := range na.Children {
		at := slices.IndexFunc(nb.Children, func(c int) bool { return b.Nodes[c].Frame == a.Nodes[child].Frame })
		if at < 0 {
			t.Fatalf("a frame %d below %+v", a.Nodes[child].Frame, nb)
		}
		checkSame(t, a, child, b, nb.Children[at])
	}
}
