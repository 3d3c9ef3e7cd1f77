package builder

// A table interns values by key and numbers them from 1.
type table[K comparable, V any] struct {
	refs   map[K]uint32
	values []V
}

func (t *table[K, V]) find(k K) (ref uint32, ok bool) {
	ref, ok = t.refs[k]
	return ref, ok
}

func (t *table[K, V]) add(k K, v V) (ref uint32) {
	if t.refs == nil {
		t.refs = map[K]uint32{}
	}
	t.values = append(t.values, v)
	ref = uint32(len(t.values))
	t.refs[k] = ref
	return ref
}

// at is the value with that number, which must be one that add gave.
func (t *table[K, V]) at(ref uint32) *V { return &t.values[ref-1] }

func (t *table[K, V]) has(ref uint32) bool { return ref != 0 && int(ref) <= len(t.values) }

func (t *table[K, V]) len() int { return len(t.values) }

// methods interns methods. Those of languages without classes are found from
// their name alone.
type methods struct {
	byName []MethodRef // by SymbolRef-1: those without class and signature
	others map[methodKey]MethodRef
	values []methodData
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
	t.values = append(t.values, d)
	m := MethodRef(len(t.values))
	if d.holder != 0 || d.signature != 0 || d.name == 0 {
		if t.others == nil {
			t.others = map[methodKey]MethodRef{}
		}
		t.others[d.methodKey] = m
		return m
	}
	for int(d.name) > len(t.byName) {
		t.byName = append(t.byName, 0)
	}
	t.byName[d.name-1] = m
	return m
}

func (t *methods) at(m uint32) *methodData { return &t.values[m-1] }

func (t *methods) has(m uint32) bool { return m != 0 && int(m) <= len(t.values) }

func (t *methods) len() int { return len(t.values) }
