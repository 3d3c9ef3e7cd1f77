package flame

import (
	"slices"
	"testing"
)

// stacksOf returns the stacks of a tree with their counts, as a list of frames and then the count.
func stacksOf(t *Tree) (list [][]uint32) {
	for i, n := range t.Nodes {
		if n.Self > 0 {
			var stack []uint32
			for _, at := range t.Path(i)[1:] {
				stack = append(stack, t.Nodes[at].Frame)
			}
			list = append(list, append(stack, uint32(n.Self)))
		}
	}
	slices.SortFunc(list, slices.Compare)
	return list
}

func sampleOfRecursion() *Tree {
	t := New()
	t.Add([]uint32{1, 2, 3}, 5)
	t.Add([]uint32{1, 2, 3, 2, 4}, 7)
	t.Add([]uint32{1, 4}, 11)
	t.Add([]uint32{5, 2}, 13)
	t.Sum()
	return t
}

func TestAroundHasCallersAndCallees(t *testing.T) {
	t.Parallel()
	callers, callees := sampleOfRecursion().Around(2)
	if got, want := stacksOf(callers), [][]uint32{{2, 1, 12}, {2, 5, 13}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("callers %v, want %v", got, want)
	}
	want := [][]uint32{{2, 3, 2, 4, 7}, {2, 3, 5}, {2, 13}}
	if got := stacksOf(callees); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("callees %v, want %v", got, want)
	}
	if callers.Nodes[1].Total != 25 || callees.Nodes[1].Total != 25 {
		t.Errorf("totals %d and %d", callers.Nodes[1].Total, callees.Nodes[1].Total)
	}
	if none, _ := sampleOfRecursion().Around(9); len(none.Nodes) != 1 {
		t.Errorf("an unknown frame has %v", stacksOf(none))
	}
}

func TestFoldedFramesCountForTheirCallers(t *testing.T) {
	t.Parallel()
	folded := sampleOfRecursion().Folded(func(frame uint32) bool { return frame == 2 || frame == 4 })
	want := [][]uint32{{2, 2, 4, 7}, {2, 18}, {4, 11}}
	if got := stacksOf(folded); !slices.EqualFunc(got, want, slices.Equal) || folded.Nodes[Root].Total != 36 {
		t.Errorf("folded to %v of %d, want %v", got, folded.Nodes[Root].Total, want)
	}
}
