package archivewriter

import "encoding/binary"

// slots records which words of the blocks are pointers and which of these point to methods. A pointer takes one or two
// bytes, and blocks need not be decoded again. The number of a list is its offset in the chunks in units of slotUnit
// bytes, plus 1.
type slots struct{ chunks [][]byte }

const (
	slotUnit  = 4
	slotChunk = 1 << 20
)

// A slotList is the list of a block under construction. An element is the distance to the previous pointer in words,
// shifted left by one bit. The low bit is set if the pointer is to a method. A zero byte ends the list.
type slotList struct {
	bytes []byte
	last  uint32 // word offset of the last slot
}

func (l *slotList) beginBlock() {
	l.bytes = l.bytes[:0]
	l.last = 0
}

// addSlot adds a slot at a word offset. Offsets must ascend.
func (l *slotList) addSlot(word uint32, method bool) {
	distance := uint64(word-l.last) << 1
	if method {
		distance |= 1
	}
	l.bytes = binary.AppendUvarint(l.bytes, distance)
	l.last = word
}

func (s *slots) keepList(l *slotList) uint32 {
	if len(l.bytes) == 0 {
		return 0
	}
	l.bytes = append(l.bytes, zeroPage[:slotUnit-len(l.bytes)%slotUnit]...)
	switch n := len(s.chunks); {
	case n == 0:
		s.chunks = append(s.chunks, nil) // this chunk grows, since most archives need little
	case len(s.chunks[n-1])+len(l.bytes) > slotChunk:
		s.chunks = append(s.chunks, make([]byte, 0, max(slotChunk, len(l.bytes))))
	}
	chunk := &s.chunks[len(s.chunks)-1]
	number := (len(s.chunks)-1)*(slotChunk/slotUnit) + len(*chunk)/slotUnit
	*chunk = append(*chunk, l.bytes...)
	return uint32(number + 1)
}

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
