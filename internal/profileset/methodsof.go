package profileset

import (
	"fmt"

	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/layout"
)

// A DeclaredMethod is the key of a method whose class and signature are interned
// already.
type DeclaredMethod struct {
	Class     TypeRef // that Type gave
	Name      string
	Signature intern.SymbolRef // that Names gave, 0 for none
}

// MethodsOf interns methods, at most touchGroup of them, into refs.
func (b *Set) MethodsOf(methods []DeclaredMethod, refs []MethodRef) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	var hashes [intern.GroupSize]uint32
	b.touchDeclared(methods, hashes[:len(methods)])
	for i := range methods {
		refs[i] = b.declared(&methods[i], hashes[i])
	}
}

// declared interns a method whose name has that hash.
func (b *Set) declared(m *DeclaredMethod, hash uint32) MethodRef {
	if !b.Types.Has(uint32(m.Class)) || int(m.Signature) > b.Symbols.Len() {
		b.fail(fmt.Errorf("class %d or signature %d is not of this builder", m.Class, m.Signature))
		return 0
	}
	key := methodKey{m.Class, b.nameHashed(m.Name, hash), m.Signature}
	return b.Methods.intern(key, func() methodData {
		t := b.Types.At(uint32(m.Class))
		k := layout.Key{Class: b.Text(t.Name), Name: m.Name, Signature: b.Text(m.Signature), Loader: b.Text(t.Loader)}
		return methodData{methodKey: key, ID: k.ID(b.Domain)}
	})
}

// Names interns parts of keys, for MethodsOf, into refs, which must be as long: ""
// is none.
func (b *Set) Names(texts []string, refs []intern.SymbolRef) {
	_ = refs[:len(texts)]
	b.Mu.Lock()
	defer b.Mu.Unlock()
	for len(texts) > 0 {
		n := min(len(texts), intern.GroupSize)
		var hashes, likely [intern.GroupSize]uint32
		for i, text := range texts[:n] {
			hashes[i] = b.Symbols.Hash(text)
		}
		b.Symbols.Index.Guess(hashes[:n], likely[:n])
		b.Symbols.Touch(likely[:n])
		for i, text := range texts[:n] {
			if refs[i] = 0; text != "" {
				refs[i] = b.nameHashed(text, hashes[i])
			}
		}
		texts, refs = texts[n:], refs[n:]
	}
}

// nameHashed interns the name of a method, which may be empty, or a signature.
func (b *Set) nameHashed(text string, hash uint32) intern.SymbolRef {
	if !possibleName(text) {
		return b.typeName(text)
	}
	ref, _ := b.Symbols.InternHashed(text, hash)
	return ref
}

// touchDeclared touches what interning some methods will read, and gives the
// hashes of their names.
func (b *Set) touchDeclared(methods []DeclaredMethod, hashes []uint32) {
	var keys, names [intern.GroupSize]uint32
	for i := range methods {
		hashes[i] = b.Symbols.Hash(methods[i].Name)
	}
	n := len(methods)
	b.Symbols.Index.Guess(hashes, names[:n])
	var others [2 * intern.GroupSize]uint32 // names of classes, and signatures
	for i := range methods {
		if class := methods[i].Class; b.Types.Has(uint32(class)) {
			others[2*i] = uint32(b.Types.At(uint32(class)).Name)
		}
		others[2*i+1] = uint32(methods[i].Signature)
	}
	b.Symbols.Touch(names[:n])
	b.Symbols.Touch(others[:2*n])
	for i := range methods {
		keys[i] = methodKey{methods[i].Class, intern.SymbolRef(names[i]), methods[i].Signature}.hash()
	}
	b.Methods.Others.Guess(keys[:n], names[:n])
}
