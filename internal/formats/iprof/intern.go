package iprof

import "github.com/profarc/profarc/internal/file/refindex"

// An idRows maps ids to rows. Most ids are small and dense. The others are in a map, so that memory stays proportional
// to the rows.
type idRows struct {
	dense  []uint32 // row + 1 by id, or 0
	sparse map[int64]uint32
	rows   int
	// repeated counts rows with the id of an earlier row.
	repeated int
}

// setRow sets the row of an id. The first row keeps the id.
func (t *idRows) setRow(id int64, row int) {
	if _, taken := t.rowOfID(id); taken {
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
		t.dense = append(growDoubling(t.dense, n), make([]uint32, n)...)
	}
	t.dense[id] = uint32(row) + 1
}

func (t *idRows) rowOfID(id int64) (row int, ok bool) {
	if uint64(id) < uint64(len(t.dense)) && t.dense[id] != 0 {
		return int(t.dense[id]) - 1, true
	}
	r, ok := t.sparse[id]
	return int(r) - 1, ok
}

// A contextTrie interns contexts. A root is a method, and a child adds the frame of a caller. Nodes are numbered from
// 1.
type contextTrie struct {
	nodes []contextNode
	index refindex.Index
	path  []frame  // last context, whose prefix the next one often shares
	along []uint32 // nodes of path
}

type contextNode struct {
	frame
	parent uint32
}

func (t *contextTrie) childNode(parent uint32, f frame) uint32 {
	key := contextNode{f, parent}
	hash := refindex.HashKey(key)
	n, at := t.index.Find(hash, func(n uint32) bool { return t.nodes[n-1] == key })
	if n == 0 {
		t.nodes = append(growDoubling(t.nodes, 1), key)
		n = uint32(len(t.nodes))
		t.index.Put(at, hash, n)
	}
	return n
}

// contextOf returns the node of a method in the context of its callers. Frames are leaf first. A context excludes the
// leaf's point.
func (t *contextTrie) contextOf(frames []frame) (node uint32) {
	same := 0
	for i, f := range frames {
		if i == 0 {
			f.point = 0
		}
		if same == i && i < len(t.path) && t.path[i] == f {
			node = t.along[i]
			same = i + 1
			continue
		}
		node = t.childNode(node, f)
		t.path, t.along = append(t.path[:i], f), append(t.along[:i], node)
	}
	return node
}
