package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A TypeKey names a type.
type TypeKey struct {
	Name   string // in the domain's own spelling; HotSpot: internal, "java/lang/String", "[Ljava/lang/String;"
	Loader string // identity of the class loader, empty for the boot loader or if not known
}

// TypeInfo is what is known of a type beside its key.
type TypeInfo struct {
	Alias string // the producer's spelling, if it differs from the name
	Flags layout.TypeFlags
}

type typeKey struct{ name, loader SymbolRef }

type typeData struct {
	typeKey
	id    uint64
	alias SymbolRef
	flags layout.TypeFlags
}

// Type interns a type.
func (b *Builder) Type(k TypeKey) TypeRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.typeRef(k)
}

func (b *Builder) typeRef(k TypeKey) TypeRef {
	key := typeKey{b.typeName(k.Name), b.name(k.Loader)}
	if ref, ok := b.types.find(key); ok {
		return TypeRef(ref)
	}
	if b.types.len() >= disk.MaxTypes {
		b.fail(fmt.Errorf("%w: more than %d types", layout.ErrTooLarge, disk.MaxTypes))
		return 0
	}
	return TypeRef(b.types.add(key, typeData{typeKey: key, id: layout.TypeID(k.Name, k.Loader)}))
}

// typeName interns the name of a type. Graal's profiles know a type with an
// empty name, so that "" is a name here and not none.
func (b *Builder) typeName(text string) SymbolRef {
	if text == "" {
		return b.symbol("", 0)
	}
	return b.name(text)
}

// DescribeType adds to what is known of a type: flags are united, the alias
// that sorts first is kept.
func (b *Builder) DescribeType(t TypeRef, info TypeInfo) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.types.has(uint32(t)) {
		b.fail(fmt.Errorf("type %d is not of this builder", t))
		return
	}
	b.changesType(t)
	d := b.types.at(uint32(t))
	d.flags |= info.Flags
	if alias := b.name(info.Alias); alias != 0 && (d.alias == 0 || info.Alias < b.text(d.alias)) {
		d.alias = alias
	}
}

// MethodInfo is what is known of a method beside its key.
type MethodInfo struct {
	Access uint32             // access flags as in a class file
	Flags  layout.MethodFlags // layout.MethodNotMatchable
}

type methodKey struct {
	holder          TypeRef
	name, signature SymbolRef
}

type methodData struct {
	methodKey
	first  ProfileRef // without a context
	id     uint64
	access uint32
	flags  layout.MethodFlags
	seen   bool
}

// Method interns a method. Its class, if any, is interned as a type with the
// key's loader.
func (b *Builder) Method(k layout.Key) MethodRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := methodKey{name: b.typeName(k.Name), signature: b.name(k.Signature)}
	if k.Class != "" {
		key.holder = b.typeRef(TypeKey{k.Class, k.Loader})
	} else if k.Loader != "" {
		b.fail(fmt.Errorf("method %q has a loader and no class", k.Name))
	}
	return b.methods.intern(key, func() methodData { return methodData{methodKey: key, id: k.ID(b.domain)} })
}

// DescribeMethod adds to what is known of a method: flags are united.
func (b *Builder) DescribeMethod(m MethodRef, info MethodInfo) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.describe(m, func(d *methodData) {
		d.access |= info.Access
		d.flags |= info.Flags & layout.MethodNotMatchable
	})
}

// Seen says that methods were seen. One of which in the end nothing shows that it
// ran, no profile, context, sampled stack or callee, is recorded as one that never
// ran.
func (b *Builder) Seen(methods ...MethodRef) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range methods {
		b.describe(m, func(d *methodData) { d.seen = true })
	}
}

// describe changes what is known of a method. The caller holds mu.
func (b *Builder) describe(m MethodRef, change func(*methodData)) {
	if !b.methods.has(uint32(m)) {
		b.fail(fmt.Errorf("method %d is not of this builder", m))
		return
	}
	b.changesMethod(m)
	change(b.methods.at(uint32(m)))
}
