package builder

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// sortedAnew gives all symbols, sorted by bytes.
func (t *symbols) sortedAnew(sorter *keySorter) []SymbolRef {
	keys := sorter.room(t.len())
	for i := range t.len() {
		keys = append(keys, sortKey{ref: uint32(i + 1)})
	}
	s := symbolSort{t, sorter, make([][aheadWords]uint64, t.len())}
	s.from(keys, 0)
	return refsOf[SymbolRef](keys)
}

// A symbolSort sorts texts eight bytes at a time. Once they are not in the order
// of their arrival any more, to read one is to wait for it: so the bytes behind
// are read at the same time, and lie close together until they are needed.
type symbolSort struct {
	*symbols
	*keySorter
	ahead [][aheadWords]uint64 // by SymbolRef-1: what was read behind the first eight bytes
}

// aheadWords is how many more times eight bytes are read at once.
const aheadWords = 4

// deepest is up to how many bytes texts are sorted eight at a time: those that
// agree in more, which names hardly do, are compared.
const deepest = 1 << 12

// from sorts texts that agree in their first depth bytes: by the next eight,
// then those that agree in these by what follows.
func (s *symbolSort) from(keys []sortKey, depth int) {
	if s.pointless(len(keys)) {
		return
	}
	if depth >= deepest {
		slices.SortFunc(keys, func(x, y sortKey) int {
			return strings.Compare(s.text(SymbolRef(x.ref))[depth:], s.text(SymbolRef(y.ref))[depth:])
		})
		return
	}
	if word := depth / 8 % (1 + aheadWords); word == 0 {
		s.read(keys, depth)
	} else {
		for i := range keys {
			keys[i].key = s.ahead[keys[i].ref-1][word-1]
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

// read makes eight bytes of each text, from depth on, its key, and reads those
// behind them ahead. See touchGroup.
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
			group[i].key = chunk(text)
			ahead := &s.ahead[k.ref-1]
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
