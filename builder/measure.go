package builder

import (
	"encoding/binary"
	"math/bits"

	"github.com/profarc/profarc/layout"
)

// profileStats is what a profile adds to the header's counts and summary.
type profileStats struct {
	entries     uint64
	pointers    uint64
	invocations uint64
	total, max  uint64 // of the data entries' counts
}

// measure counts what is in an encoded block.
func measure(shape layout.Shape, b layout.Block) (s profileStats) {
	if f := b.Field(layout.HasInvocations); f != nil {
		s.invocations = binary.LittleEndian.Uint64(f)
	}
	eachEntry(shape, b, func(section layout.BlockSection, e layout.Entry) {
		s.entries++
		shape.Pointers(e, func(int, layout.PointerKind) bool { s.pointers++; return true })
		if section == layout.SectionData {
			s.count(shape, e)
		}
	})
	return s
}

func (s *profileStats) count(shape layout.Shape, e layout.Entry) {
	signed := e.Tag() == layout.TagReceiverType
	shape.Counts(e, func(cell int) bool {
		v := e.Cell(cell)
		if signed && int64(v) < 0 { // failing type checks are counted down
			return true
		}
		s.total, s.max = saturate(s.total, v), max(s.max, v)
		return true
	})
}

// eachEntry goes through the entries of all sections of a block that this
// package encoded.
func eachEntry(shape layout.Shape, b layout.Block, yield func(section layout.BlockSection, e layout.Entry)) {
	for section := layout.SectionData; section < layout.SectionDirectory; section++ {
		rest := b.Section(section)
		for len(rest) > 0 {
			var e layout.Entry
			var err error
			if e, rest, err = shape.Next(rest); err != nil {
				panic("builder: encoded a block it cannot walk: " + err.Error())
			}
			yield(section, e)
		}
	}
}

// saturate adds without running over.
func saturate(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return 1<<64 - 1
	}
	return sum
}

// fieldIndex is the place of a presence bit.
func fieldIndex(f layout.Presence) int { return bits.TrailingZeros32(uint32(f)) - 1 }
