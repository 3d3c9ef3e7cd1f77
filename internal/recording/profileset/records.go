package profileset

import (
	"cmp"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/refindex"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/layout"
)

// References to interned records. They are numbered from 1; 0 refers to nothing.
type (
	TypeRef    uint32
	MethodRef  uint32
	ContextRef uint32
	ProfileRef uint32
)

const NoContext ContextRef = 0

type typeKey struct{ Name, Loader intern.SymbolRef }

type typeData struct {
	typeKey
	ID    uint64
	Alias intern.SymbolRef
	Flags layout.TypeFlags
}

// Type interns a type by name and loader. An empty loader means none.
func (b *Set) Type(name, loader string) TypeRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.internType(name, loader)
}

func (b *Set) internType(name, loader string) TypeRef {
	key := typeKey{b.internTypeName(name), b.internName(loader)}
	if ref, ok := b.Types.Find(key); ok {
		return TypeRef(ref)
	}
	if b.Types.Len() >= disk.MaxTypes {
		b.failWith(fmt.Errorf("%w: more than %d types", layout.ErrTooLarge, disk.MaxTypes))
		return 0
	}
	return TypeRef(b.Types.Add(key, typeData{typeKey: key, ID: layout.TypeID(name, loader)}))
}

// internTypeName interns the name of a type. "" is a valid name, because Graal's profiles have a type with an empty
// name.
func (b *Set) internTypeName(text string) intern.SymbolRef {
	if text == "" {
		return b.internSymbol("", 0)
	}
	return b.internName(text)
}

// DescribeType adds flags and an alias to a type. Of several aliases, it keeps the one that sorts first.
func (b *Set) DescribeType(t TypeRef, alias string, flags layout.TypeFlags) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.Types.Has(uint32(t)) {
		b.failWith(fmt.Errorf("type %d is not of this builder", t))
		return
	}
	b.changesType(t)
	d := b.Types.At(uint32(t))
	d.Flags |= flags
	if ref := b.internName(alias); ref != 0 && (d.Alias == 0 || alias < b.Text(d.Alias)) {
		d.Alias = ref
	}
}

type methodKey struct {
	Holder          TypeRef
	Name, Signature intern.SymbolRef
}

type methodData struct {
	methodKey
	first  ProfileRef // first profile without a context; 0 if none
	ID     uint64
	Access uint32
	Flags  layout.MethodFlags
	Seen   bool
}

// Method interns a method. Its class, if any, is interned as a type with the key's loader.
func (b *Set) Method(k layout.Key) MethodRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.internMethod(k)
}

// internMethod implements Method. The caller holds mu.
func (b *Set) internMethod(k layout.Key) MethodRef {
	if k == (layout.Key{Name: k.Name}) && b.Domain.LLVM() && possibleName(k.Name) {
		return b.internFunction(k.Name)
	}
	b.needProducer()
	key := methodKey{Name: b.internTypeName(k.Name), Signature: b.internName(k.Signature)}
	if k.Class != "" {
		key.Holder = b.internType(k.Class, k.Loader)
	} else if k.Loader != "" {
		b.failWith(fmt.Errorf("method %q has a loader and no class", k.Name))
	}
	return b.Methods.internMethod(key, func() methodData { return methodData{methodKey: key, ID: k.ID(b.Domain)} })
}

// InternDescribed calls Method, DescribeMethod and, if seen is set, Seen.
func (b *Set) InternDescribed(k layout.Key, access uint32, flags layout.MethodFlags, seen bool) MethodRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.internMethod(k)
	b.describeMethod(m, access, flags, seen)
	return m
}

func (b *Set) DescribeMethod(m MethodRef, access uint32, flags layout.MethodFlags) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.describeMethod(m, access, flags, false)
}

// describeMethod sets the properties of a method that it lacks. The caller holds mu.
func (b *Set) describeMethod(m MethodRef, access uint32, flags layout.MethodFlags, seen bool) {
	flags &= layout.MethodNotMatchable
	if access|uint32(flags) == 0 && !seen && b.Methods.Has(uint32(m)) {
		return
	}
	if d := b.changeMethod(m); d != nil {
		d.Access |= access
		d.Flags |= flags
		d.Seen = d.Seen || seen
	}
}

// Seen records that methods were loaded or instrumented. Methods without any profile, context, sampled stack or caller
// are recorded as unexecuted.
func (b *Set) Seen(methods ...MethodRef) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range methods {
		if d := b.changeMethod(m); d != nil {
			d.Seen = true
		}
	}
}

// changeMethod returns the data of a method that is about to change, or nil if the method does not exist. The caller
// holds mu.
func (b *Set) changeMethod(m MethodRef) *methodData {
	if !b.Methods.Has(uint32(m)) {
		b.failWith(fmt.Errorf("method %d is not of this builder", m))
		return nil
	}
	b.changesMethod(m)
	return b.Methods.At(uint32(m))
}

type methods struct {
	intern.List[methodData]
	byName []MethodRef // methods that have only a name, indexed by SymbolRef-1
	Others refindex.Index
}

func (t *methods) internMethod(k methodKey, fresh func() methodData) MethodRef {
	if k.onlyName() {
		return t.internNamed(k, fresh)
	}
	hash := refindex.HashKey(k)
	ref, at := t.Others.Find(hash, func(ref uint32) bool { return t.At(ref).methodKey == k })
	if ref == 0 {
		ref = t.Add(fresh())
		t.Others.Put(at, hash, ref)
	}
	return MethodRef(ref)
}

