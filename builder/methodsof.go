package builder

import (
	"fmt"

	"github.com/profarc/profarc/layout"
)

// A DeclaredMethod is the key of a method whose class and signature are interned
// already.
type DeclaredMethod struct {
	Class     TypeRef // that Type gave
	Name      string
	Signature SymbolRef // that Names gave, 0 for none
}

// MethodsOf interns methods, into refs, which must be as long: where millions
// share classes and signatures, neither is looked up again, and the memory of
// many look-ups is waited for at once.
func (b *Builder) MethodsOf(methods []DeclaredMethod, refs []MethodRef) {
	_ = refs[:len(methods)]
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(methods) > 0 {
		n := min(len(methods), touchGroup)
		var hashes [touchGroup]uint32
		b.touchDeclared(methods[:n], hashes[:n])
		for i := range methods[:n] {
			refs[i] = b.declared(&methods[i], hashes[i])
		}
		methods, refs = methods[n:], refs[n:]
	}
}

// declared interns a method whose name has that hash.
func (b *Builder) declared(m *DeclaredMethod, hash uint32) MethodRef {
	if !b.types.has(uint32(m.Class)) || int(m.Signature) > b.symbols.len() {
		b.fail(fmt.Errorf("class %d or signature %d is not of this builder", m.Class, m.Signature))
		return 0
	}
	key := methodKey{m.Class, b.nameHashed(m.Name, hash), m.Signature}
	return b.methods.intern(key, func() methodData {
		t := b.types.at(uint32(m.Class))
		k := layout.Key{Class: b.text(t.name), Name: m.Name, Signature: b.text(m.Signature), Loader: b.text(t.loader)}
		return methodData{methodKey: key, id: k.ID(b.domain)}
	})
}

// Names interns parts of keys, for MethodsOf, into refs, which must be as long: ""
// is none.
func (b *Builder) Names(texts []string, refs []SymbolRef) {
	_ = refs[:len(texts)]
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(texts) > 0 {
		n := min(len(texts), touchGroup)
		var hashes, likely [touchGroup]uint32
		for i, text := range texts[:n] {
			hashes[i] = b.symbols.hash(text)
		}
		b.symbols.index.Guess(hashes[:n], likely[:n])
		b.symbols.touch(likely[:n])
		for i, text := range texts[:n] {
			if refs[i] = 0; text != "" {
				refs[i] = b.nameHashed(text, hashes[i])
			}
		}
		texts, refs = texts[n:], refs[n:]
	}
}

// nameHashed interns the name of a method, which may be empty, or a signature.
func (b *Builder) nameHashed(text string, hash uint32) SymbolRef {
	if !possibleName(text) {
		return b.typeName(text)
	}
	ref, _ := b.symbols.internHashed(text, hash)
	return ref
}

// touchDeclared touches what interning some methods will read, and gives the
// hashes of their names.
func (b *Builder) touchDeclared(methods []DeclaredMethod, hashes []uint32) {
	var keys, names [touchGroup]uint32
	for i := range methods {
		hashes[i] = b.symbols.hash(methods[i].Name)
	}
	n := len(methods)
	b.symbols.index.Guess(hashes, names[:n])
	var others [2 * touchGroup]uint32 // names of classes, and signatures
	for i := range methods {
		if class := methods[i].Class; b.types.has(uint32(class)) {
			others[2*i] = uint32(b.types.at(uint32(class)).name)
		}
		others[2*i+1] = uint32(methods[i].Signature)
	}
	b.symbols.touch(names[:n])
	b.symbols.touch(others[:2*n])
	for i := range methods {
		keys[i] = methodKey{methods[i].Class, SymbolRef(names[i]), methods[i].Signature}.hash()
	}
	b.methods.others.Guess(keys[:n], names[:n])
}
