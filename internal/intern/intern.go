package intern

// A Table interns values by key and numbers them from 1.
type Table[K comparable, V any] struct {
	List[V]
	Refs map[K]uint32
}

func (t *Table[K, V]) Find(k K) (ref uint32, ok bool) {
	ref, ok = t.Refs[k]
	return ref, ok
}

func (t *Table[K, V]) Add(k K, v V) (ref uint32) {
	if t.Refs == nil {
		t.Refs = map[K]uint32{}
	}
	ref = t.List.Add(v)
	t.Refs[k] = ref
	return ref
}
