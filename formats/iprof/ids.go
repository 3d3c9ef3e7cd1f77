package iprof

// idRows finds the row of an id. Ids are mostly small and dense; what is not
// goes into a map, so that memory stays in proportion to the rows.
type idRows struct {
	dense  []uint32 // row+1 by id, 0 for none
	sparse map[int64]uint32
	rows   int
	// repeated is how many rows had the id of another.
	repeated int
}

// put says which row an id has; of several the first keeps it, and the others
// are counted.
func (t *idRows) put(id int64, row int) {
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
