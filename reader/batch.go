package reader

import (
	"math/bits"

	"github.com/profarc/profarc/layout"
)

// batch is the number of look-ups that are under way at once.
const batch = 32

// LookupBatch looks many ids up, into found, which must be as long. What is
// not found, or ambiguous, is the zero Method there. The error is any other.
//
// It is several times faster than as many calls of Lookup where the archive is
// larger than the caches: the memory of many look-ups is waited for at once.
// The first profile of each method that is found is on its way then, too.
func (s *Store) LookupBatch(ids []uint64, found []Method) (hits int, err error) {
	return s.inBatches(len(ids), found,
		func(i int) uint64 { return ids[i] },
		func(i int, m *Method) error { return s.lookup(ids[i], m) })
}

// FindBatch looks many keys up, into found, which must be as long. What is not
// found is the zero Method there. The error is any other. It is to Find as
// LookupBatch is to Lookup.
func (s *Store) FindBatch(keys []layout.Key, found []Method) (hits int, err error) {
	var ids [batch]uint64
	return s.inBatches(len(keys), found,
		func(i int) uint64 {
			ids[i%batch] = keys[i].ID(s.h.Domain)
			return ids[i%batch]
		},
		func(i int, m *Method) error { return s.find(ids[i%batch], &keys[i], m) })
}

// inBatches looks n methods up, of which id gives the ids, in ascending order,
// and one looks up the i-th.
func (s *Store) inBatches(n int, found []Method, id func(i int) uint64, one func(i int, m *Method) error) (hits int, err error) {
	_ = found[:n]
	err = s.m.Guard(func() error {
		for first := 0; first < n && err == nil; first += batch {
			end := min(first+batch, n)
			s.fetchRecords(first, end, id)
			for i := first; i < end && err == nil; i++ {
				switch err = one(i, &found[i]); err {
				case nil:
					hits++
				case ErrNotFound, ErrAmbiguous:
					found[i], err = Method{}, nil
				}
			}
			s.fetchProfiles(found[first:end])
		}
		return err
	})
	return hits, err
}

// fetchRecords brings what look-ups will read on its way, of all before it uses
// any: first their lines of the index, then the records. What is wrong with one
// the look-up itself finds.
func (s *Store) fetchRecords(first, end int, id func(i int) uint64) {
	var lines [batch]int64
	var prints [batch]uint16
	var records [2 * batch]int64
	n := end - first
	for i := range n {
		q := s.search(id(first+i), layout.KindMethod)
		lines[i], prints[i] = q.lineOffset(), q.hash.Fingerprint()
	}
	s.m.Prefetch(lines[:n])
	for i := range n {
		at := s.firstMatch(lines[i], prints[i])
		records[2*i], records[2*i+1] = at, at+cacheLine
	}
	s.m.Prefetch(records[:2*n])
}

// cacheLine is what the caches load at once, in bytes.
const cacheLine = 64

// firstMatch is where the first record lies that a line offers for a
// fingerprint, 0 if there is none.
func (s *Store) firstMatch(at int64, fingerprint uint16) int64 {
	b, err := s.m.Bytes(layout.RegionIX, at, layout.LineSize)
	if err != nil {
		return 0
	}
	line := layout.Line(b)
	slots := line.Match(fingerprint)
	if slots == 0 {
		return 0
	}
	return line.Record(bits.TrailingZeros32(slots)).Offset()
}

// fetchProfiles brings the first profiles of methods on their way.
func (s *Store) fetchProfiles(found []Method) {
	var places [2 * batch]int64
	n := 0
	for i := range found {
		if at := found[i].rec.Profiles.Offset(); at != 0 {
			places[n], places[n+1] = at, at+cacheLine
			n += 2
		}
	}
	s.m.Prefetch(places[:n])
}
