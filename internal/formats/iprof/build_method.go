package iprof

import (
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/refindex"
	"github.com/profarc/profarc/layout"
)

// methodGroup is how many methods are interned at once.
const methodGroup = 128

// methodScratch is used again for every group of methods.
type methodScratch struct {
	refs       [methodGroup]builder.MethodRef
	signatures [methodGroup]builder.SymbolRef
	// Those that are interned by class and signature, and their places in the group.
	declared   [methodGroup]builder.DeclaredMethod
	ofDeclared [methodGroup]builder.MethodRef
	rows       [methodGroup]int
}

// internMethods interns the rows of methods that arrived, each as one of its own.
func (b *build) internMethods() {
	for first := len(b.methodRefs); first < len(b.methods); first = len(b.methodRefs) {
		group := b.methods[first:min(first+methodGroup, len(b.methods))]
		b.internGroup(group)
		b.methodRefs = room(b.methodRefs, len(group))
		b.ran = append(room(b.ran, len(group)), make([]bool, len(group))...)
		for i, m := range group {
			b.methodRefs = append(b.methodRefs, b.unique(m, b.group.refs[i]))
			b.methodRows.put(m.id, first+i)
		}
	}
}

// internGroup interns methods by their keys, the short way those whose class is
// a row of types with a name.
func (b *build) internGroup(group []methodRow) {
	g := &b.group
	b.internSignatures(group)
	n := 0
	for i, m := range group {
		class, ok := b.classOf(m)
		if !ok {
			g.refs[i] = b.b.Method(b.key(m))
			continue
		}
		g.rows[n] = i
		g.declared[n] = builder.DeclaredMethod{Class: class, Name: m.name, Signature: g.signatures[i]}
		n++
	}
	b.b.MethodsOf(g.declared[:n], g.ofDeclared[:n])
	for k, i := range g.rows[:n] {
		g.refs[i] = g.ofDeclared[k]
	}
}

// classOf is the declaring class of a method, if it is a row of types with a
// name and there are return and parameter types behind it.
func (b *build) classOf(m methodRow) (class builder.TypeRef, ok bool) {
	if m.n < 2 {
		return 0, false
	}
	row, ok := b.typeRows.row(b.sigIDs[m.first])
	if !ok || row >= len(b.types) || b.types[row].name == "" {
		return 0, false
	}
	return b.typeRefs[row], true
}

// unique gives the method of a row, by another key if another row has its key.
func (b *build) unique(m methodRow, ref builder.MethodRef) builder.MethodRef {
	for n := 2; b.taken.has(uint32(ref)); n++ {
		again := b.key(m)
		again.Signature += numbered(n)
		ref = b.b.Method(again)
		b.b.DescribeMethod(ref, builder.MethodInfo{Flags: layout.MethodNotMatchable})
	}
	b.taken.add(uint32(ref))
	return ref
}

// A signatureTable knows the signatures that were interned: many methods share
// one.
type signatureTable struct {
	index   refindex.Index
	known   []knownSignature // by reference-1
	touched int64            // keeps the compiler from leaving out what is only touched
}

// A knownSignature has the return and parameter ids sigIDs[first:first+n].
type knownSignature struct {
	first, n int
	ref      builder.SymbolRef
}

// internSignatures interns what the methods of a group return and take. Of
// millions hardly any is in a cache, so that all are touched before one is used.
func (b *build) internSignatures(group []methodRow) {
	var hashes, likely [methodGroup]uint32
	for i, m := range group {
		hashes[i] = hashIDs(b.sigIDs[m.first : m.first+m.n])
	}
	t := &b.signatures
	t.index.Guess(hashes[:len(group)], likely[:])
	var first [methodGroup]int
	for i, ref := range likely[:len(group)] {
		if ref != 0 {
			first[i] = t.known[ref-1].first
		}
	}
	for i := range group {
		if first[i] < len(b.sigIDs) {
			t.touched += b.sigIDs[first[i]]
		}
	}
	for i, m := range group {
		b.group.signatures[i] = b.signature(m, hashes[i])
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

// signature interns the return and parameter types of a method.
func (b *build) signature(m methodRow, hash uint32) builder.SymbolRef {
	if m.n < 2 {
		return 0
	}
	t := &b.signatures
	ids := b.sigIDs[m.first+1 : m.first+m.n]
	ref, at := t.index.Find(hash, func(ref uint32) bool {
		k := t.known[ref-1]
		return slices.Equal(b.sigIDs[k.first:k.first+k.n], ids)
	})
	if ref == 0 {
		t.known = append(room(t.known, 1), knownSignature{m.first + 1, m.n - 1, b.b.Name(string(b.spell(ids)))})
		ref = uint32(len(t.known))
		t.index.Put(at, hash, ref)
	}
	return t.known[ref-1].ref
}

// spell spells a signature. The text is valid until the next.
func (b *build) spell(ids []int64) []byte {
	if len(ids) == 0 {
		return nil
	}
	b.text = append(append(b.text[:0], b.spelledType(ids[0])...), '(')
	for i, id := range ids[1:] {
		if i > 0 {
			b.text = append(b.text, ',')
		}
		b.text = append(b.text, b.spelledType(id)...)
	}
	b.text = append(b.text, ')')
	return b.text
}

func (b *build) spelledType(id int64) string {
	b.typeOf(id)
	row, _ := b.typeRows.row(id)
	return b.spelled[row]
}
