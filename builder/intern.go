package builder

import "github.com/profarc/profarc/internal/refindex"

// A table interns values by key and numbers them from 1.
type table[K comparable, V any] struct {
	list[V]
	refs map[K]uint32
}

func (t *table[K, V]) find(k K) (ref uint32, ok bool) {
	ref, ok = t.refs[k]
	return ref, ok
}

func (t *table[K, V]) add(k K, v V) (ref uint32) {
	if t.refs == nil {
		t.refs = map[K]uint32{}
	}
	ref = t.list.add(v)
	t.refs[k] = ref
	return ref
}

// methods interns methods. Those of languages without classes are found from
// their name alone.
type methods struct {
	list[methodData]
	byName []MethodRef // by SymbolRef-1: those without class and signature
	others refindex.Index
}

// intern gives the method with a key; fresh makes it if it is new.
func (t *methods) intern(k methodKey, fresh func() methodData) MethodRef {
	if k.holder == 0 && k.signature == 0 && k.name != 0 {
		return t.internNamed(k, fresh)
	}
	hash := k.hash()
	ref, at := t.others.Find(hash, func(ref uint32) bool { return t.at(ref).methodKey == k })
	if ref == 0 {
		ref = t.add(fresh())
		t.others.Put(at, hash, ref)
	}
	return MethodRef(ref)
}

func (t *methods) internNamed(k methodKey, fresh func() methodData) MethodRef {
	if missing := int(k.name) - len(t.byName); missing > 0 {
		t.byName = append(t.byName, make([]MethodRef, missing)...)
	}
	m := &t.byName[k.name-1]
	if *m == 0 {
		*m = MethodRef(t.add(fresh()))
	}
	return *m
}

// truncateTo drops all but the first n methods, and names of symbols from the
// number named on.
func (t *methods) truncateTo(n, named int) {
	if n == t.len() {
		return
	}
	for ref := n + 1; ref <= t.len(); ref++ {
		if k := t.at(uint32(ref)).methodKey; k.holder == 0 && k.signature == 0 && k.name != 0 {
			t.byName[k.name-1] = 0
		}
	}
	t.byName = t.byName[:named]
	t.truncate(n)
	t.others.Truncate(uint32(n))
}

// named gives the method that has a name and nothing else, 0 if there is none.
func (t *methods) named(s SymbolRef) MethodRef {
	if s == 0 || int(s) > len(t.byName) {
		return 0
	}
	return t.byName[s-1]
}

// inOrder gives the methods that have a name and nothing else in the order of
// their names.
func (t *methods) inOrder(names []SymbolRef) []MethodRef {
	all := make([]MethodRef, 0, t.len())
	for _, s := range names {
		if m := t.named(s); m != 0 {
			all = append(all, m)
		}
	}
	return all
}

// hash mixes the three numbers.
func (k methodKey) hash() uint32 {
	h := (uint64(k.holder)<<32 | uint64(k.name)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ uint64(k.signature)) * 0xbf58476d1ce4e5b9
	return uint32(h >> 32)
}
