package flame

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
