package iprof

import (
	"slices"
	"sync"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/refindex"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// An intake interns types and methods while the rest of the file is read.
type intake struct {
	arrived chan methodRows // rows read so far
	wait    sync.WaitGroup

	signatures signatureTable
	// Methods of a batch that are interned by class and signature, and their indices in the batch.
	declared     []profileset.MethodOfClass
	declaredRows []int
	refs         []builder.MethodRef
}

// internArrived interns all types and the methods read so far, concurrently with the parser, which it never blocks.
// Later calls include rows that were not interned yet.
func (b *build) internArrived() {
	in := &b.intake
	if in.arrived == nil {
		in.arrived = make(chan methodRows, 1)
		in.wait.Go(func() {
			b.internTypes()
			done := 0
			for all := range in.arrived {
				for ; done < len(all); done++ {
					b.internMethods(all, done)
				}
			}
		})
	}
	select {
	case <-in.arrived:
	default:
	}
	in.arrived <- b.methods
}

// waitForIntake waits until the received methods are interned.
func (b *build) waitForIntake() {
	if b.intake.arrived != nil {
		close(b.intake.arrived)
		b.intake.wait.Wait()
	}
}

func (b *build) internMethods(all methodRows, number int) {
	batch := &all[number]
	in := &b.intake
	first := len(b.methodRefs)
	b.methodRefs = append(growDoubling(b.methodRefs, len(batch.rows)), make([]builder.MethodRef, len(batch.rows))...)
	b.ran = append(growDoubling(b.ran, len(batch.rows)), make([]bool, len(batch.rows))...)
	in.declared = in.declared[:0]
	in.declaredRows = in.declaredRows[:0]
	names := string(batch.names)
	for i := range batch.rows {
		from, end := batch.nameSpan(i)
		name := names[from:end]
		ids := batch.signature(i)
		class, ok := b.declaringClass(ids)
		if !ok {
			b.methodRefs[first+i] = b.b.Method(b.methodKey(name, ids))
			continue
		}
		signature := b.signatureOf(all, number, i)
		in.declared = append(in.declared, profileset.MethodOfClass{Class: class, Name: name, Signature: signature})
		in.declaredRows = append(in.declaredRows, i)
	}
	in.refs = slices.Grow(in.refs[:0], len(in.declared))[:len(in.declared)]
	b.b.Internal().InternMethods(in.declared, in.refs)
	for k, place := range in.declaredRows {
		b.methodRefs[first+place] = in.refs[k]
	}
	for i := range batch.rows {
		b.methodRows.setRow(batch.rows[i].id, first+i)
		if ref := uint32(b.methodRefs[first+i]); b.taken.containsRef(ref) {
			b.doubled = append(b.doubled, first+i)
		} else {
			b.taken.insertRef(ref)
		}
	}
}

// declaringClass returns the declaring class of a method if it is a type row with a name, and the signature continues
// after it.
func (b *build) declaringClass(signature []int64) (class builder.TypeRef, ok bool) {
	if len(signature) < 2 {
		return 0, false
	}
	row, ok := b.typeRows.rowOfID(signature[0])
	if !ok || row >= len(b.types) || b.types[row].name == "" {
		return 0, false
	}
	return b.typeRefs[row], true
}

func (b *build) methodKey(name string, signature []int64) layout.Key {
	k := layout.Key{Name: name}
	if len(signature) == 0 {
		return k
	}
	b.typeForID(signature[0])
	row, _ := b.typeRows.rowOfID(signature[0])
	k.Signature = string(b.appendSignature(nil, signature[1:]))
	switch {
	case row >= len(b.types):
		k.Class = formatIDName(signature[0])
	case b.types[row].name == "":
		k.Signature = b.spelled[row] + noNameEnd + k.Signature
	default:
		k.Class = b.types[row].name
		k.Loader = b.numbers[row]
	}
	return k
}

// numberDuplicates adds duplicate marks to repeated method keys.
func (b *build) numberDuplicates() {
	for _, row := range b.doubled {
		batch, place := b.methods.batchOfRow(row)
		from, to := batch.nameSpan(place)
		key := b.methodKey(string(batch.names[from:to]), batch.signature(place))
		signature := key.Signature
		for n := 2; b.taken.containsRef(uint32(b.methodRefs[row])); n++ {
			key.Signature = signature + duplicateMark(n)
			b.methodRefs[row] = b.b.Method(key)
			b.b.DescribeMethod(b.methodRefs[row], 0, layout.MethodNotMatchable)
		}
		b.taken.insertRef(uint32(b.methodRefs[row]))
	}
}

// dropMethodRows releases the method rows after interning.
func (b *build) dropMethodRows() {
	for i := range b.methods {
		b.methods[i].names, b.methods[i].ids = nil, nil
	}
	b.intake = intake{}
	b.taken = nil
	b.doubled = nil
}

// A signatureTable caches the symbols of signatures, which many methods share.
type signatureTable struct {
	index refindex.Index
	known []knownSignature // by number - 1
	text  []byte           // scratch
}

// A knownSignature has the n return and parameter ids that end at an index in a batch.
type knownSignature struct {
	end      int
	batch, n uint32
	symbol   builder.SymbolRef
}

func (k *knownSignature) signatureIDs(all methodRows) []int64 {
	return all[k.batch].ids[k.end-int(k.n) : k.end]
}

// signatureOf returns the symbol of a method's return and parameter types.
func (b *build) signatureOf(all methodRows, number, place int) builder.SymbolRef {
	t := &b.intake.signatures
	batch := &all[number]
	ids := batch.signature(place)[1:]
	hash := hashSignature(ids)
	n, at := t.index.Find(hash, func(n uint32) bool { return slices.Equal(t.known[n-1].signatureIDs(all), ids) })
	if n == 0 {
		t.text = b.appendSignature(t.text[:0], ids)
		var symbol [1]builder.SymbolRef
		b.b.Internal().Names([]string{string(t.text)}, symbol[:])
		t.known = append(growDoubling(t.known, 1), knownSignature{batch.rows[place].idsEnd, uint32(number), uint32(len(ids)),
			symbol[0]})
		n = uint32(len(t.known))
		t.index.Put(at, hash, n)
	}
	return t.known[n-1].symbol
}

func hashSignature(ids []int64) uint32 {
	h := uint64(len(ids))
	for _, id := range ids {
		h = (h ^ uint64(id)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return uint32(h >> 16)
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
	row, ok := b.typeRows.rowOfID(id)
	if !ok {
		b.typeForID(id)
		row, _ = b.typeRows.rowOfID(id)
	}
	return b.spelled[row]
}
