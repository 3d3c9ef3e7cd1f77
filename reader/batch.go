package reader

import (
	"math/bits"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// LookupBatch looks up many ids. It sets found[i] to the method of ids[i], or to the
// zero Method if there is none or several; found must be as long as ids. The error
// is any other, such as damage.
//
// In an archive larger than the CPU caches it is several times faster than calls of
// Lookup, since the cache misses of many lookups overlap. It also prefetches the
// first profile of each method.
func (s *Store) LookupBatch(ids []uint64, found []Method) (hits int, err error) {
	sameLength(len(ids), len(found))
	b := batch{s: s}
	err = s.m.Guard(func() error {
		for err == nil && len(ids) > 0 {
			n := min(len(ids), batchSize)
			err = b.look(ids[:n], nil, found[:n])
			ids, found = ids[n:], found[n:]
		}
		return err
	})
	return b.hits, err
}

// FindBatch looks up many keys, as LookupBatch does ids.
func (s *Store) FindBatch(keys []layout.Key, found []Method) (hits int, err error) {
	sameLength(len(keys), len(found))
	b := batch{s: s}
	var ids [batchSize]uint64
	err = s.m.Guard(func() error {
		for err == nil && len(keys) > 0 {
			n := min(len(keys), batchSize)
			disk.KeyIDs(keys[:n], s.h.Domain, ids[:n])
			err = b.look(ids[:n], keys[:n], found[:n])
			keys, found = keys[n:], found[n:]
		}
		return err
	})
	return b.hits, err
}

// sameLength panics if a batch is looked up into a slice of another length.
func sameLength(asked, found int) {
	if asked != found {
		panic("reader: a batch of look-ups into a slice of another length")
	}
}

// batchSize is the number of lookups whose cache misses overlap.
const batchSize = 64

// A batch is up to batchSize lookups made step by step together: each step reads
// what the step before prefetched.
type batch struct {
	s       *Store
	hits    int
	hashes  [batchSize]disk.Hash
	records [batchSize]layout.Ref // the first candidates, 0 for none
	places  [2 * batchSize]int64  // offsets to prefetch
}

// look looks up ids, or the keys with these ids if keys is not nil.
func (b *batch) look(ids []uint64, keys []layout.Key, found []Method) error {
	b.fetchLines(ids)
	b.fetchRecords(ids, keys)
	for i, id := range ids {
		var key *layout.Key
		if keys != nil {
			key = &keys[i]
		}
		m, ok := b.first(i, id, key)
		if !ok {
			var err error
			if m, err = b.searched(id, key); fatal(err) {
				return err
			}
		}
		found[i] = m
	}
	b.fetchProfiles(found)
	return nil
}

// fetchLines prefetches the lines of the index.
func (b *batch) fetchLines(ids []uint64) {
	h := b.s.h
	for i, id := range ids {
		hash := disk.Mix(id, disk.KindMethod, h.Seed)
		b.hashes[i], b.places[i] = hash, b.s.lineOffset(hash.Bucket(h.Buckets))
	}
	b.s.m.Prefetch(b.places[:len(ids)])
}

// fetchRecords prefetches the first record that each line names; for keys also the
// end of a name in the record.
func (b *batch) fetchRecords(ids []uint64, keys []layout.Key) {
	for i := range ids {
		b.records[i] = b.candidate(b.places[i], b.hashes[i])
	}
	n := 0
	for i := range ids {
		b.places[n] = b.records[i].Offset()
		n++
		if keys != nil {
			b.places[n] = b.records[i].Offset() + disk.MinMethodSize + int64(len(keys[i].Name))
			n++
		}
	}
	b.s.m.Prefetch(b.places[:n])
}

// candidate returns the first record that a line of the index names for a hash.
func (b *batch) candidate(line int64, hash disk.Hash) layout.Ref {
	if b.s.m.Check(layout.RegionIX, line, disk.LineSize) != nil {
		return 0
	}
	l := disk.Line(b.s.data[line:][:disk.LineSize])
	slots := l.Match(hash.Fingerprint())
	if slots == 0 {
		return 0
	}
	return l.Record(bits.TrailingZeros32(slots))
}

// first returns the i-th method if it is the first candidate, as it nearly always is.
// Everything else, damage too, is left to searched.
func (b *batch) first(i int, id uint64, key *layout.Key) (Method, bool) {
	n := b.records[i]
	if !b.s.inMethods(n) {
		return Method{}, false
	}
	m, err := b.s.method(n)
	if err != nil || m.id != id {
		return Method{}, false
	}
	ok := m.head.Flags()&layout.MethodSharedID == 0
	if key != nil {
		ok, err = m.hasKey(key)
	}
	if !ok || err != nil {
		return Method{}, false
	}
	b.hits++
	return m, true
}

// searched looks up one method from the start.
func (b *batch) searched(id uint64, key *layout.Key) (m Method, err error) {
	if key == nil {
		m, err = b.s.Lookup(id)
	} else {
		m, err = b.s.find(id, key)
	}
	if err == nil {
		b.hits++
	}
	return m, err
}

// fetchProfiles prefetches the first profiles of methods.
func (b *batch) fetchProfiles(found []Method) {
	rw, n := b.s.h.Region(layout.RegionRW), 0
	for i := range found {
		m := &found[i]
		if at := m.profiles().Offset(); rw.Holds(at, disk.BlockHeaderSize) {
			b.places[n], b.places[n+1] = at, at+firstCount
			n += 2
			b.s.isSound(at) // loads the bit
		}
	}
	b.s.m.Prefetch(b.places[:n])
}

// firstCount is about where in a block its first count lies.
const firstCount = 48
