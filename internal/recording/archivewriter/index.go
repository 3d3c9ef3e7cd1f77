package archivewriter

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/layout"
)

// The index is built with one seed after another until a search reads at most goodProbe lines. If no seed is good, the
// best one is used.
const (
	goodProbe = 8
	maxSeeds  = 8
)

// encodeIX returns the index and sets its seed and its longest search in the header. The error matches
// layout.ErrTooLarge if more records share an ID than a search within the format's bound can find.
func (p *plan) encodeIX() ([]byte, error) {
	h := &p.header
	h.Buckets = uint64(p.sizeOf(disk.RegionIX)) / disk.LineSize
	defer func() { p.hashed = nil; p.o.sorter.Close() }() // free the memory before the next regions
	indexed := p.indexed()
	bestProbe := uint32(0)
	bestSeed := uint64(0)
	for try := range uint64(maxSeeds) {
		seed := try * 0x9e3779b97f4a7c15
		if try > 0 {
			p.hashed = p.hashRecords(seed)
		}
		ix, probe := p.fillIndex(indexed)
		if probe <= goodProbe {
			h.Seed, h.MaxProbe = seed, probe
			return ix, nil
		}
		if try == 0 || probe < bestProbe {
			bestProbe, bestSeed = probe, seed
		}
	}
	if bestProbe > disk.MaxProbe {
		return nil,
			fmt.Errorf("builder: %w: an index search over %d lines, at most %d are possible: too many keys share an id",
				layout.ErrTooLarge, bestProbe, disk.MaxProbe)
	}
	p.hashed = p.hashRecords(bestSeed)
	ix, probe := p.fillIndex(indexed)
	h.Seed, h.MaxProbe = bestSeed, probe
	return ix, nil
}

// hashRecords returns the hashes of the records, sorted by hash and number. Numbers count types and then methods from
// 0, in file order. A method with a row has a number but no hash.
func (p *plan) hashRecords(seed uint64) []intern.SortKey {
	b := p.b
	sorter := &p.o.sorter
	all := sorter.Room(b.Types.Len() + len(p.records) - len(p.rows.methods))
	number := uint32(0)
	add := func(id uint64, kind disk.RecordKind) {
		all = append(all, intern.SortKey{Key: uint64(disk.MixHash(id, kind, seed)), Ref: number})
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

// indexed returns the reference that the index stores for each record, by number. For a method it is the first block
// without a context, if the method has one and shares its ID with no other method. fillIndex reads the slice in hash
// order, and it is small enough for a cache.
func (p *plan) indexed() []layout.Ref {
	all := scratch[layout.Ref](p, len(p.o.types)+len(p.records))[:0]
	for _, t := range p.o.types {
		all = append(all, p.typeAt(t))
	}
	for i := range p.records {
		if r := &p.records[i]; r.first != 0 && r.flags&disk.MethodSharedID == 0 {
			all = append(all, p.firstBlock(r.first))
		} else {
			all = append(all, p.methods[i])
		}
	}
	return all
}

// fillIndex returns the index and the maximum number of lines that a search reads, 0 if there are no records. The
// records come in hash order, so the index is filled line by line.
func (p *plan) fillIndex(indexed []layout.Ref) (ix []byte, maxProbe uint32) {
	if p.ix == nil {
		p.ix = scratch[byte](p, int(p.sizeOf(disk.RegionIX)))
	}
	clear(p.ix)
	f := indexFiller{lines: p.header.Buckets, ix: p.ix}
	first, next := f.lineWithoutSpill(p.hashed)
	ordered := p.hashed[next:]
	others := p.hashed[:next]
	for n := range f.lines {
		line := (first + n) % f.lines
		for {
			if len(ordered) == 0 {
				ordered, others = others, nil
			}
			if len(ordered) == 0 {
				break
			}
			k := ordered[0]
			s := disk.Slot{Hash: disk.Hash(k.Key), Ref: indexed[k.Ref]}
			var bucket uint64
			bucket, s.Rest = s.Hash.SplitBucket(f.lines)
			if bucket != line {
				break
			}
			rank := 0
			if int(k.Ref) < len(p.o.types) {
				rank = 1
			}
			f.waiting = append(f.waiting, waitingRecord{s, n, rank})
			ordered = ordered[1:]
		}
		f.fillLine(line, n)
	}
	return f.ix, f.maxProbe
}

// An indexFiller fills the lines of an index in turn. It begins with a line into which no earlier line overflows.
type indexFiller struct {
	lines    uint64
	ix       []byte
	waiting  []waitingRecord // records without a slot
	maxProbe uint32
}

type waitingRecord struct {
	slot   disk.Slot
	bucket uint64 // relative to the line filled first
	rank   int    // 0 for methods, 1 for types
}

// lineWithoutSpill returns a line into which no earlier line overflows, and the index in sorted of the first record of
// this line or a later one. Such a line exists because there are twice as many slots as records.
func (f *indexFiller) lineWithoutSpill(sorted []intern.SortKey) (line uint64, next int) {
	waiting := 0
	for round := range 2 { // the second round carries the overflow of the last line into the first
		next = 0
		for line = range f.lines {
			if round > 0 && waiting == 0 {
				return line, next
			}
			for ; next < len(sorted); next++ {
				if bucket, _ := disk.Hash(sorted[next].Key).SplitBucket(f.lines); bucket != line {
					break
				}
				waiting++
			}
			waiting = max(0, waiting-disk.LineSlots)
		}
	}
	return 0, 0
}

// fillLine fills a line with waiting records. n is the distance of the line from the line filled first. Methods come
// before types because methods are looked up repeatedly and types once.
func (f *indexFiller) fillLine(number, n uint64) {
	line := disk.Line(f.ix[number*disk.LineSize:][:disk.LineSize])
	if len(f.waiting) > disk.LineSlots {
		slices.SortStableFunc(f.waiting, func(a, b waitingRecord) int { return cmp.Compare(a.rank, b.rank) })
	}
	var slots [disk.LineSlots]disk.Slot
	taken := min(len(f.waiting), len(slots))
	for i, w := range f.waiting[:taken] {
		slots[i] = w.slot
		f.maxProbe = max(f.maxProbe, uint32(n-w.bucket)+1)
	}
	line.StoreSlots(slots[:taken])
	for _, w := range f.waiting[taken:] {
		line.SetOverflow(w.slot.Hash)
	}
	f.waiting = slices.Delete(f.waiting, 0, taken)
}
