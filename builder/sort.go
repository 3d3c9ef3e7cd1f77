package builder

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// A sortKey is a number to sort by, and what it is of.
type sortKey struct {
	key uint64
	ref uint32
}

// A keySorter sorts keys. It keeps the memory that this takes for the next time.
type keySorter struct{ keys, spare []sortKey }

// room gives memory for n keys, without any. It is that of the keys before.
func (s *keySorter) room(n int) []sortKey {
	if cap(s.keys) < n {
		s.keys = make([]sortKey, 0, n)
	}
	return s.keys[:0]
}

const (
	// radixMin is from how many keys on a radix sort is worth its passes.
	radixMin = 1 << 10
	// radixBytes is how many bytes it sorts by at once: keys that are spread
	// evenly hardly ever agree in more.
	radixBytes = 3
)

// sort sorts by key; equal keys stay in their order.
func (s *keySorter) sort(keys []sortKey) {
	differ := differing(keys)
	if differ == 0 {
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

// sorted gives all symbols, sorted by bytes.
func (t *symbols) sorted(sorter *keySorter) []SymbolRef {
	keys := sorter.room(t.len())
	for i := range t.len() {
		keys = append(keys, sortKey{ref: uint32(i + 1)})
	}
	s := symbolSort{t, sorter, make([]uint64, t.len())}
	s.from(keys, 0)
	return refsOf[SymbolRef](keys)
}

// A symbolSort sorts texts eight bytes at a time. Texts are not in the order of
// their arrival, so that to read one is to wait for it: sixteen bytes are read
// at a time.
type symbolSort struct {
	*symbols
	*keySorter
	second []uint64 // by SymbolRef-1: the second half of the bytes that were read last
}

// directMin is from how many texts on they are sorted eight bytes at a time.
const directMin = 4

// from sorts texts that agree in their first depth bytes: by the next eight,
// then those that agree in these by what follows.
func (s *symbolSort) from(keys []sortKey, depth int) {
	if len(keys) < directMin {
		slices.SortFunc(keys, func(x, y sortKey) int {
			return strings.Compare(s.text(SymbolRef(x.ref))[depth:], s.text(SymbolRef(y.ref))[depth:])
		})
		return
	}
	if depth%16 == 0 {
		s.read(keys, depth)
	} else {
		for i := range keys {
			keys[i].key = s.second[keys[i].ref-1]
		}
	}
	if len(keys) < radixMin { // equal keys need not stay in their order
		slices.SortFunc(keys, func(x, y sortKey) int { return cmp.Compare(x.key, y.key) })
	} else {
		s.sort(keys)
	}
	eachEqual(keys, func(group []sortKey) {
		ended := s.endedFirst(group, depth+8)
		s.from(group[ended:], depth+8)
	})
}

// read makes eight bytes of each text, from depth on, its key, and the eight
// behind them its second. See touchGroup.
func (s *symbolSort) read(keys []sortKey, depth int) {
	var places [touchGroup]place
	for len(keys) > 0 {
		group := keys[:min(len(keys), touchGroup)]
		for i, k := range group {
			places[i] = *s.places.at(k.ref)
			places[i].offset += uint32(depth)
			places[i].size -= uint32(depth)
		}
		for i := range group {
			s.touched += uint64(firstByte(s.texts.at(places[i])))
		}
		for i, k := range group {
			text := s.texts.at(places[i])
			group[i].key, s.second[k.ref-1] = chunk(text), chunk(text[min(8, len(text)):])
		}
		keys = keys[len(group):]
	}
}

// chunk is the first eight bytes of a text, zeros behind its end.
func chunk(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.BigEndian.Uint64(text)
	}
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}

// endedFirst puts the texts that end before depth to the front, the shorter
// first: they agree in all but zeros at their ends. It gives their number.
func (s *symbolSort) endedFirst(group []sortKey, depth int) (ended int) {
	if byte(group[0].key) != 0 {
		return 0 // the last of the eight bytes is no zero behind an end
	}
	size := func(k sortKey) int { return min(int(s.places.at(k.ref).size), depth) }
	for _, k := range group {
		if size(k) < depth {
			ended++
		}
	}
	if ended > 0 {
		slices.SortStableFunc(group, func(x, y sortKey) int { return cmp.Compare(size(x), size(y)) })
	}
	return ended
}
