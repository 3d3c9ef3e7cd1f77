package iprof

// methodRows are the rows of methods, in batches: they need not be copied while
// there come more, and one that is full is interned while the next is read. All
// but the last are full.
type methodRows []methodBatch

// A methodBatch is some rows of methods, with their signatures.
type methodBatch struct {
	rows []methodRow
	ids  []int64
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

// at is a row, and the batch that has its signature.
func (m methodRows) at(row int) (*methodRow, *methodBatch) {
	batch := &m[row>>batchShift]
	return &batch.rows[row&(batchSize-1)], batch
}

// add adds a row with its signature, and reports whether its batch is full.
func (m *methodRows) add(r methodRow, signature []int64) (full bool) {
	if len(*m) == 0 || len((*m)[len(*m)-1].rows) == batchSize {
		*m = append(*m, methodBatch{})
	}
	batch := &(*m)[len(*m)-1]
	r.first, r.n = uint32(len(batch.ids)), uint32(len(signature))
	batch.ids = append(batch.ids, signature...)
	batch.rows = append(batch.rows, r)
	return len(batch.rows) == batchSize
}

// signature is the ids of a row: the declaring type, the return type and the
// parameters.
func (b *methodBatch) signature(r *methodRow) []int64 { return b.ids[r.first:][:r.n] }
