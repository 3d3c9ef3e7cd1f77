package iprof

import (
	"slices"
	"sync"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/refindex"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/recording/rawprofile"
	"github.com/profarc/profarc/layout"
)

// An intake interns types and methods while the rest of the file is read.
type intake struct {
	arrived chan methodRows // the rows so far
	wait    sync.WaitGroup

	signatures signatureTable
	// The methods of a batch that are interned by class and signature, and their places in the batch.
	declared []profileset.MethodOfClass
	places   []int
	refs     []builder.MethodRef
}

// internArrived interns all types and the methods that the recording has so far, while the rest of the file
// is read. It never blocks the parser: rows that were not taken yet are taken together with later ones.
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

// waitForIntake waits until the methods that arrived are interned.
func (b *build) waitForIntake() {
	if b.intake.arrived != nil {
		close(b.intake.arrived)
		b.intake.wait.Wait()
	}
}

// internMethods interns a batch of methods.
func (b *build) internMethods(all methodRows, number int) {
	batch := &all[number]
	in := &b.intake
	first := len(b.methodRefs)
	b.methodRefs = append(room(b.methodRefs, len(batch.rows)), make([]builder.MethodRef, len(batch.rows))...)
	b.ran = append(room(b.ran, len(batch.rows)), make([]bool, len(batch.rows))...)
	in.declared = in.declared[:0]
	in.places = in.places[:0]
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
		in.places = append(in.places, i)
	}
	in.refs = slices.Grow(in.refs[:0], len(in.declared))[:len(in.declared)]
	rawprofile.Set(b.b).InternMethods(in.declared, in.refs)
	for k, place := range in.places {
		b.methodRefs[first+place] = in.refs[k]
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
		k.Class = b.types[row].name
		k.Loader = b.numbers[row]
	}
	return k
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
	b.intake = intake{}
	b.taken = nil
	b.doubled = nil
}

// A signatureTable finds the symbols of signatures: many methods share one.
type signatureTable struct {
	index refindex.Index
	known []knownSignature // by number-1
	text  []byte           // scratch
}

// A knownSignature is the return and parameter ids, n of them, that end at a place in a batch.
type knownSignature struct {
	end      int
	batch, n uint32
	symbol   builder.SymbolRef
}

func (k *knownSignature) ids(all methodRows) []int64 { return all[k.batch].ids[k.end-int(k.n) : k.end] }

// signatureOf returns the symbol of a method's return and parameter types, which it spells if they are new.
func (b *build) signatureOf(all methodRows, number, place int) builder.SymbolRef {
	t := &b.intake.signatures
	batch := &all[number]
	ids := batch.signature(place)[1:]
	hash := hashIDs(ids)
	n, at := t.index.Find(hash, func(n uint32) bool { return slices.Equal(t.known[n-1].ids(all), ids) })
	if n == 0 {
		t.text = b.appendSignature(t.text[:0], ids)
		var symbol [1]builder.SymbolRef
		rawprofile.Set(b.b).Names([]string{string(t.text)}, symbol[:])
		t.known = append(room(t.known, 1), knownSignature{batch.rows[place].idsEnd, uint32(number), uint32(len(ids)),
			symbol[0]})
		n = uint32(len(t.known))
		t.index.Put(at, hash, n)
	}
	return t.known[n-1].symbol
}

// hashIDs hashes ids.
func hashIDs(ids []int64) uint32 {
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
	row, ok := b.typeRows.row(id)
	if !ok {
		b.typeOf(id)
		row, _ = b.typeRows.row(id)
	}
	return b.spelled[row]
}
