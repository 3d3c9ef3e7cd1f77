package main

import (
	"encoding/binary"
	"os"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The loops below are duplicated for each kind of key and lookup, since a call of a function value would add overhead
// and prevent inlining.

// readCounter reads the counter at an offset in units of 8 bytes.
func (f *field) readCounter(place uint32) uint64 {
	return binary.LittleEndian.Uint64(f.file[int(place)*disk.Unit:])
}

// zero is 0, but the compiler cannot know that.
var zero = uint64(len(os.Args)) >> 32

// floorDependent reads a random line of the index and then the counter of a random profile. Each read waits for the
// previous one.
func floorDependent(f *field, q *query) (sum uint64) {
	h := f.store.Header()
	ix := disk.RegionOf(h, disk.RegionIX).Offset
	lines := h.Buckets
	last := uint64(counted)
	for i := range q.ids {
		line, _ := disk.MixHash(q.ids[i^int(last^counted)], disk.KindMethod, h.Seed).SplitBucket(lines)
		none := f.readCounter(uint32((ix+int64(line)*disk.LineSize)/disk.Unit)) & zero
		last = f.readCounter(q.places[i] + uint32(none))
		sum += last
	}
	return sum
}

func floorIndependent(f *field, q *query) (sum uint64) {
	h := f.store.Header()
	ix := disk.RegionOf(h, disk.RegionIX).Offset
	lines := h.Buckets
	for i, id := range q.ids {
		line, _ := disk.MixHash(id, disk.KindMethod, h.Seed).SplitBucket(lines)
		sum += f.readCounter(uint32((ix+int64(line)*disk.LineSize)/disk.Unit)) & zero
		sum += f.readCounter(q.places[i])
	}
	return sum
}

// floorOfKeys hashes each key and reads the line of the index, the references to the strings in the profile, and the
// length of each string. It compares nothing.
func floorOfKeys(f *field, q *query) (sum uint64) {
	h := f.store.Header()
	ix := disk.RegionOf(h, disk.RegionIX).Offset
	lines := h.Buckets
	for i := range q.keys {
		id := q.keys[i].ID(h.Domain)
		line, _ := disk.MixHash(id, disk.KindMethod, h.Seed).SplitBucket(lines)
		none := f.readCounter(uint32((ix+int64(line)*disk.LineSize)/disk.Unit)) & zero
		references := f.file[q.keyPlaces[i]+none:]
		for part := range 4 {
			sum += uint64(f.file[uint64(binary.LittleEndian.Uint32(references[4*part:]))*disk.Unit]) & zero
		}
		sum += f.readCounter(q.places[i])
	}
	return sum
}

func lookupDependent(f *field, q *query) (sum uint64) {
	last := uint64(counted)
	for i := range q.ids {
		p, err := f.store.ProfileID(q.ids[i^int(last^counted)], layout.CodeAny)
		if err == nil {
			c, _ := p.Invocations()
			last = c.Load()
			sum += last
		}
	}
	return sum
}

func lookupIndependent(f *field, q *query) (sum uint64) {
	for _, id := range q.ids {
		if p, err := f.store.ProfileID(id, layout.CodeAny); err == nil {
			c, _ := p.Invocations()
			sum += c.Load()
		}
	}
	return sum
}

func lookupBatches(f *field, q *query) (sum uint64) {
	found := make([]reader.Profile, 1024)
	for ids := q.ids; len(ids) > 0; {
		n := min(len(ids), len(found))
		if hits, err := f.store.ProfileIDBatch(ids[:n], nil, found[:n]); hits > 0 && err == nil {
			for _, p := range found[:n] {
				c, _ := p.Invocations()
				sum += c.Load()
			}
		}
		ids = ids[n:]
	}
	return sum
}

func mapDependent(f *field, q *query) (sum uint64) {
	last := uint64(counted)
	for i := range q.ids {
		if at, ok := f.byID[q.ids[i^int(last^counted)]]; ok {
			last = f.readCounter(at)
			sum += last
		}
	}
	return sum
}

func mapIndependent(f *field, q *query) (sum uint64) {
	for _, id := range q.ids {
		if at, ok := f.byID[id]; ok {
			sum += f.readCounter(at)
		}
	}
	return sum
}

func findDependent(f *field, q *query) (sum uint64) {
	last := uint64(counted)
	for i := range q.keys {
		if p, err := f.store.Profile(q.keys[i^int(last^counted)], layout.CodeAny); err == nil {
			c, _ := p.Invocations()
			last = c.Load()
			sum += last
		}
	}
	return sum
}

func findIndependent(f *field, q *query) (sum uint64) {
	for i := range q.keys {
		if p, err := f.store.Profile(q.keys[i], layout.CodeAny); err == nil {
			c, _ := p.Invocations()
			sum += c.Load()
		}
	}
	return sum
}

func findBatches(f *field, q *query) (sum uint64) {
	found := make([]reader.Profile, 1024)
	for keys := q.keys; len(keys) > 0; {
		n := min(len(keys), len(found))
		if hits, err := f.store.ProfileBatch(keys[:n], nil, found[:n]); hits > 0 && err == nil {
			for _, p := range found[:n] {
				c, _ := p.Invocations()
				sum += c.Load()
			}
		}
		keys = keys[n:]
	}
	return sum
}

func keyMapDependent(f *field, q *query) (sum uint64) {
	last := uint64(counted)
	for i := range q.keys {
		if at, ok := f.byKey[q.keys[i^int(last^counted)]]; ok {
			last = f.readCounter(at)
			sum += last
		}
	}
	return sum
}

func keyMapIndependent(f *field, q *query) (sum uint64) {
	for i := range q.keys {
		if at, ok := f.byKey[q.keys[i]]; ok {
			sum += f.readCounter(at)
		}
	}
	return sum
}

func textMapDependent(f *field, q *query) (sum uint64) {
	last := uint64(counted)
	for i := range q.texts {
		if at, ok := f.byText[q.texts[i^int(last^counted)]]; ok {
			last = f.readCounter(at)
			sum += last
		}
	}
	return sum
}

func textMapIndependent(f *field, q *query) (sum uint64) {
	for i := range q.texts {
		if at, ok := f.byText[q.texts[i]]; ok {
			sum += f.readCounter(at)
		}
	}
	return sum
}

// withoutChecks uses the store without verification of checksums.
func withoutChecks(look func(*field, *query) uint64) func(*field, *query) uint64 {
	return func(f *field, q *query) uint64 {
		bare := *f
		bare.store = f.bare
		return look(&bare, q)
	}
}

// withNewStore uses a newly opened store.
func withNewStore(o archive.Options) func(*field, *query) uint64 {
	return func(f *field, q *query) uint64 {
		s, err := reader.Open(f.path, o)
		if err != nil {
			return 0
		}
		defer s.Close()
		fresh := *f
		fresh.store = s
		return lookupIndependent(&fresh, q)
	}
}
