package builder

import (
	"cmp"
	"fmt"
	"slices"

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
// a search has to look at: 0 if there is no record. The records come in the
// order of their hashes, so that the index is filled from its first line to its
// last.
func (p *plan) placeRecords(seed uint64) (ix []byte, maxProbe uint32) {
	ix = make([]byte, p.sizeOf(layout.RegionIX))
	for _, r := range p.hashedRecords(seed) {
		maxProbe = max(maxProbe, placeRecord(ix, p.header.Buckets, layout.Hash(r.key), layout.Narrow(r.ref)))
	}
	return ix, maxProbe
}

// hashedRecords gives the places of all records, sorted by hash and place.
func (p *plan) hashedRecords(seed uint64) []sortKey {
	b := p.b
	all := make([]sortKey, 0, b.methods.len()+b.contexts.len()+b.types.len())
	add := func(id uint64, kind layout.RecordKind, n layout.Narrow) {
		all = append(all, sortKey{uint64(layout.Mix(id, kind, seed)), uint32(n)})
	}
	for ref, m := range b.methods.all {
		add(m.id, layout.KindMethod, p.methods[ref-1])
	}
	for ref, c := range b.contexts.all {
		add(c.id, layout.KindContext, p.contextAt(ContextRef(ref)))
	}
	for ref, t := range b.types.all {
		add(t.id, layout.KindType, p.typeAt(TypeRef(ref)))
	}
	sortKeys(all)
	eachEqual(all, func(group []sortKey) {
		slices.SortFunc(group, func(x, y sortKey) int { return cmp.Compare(x.ref, y.ref) })
	})
	return all
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
