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
	Signature SymbolRef // that Name gave, 0 for none
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
		b.touchDeclared(methods[:n])
		for i := range methods[:n] {
			refs[i] = b.declared(&methods[i])
		}
		methods, refs = methods[n:], refs[n:]
	}
}

func (b *Builder) declared(m *DeclaredMethod) MethodRef {
	if !b.types.has(uint32(m.Class)) || int(m.Signature) > b.symbols.len() {
		b.fail(fmt.Errorf("class %d or signature %d is not of this builder", m.Class, m.Signature))
		return 0
	}
	key := methodKey{m.Class, b.typeName(m.Name), m.Signature}
	return b.methods.intern(key, func() methodData {
		t := b.types.at(uint32(m.Class))
		k := layout.Key{Class: b.text(t.name), Name: m.Name, Signature: b.text(m.Signature), Loader: b.text(t.loader)}
		return methodData{methodKey: key, id: k.ID(b.domain)}
	})
}

// touchDeclared touches what interning some methods will read.
func (b *Builder) touchDeclared(methods []DeclaredMethod) {
	var hashes, names [touchGroup]uint32
	for i := range methods {
		hashes[i] = b.symbols.hash(methods[i].Name)
	}
	n := len(methods)
	b.symbols.index.Guess(hashes[:n], names[:n])
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
		hashes[i] = methodKey{methods[i].Class, SymbolRef(names[i]), methods[i].Signature}.hash()
	}
	b.methods.others.Guess(hashes[:n], names[:n])
}
