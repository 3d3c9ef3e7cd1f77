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
