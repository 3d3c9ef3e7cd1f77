package iprof

import (
	"slices"

	"github.com/profarc/profarc/internal/refindex"
)

// A signatureTable numbers signatures: many methods share one.
type signatureTable struct {
	index   refindex.Index
	known   []knownSignature // by number-1
	touched int64            // keeps the compiler from leaving out what is only touched
	text    []byte           // scratch: of the new ones of a batch, one behind the other
}

// A knownSignature has the return and parameter ids, n of them, that end
// there in a batch.
type knownSignature struct {
	end      int
	batch, n uint32
}

func (k *knownSignature) ids(all methodRows) []int64 { return all[k.batch].ids[k.end-int(k.n) : k.end] }

// A batchOfSignatures is what the methods of a batch return and take.
type batchOfSignatures struct {
	numbers []uint32 // by row, 0 for none
	fresh   []string // the new ones, which have the next numbers
	ends    []int    // scratch: of these in the text of all
}

// numberSignatures numbers what the methods of a batch return and take.
func (b *build) numberSignatures(all methodRows, number int, to *batchOfSignatures) {
	t := &b.intake.signatures
	t.text, to.numbers, to.fresh, to.ends = t.text[:0], to.numbers[:0], to.fresh[:0], to.ends[:0]
	rows := len(all[number].rows)
	for from := 0; from < rows; from += signatureGroup {
		b.numberGroup(all, number, from, min(from+signatureGroup, rows), to)
	}
	text, from := string(t.text), 0
	for _, end := range to.ends {
		to.fresh = append(to.fresh, text[from:end])
		from = end
	}
}

// signatureGroup is how many signatures are looked up at once. Of millions hardly
// any is in a cache, so that all are touched before one is used.
const signatureGroup = 128

// numberGroup numbers the signatures of some rows of a batch.
func (b *build) numberGroup(all methodRows, number, from, end int, to *batchOfSignatures) {
	t := &b.intake.signatures
	batch := &all[number]
	n := end - from
	var hashes, likely [signatureGroup]uint32
	for i := range n {
		hashes[i] = hashIDs(batch.signature(from + i))
	}
	t.index.Guess(hashes[:n], likely[:])
	var known [signatureGroup]*knownSignature
	for i, k := range likely[:n] {
		if k != 0 {
			known[i] = &t.known[k-1]
		}
	}
	for _, k := range known[:n] {
		if k != nil {
			t.touched += k.ids(all)[0]
		}
	}
	for i := range n {
		to.numbers = append(to.numbers, b.signature(all, number, from+i, hashes[i], to))
	}
}

// hashIDs mixes what stands behind the declaring type of a method.
func hashIDs(ids []int64) uint32 {
	h := uint64(len(ids))
	for _, id := range ids[min(1, len(ids)):] {
		h = (h ^ uint64(id)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return uint32(h >> 16)
}

// signature gives the number of the return and parameter types of a method, 0 if
// it has none. One that is new is spelled, to be interned.
func (b *build) signature(all methodRows, number, place int, hash uint32, to *batchOfSignatures) uint32 {
	batch := &all[number]
	ids := batch.signature(place)
	if len(ids) < 2 {
		return 0
	}
	ids = ids[1:]
	t := &b.intake.signatures
	n, at := t.index.Find(hash, func(n uint32) bool { return slices.Equal(t.known[n-1].ids(all), ids) })
	if n != 0 {
		return n
	}
	t.text = b.spell(t.text, ids)
	to.ends = append(to.ends, len(t.text))
	t.known = append(room(t.known, 1), knownSignature{batch: uint32(number), end: batch.rows[place].idsEnd, n: uint32(len(ids))})
	t.index.Put(at, hash, uint32(len(t.known)))
	return uint32(len(t.known))
}

// spell appends the spelling of a signature.
func (b *build) spell(text []byte, ids []int64) []byte {
	if len(ids) == 0 {
		return text
	}
	text = append(append(text, b.spelledType(ids[0])...), '(')
	for i, id := range ids[1:] {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, b.spelledType(id)...)
	}
	return append(text, ')')
}

func (b *build) spelledType(id int64) string {
	row, ok := b.typeRows.row(id)
	if !ok {
		b.typeOf(id)
		row, _ = b.typeRows.row(id)
	}
	return b.spelled[row]
}
