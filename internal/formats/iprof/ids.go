package iprof

// idRows finds the row of an id. Ids are mostly small and dense; what is not
// goes into a map, so that memory stays in proportion to the rows.
type idRows struct {
	dense  []uint32 // row+1 by id, 0 for none
	sparse map[int64]uint32
	limit  int64
}

func newIDRows(rows int) *idRows {
	limit := int64(4*rows + 64)
	return &idRows{dense: make([]uint32, 0, rows), sparse: map[int64]uint32{}, limit: limit}
}

// put says which row an id has; of several the first keeps it.
func (t *idRows) put(id int64, row int) {
	if _, taken := t.row(id); taken {
		return
	}
	if id < 0 || id >= t.limit {
		t.sparse[id] = uint32(row) + 1
		return
	}
	for int64(len(t.dense)) <= id {
		t.dense = append(t.dense, 0)
	}
	t.dense[id] = uint32(row) + 1
}

func (t *idRows) row(id int64) (row int, ok bool) {
	if uint64(id) < uint64(len(t.dense)) {
		return int(t.dense[id]) - 1, t.dense[id] != 0
	}
	r, ok := t.sparse[id]
	return int(r) - 1, ok
}
