package reader

import (
	"math/bits"
	"runtime"

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
	_ = found[:len(ids)]
	err = s.m.Guard(func() error {
		for len(ids) > 0 && err == nil {
			n := min(batch, len(ids))
			s.fetchAhead(ids[:n])
			var some int
			some, err = s.lookupEach(ids[:n], found)
			hits += some
			s.fetchProfiles(found[:n])
			ids, found = ids[n:], found[n:]
		}
		return err
	})
	return hits, err
}

func (s *Store) lookupEach(ids []uint64, found []Method) (hits int, err error) {
	for i, id := range ids {
		m, err := s.Lookup(id)
		if err != nil && err != ErrNotFound && err != ErrAmbiguous {
			return hits, err
		}
		if found[i] = m; m.Valid() {
			hits++
		}
	}
	return hits, nil
}

// fetchAhead reads a byte of what look-ups will read, of all before it uses
// any: first their lines of the index, then the records. What is wrong with one
// the look-up itself finds.
func (s *Store) fetchAhead(ids []uint64) {
	var lines [batch]layout.Line
	var hashes [batch]layout.Hash
	seen := byte(0)
	for i, id := range ids {
		q := s.search(id, layout.KindMethod)
		if line, err := s.m.Bytes(layout.RegionIX, q.lineOffset(), layout.LineSize); err == nil {
			lines[i], hashes[i] = line, q.hash
			seen |= line[0]
		}
	}
	for i := range ids {
		if lines[i] == nil {
			continue
		}
		if slots := lines[i].Match(hashes[i].Fingerprint()); slots != 0 {
			at := lines[i].Record(bits.TrailingZeros32(slots)).Offset()
			if record, err := s.m.Bytes(layout.RegionRO, at, layout.MinMethodSize); err == nil {
				seen |= record[0]
			}
		}
	}
	runtime.KeepAlive(seen)
}

// fetchProfiles reads a byte of the methods' first profiles.
func (s *Store) fetchProfiles(found []Method) {
	seen := byte(0)
	for i := range found {
		if n := found[i].rec.Profiles; n != 0 {
			if head, err := s.m.Bytes(layout.RegionRW, n.Offset(), layout.BlockHeaderSize); err == nil {
				seen |= head[0]
			}
		}
	}
	runtime.KeepAlive(seen)
}
