package verify

import (
	"math/bits"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// places is a set of offsets in a part of the file, with one bit for each unit.
type places struct {
	span    layout.Span
	bits    []uint64
	partial bool // the walk that fills the set ended early
}

func newPlaces(span layout.Span) places {
	return places{span: span, bits: make([]uint64, (span.Size/disk.Unit+63)/64)}
}

// has reports whether n is in the set. Offsets outside the part are not.
func (p *places) has(n layout.Ref) bool {
	if !p.span.Holds(n.Offset(), disk.Unit) {
		return false
	}
	word, bit := p.bit(n)
	return *word&bit != 0
}

// mayHave is like has, but also returns true if the set is incomplete.
func (p *places) mayHave(n layout.Ref) bool { return p.partial || p.has(n) }

func (p *places) remove(n layout.Ref) bool {
	if !p.has(n) {
		return false
	}
	word, bit := p.bit(n)
	*word &^= bit
	return true
}

func (p *places) bit(n layout.Ref) (word *uint64, bit uint64) {
	unit := (n.Offset() - p.span.Offset) / disk.Unit
	return &p.bits[unit/64], 1 << (unit % 64)
}

// first returns the lowest element of the set and the number of elements.
func (p *places) first() (first layout.Ref, count int) {
	for i, word := range p.bits {
		if word != 0 && count == 0 {
			first = disk.RefOf(p.span.Offset + int64(64*i+bits.TrailingZeros64(word))*disk.Unit)
		}
		count += bits.OnesCount64(word)
	}
	return first, count
}

// starts has the offsets at which records begin. A reference to another offset is a problem, whatever the bytes there.
type starts struct {
	symbols places
	names   places // texts that can be part of a key
	methods places // method records
	blocks  places
}

func newStarts(h *layout.Header) starts {
	symbols := h.Parts[disk.PartSymbols]
	return starts{symbols: newPlaces(symbols), names: newPlaces(symbols), methods: newPlaces(h.Parts[disk.PartMethods]),
		blocks: newPlaces(disk.RegionOf(h, disk.RegionRW))}
}

func (w *walk) isType(n layout.Ref) bool {
	types := w.h.Parts[disk.PartTypes]
	return types.Holds(n.Offset(), disk.TypeSize) && (n.Offset()-types.Offset)%disk.TypeSize == 0
}

// A marker adds offsets to a set that several goroutines fill. It writes whole words.
type marker struct {
	places *places
	word   int64
	bits   uint64
}

// markRecord records that a record begins at offset at, which must be in the marker's span.
func (k *marker) markRecord(at int64) {
	unit := (at - k.places.span.Offset) / disk.Unit
	if unit>>6 != k.word {
		k.flush()
		k.word = unit >> 6
	}
	k.bits |= 1 << (unit & 63)
}

func (k *marker) flush() {
	if k.bits != 0 {
		atomic.OrUint64(&k.places.bits[k.word], k.bits)
	}
	k.bits = 0
}
