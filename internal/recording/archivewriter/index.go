package archivewriter

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// The index is built with one seed after another until a search reads at most goodProbe lines. Otherwise it has the
// best seed, if a search then reads at most fairProbe lines. If there is none, the archive is crowded: a search reads
// at most goodProbe lines and a row of TableCrowded.
const (
	goodProbe = 8
	fairProbe = 32
	maxSeeds  = 8
)

// planIndex fills the index with the numbers of the records, since their references are not known yet. It sets the
// seed and the longest search in the header, and makes TableCrowded if the archive is crowded.
func (p *plan) planIndex() error {
	defer func() { p.hashed = nil; p.o.sorter.Close() }()
	h := &p.header
	lines := disk.BucketsFor(int64(len(p.hashed)))
	h.Buckets = uint64(lines)
	p.setSize(disk.RegionIX, lines*disk.LineSize)
	p.ix = scratch[byte](p, int(lines*disk.LineSize))
	f := p.fillWithBestSeed()
	h.MaxProbe = f.maxProbe
	delete(p.b.Tables, disk.TableCrowded)
	if len(f.crowd) == 0 {
		return nil
	}
	if len(p.b.Tables) == disk.MaxTables {
		return fmt.Errorf("builder: %w: %d tables, and keys that share ids need one more: leave out a table",
			layout.ErrTooLarge, disk.MaxTables)
	}
	h.Required |= disk.FeatureCrowded
	p.b.Tables[disk.TableCrowded] = p.crowdedTable(f.crowd)
	return nil
}

func (p *plan) fillWithBestSeed() *indexFiller {
	bestProbe := uint32(fairProbe + 1)
	bestSeed := uint64(0)
	for try := range uint64(maxSeeds) {
		seed := try * 0x9e3779b97f4a7c15
		if try > 0 {
			p.hashed = p.hashRecords(seed)
		}
		p.header.Seed = seed
		f := p.fillIndex(false)
		if f.maxProbe <= goodProbe {
			return f
		}
		if f.maxProbe < bestProbe {
			bestProbe, bestSeed = f.maxProbe, seed
		}
		if f.failed() && p.hasCrowdedHash() {
			break // every seed fails
		}
	}
	if p.header.Seed != bestSeed {
		p.header.Seed = bestSeed
		p.hashed = p.hashRecords(bestSeed)
	}
	return p.fillIndex(bestProbe > fairProbe)
}

// hasCrowdedHash reports whether too many records have one hash, and therefore one id.
func (p *plan) hasCrowdedHash() (crowded bool) {
	intern.EachEqual(p.hashed, func(group []intern.SortKey) {
		crowded = crowded || len(group) > fairProbe*disk.LineSlots
	})
	return crowded
}

// crowdedTable returns the table for the records with these numbers.
func (p *plan) crowdedTable(numbers []uint32) *profileset.Table {
	types := uint32(len(p.o.types))
	id := func(number uint32) uint64 {
		if number < types {
			return p.b.Types.At(uint32(p.o.types[number])).ID
		}
		return p.records[number-types].id
	}
	slices.SortFunc(numbers, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(id(x), id(y)), cmp.Compare(x-types, y-types)) // methods come before types
	})
	t := &profileset.Table{Kind: disk.TableCrowded, Columns: disk.TableColumns(disk.TableCrowded)}
	for _, number := range numbers {
		method, of := uint64(0), uint64(0)
		if number < types {
			of = uint64(p.o.types[number])
		} else {
			method = uint64(p.o.methods[number-types])
		}
		t.Cells = append(t.Cells, id(number), method, of)
	}
	return t
}

// encodeIX returns the index, with references instead of numbers.
func (p *plan) encodeIX() []byte {
	indexed := p.indexed()
	for rest := p.ix; len(rest) > 0; rest = rest[disk.LineSize:] {
		line := disk.Line(rest[:disk.LineSize])
		for slot := range disk.LineSlots {
			if number := line.Record(slot); number != 0 {
				line.SetRecord(slot, indexed[number-1])
			}
		}
	}
	return p.ix
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
// without a context, if the method has one and shares its ID with no other method. encodeIX reads the slice in hash
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
