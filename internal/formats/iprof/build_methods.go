package iprof

import (
	"slices"
	"sync"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/build/profileset"
	"github.com/profarc/profarc/internal/format/refindex"
	"github.com/profarc/profarc/internal/rawprofile"
	"github.com/profarc/profarc/layout"
)

// An intake interns methods in batches while the file is read: one goroutine resolves
// the parts of their keys, another adds them to the builder.
type intake struct {
	arrived  chan methodRows // the rows so far
	resolved chan *resolvedBatch
	spare    chan *resolvedBatch
	wait     sync.WaitGroup

	signatures    signatureTable
	signatureRefs []builder.SymbolRef // by number-1
}

// A resolvedBatch is a batch whose classes are in the builder.
type resolvedBatch struct {
	rows  []methodRow
	names string // of all rows
	batchOfSignatures
	// The methods that are interned by class and signature, and their places in rows.
	declared []profileset.MethodOfClass
	places   []int
	keyed    []keyedMethod // the other methods
	refs     []builder.MethodRef
}

// A keyedMethod is the key of a row.
type keyedMethod struct {
	place int
	key   layout.Key
}

// resolvedBatches is the number of batches between the two goroutines.
const resolvedBatches = 3

// internArrived interns all types and the methods that the recording has so far, while the rest of the file
// is read. It never blocks the parser: rows that were not taken yet are taken together with later ones.
func (b *build) internArrived() {
	if b.intake.arrived == nil {
		b.startIntake()
	}
	select {
	case <-b.intake.arrived:
	default:
	}
	b.intake.arrived <- b.methods
}

func (b *build) startIntake() {
	in := &b.intake
	in.arrived = make(chan methodRows, 1)
	in.resolved, in.spare = make(chan *resolvedBatch, resolvedBatches), make(chan *resolvedBatch, resolvedBatches)
	for range resolvedBatches {
		in.spare <- new(resolvedBatch)
	}
	in.wait.Go(func() {
		b.internTypes()
		done := 0
		for all := range in.arrived {
			for ; done < len(all); done++ {
				in.resolved <- b.resolveBatch(all, done, <-in.spare)
			}
		}
		close(in.resolved)
	})
	in.wait.Go(func() {
		for batch := range in.resolved {
			b.internMethods(batch)
			in.spare <- batch
		}
	})
}

// waitForIntake waits until the methods that arrived are interned.
func (b *build) waitForIntake() {
	if b.intake.arrived != nil {
		close(b.intake.arrived)
		b.intake.wait.Wait()
	}
}

// resolveBatch resolves the parts of the keys of a batch.
func (b *build) resolveBatch(all methodRows, number int, to *resolvedBatch) *resolvedBatch {
	batch := &all[number]
	to.rows, to.names = batch.rows, string(batch.names)
	to.declared, to.places, to.keyed = to.declared[:0], to.places[:0], to.keyed[:0]
	b.numberSignatures(all, number, &to.batchOfSignatures)
	for i := range batch.rows {
		from, end := batch.nameSpan(i)
		name, ids := to.names[from:end], batch.signature(i)
		class, ok := b.declaringClass(ids)
		if !ok {
			to.keyed = append(to.keyed, keyedMethod{i, b.methodKey(name, ids)})
			continue
		}
		to.declared = append(to.declared, profileset.MethodOfClass{Class: class, Name: name})
		to.places = append(to.places, i)
	}
	return to
}

// declaringClass returns the declaring class of a method, if it is a row of types with
// a name and is followed by return and parameter types.
func (b *build) declaringClass(signature []int64) (class builder.TypeRef, ok bool) {
	if len(signature) < 2 {
		return 0, false
	}
	row, ok := b.typeRows.row(signature[0])
	if !ok || row >= len(b.types) || b.types[row].name == "" {
		return 0, false
	}
	return b.typeRefs[row], true
}

// methodKey returns the key of a method.
func (b *build) methodKey(name string, signature []int64) layout.Key {
	k := layout.Key{Name: name}
	if len(signature) == 0 {
		return k
	}
	b.typeOf(signature[0])
	row, _ := b.typeRows.row(signature[0])
	k.Signature = string(b.appendSignature(nil, signature[1:]))
	switch {
	case row >= len(b.types):
		k.Class = idName(signature[0])
	case b.types[row].name == "":
		k.Signature = b.spelled[row] + noNameEnd + k.Signature
	default:
		k.Class, k.Loader = b.types[row].name, b.numbers[row]
	}
	return k
}

