package archivewriter

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/layout"
)

// The index is built with a few seeds until one needs few lines a lookup; the
// best is taken if none is good.
const (
	goodProbe = 8
	maxSeeds  = 8
)

// encodeIX returns the index, and notes its seed and its longest search. The error
// matches layout.ErrTooLarge if so many records share an id that no search
// within the format's bound finds them all.
func (p *plan) encodeIX() ([]byte, error) {
	h := &p.header
	h.Buckets = uint64(p.sizeOf(layout.RegionIX)) / disk.LineSize
	defer func() { p.hashed, p.o.sorter = nil, intern.Sorter{} }() // of no use for what is written next
	bestProbe, bestSeed := uint32(0), uint64(0)
	for try := range uint64(maxSeeds) {
		seed := try * 0x9e3779b97f4a7c15
		if try > 0 {
			p.hashed = p.hashRecords(seed)
		}
		ix, probe := p.placeRecords()
		if probe <= goodProbe {
			h.Seed, h.MaxProbe = seed, probe
			return ix, nil
		}
		if try == 0 || probe < bestProbe {
			bestProbe, bestSeed = probe, seed
		}
	}
	if bestProbe > disk.MaxProbe {
		return nil, fmt.Errorf("builder: %w: an index search over %d lines, at most %d are possible: too many keys share an id", layout.ErrTooLarge, bestProbe, disk.MaxProbe)
	}
	p.hashed = p.hashRecords(bestSeed)
	ix, probe := p.placeRecords()
	h.Seed, h.MaxProbe = bestSeed, probe
	return ix, nil
}

// placeRecords puts every method and type into the index and returns the most
// lines that a search has to look at: 0 if there is no record. The records come
// in the order of their hashes, so that the index is filled from its first line
// to its last.
func (p *plan) placeRecords() (ix []byte, maxProbe uint32) {
	ix = make([]byte, p.sizeOf(layout.RegionIX))
	for _, k := range p.hashed {
		maxProbe = max(maxProbe, placeRecord(ix, p.header.Buckets, disk.Hash(k.Key), p.recordAt(k.Ref)))
	}
	return ix, maxProbe
}

// hashRecords numbers the records from 0, in the order in which they lie: types,
// then methods. It gives their numbers, sorted by hash and number.
func (p *plan) hashRecords(seed uint64) []intern.SortKey {
	b, sorter := p.b, &p.o.sorter
	all := sorter.Room(b.Types.Len() + len(p.records) - len(p.rows.methods))
	number := uint32(0)
	add := func(id uint64, kind disk.RecordKind) {
		all = append(all, intern.SortKey{Key: uint64(disk.Mix(id, kind, seed)), Ref: number})
		number++
	}
	for _, t := range p.o.types {
		add(b.Types.At(uint32(t)).ID, disk.KindType)
	}
	for i := range p.records {
		if p.hasRow(i) {
			number++
			continue
		}
		add(p.records[i].id, disk.KindMethod)
	}
	sorter.Sort(all)
	return all
}

// recordAt is the place of a record by its number.
func (p *plan) recordAt(number uint32) layout.Ref {
	if types := uint32(len(p.o.types)); number >= types {
		return p.methods[number-types]
	}
	return p.typeAt(p.o.types[number])
}

// placeRecord puts one record into the first line with a free slot.
func placeRecord(ix []byte, buckets uint64, h disk.Hash, n layout.Ref) (probe uint32) {
	for line := h.Bucket(buckets); ; line = (line + 1) % buckets {
		probe++
		at := line * disk.LineSize
		if disk.Line(ix[at:at+disk.LineSize]).Put(h, n) {
			return probe
		}
	}
}