func (t *methods) internNamed(k methodKey, fresh func() methodData) MethodRef {
	if missing := int(k.Name) - len(t.byName); missing > 0 {
		t.byName = append(t.byName, make([]MethodRef, missing)...)
	}
	m := &t.byName[k.Name-1]
	if *m == 0 {
		*m = MethodRef(t.Add(fresh()))
	}
	return *m
}

func (t *methods) truncateTo(n, named int) {
	if n == t.Len() {
		return
	}
	for ref := n + 1; ref <= t.Len(); ref++ {
		if k := t.At(uint32(ref)).methodKey; k.onlyName() {
			t.byName[k.Name-1] = 0
		}
	}
	t.byName = t.byName[:named]
	t.Truncate(n)
	t.Others.Truncate(uint32(n))
}

func (t *methods) methodNamed(s intern.SymbolRef) MethodRef {
	if s == 0 || int(s) > len(t.byName) {
		return 0
	}
	return t.byName[s-1]
}

func (t *methods) InOrder(names []intern.SymbolRef) []MethodRef {
	all := make([]MethodRef, 0, t.Len())
	for _, s := range names {
		if m := t.methodNamed(s); m != 0 {
			all = append(all, m)
		}
	}
	return all
}

func (k methodKey) onlyName() bool { return k.Holder == 0 && k.Signature == 0 && k.Name != 0 }

type contextKey struct {
	Method MethodRef
	Parent ContextRef
	Caller MethodRef
	Point  int32
}

type contextData struct {
	contextKey
	Depth uint32
	first ProfileRef
}

// contexts interns calling contexts. The index has the contexts that were added before the last search.
type contexts struct {
	intern.List[contextData]
	index refindex.Index
}

func (t *contexts) findContext(k contextKey) ContextRef {
	for t.index.Len() < t.Len() {
		ref := uint32(t.index.Len() + 1)
		hash := refindex.HashKey(t.At(ref).contextKey)
		_, at := t.index.Find(hash, func(uint32) bool { return false })
		t.index.Put(at, hash, ref)
	}
	ref, _ := t.index.Find(refindex.HashKey(k), func(ref uint32) bool { return t.At(ref).contextKey == k })
	return ContextRef(ref)
}

// OuterContext interns the context of a method that has one frame more than inner. inner can be NoContext.
func (b *Set) OuterContext(m MethodRef, inner ContextRef, caller MethodRef, point int32) ContextRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.outerContext(contextKey{m, inner, caller, point})
}

// outerContext implements OuterContext. The caller holds mu.
func (b *Set) outerContext(k contextKey) ContextRef {
	if !b.Methods.Has(uint32(k.Method)) || k.Parent != NoContext &&
		(!b.Contexts.Has(uint32(k.Parent)) || b.Contexts.At(uint32(k.Parent)).Method != k.Method) {
		b.failWith(fmt.Errorf("context %d is not one of method %d of this builder", k.Parent, k.Method))
		return NoContext
	}
	if !b.Methods.Has(uint32(k.Caller)) {
		b.failWith(fmt.Errorf("caller %d is not of this builder", k.Caller))
		return NoContext
	}
	if ref := b.Contexts.findContext(k); ref != NoContext {
		return ref
	}
	return b.addContext(k)
}

// NewContext is like OuterContext, but the caller guarantees that the set does not have the context yet.
func (b *Set) NewContext(m MethodRef, inner ContextRef, caller MethodRef, point int32) ContextRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.addContext(contextKey{m, inner, caller, point})
}

// addContext adds a context. The caller holds mu.
func (b *Set) addContext(key contextKey) ContextRef {
	t := &b.Contexts
	d := contextData{contextKey: key, Depth: 1}
	if key.Parent != NoContext {
		d.Depth = t.At(uint32(key.Parent)).Depth + 1
	}
	switch {
	case d.Depth > disk.MaxDepth:
		b.failDepth(int(d.Depth))
		return NoContext
	case int64(t.Len()) >= disk.MaxContexts:
		b.failWith(fmt.Errorf("%w: more than %d context nodes", layout.ErrTooLarge, int64(disk.MaxContexts)))
		return NoContext
	}
	return ContextRef(t.Add(d))
}

// CheckDepth reports whether a method of the set can have a context with this number of frames. If not, it fails the
// set.
func (b *Set) CheckDepth(m MethodRef, frames int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case frames > disk.MaxDepth:
		b.failDepth(frames)
		return false
	case !b.Methods.Has(uint32(m)):
		b.failWith(fmt.Errorf("method %d is not of this builder", m))
		return false
	}
	return true
}

func (b *Set) failDepth(frames int) {
	b.failWith(fmt.Errorf("%w: a context of %d frames, at most %d are possible", layout.ErrTooLarge, frames,
		disk.MaxDepth))
}

// CompareTypes orders types by name and loader. The caller holds mu.
func (b *Set) CompareTypes(x, y uint32) int {
	if x == 0 || y == 0 {
		return cmp.Compare(x, y)
	}
	s := b.Types.At(x)
	t := b.Types.At(y)
	return cmp.Or(cmp.Compare(b.Text(s.Name), b.Text(t.Name)), cmp.Compare(b.Text(s.Loader), b.Text(t.Loader)))
}

// CompareMethods orders methods by class, name and signature. The caller holds mu.
func (b *Set) CompareMethods(x, y uint32) int {
	if x == y || x == 0 || y == 0 {
		return cmp.Compare(x, y)
	}
	s := b.Methods.At(x)
	t := b.Methods.At(y)
	return cmp.Or(b.CompareTypes(uint32(s.Holder), uint32(t.Holder)), cmp.Compare(b.Text(s.Name), b.Text(t.Name)),
		cmp.Compare(b.Text(s.Signature), b.Text(t.Signature)))
}
