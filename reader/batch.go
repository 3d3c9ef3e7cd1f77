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
	return s.inBatches(as(found, len(ids)),
		func(first int, under []search) {
			for i := range under {
				under[i] = s.search(ids[first+i], layout.KindMethod)
			}
		},
		func(i int, q *search, m *Method) error { return q.lookup(ids[i], m) })
}

// FindBatch looks many keys up, into found, which must be as long. What is not
// found is the zero Method there. The error is any other. It is to Find as
// LookupBatch is to Lookup.
func (s *Store) FindBatch(keys []layout.Key, found []Method) (hits int, err error) {
	var ids [batch]uint64
	return s.inBatches(as(found, len(keys)),
		func(first int, under []search) {
			for i := range under {
				ids[i] = keys[first+i].ID(s.h.Domain)
				under[i] = s.search(ids[i], layout.KindMethod)
			}
		},
		func(i int, q *search, m *Method) error { return q.find(ids[i%batch], &keys[i], m) })
}

// as is found, which must have n elements.
func as(found []Method, n int) []Method {
	if len(found) != n {
		panic("reader: a batch of look-ups into a slice of another length")
	}
	return found
}

// inBatches looks methods up: begin begins some searches, for those from first
// on, and end ends the i-th.
func (s *Store) inBatches(found []Method, begin func(first int, under []search), end func(i int, q *search, m *Method) error) (hits int, err error) {
	var searches [batch]search
	err = s.m.Guard(func() error {
		for first := 0; first < len(found); first += batch {
			some := found[first:min(first+batch, len(found))]
			under := searches[:len(some)]
			begin(first, under)
			s.fetchRecords(under)
			for i := range some {
				switch err := end(first+i, &under[i], &some[i]); err {
				case nil:
					hits++
				case ErrNotFound, ErrAmbiguous:
					some[i] = Method{}
				default:
					return err
				}
			}
			s.fetchProfiles(some)
		}
		return nil
	})
	return hits, err
}

// fetchRecords brings what searches will read on its way, of all before it uses
// any: first their lines of the index, then the records. What is wrong with one
// the search itself finds.
func (s *Store) fetchRecords(under []search) {
	var lines [batch]int64
	for i := range under {
		lines[i] = under[i].lineOffset()
	}
	s.m.Prefetch(lines[:len(under)])
	var records [2 * batch]int64
	for i := range under {
		at := under[i].firstOffset()
		records[2*i], records[2*i+1] = at, at+cacheLine
	}
	s.m.Prefetch(records[:2*len(under)])
}

// cacheLine is what the caches load at once, in bytes.
const cacheLine = 64

// firstOffset is where the first candidate lies, 0 if the first line has none.
func (q *search) firstOffset() int64 {
	if more, err := q.nextLine(); !more || err != nil || q.slots == 0 {
		return 0
	}
	return q.line.Record(bits.TrailingZeros32(q.slots)).Offset()
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
