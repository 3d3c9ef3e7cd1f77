package profileset

import (
	"fmt"
	"runtime"

	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/layout"
)

// Names and keys in random order are looked up in groups. The memory that the lookups of a group read is prefetched
// first.

type MethodOfClass struct {
	Class     TypeRef
	Name      string
	Signature intern.SymbolRef // 0 if it has no signature
}

// InternMethods interns methods[i] and stores its reference in refs[i]. The slices have equal length.
func (b *Set) InternMethods(methods []MethodOfClass, refs []MethodRef) {
	for len(methods) > 0 {
		n := min(len(methods), FunctionGroup)
		b.internGroup(methods[:n], refs)
		methods = methods[n:]
		refs = refs[n:]
	}
}

func (b *Set) internGroup(methods []MethodOfClass, refs []MethodRef) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var texts [FunctionGroup]string
	var names [FunctionGroup]intern.SymbolRef
	for i := range methods {
		texts[i] = methods[i].Name
	}
	b.shuffledNames(texts[:len(methods)], names[:], true)
	var keys [FunctionGroup]methodKey
	for i, m := range methods {
		keys[i] = methodKey{m.Class, names[i], m.Signature}
	}
	b.Methods.prefetchMethods(keys[:len(methods)])
	for i := range methods {
		refs[i] = b.methodOfClass(&methods[i], keys[i])
	}
}

func (b *Set) methodOfClass(m *MethodOfClass, key methodKey) MethodRef {
	if !b.Types.Has(uint32(m.Class)) || int(m.Signature) > b.Symbols.Len() {
		b.failWith(fmt.Errorf("class %d or signature %d is not of this builder", m.Class, m.Signature))
		return 0
	}
	return b.Methods.internMethod(key, func() methodData {
		t := b.Types.At(uint32(m.Class))
		k := layout.Key{Class: b.Text(t.Name), Name: m.Name, Signature: b.Text(m.Signature), Loader: b.Text(t.Loader)}
		return methodData{methodKey: key, ID: k.ID(b.Domain)}
	})
}

func (t *methods) prefetchMethods(keys []methodKey) {
	var hashes, likely [FunctionGroup]uint32
	for i, k := range keys {
		hashes[i] = k.hash()
	}
	t.Others.Guess(hashes[:len(keys)], likely[:])
	seen := uint64(0)
	for _, ref := range likely[:len(keys)] {
		if ref != 0 {
			seen += t.At(ref).ID
		}
	}
	runtime.KeepAlive(seen)
}

// Names interns texts[i] and stores its symbol in refs[i]. The slices have equal length. "" becomes 0.
func (b *Set) Names(texts []string, refs []intern.SymbolRef) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(texts) > 0 {
		n := min(len(texts), FunctionGroup)
		b.shuffledNames(texts[:n], refs, false)
		texts = texts[n:]
		refs = refs[n:]
	}
}

// shuffledNames interns at most FunctionGroup names of methods or signatures, in any order. If empty is set, "" is a
// name. Otherwise it becomes 0.
func (b *Set) shuffledNames(texts []string, refs []intern.SymbolRef, empty bool) {
	var hashes [FunctionGroup]uint32
	for i, text := range texts {
		hashes[i] = b.Symbols.Hash(text)
	}
	b.Symbols.Fetch(hashes[:len(texts)])
	for i, text := range texts {
		switch {
		case possibleName(text):
			refs[i], _ = b.Symbols.InternHashed(text, hashes[i])
		case text != "" || empty:
			refs[i] = b.internTypeName(text)
		default:
			refs[i] = 0
		}
	}
}

// An OuterFrame is a frame around a context. Inner can be NoContext.
type OuterFrame struct {
	Inner  ContextRef
	Caller MethodRef
	Point  int32
}

// OuterContexts calls OuterContext for each frame. There must be at most FunctionGroup frames.
func (b *Set) OuterContexts(m MethodRef, frames []OuterFrame) []ContextRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Contexts.prefetchContexts(m, frames)
	refs := make([]ContextRef, len(frames))
	for i, f := range frames {
		refs[i] = b.outerContext(contextKey{m, f.Inner, f.Caller, f.Point})
	}
	return refs
}

func (t *contexts) prefetchContexts(m MethodRef, frames []OuterFrame) {
	var hashes, likely [FunctionGroup]uint32
	for i, f := range frames {
		hashes[i] = contextKey{m, f.Inner, f.Caller, f.Point}.hash()
	}
	t.index.Guess(hashes[:len(frames)], likely[:])
	seen := uint32(0)
	for _, ref := range likely[:len(frames)] {
		if ref != 0 {
			seen += t.At(ref).Depth
		}
	}
	runtime.KeepAlive(seen)
}
