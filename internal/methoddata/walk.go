package methoddata

import (
	"math/bits"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// EachEntry goes through the entries of all sections of a block that this
// package encoded.
func EachEntry(shape disk.Shape, b disk.Block, yield func(section layout.BlockSection, e disk.Entry)) {
	EachEntryIn(shape, b.Section(layout.SectionData), func(e disk.Entry) { yield(layout.SectionData, e) })
	if b.Presence()&disk.HasSections == 0 {
		return
	}
	for section := layout.SectionExtra; section < layout.SectionDirectory; section++ {
		EachEntryIn(shape, b.Section(section), func(e disk.Entry) { yield(section, e) })
	}
}

func EachEntryIn(shape disk.Shape, section []byte, yield func(e disk.Entry)) {
	for len(section) > 0 {
		var e disk.Entry
		var err error
		if e, section, err = shape.Next(section); err != nil {
			panic("builder: encoded a block it cannot walk: " + err.Error())
		}
		yield(e)
	}
}

// fieldIndex is the place of a presence bit.
func fieldIndex(f disk.Presence) int { return bits.TrailingZeros32(uint32(f)) - 1 }
