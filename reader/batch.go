package reader

import (
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// ProfileIDBatch looks up the profiles of many methods by their ids, and by as many code
// ids, or for layout.CodeAny if codes is nil, into found, which must be as long. A miss, or an
// ambiguous id, is the zero Profile there. The error is any other.
//
// It is several times faster than as many calls of ProfileID where the archive is
// larger than the caches: the memory of many lookups is waited for at once.
func (s *Store) ProfileIDBatch(ids, codes []uint64, found []Profile) (hits int, err error) {
	return inBatches(s, len(ids), codes, found, func(b *batch, from, to int) error {
		b.fetchLines(ids[from:to])
		b.fetchHeads(ids[from:to])
		b.takeReady(ids[from:to], found[from:to])
		for i, id := range ids[from:to] {
			if b.ready[i] == taken {
				continue
			}
			p, err := s.ProfileID(id, b.code(from+i))
			found[from+i] = p
			if fatal(err) {
				return err
			}
			b.count(err)
		}
		return nil
	})
}

// takeReady puts the profiles into found that a hit by id finds in its own slot, and
// marks them as taken. It looks as ProfileID does.
func (b *batch) takeReady(ids []uint64, found []Profile) {
	s := b.s
	data := s.hit.data
	for i, id := range ids {
		n := uint64(b.blocks[i])
		if n == 0 || b.ready[i]&1 == 0 || b.codes != nil {
			continue
		}
		at := n * disk.Unit
		units := data.Uint32(at)
		if data.Uint64(at+disk.BlockHeaderSize) != id || !s.hit.holds(n, units) {
			continue
		}
		found[i] = Profile{s: s, place: place{layout.Ref(n), units}, first: uint8(data.Uint32(at + disk.BlockPresence))}
		b.ready[i] = taken
		b.hits++
	}
}

// taken is no ready word.
const taken = 1<<32 - 1

// ProfileBatch is like ProfileIDBatch, but by keys.
func (s *Store) ProfileBatch(keys []layout.Key, codes []uint64, found []Profile) (hits int, err error) {
	return inBatches(s, len(keys), codes, found, func(b *batch, from, to int) error {
		for i, id := range b.fetchKeys(keys[from:to]) {
			p, err := s.findProfile(id, &keys[from+i], b.code(from+i))
			found[from+i] = p
			if fatal(err) {
				return err
			}
			b.count(err)
		}
		return nil
	})
}

// batchSize is the number of lookups that are under way at once.
const batchSize = 64

// A batch is lookups that are under way at once. Each step asks for the memory that
// the next one reads, for all of them, without waiting for any. A value read on the
// way need not be right: it says only what to ask for.
type batch struct {
	s      *Store
	hits   int
	codes  []uint64              // nil for layout.CodeAny
	ids    [batchSize]uint64     // of keys
	lines  [batchSize]uint64     // where in ix the searches begin
	rests  [batchSize]uint64     // see disk.Hash.Split
	ready  [batchSize]uint32     // of blocks: the ready words, shifted by the own slots in these lines
	blocks [batchSize]layout.Ref // where the own slots lead, 0 if not to a profile
	places [3 * batchSize]int64  // of the wanted profiles
}

// batches are used again: a batch is too large to be put together for a few lookups.
var batches = sync.Pool{New: func() any { return new(batch) }}

// inBatches calls look for the parts of n lookups that are under way at once.
func inBatches[T any](s *Store, n int, codes []uint64, found []T, look func(b *batch, from, to int) error) (hits int,
	err error) {
	if n != len(found) {
		panic("reader: a batch of look-ups into a slice of another length")
	}
	if codes != nil && len(codes) != n {
		panic("reader: a batch of look-ups with another number of code ids")
	}
	b := batches.Get().(*batch)
	defer batches.Put(b)
	b.s, b.codes, b.hits = s, codes, 0
	err = s.m.Guard(func() error {
		for from := 0; from < n; from += batchSize {
			if err := look(b, from, min(n, from+batchSize)); err != nil {
				return err
			}
		}
		return nil
	})
	hits = b.hits
	b.s = nil
	b.codes = nil
	return hits, err
}

// code returns the code id that lookup i asks for.
func (b *batch) code(i int) uint64 {
	if b.codes == nil {
		return layout.CodeAny
	}
	return b.codes[i]
}

// count counts a lookup that found something.
func (b *batch) count(err error) {
	if err == nil {
		b.hits++
	}
}

// fetchLines asks for the lines of the index.
func (b *batch) fetchLines(ids []uint64) {
	hit := &b.s.hit
	ix := b.s.h.Region(disk.RegionIX).Offset
	for i, id := range ids {
		line, rest := disk.MixSeeded(id, hit.seed).Split(hit.lines)
		b.lines[i] = line * disk.LineSize
		b.rests[i] = rest
		b.places[i] = ix + int64(line)*disk.LineSize
	}
	b.s.m.Prefetch(b.places[:len(ids)])
}

// fetchHeads asks for the fronts of the profiles to which the lines lead. Of an archive that
// is read in ranges it looks only at what was checked: the rest may be missing.
func (b *batch) fetchHeads(ids []uint64) {
	hit := &b.s.hit
	n := 0
	ix := hit.ix
	first := hit.first
	last := hit.last.Load()
	for i, id := range ids {
		b.blocks[i], b.ready[i] = 0, 0
		line := b.lines[i]
		ready := hit.words.Word32(line / (disk.LineSize / 4)).Load()
		if ready == 0 && hit.inRanges {
			continue
		}
		slot := disk.SlotOf(ix.Uint32(line+disk.LineWord), b.rests[i])
		if ix.Uint16(line+2*slot) != disk.MixSeeded(id, hit.seed).Fingerprint() {
			continue
		}
		at := uint64(ix.Uint32(line + disk.LineRefs + 4*slot))
		if at < first || at > last {
			continue
		}
		if ready >>= slot & 31; ready&(1|1<<readyVersions) == 0 && hit.inRanges {
			continue
		}
		b.ready[i] = ready
		b.blocks[i] = layout.Ref(at)
		b.places[n] = int64(at * disk.Unit)
		n++
	}
	b.s.m.Prefetch(b.places[:n])
}

// fetchKeys asks for the texts of the keys in the profiles that the index has for these
// keys, whose ids it returns.
func (b *batch) fetchKeys(keys []layout.Key) (ids []uint64) {
	ids = b.ids[:len(keys)]
	disk.KeyIDs(keys, b.s.h.Domain, ids)
	b.fetchLines(ids)
	b.fetchHeads(ids)
	n := 0
	for i := range keys {
		if b.blocks[i] == 0 {
			continue
		}
		if k, ok := disk.Block(b.s.data[b.blocks[i].Offset():]).Key(); ok {
			b.places[n], b.places[n+1], b.places[n+2] = k.Class.Offset(), k.Name.Offset(), k.Signature.Offset()
			n += 3
			continue
		}
		record := layout.Ref(b.s.hit.data.Uint32(uint64(b.blocks[i])*disk.Unit + disk.BlockMethod)).Offset()
		b.places[n] = record
		b.places[n+1] = record + int64(len(keys[i].Name))
		n += 2
	}
	b.s.m.Prefetch(b.places[:n])
	return ids
}
