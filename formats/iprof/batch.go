package iprof

// methodRows are the rows of methods, in batches: they need not be copied while
// there come more, and one that is full is interned while the next is read. All
// but the last are full.
type methodRows []methodBatch

// A methodBatch is some rows of methods, with their names and signatures. It has
// no pointers for the garbage collector to follow.
type methodBatch struct {
	rows  []methodRow
	names []byte  // in the spelling of keys, one behind the other
	ids   []int64 // of signatures, too
}

// A methodRow has the name and the signature that end there in its batch.
type methodRow struct {
	id              int64
	nameEnd, idsEnd int
}

const (
	batchShift = 12
	batchSize  = 1 << batchShift
)

func (m methodRows) len() int {
	if len(m) == 0 {
		return 0
	}
	return (len(m)-1)<<batchShift + len(m[len(m)-1].rows)
}

// at gives the batch that has a row, and its place there.
func (m methodRows) at(row int) (batch *methodBatch, place int) {
	return &m[row>>batchShift], row & (batchSize - 1)
}

// add adds a row, and reports whether its batch is full.
func (m *methodRows) add(id int64, name []byte, signature []int64) (full bool) {
	if len(*m) == 0 || len((*m)[len(*m)-1].rows) == batchSize {
		*m = append(*m, m.another())
	}
	batch := &(*m)[len(*m)-1]
	batch.names = append(batch.names, name...)
	batch.ids = append(batch.ids, signature...)
	batch.rows = append(batch.rows, methodRow{id, len(batch.names), len(batch.ids)})
	return len(batch.rows) == batchSize
}

// another is an empty batch with room for as much as there is in the last one.
func (m *methodRows) another() methodBatch {
	if len(*m) == 0 {
		return methodBatch{}
	}
	last := &(*m)[len(*m)-1]
	more := func(n int) int { return n + n/8 }
	return methodBatch{make([]methodRow, 0, batchSize), make([]byte, 0, more(len(last.names))), make([]int64, 0, more(len(last.ids)))}
}

// nameSpan is where the name of a row lies.
func (b *methodBatch) nameSpan(place int) (from, to int) {
	if place > 0 {
		from = b.rows[place-1].nameEnd
	}
	return from, b.rows[place].nameEnd
}

// signature is the ids of a row: the declaring type, the return type and the
// parameters.
func (b *methodBatch) signature(place int) []int64 {
	from := 0
	if place > 0 {
		from = b.rows[place-1].idsEnd
	}
	return b.ids[from:b.rows[place].idsEnd]
}
