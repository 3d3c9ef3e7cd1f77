package builder

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
	others map[methodKey]MethodRef
}

func (t *methods) find(k methodKey) (m MethodRef, ok bool) {
	if k.holder != 0 || k.signature != 0 || k.name == 0 {
		m, ok = t.others[k]
		return m, ok
	}
	if int(k.name) > len(t.byName) {
		return 0, false
	}
	m = t.byName[k.name-1]
	return m, m != 0
}

func (t *methods) add(d methodData) MethodRef {
	m := MethodRef(t.list.add(d))
	if d.holder != 0 || d.signature != 0 || d.name == 0 {
		if t.others == nil {
			t.others = map[methodKey]MethodRef{}
		}
		t.others[d.methodKey] = m
		return m
	}
	if missing := int(d.name) - len(t.byName); missing > 0 {
		t.byName = append(t.byName, make([]MethodRef, missing)...)
	}
	t.byName[d.name-1] = m
	return m
}
