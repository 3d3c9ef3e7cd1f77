package reader

import (
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// ProfileIDBatch is the batch form of [Store.ProfileID]. For each ids[i] it looks up the version codes[i], or
// layout.CodeAny if codes is nil, and stores the profile in found[i]. The slices must have equal lengths. If the
// profile is missing or ambiguous, found[i] is zero and the batch continues. Any other error ends it. hits is the
// number of profiles found.
//
// In archives larger than the caches it is several times faster than single lookups, because it overlaps their cache
// misses.
func (s *Store) ProfileIDBatch(ids, codes []uint64, found []Profile) (hits int, err error) {
	return lookupInBatches(s, len(ids), codes, found, func(b *batch, from, to int) error {
		b.prefetchLines(ids[from:to])
		b.prefetchBlocks(ids[from:to])
		b.findReady(ids[from:to], nil, found[from:to])
		return b.findOthers(found[from:to], func(i int) (Profile, error) {
			return s.ProfileID(ids[from+i], b.codeOf(from+i))
		})
	})
}

// findReady looks up ids in their own slots like ProfileID, stores the profiles in found, and marks them as taken. It
// also compares the keys unless keys is nil.
func (b *batch) findReady(ids []uint64, keys []layout.Key, found []Profile) {
	s := b.s
	data := s.hit.data
	for i, id := range ids {
		n := uint64(b.blocks[i])
		if n == 0 || b.ready[i]&1 == 0 || b.codes != nil {
			continue
		}
		at := n * disk.Unit
		units := data.Uint32(at)
		if data.Uint64(at+disk.BlockHeaderSize) != id || !s.hit.blockFits(n, units) {
			continue
		}
		if keys != nil && (b.ready[i]>>readyKeys&1 == 0 || !s.keyEquals(n, &keys[i])) {
			continue
		}
		found[i] = Profile{s: s, place: extentInFile{layout.Ref(n), units},
			first: uint8(data.Uint32(at + disk.BlockPresence))}
		b.ready[i] = taken
		b.hits++
	}
}

// findOthers calls look for the lookups that findReady left, and stores its results in found.
func (b *batch) findOthers(found []Profile, look func(i int) (Profile, error)) error {
	for i := range found {
		if b.ready[i] == taken {
			continue
		}
		p, err := look(i)
		found[i] = p
		switch {
		case err == nil:
			b.hits++
		case isFatal(err):
			return err
		}
	}
	return nil
}

// taken is not a valid ready word.
const taken = 1<<32 - 1

// ProfileBatch is like ProfileIDBatch for keys.
func (s *Store) ProfileBatch(keys []layout.Key, codes []uint64, found []Profile) (hits int, err error) {
	return lookupInBatches(s, len(keys), codes, found, func(b *batch, from, to int) error {
		ids := b.prefetchKeys(keys[from:to])
		b.findReady(ids, keys[from:to], found[from:to])
		return b.findOthers(found[from:to], func(i int) (Profile, error) {
			return s.findProfile(ids[i], &keys[from+i], b.codeOf(from+i))
		})
	})
}

// batchSize is the number of overlapping lookups.
const batchSize = 64

// A batch is the state of overlapping lookups. Each step prefetches the memory for the next step for all of them.
// Values read on the way select only what to prefetch, so that wrong ones are harmless.
type batch struct {
	s       *Store
	hits    int
	codes   []uint64              // nil for layout.CodeAny
	ids     [batchSize]uint64     // ids of the keys
	lines   [batchSize]uint64     // offset in ix of the first index line of each lookup
	rests   [batchSize]uint64     // see disk.Hash.Split
	ready   [batchSize]uint32     // ready word of the line, shifted right by the number of the own slot
	blocks  [batchSize]layout.Ref // reference in the own slot; 0 if it does not lead to a profile
	offsets [3 * batchSize]int64  // file offsets to prefetch
}

// batches recycles batches, because allocating one is too expensive for a few lookups.
var batches = sync.Pool{New: func() any { return new(batch) }}

func lookupInBatches[T any](s *Store, n int, codes []uint64, found []T, look func(b *batch, from, to int) error) (
	hits int, err error) {
	if n != len(found) || codes != nil && n != len(codes) {
		panic("reader: the slices of a batch of lookups have different lengths")
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

func (b *batch) codeOf(i int) uint64 {
	if b.codes == nil {
		return layout.CodeAny
	}
	return b.codes[i]
}

func (b *batch) prefetchLines(ids []uint64) {
	hit := &b.s.hit
	ix := disk.RegionOf(b.s.h, disk.RegionIX).Offset
	for i, id := range ids {
		line, rest := disk.MixSeeded(id, hit.seed).SplitBucket(hit.lines)
		b.lines[i] = line * disk.LineSize
		b.rests[i] = rest
		b.offsets[i] = ix + int64(line)*disk.LineSize
	}
	b.s.m.Prefetch(b.offsets[:len(ids)])
}

// prefetchBlocks prefetches the beginning of the profiles that the index lines lead to. If the archive is read in
// ranges, it uses only checked lines, because others may be missing.
func (b *batch) prefetchBlocks(ids []uint64) {
	hit := &b.s.hit
	n := 0
	last := hit.last.Load()
	for i, id := range ids {
		b.blocks[i], b.ready[i] = 0, 0
		line := b.lines[i]
		ready := hit.words.Word32(line / (disk.LineSize / 4)).Load()
		if ready == 0 && hit.inRanges {
			continue
		}
		slot := disk.SlotOf(hit.ix.Uint32(line+disk.LineWord), b.rests[i])
		if hit.ix.Uint16(line+2*slot) != disk.MixSeeded(id, hit.seed).Fingerprint() {
			continue
		}
		at := uint64(hit.ix.Uint32(line + disk.LineRefs + 4*slot))
		if at < hit.first || at > last {
			continue
		}
		if ready >>= slot & 31; ready&(1|1<<readyVersions) == 0 && hit.inRanges {
			continue
		}
		b.ready[i] = ready
		b.blocks[i] = layout.Ref(at)
		b.offsets[n] = int64(at * disk.Unit)
		n++
	}
	b.s.m.Prefetch(b.offsets[:n])
}

func (b *batch) prefetchKeys(keys []layout.Key) (ids []uint64) {
	ids = b.ids[:len(keys)]
	for i := range keys {
		ids[i] = keys[i].ID(b.s.h.Domain)
	}
	b.prefetchLines(ids)
	b.prefetchBlocks(ids)
	n := 0
	for i := range keys {
		if b.blocks[i] == 0 {
			continue
		}
		if k, ok := disk.Block(b.s.data[b.blocks[i].Offset():]).Key(); ok {
			b.offsets[n], b.offsets[n+1], b.offsets[n+2] = k.Class.Offset(), k.Name.Offset(), k.Signature.Offset()
			n += 3
			continue
		}
		record := layout.Ref(b.s.hit.data.Uint32(uint64(b.blocks[i])*disk.Unit + disk.BlockMethod)).Offset()
		b.offsets[n] = record
		b.offsets[n+1] = record + int64(len(keys[i].Name))
		n += 2
	}
	b.s.m.Prefetch(b.offsets[:n])
	return ids
}
