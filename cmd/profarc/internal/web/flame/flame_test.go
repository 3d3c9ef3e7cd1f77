package flame

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// grown returns a tree of random stacks, many of which begin in the same way, and the stacks.
func grown(seed uint64, stacks int, highest uint64) (t *Tree, all [][]uint32, counts []uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	t = New()
	for range stacks {
		var stack []uint32
		for range 1 + r.IntN(12) {
			stack = append(stack, 1+uint32(r.IntN(4)))
		}
		n := r.Uint64N(highest)
		all, counts = append(all, stack), append(counts, n)
		t.Add(stack, n)
	}
	t.Sum()
	return t, all, counts
}

func TestTotalsAreThoseOfTheStacks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		tree, all, counts := grown(seed, 200, 1000)
		self, total := map[uint32]uint64{}, map[uint32]uint64{}
		sum := uint64(0)
		for i, stack := range all {
			sum += counts[i]
			self[stack[len(stack)-1]] += counts[i]
			on := map[uint32]bool{}
			for _, f := range stack {
				on[f] = true
			}
			for f := range on {
				total[f] += counts[i]
			}
		}
		if tree.Nodes[Root].Total != sum || tree.Cut != 0 {
			t.Fatalf("seed %d: total %d of %d, cut %d", seed, tree.Nodes[Root].Total, sum, tree.Cut)
		}
		for _, c := range tree.Frames(Root) {
			if c.Self != self[c.Frame] || c.Total != total[c.Frame] {
				t.Errorf("seed %d: %+v, want %d and %d", seed, c, self[c.Frame], total[c.Frame])
			}
			if got := tree.Matched(Root, func(f uint32) bool { return f == c.Frame }); got != c.Total {
				t.Errorf("seed %d: %d are matched of %+v", seed, got, c)
			}
		}
	}
}

// checkLayout checks what holds for every layout.
func checkLayout(t *testing.T, tree *Tree, at int, limit Limit) []Box {
	t.Helper()
	boxes := tree.Layout(at, limit)
	if len(boxes) > limit.Boxes {
		t.Errorf("%d boxes, of at most %d", len(boxes), limit.Boxes)
	}
	shown := map[int]Box{}
	taken := map[int]float64{} // how far the children of a node reach
	nodes := map[int]int{}     // how many of its children are shown or merged
	const little = 1e-9
	for i, b := range boxes {
		if b.Merged == 0 {
			shown[b.Node] = b
		}
		if b.Depth > limit.Depth {
			t.Errorf("box %+v is too deep", b)
		}
		if i == 0 {
			taken[b.Node] = b.X
			continue
		}
		parent, ok := shown[tree.Nodes[b.Node].Parent]
		if !ok || parent.Depth != b.Depth-1 {
			t.Fatalf("box %+v comes before its parent, or lies at another depth", b)
		}
		if math.Abs(taken[parent.Node]-b.X) > little || b.X+b.Width > parent.X+parent.Width+little || b.Width < 0 {
			t.Errorf("box %+v is not in %+v at %g", b, parent, taken[parent.Node])
		}
		taken[parent.Node] = b.X + b.Width
		taken[b.Node] = b.X
		nodes[parent.Node] += max(b.Merged, 1)
	}
	for n, b := range shown {
		children := tree.Nodes[n].Children
		if b.Closed && nodes[n] != 0 || !b.Closed && nodes[n] != len(children) {
			t.Errorf("%+v has %d children, of which %d are shown", b, len(children), nodes[n])
		}
		whole := tree.Nodes[n].Total
		if own := (b.X + b.Width - taken[n]) * float64(whole) / max(b.Width, little); !b.Closed && whole < 1<<40 &&
			math.Abs(own-float64(tree.Nodes[n].Self)) > 1e-3*float64(whole) {
			t.Errorf("%+v leaves %g for itself, not %d", b, own, tree.Nodes[n].Self)
		}
	}
	return boxes
}

func TestLayoutsHold(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		for _, highest := range []uint64{2, 1000, 1 << 62, math.MaxUint64} {
			tree, _, _ := grown(seed, 300, highest)
			for _, limit := range []Limit{{2, 5, 0}, {3, 100, 0.5}, {40, 100, 0}, {100_000, 4, 0.01}, {100_000, 100, 0}} {
				checkLayout(t, tree, Root, limit)
				checkLayout(t, tree, tree.Nodes[Root].Children[0], limit)
			}
		}
	}
}

func TestNarrowBoxesAreMerged(t *testing.T) {
	t.Parallel()
	tree := New()
	tree.Add([]uint32{1}, 10)
	tree.Add([]uint32{1, 2}, 60)
	for f := range uint32(15) {
		tree.Add([]uint32{1, 10 + f}, 2)
	}
	tree.Add([]uint32{9}, 0)
	tree.Sum()
	got := tree.Layout(Root, Limit{Boxes: 10, Depth: 9, Width: 0.05})
	want := []Box{{Node: 0, Width: 1, Total: 100}, {Node: 1, Width: 1, Depth: 1, Total: 100},
		{Node: 2, Width: 0.6, Depth: 2, Total: 60}, {Node: 3, X: 0.6, Width: 0.3, Depth: 2, Total: 30, Merged: 15}}
	if d := cmp.Diff(want, got, cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })); d != "" {
		t.Error(d)
	}
}

// A forged archive can have stacks of any depth and number.
func TestTreesHaveLimits(t *testing.T) {
	t.Parallel()
	tree := newLimitedTree(1000)
	deep := make([]uint32, 100_000)
	for i := range deep {
		deep[i] = 7
	}
	tree.Add(deep, 5)
	for f := range uint32(5000) {
		tree.Add([]uint32{10 + f, 3}, 1)
	}
	tree.Sum()
	if len(tree.Nodes) != 1000 || tree.Nodes[Root].Total != 5005 {
		t.Errorf("%d nodes with %d counts", len(tree.Nodes), tree.Nodes[Root].Total)
	}
	if tree.Cut < 5+4000 {
		t.Errorf("only %d counts are said to be cut", tree.Cut)
	}
	checkLayout(t, tree, Root, Limit{Boxes: 300, Depth: 50, Width: 0})
	if got := len(tree.Path(MaxDepth)); got != MaxDepth+1 {
		t.Errorf("a path of %d nodes", got)
	}
}
