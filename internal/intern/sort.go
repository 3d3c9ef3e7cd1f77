package intern

import (
	"cmp"
	"context"
	"slices"
)

// A SortKey is a number to sort by, and what it is of.
type SortKey struct {
	Key uint64
	Ref uint32
}

// A Sorter sorts keys. It keeps the memory that this takes for the next time.
type Sorter struct {
	keys, spare []SortKey
	Ctx         context.Context // nil for one that never ends
}

// longSort is from how many keys on a sort asks first whether anybody waits for
// it.
const LongSort = 1 << 14

// pointless reports whether to sort n keys would be of no use any more.
func (s *Sorter) pointless(n int) bool {
	return n >= LongSort && s.Ctx != nil && s.Ctx.Err() != nil
}

// Room gives memory for n keys, without any. It is that of the keys before.
func (s *Sorter) Room(n int) []SortKey {
	if cap(s.keys) < n {
		s.keys = make([]SortKey, 0, n)
	}
	return s.keys[:0]
}

const (
	// radixMin is from how many keys on a radix sort is worth its passes.
	radixMin = 1 << 6
	// radixBytes is how many bytes it sorts by at once: keys that are spread
	// evenly hardly ever agree in more.
	radixBytes = 3
)

// Sort sorts by key; equal keys stay in their order.
func (s *Sorter) Sort(keys []SortKey) {
	differ := differing(keys)
	if differ == 0 || s.pointless(len(keys)) {
		return
	}
	if len(keys) < radixMin {
		slices.SortStableFunc(keys, func(x, y SortKey) int { return cmp.Compare(x.Key, y.Key) })
		return
	}
	top := 0 // of the bytes that differ, the lowest of the highest few
	for n, at := 0, 7; at >= 0 && n < radixBytes; at-- {
		if byte(differ>>(8*at)) != 0 {
			top, n = at, n+1
		}
	}
	s.radix(keys, differ, top)
	if differ<<(64-8*top) == 0 { // 0, too, if top is 0
		return
	}
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to].Key>>(8*top) == keys[from].Key>>(8*top) {
			to++
		}
		if to-from > 1 {
			s.Sort(keys[from:to])
		}
		from = to
	}
}

// differing has the bits in which not all keys agree.
func differing(keys []SortKey) (bits uint64) {
	for _, k := range keys {
		bits |= k.Key ^ keys[0].Key
	}
	return bits
}

// radix sorts by the bytes that differ from byte top on.
func (s *Sorter) radix(keys []SortKey, differ uint64, top int) {
	if len(s.spare) < len(keys) {
		s.spare = make([]SortKey, len(keys))
	}
	from, to := keys, s.spare[:len(keys)]
	for shift := 8 * top; shift < 64; shift += 8 {
		if byte(differ>>shift) == 0 {
			continue
		}
		var at [256]uint32
		for _, k := range from {
			at[byte(k.Key>>shift)]++
		}
		sum := uint32(0)
		for b, n := range at {
			at[b] = sum
			sum += n
		}
		for _, k := range from {
			b := byte(k.Key >> shift)
			to[at[b]] = k
			at[b]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}

// EachEqual goes through the groups of more than one equal key of sorted keys.
func EachEqual(keys []SortKey, yield func(group []SortKey)) {
	EachGroup(keys, func(group []SortKey) {
		if len(group) > 1 {
			yield(group)
		}
	})
}

// EachGroup goes through the groups of equal keys of sorted keys.
func EachGroup(keys []SortKey, yield func(group []SortKey)) {
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to].Key == keys[from].Key {
			to++
		}
		yield(keys[from:to])
		from = to
	}
}

// RefsOf are the references of keys.
func RefsOf[R ~uint32](keys []SortKey) []R {
	refs := make([]R, len(keys))
	for i, k := range keys {
		refs[i] = R(k.Ref)
	}
	return refs
}
