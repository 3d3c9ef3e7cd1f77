package verify

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/extent"
	"github.com/profarc/profarc/layout"
)

// places is a set of places in a part of the file, one bit for each unit.
type places struct {
	span    extent.Span
	bits    []uint64
	partial bool // the walk that adds them ended early
}

func newPlaces(span extent.Span) places {
	return places{span: span, bits: make([]uint64, (span.Size/disk.Unit+63)/64)}
}

// has reports whether a place is in the set; one outside the part never is.
func (p *places) has(n layout.Ref) bool {
	if !p.span.Holds(n.Offset(), disk.Unit) {
		return false
	}
	word, bit := p.bit(n)
	return *word&bit != 0
}

// mayHave reports whether a place is in the set, as far as that is known.
func (p *places) mayHave(n layout.Ref) bool { return p.partial || p.has(n) }

// remove removes a place and reports whether it was in the set.
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

func (p *places) clone() places { return places{p.span, slices.Clone(p.bits), p.partial} }

// first returns the lowest place of the set, and count how many there are.
func (p *places) first() (first layout.Ref, count int) {
	for i, word := range p.bits {
		if word != 0 && count == 0 {
			first = disk.RefOf(p.span.Offset + int64(64*i+bits.TrailingZeros64(word))*disk.Unit)
		}
		count += bits.OnesCount64(word)
	}
	return first, count
}

// starts are the places at which records begin. A reference that leads to any
// other place is wrong, whatever a reader would make of the bytes there.
type starts struct {
	symbols places
	names   places // texts that can be a part of a key
	methods places // records of methods
	blocks  places
}

func newStarts(h *layout.Header) starts {
	symbols := h.Parts[disk.PartSymbols]
	return starts{
		symbols: newPlaces(symbols), names: newPlaces(symbols), methods: newPlaces(h.Parts[disk.PartMethods]),
		blocks: newPlaces(h.Region(disk.RegionRW)),
	}
}

// isType reports whether a type record is at n.
func (w *walk) isType(n layout.Ref) bool {
	types := w.h.Parts[disk.PartTypes]
	return types.Holds(n.Offset(), disk.TypeSize) && (n.Offset()-types.Offset)%disk.TypeSize == 0
}

// A marker adds places to a set that other goroutines add to, a word at a time.
type marker struct {
	places *places
	word   int64
	bits   uint64
}

// markRecord adds a place, which is in the part of the file.
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
