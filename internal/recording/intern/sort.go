package intern

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/file/mmap"
)

type SortKey = fastmem.SortKey

// A Sorter sorts keys. It reuses its memory until Close.
type Sorter struct {
	keys, spare []SortKey
	pieces      [2]*mmap.Piece  // memory of keys and spare, if they are long
	Ctx         context.Context // nil if sorting cannot be canceled
}

// LongSort is the number of keys from which a sort checks its context first.
const LongSort = 1 << 14

func (s *Sorter) canceled(n int) bool { return n >= LongSort && s.Ctx != nil && s.Ctx.Err() != nil }

// Room returns an empty slice of capacity n. It reuses the memory of the slice that it returned before.
func (s *Sorter) Room(n int) []SortKey {
	if cap(s.keys) < n {
		s.Close()
		if n < LongSort {
			s.keys = make([]SortKey, n)
		} else {
			s.pieces[0], s.keys = mmap.NewPieceOf[SortKey](n)
			s.pieces[1], s.spare = mmap.NewPieceOf[SortKey](n)
		}
	}
	return s.keys[:0]
}

// Done frees the memory that only Sort needs. The slice that Room returned stays valid.
func (s *Sorter) Done() {
	s.pieces[1].Release()
	s.pieces[1], s.spare = nil, nil
}

// Close frees all memory, including the slice that Room returned.
func (s *Sorter) Close() {
	for _, p := range s.pieces {
		p.Release()
	}
	*s = Sorter{Ctx: s.Ctx}
}

func (s *Sorter) Sort(keys []SortKey) { fastmem.SortByKey(keys, &s.spare, s.canceled) }

// SortByTwo sorts by the keys, and groups of equal ones by a second key. Such a group then has its second keys.
func (s *Sorter) SortByTwo(keys []SortKey, second func(ref uint32) uint64) {
	s.Sort(keys)
	EachEqual(keys, func(group []SortKey) {
		for i, k := range group {
			group[i].Key = second(k.Ref)
		}
		s.Sort(group)
	})
}

// EachEqual calls yield with each group of at least two equal keys. The keys must be sorted.
func EachEqual(keys []SortKey, yield func(group []SortKey)) {
	EachGroup(keys, func(group []SortKey) {
		if len(group) > 1 {
			yield(group)
		}
	})
}

// EachGroup calls yield with each group of equal keys. The keys must be sorted.
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

func RefsOf[R ~uint32](keys []SortKey) []R {
	refs := fastmem.AllocateLarge[R](len(keys))
	for i, k := range keys {
		refs[i] = R(k.Ref)
	}
	return refs
}

// Sorted returns all symbols, sorted by bytes.
func (t *Symbols) Sorted(sorter *Sorter) []SymbolRef {
	keys := sorter.Room(t.Len())
	for i := range t.Len() {
		keys = append(keys, SortKey{Ref: uint32(i + 1)})
	}
	piece, ahead := mmap.NewPieceOf[[aheadWords]uint64](t.Len())
	s := symbolSort{t, sorter, ahead}
	s.sortFrom(keys, 0)
	piece.Release()
	return RefsOf[SymbolRef](keys)
}

// A symbolSort sorts strings eight bytes at a time. Once the strings are not in order of arrival, reading one misses
// the cache. The words that follow are therefore read at the same time, and kept in ahead until they are needed.
type symbolSort struct {
	*Symbols
	*Sorter
	ahead [][aheadWords]uint64 // words after the key, indexed by SymbolRef-1
}

// aheadWords is the number of words of eight bytes that are read ahead.
const aheadWords = 4

// deepest is the number of bytes up to which strings are sorted eight at a time. Names hardly ever have longer common
// prefixes; strings with longer ones are compared as a whole.
const deepest = 1 << 12

// sortFrom sorts strings whose first depth bytes are equal by the next eight bytes, and equal ones by the rest.
func (s *symbolSort) sortFrom(keys []SortKey, depth int) {
	if s.canceled(len(keys)) {
		return
	}
	if depth >= deepest {
		slices.SortFunc(keys, func(x, y SortKey) int {
			return strings.Compare(s.Text(SymbolRef(x.Ref))[depth:], s.Text(SymbolRef(y.Ref))[depth:])
		})
		return
	}
	if word := depth / 8 % (1 + aheadWords); word == 0 {
		s.readKeys(keys, depth)
	} else {
		for i := range keys {
			keys[i].Key = s.ahead[keys[i].Ref-1][word-1]
		}
	}
	if len(keys) < fastmem.RadixMin { // equal keys need not stay in their order
		slices.SortFunc(keys, func(x, y SortKey) int { return cmp.Compare(x.Key, y.Key) })
	} else {
		s.Sort(keys)
	}
	EachEqual(keys, func(group []SortKey) {
		ended := s.endedFirst(group, depth+8)
		s.sortFrom(group[ended:], depth+8)
	})
}

// readKeys sets each key to the eight bytes of its string at depth, and stores the words that follow in s.ahead.
func (s *symbolSort) readKeys(keys []SortKey, depth int) {
	for i, k := range keys {
		text := s.Texts.Memory(*s.places.At(k.Ref))[depth:]
		keys[i].Key = chunk(text)
		ahead := &s.ahead[k.Ref-1]
		for w := range ahead {
			text = text[min(8, len(text)):]
			ahead[w] = chunk(text)
		}
	}
}

func chunk(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.BigEndian.Uint64(text)
	}
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}

// endedFirst moves the strings that end before depth to the front, the shorter ones first, and returns their number.
// The strings differ only in the number of zero bytes at their ends.
func (s *symbolSort) endedFirst(group []SortKey, depth int) (ended int) {
	if byte(group[0].Key) != 0 {
		return 0 // the last of the eight bytes is not padding
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
