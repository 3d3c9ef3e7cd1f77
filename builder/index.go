package builder

import (
	"fmt"

	"github.com/profarc/profarc/layout"
)

// The index is built with a few seeds until one needs few lines a look-up; the
// best is taken if none is good.
const (
	goodProbe = 8
	maxSeeds  = 8
)

// encodeIX gives the index, and notes its seed and its longest search. The error
// matches layout.ErrTooLarge if so many records share an id that no search
// within the format's bound finds them all.
func (p *plan) encodeIX() ([]byte, error) {
	h := &p.header
	h.Buckets = uint64(p.sizeOf(layout.RegionIX)) / layout.LineSize
	bestProbe, bestSeed := uint32(0), uint64(0)
	for try := range uint64(maxSeeds) {
		seed := try * 0x9e3779b97f4a7c15
		ix, probe := p.placeRecords(seed)
		if probe <= goodProbe {
			h.Seed, h.MaxProbe = seed, probe
			return ix, nil
		}
		if try == 0 || probe < bestProbe {
			bestProbe, bestSeed = probe, seed
		}
	}
	if bestProbe > layout.MaxProbe {
		return nil, fmt.Errorf("builder: %w: an index search over %d lines, at most %d are possible: too many keys share an id", layout.ErrTooLarge, bestProbe, layout.MaxProbe)
	}
	ix, probe := p.placeRecords(bestSeed)
	h.Seed, h.MaxProbe = bestSeed, probe
	return ix, nil
}

// placeRecords puts every record into the index and gives the most lines that
// a search has to look at: 0 if there is no record.
func (p *plan) placeRecords(seed uint64) (ix []byte, maxProbe uint32) {
	b := p.b
	ix = make([]byte, p.sizeOf(layout.RegionIX))
	put := func(id uint64, kind layout.RecordKind, n layout.Narrow) {
		h := layout.Mix(id, kind, seed)
		maxProbe = max(maxProbe, placeRecord(ix, p.header.Buckets, h, n))
	}
	for _, ref := range p.o.methods {
		put(b.methods.at(uint32(ref)).id, layout.KindMethod, p.methodAt(ref))
	}
	for _, ref := range p.o.contexts {
		put(b.contexts.at(uint32(ref)).id, layout.KindContext, p.contextAt(ref))
	}
	for _, ref := range p.o.types {
		put(b.types.at(uint32(ref)).id, layout.KindType, p.typeAt(ref))
	}
	return ix, maxProbe
}

// placeRecord puts one record into the first line with a free slot.
func placeRecord(ix []byte, buckets uint64, h layout.Hash, n layout.Narrow) (probe uint32) {
	for line := h.Bucket(buckets); ; line = (line + 1) % buckets {
		probe++
		at := line * layout.LineSize
		if layout.Line(ix[at:at+layout.LineSize]).Put(h, n) {
			return probe
		}
	}
}