// internMethods interns a batch of methods.
func (b *build) internMethods(batch *resolvedBatch) {
	if batch.refs == nil {
		batch.refs = make([]builder.MethodRef, batchSize)
	}
	first := len(b.methodRefs)
	b.methodRefs = append(room(b.methodRefs, len(batch.rows)), make([]builder.MethodRef, len(batch.rows))...)
	b.ran = append(room(b.ran, len(batch.rows)), make([]bool, len(batch.rows))...)
	b.internSignatures(batch)
	rawprofile.Set(b.b).InternMethods(batch.declared, batch.refs[:len(batch.declared)])
	for k, place := range batch.places {
		b.methodRefs[first+place] = batch.refs[k]
	}
	for _, m := range batch.keyed {
		b.methodRefs[first+m.place] = b.b.Method(m.key)
	}
	for i := range batch.rows {
		b.methodRows.add(batch.rows[i].id, first+i)
		if ref := uint32(b.methodRefs[first+i]); b.taken.has(ref) {
			b.doubled = append(b.doubled, first+i)
		} else {
			b.taken.add(ref)
		}
	}
}

// internSignatures interns the new signatures of a batch and gives them to its methods.
func (b *build) internSignatures(batch *resolvedBatch) {
	refs := &b.intake.signatureRefs
	known := len(*refs)
	*refs = append(room(*refs, len(batch.fresh)), make([]builder.SymbolRef, len(batch.fresh))...)
	rawprofile.Set(b.b).Names(batch.fresh, (*refs)[known:])
	for k, place := range batch.places {
		batch.declared[k].Signature = (*refs)[batch.numbers[place]-1]
	}
}

// numberDuplicates makes the keys of methods with equal keys distinct.
func (b *build) numberDuplicates() {
	for _, row := range b.doubled {
		batch, place := b.methods.at(row)
		from, to := batch.nameSpan(place)
		key := b.methodKey(string(batch.names[from:to]), batch.signature(place))
		signature := key.Signature
		for n := 2; b.taken.has(uint32(b.methodRefs[row])); n++ {
			key.Signature = signature + duplicateMark(n)
			b.methodRefs[row] = b.b.Method(key)
			b.b.DescribeMethod(b.methodRefs[row], 0, layout.MethodNotMatchable)
		}
		b.taken.add(uint32(b.methodRefs[row]))
	}
}

// dropMethodRows releases the rows of methods, whose data the builder has now.
func (b *build) dropMethodRows() {
	for i := range b.methods {
		b.methods[i].names, b.methods[i].ids = nil, nil
	}
	b.intake, b.taken, b.doubled = intake{}, nil, nil
}

// A signatureTable numbers signatures: many methods share one.
type signatureTable struct {
	index   refindex.Index
	known   []knownSignature // by number-1
	touched int64            // keeps the compiler from removing the loads
	text    []byte           // scratch: the new signatures of a batch, one after the other
}

// A knownSignature is the return and parameter ids, n of them, that end at a place in a batch.
type knownSignature struct {
	end      int
	batch, n uint32
}

func (k *knownSignature) ids(all methodRows) []int64 { return all[k.batch].ids[k.end-int(k.n) : k.end] }

// A batchOfSignatures has the return and parameter types of the methods of a batch.
type batchOfSignatures struct {
	numbers []uint32 // by row, 0 for none
	fresh   []string // the new signatures, which have the next numbers
	ends    []int    // scratch: their ends in the text of all
}

// numberSignatures numbers the signatures of a batch.
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

// signatureGroup is the number of signatures that are looked up together. Random lookups
// among millions miss the cache; touching a group first lets the misses overlap.
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
		to.numbers = append(to.numbers, b.signatureNumber(all, number, from+i, hashes[i], to))
	}
}

// hashIDs hashes the ids after the declaring type of a method.
func hashIDs(ids []int64) uint32 {
	h := uint64(len(ids))
	for _, id := range ids[min(1, len(ids)):] {
		h = (h ^ uint64(id)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return uint32(h >> 16)
}

// signatureNumber returns the number of a method's return and parameter types, 0 if it
// has none. It spells a new signature, to be interned.
func (b *build) signatureNumber(all methodRows, number, place int, hash uint32, to *batchOfSignatures) uint32 {
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
	t.text = b.appendSignature(t.text, ids)
	to.ends = append(to.ends, len(t.text))
	t.known = append(room(t.known, 1), knownSignature{batch: uint32(number), end: batch.rows[place].idsEnd,
		n: uint32(len(ids))})
	t.index.Put(at, hash, uint32(len(t.known)))
	return uint32(len(t.known))
}

// appendSignature appends the spelling of a signature.
func (b *build) appendSignature(text []byte, ids []int64) []byte {
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
