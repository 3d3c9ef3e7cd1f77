package intern

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/fast"
)

// A SortKey is a number to sort by, and what it is of.
type SortKey = fast.SortKey

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

// Room returns memory for n keys, without any. It is that of the keys before.
func (s *Sorter) Room(n int) []SortKey {
	if cap(s.keys) < n {
		s.keys = make([]SortKey, 0, n)
	}
	return s.keys[:0]
}

// Sort sorts by key; equal keys stay in their order.
func (s *Sorter) Sort(keys []SortKey) { fast.Sort(keys, &s.spare, s.pointless) }

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

// SortedAnew returns all symbols, sorted by bytes.
func (t *Symbols) SortedAnew(sorter *Sorter) []SymbolRef {
	keys := sorter.Room(t.Len())
	for i := range t.Len() {
		keys = append(keys, SortKey{Ref: uint32(i + 1)})
	}
	s := symbolSort{t, sorter, make([][aheadWords]uint64, t.Len())}
	s.from(keys, 0)
	return RefsOf[SymbolRef](keys)
}

// A symbolSort sorts texts eight bytes at a time. Once they are not in the order
// of their arrival any more, to read one is to wait for it: so the bytes behind
// are read at the same time, and lie close together until they are needed.
type symbolSort struct {
	*Symbols
	*Sorter
	ahead [][aheadWords]uint64 // by SymbolRef-1: what was read behind the first eight bytes
}

// aheadWords is how many more times eight bytes are read at once.
const aheadWords = 4

// deepest is up to how many bytes texts are sorted eight at a time: those that
// agree in more, which names hardly do, are compared.
const deepest = 1 << 12

// from sorts texts that agree in their first depth bytes: by the next eight,
// then those that agree in these by what follows.
func (s *symbolSort) from(keys []SortKey, depth int) {
	if s.pointless(len(keys)) {
		return
	}
	if depth >= deepest {
		slices.SortFunc(keys, func(x, y SortKey) int {
			return strings.Compare(s.Text(SymbolRef(x.Ref))[depth:], s.Text(SymbolRef(y.Ref))[depth:])
		})
		return
	}
	if word := depth / 8 % (1 + aheadWords); word == 0 {
		s.read(keys, depth)
	} else {
		for i := range keys {
			keys[i].Key = s.ahead[keys[i].Ref-1][word-1]
		}
	}
	if len(keys) < fast.RadixMin { // equal keys need not stay in their order
		slices.SortFunc(keys, func(x, y SortKey) int { return cmp.Compare(x.Key, y.Key) })
	} else {
		s.Sort(keys)
	}
	EachEqual(keys, func(group []SortKey) {
		ended := s.endedFirst(group, depth+8)
		s.from(group[ended:], depth+8)
	})
}

// read makes eight bytes of each text, from depth on, its key, and reads those
// behind them ahead. See touchGroup.
func (s *symbolSort) read(keys []SortKey, depth int) {
	var places [GroupSize]Place
	for len(keys) > 0 {
		group := keys[:min(len(keys), GroupSize)]
		for i, k := range group {
			places[i] = *s.places.At(k.Ref)
			places[i].offset += uint32(depth)
			places[i].Size -= uint32(depth)
		}
		for i := range group {
			s.touched += uint64(firstByte(s.Texts.At(places[i])))
		}
		for i, k := range group {
			text := s.Texts.At(places[i])
			group[i].Key = chunk(text)
			ahead := &s.ahead[k.Ref-1]
			for w := range ahead {
				text = text[min(8, len(text)):]
				ahead[w] = chunk(text)
			}
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
func (s *symbolSort) endedFirst(group []SortKey, depth int) (ended int) {
	if byte(group[0].Key) != 0 {
		return 0 // the last of the eight bytes is no zero behind an end
	}
	size := func(k SortKey) int { return min(int(s.places.At(k.Ref).Size), depth) }
	for _, k := range group {
		if size(k) < depth {
			ended++
		}
	}
	if ended > 0 {
		slices.SortStableFunc(group, func(x, y SortKey) int { return cmp.Compare(size(x), size(y)) })
	}
	return ended
}
