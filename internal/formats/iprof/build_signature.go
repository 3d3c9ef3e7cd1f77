package iprof

import (
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/refindex"
)

// A signatureTable knows the signatures that were interned: many methods share
// one.
type signatureTable struct {
	index   refindex.Index
	known   []knownSignature // by number-1
	touched int64            // keeps the compiler from leaving out what is only touched

	// Scratch, of a batch.
	numbers [batchSize]uint32 // of its signatures, 0 for none
	refs    [batchSize]builder.SymbolRef
	text    []byte // of those that are new, one behind the other
	ends    []int
	fresh   []string
}

// A knownSignature has the return and parameter ids, n of them, that end
// there in a batch.
type knownSignature struct {
	end      int
	batch, n uint32
	ref      builder.SymbolRef
}

func (k *knownSignature) ids(all methodRows) []int64 { return all[k.batch].ids[k.end-int(k.n) : k.end] }

// internSignatures interns what the methods of a batch return and take. What it
// gives is valid until the next.
func (b *build) internSignatures(all methodRows, number int) []builder.SymbolRef {
	t := &b.intake.signatures
	batch := &all[number]
	t.text, t.ends = t.text[:0], t.ends[:0]
	for from := 0; from < len(batch.rows); from += signatureGroup {
		b.numberSignatures(all, number, from, min(from+signatureGroup, len(batch.rows)))
	}
	b.internFresh()
	for i := range batch.rows {
		t.refs[i] = 0
		if n := t.numbers[i]; n != 0 {
			t.refs[i] = t.known[n-1].ref
		}
	}
	return t.refs[:len(batch.rows)]
}

// signatureGroup is how many signatures are looked up at once. Of millions hardly
// any is in a cache, so that all are touched before one is used.
const signatureGroup = 128

// numberSignatures numbers the signatures of some rows of a batch.
func (b *build) numberSignatures(all methodRows, number, from, to int) {
	t := &b.intake.signatures
	batch := &all[number]
	n := to - from
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
		t.numbers[from+i] = b.signature(all, number, from+i, hashes[i])
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
func (b *build) signature(all methodRows, number, place int, hash uint32) uint32 {
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
	t.ends = append(t.ends, len(t.text))
	t.known = append(room(t.known, 1), knownSignature{batch: uint32(number), end: batch.rows[place].idsEnd, n: uint32(len(ids))})
	t.index.Put(at, hash, uint32(len(t.known)))
	return uint32(len(t.known))
}

// internFresh interns the signatures that are new.
func (b *build) internFresh() {
	t := &b.intake.signatures
	text, from := string(t.text), 0
	t.fresh = t.fresh[:0]
	for _, end := range t.ends {
		t.fresh = append(t.fresh, text[from:end])
		from = end
	}
	b.b.Names(t.fresh, t.refs[:len(t.fresh)])
	fresh := t.known[len(t.known)-len(t.fresh):]
	for i := range fresh {
		fresh[i].ref = t.refs[i]
	}
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
