package iprof

// idRows finds the row of an id. Ids are mostly small and dense; others go into a map,
// so that memory stays proportional to the rows.
type idRows struct {
	dense  []uint32 // row+1 by id, 0 if it has none
	sparse map[int64]uint32
	rows   int
	// repeated counts the rows with the id of an earlier row.
	repeated int
}

// add sets the row of an id. The first row of an id keeps it; others are counted.
func (t *idRows) add(id int64, row int) {
	if _, taken := t.row(id); taken {
		t.repeated++
		return
	}
	t.rows++
	if id < 0 || id >= int64(4*t.rows+1024) {
		if t.sparse == nil {
			t.sparse = map[int64]uint32{}
		}
		t.sparse[id] = uint32(row) + 1
		return
	}
	if n := int(id) + 1 - len(t.dense); n > 0 {
		t.dense = append(room(t.dense, n), make([]uint32, n)...)
	}
	t.dense[id] = uint32(row) + 1
}

func (t *idRows) row(id int64) (row int, ok bool) {
	if uint64(id) < uint64(len(t.dense)) && t.dense[id] != 0 {
		return int(t.dense[id]) - 1, true
	}
	r, ok := t.sparse[id]
	return int(r) - 1, ok
}

// A contextTrie interns contexts. A node without a parent is a method; a child adds the
// frame of a caller. Nodes are numbered from 1.
type contextTrie struct {
	nodes []contextNode
	slots []uint32 // open addressing; 0 is free
}

type contextNode struct {
	frame
	parent uint32
}

// node returns the node with a number.
func (t *contextTrie) node(n uint32) *contextNode { return &t.nodes[n-1] }

// child returns the node that adds a frame to parent.
func (t *contextTrie) child(parent uint32, f frame) uint32 {
	if 2*len(t.nodes) >= len(t.slots) {
		t.grow()
	}
	key := contextNode{f, parent}
	for i := key.hash() & (len(t.slots) - 1); ; i = (i + 1) & (len(t.slots) - 1) {
		switch n := t.slots[i]; {
		case n == 0:
			t.nodes = append(room(t.nodes, 1), key)
			t.slots[i] = uint32(len(t.nodes))
			return t.slots[i]
		case *t.node(n) == key:
			return n
		}
	}
}

// grow doubles the slots.
func (t *contextTrie) grow() {
	t.slots = make([]uint32, max(256, 2*len(t.slots)))
	for n := range t.nodes {
		i := t.nodes[n].hash() & (len(t.slots) - 1)
		for t.slots[i] != 0 {
			i = (i + 1) & (len(t.slots) - 1)
		}
		t.slots[i] = uint32(n + 1)
	}
}

// hash mixes the three fields with odd multipliers.
func (n *contextNode) hash() int {
	h := uint64(n.id)*0x9e3779b97f4a7c15 ^ uint64(n.parent)*0xc2b2ae3d27d4eb4f ^ uint64(uint32(n.point))*0x165667b19e3779f9
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return int(h >> 33)
}

// contextOf returns the node of a method in the context of its callers. Frames are leaf
// first; the leaf's point is not part of the context.
func (t *contextTrie) contextOf(frames []frame) uint32 {
	n := t.child(0, frame{id: frames[0].id})
	for _, f := range frames[1:] {
		n = t.child(n, f)
	}
	return n
}
