package builder

import (
	"cmp"
	"context"
	"slices"
)

// A sortKey is a number to sort by, and what it is of.
type sortKey struct {
	key uint64
	ref uint32
}

// A keySorter sorts keys. It keeps the memory that this takes for the next time.
type keySorter struct {
	keys, spare []sortKey
	ctx         context.Context // nil for one that never ends
}

// longSort is from how many keys on a sort asks first whether anybody waits for
// it.
const longSort = 1 << 14

// pointless reports whether to sort n keys would be of no use any more.
func (s *keySorter) pointless(n int) bool {
	return n >= longSort && s.ctx != nil && s.ctx.Err() != nil
}

// room gives memory for n keys, without any. It is that of the keys before.
func (s *keySorter) room(n int) []sortKey {
	if cap(s.keys) < n {
		s.keys = make([]sortKey, 0, n)
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

// sort sorts by key; equal keys stay in their order.
func (s *keySorter) sort(keys []sortKey) {
	differ := differing(keys)
	if differ == 0 || s.pointless(len(keys)) {
		return
	}
	if len(keys) < radixMin {
		slices.SortStableFunc(keys, func(x, y sortKey) int { return cmp.Compare(x.key, y.key) })
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
		for to < len(keys) && keys[to].key>>(8*top) == keys[from].key>>(8*top) {
			to++
		}
		if to-from > 1 {
			s.sort(keys[from:to])
		}
		from = to
	}
}

// differing has the bits in which not all keys agree.
func differing(keys []sortKey) (bits uint64) {
	for _, k := range keys {
		bits |= k.key ^ keys[0].key
	}
	return bits
}

// radix sorts by the bytes that differ from byte top on.
func (s *keySorter) radix(keys []sortKey, differ uint64, top int) {
	if len(s.spare) < len(keys) {
		s.spare = make([]sortKey, len(keys))
	}
	from, to := keys, s.spare[:len(keys)]
	for shift := 8 * top; shift < 64; shift += 8 {
		if byte(differ>>shift) == 0 {
			continue
		}
		var at [256]uint32
		for _, k := range from {
			at[byte(k.key>>shift)]++
		}
		sum := uint32(0)
		for b, n := range at {
			at[b] = sum
			sum += n
		}
		for _, k := range from {
			b := byte(k.key >> shift)
			to[at[b]] = k
			at[b]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}

// eachEqual goes through the groups of more than one equal key of sorted keys.
func eachEqual(keys []sortKey, yield func(group []sortKey)) {
	eachGroup(keys, func(group []sortKey) {
		if len(group) > 1 {
			yield(group)
		}
	})
}

// eachGroup goes through the groups of equal keys of sorted keys.
func eachGroup(keys []sortKey, yield func(group []sortKey)) {
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to].key == keys[from].key {
			to++
		}
		yield(keys[from:to])
		from = to
	}
}

// refsOf are the references of keys.
func refsOf[R ~uint32](keys []sortKey) []R {
	refs := make([]R, len(keys))
	for i, k := range keys {
		refs[i] = R(k.ref)
	}
	return refs
}
