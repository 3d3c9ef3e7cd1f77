package archivewriter

import "encoding/binary"

// slots are the pointer slots of all blocks: which words are pointers, and which of these lead to methods. A
// pointer takes a byte or two, so that blocks need not be walked again to find them. The list of a block has
// a number, from 1: its chunk, and a place in units of slotUnit bytes.
type slots struct{ chunks [][]byte }

const (
	slotUnit  = 4
	slotChunk = 1 << 20
)

// A slotList is the list of a block under construction: distances in words, shifted left
// by one bit, which says that the pointer leads to a method. A zero ends it.
type slotList struct {
	bytes []byte
	last  uint32 // word
}

func (l *slotList) beginBlock() {
	l.bytes = l.bytes[:0]
	l.last = 0
}

// addSlot adds a word, which comes after those before.
func (l *slotList) addSlot(word uint32, method bool) {
	distance := uint64(word-l.last) << 1
	if method {
		distance |= 1
	}
	l.bytes = binary.AppendUvarint(l.bytes, distance)
	l.last = word
}

// keepList keeps a list, and returns its number: 0 if it is empty.
func (s *slots) keepList(l *slotList) uint32 {
	if len(l.bytes) == 0 {
		return 0
	}
	l.bytes = append(l.bytes, zeroPage[:slotUnit-len(l.bytes)%slotUnit]...)
	switch n := len(s.chunks); {
	case n == 0:
		s.chunks = append(s.chunks, nil) // grows: most archives need little
	case len(s.chunks[n-1])+len(l.bytes) > slotChunk:
		s.chunks = append(s.chunks, make([]byte, 0, max(slotChunk, len(l.bytes))))
	}
	chunk := &s.chunks[len(s.chunks)-1]
	number := (len(s.chunks)-1)*(slotChunk/slotUnit) + len(*chunk)/slotUnit
	*chunk = append(*chunk, l.bytes...)
	return uint32(number + 1)
}

// each calls yield with the words of a list.
func (s *slots) each(number uint32, yield func(word uint32, method bool)) {
	if number == 0 {
		return
	}
	const units = slotChunk / slotUnit
	rest := s.chunks[(number-1)/units][(number-1)%units*slotUnit:]
	word := uint32(0)
	for rest[0] != 0 {
		distance := uint64(rest[0])
		n := 1
		if distance >= 0x80 {
			distance, n = binary.Uvarint(rest)
		}
		word += uint32(distance >> 1)
		yield(word, distance&1 != 0)
		rest = rest[n:]
	}
}
