package main

import (
	"encoding/binary"
	"os"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Each loop below is there once for ids, once for keys and once for texts, and with each way of looking up: a
// loop that is given the lookup would measure the call of a function value too, and what the compiler can't
// do across it. So is the reading of the counter, which is inlined, as for the map.

// read reads the counter at a place of the file.
func (f *field) read(place uint32) uint64 {
	return binary.LittleEndian.Uint64(f.file[int(place)*disk.Unit:])
}

// zero is a number that the compiler does not know.
var zero = uint64(len(os.Args)) >> 32

// floorDependent reads a random line of the index, then the counter of a random
// profile, each when the read before has ended.
func floorDependent(f *field, q *query) (sum uint64) {
	h := f.store.Header()
	ix := h.Region(disk.RegionIX).Offset
	lines := h.Buckets
	last := uint64(counted)
	for i := range q.ids {
		line, _ := disk.Mix(q.ids[i^int(last^counted)], disk.KindMethod, h.Seed).Split(lines)
		none := f.read(uint32((ix+int64(line)*disk.LineSize)/disk.Unit)) & zero
		last = f.read(q.places[i] + uint32(none))
		sum += last
	}
	return sum
}

func floorIndependent(f *field, q *query) (sum uint64) {
	h := f.store.Header()
	ix := h.Region(disk.RegionIX).Offset
	lines := h.Buckets
	for i, id := range q.ids {
		line, _ := disk.Mix(id, disk.KindMethod, h.Seed).Split(lines)
		sum += f.read(uint32((ix+int64(line)*disk.LineSize)/disk.Unit)) & zero
		sum += f.read(q.places[i])
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
			last = f.read(at)
			sum += last
		}
	}
	return sum
}

func mapIndependent(f *field, q *query) (sum uint64) {
	for _, id := range q.ids {
		if at, ok := f.byID[id]; ok {
			sum += f.read(at)
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
			last = f.read(at)
			sum += last
		}
	}
	return sum
}

func keyMapIndependent(f *field, q *query) (sum uint64) {
	for i := range q.keys {
		if at, ok := f.byKey[q.keys[i]]; ok {
			sum += f.read(at)
		}
	}
	return sum
}

func textMapDependent(f *field, q *query) (sum uint64) {
	last := uint64(counted)
	for i := range q.texts {
		if at, ok := f.byText[q.texts[i^int(last^counted)]]; ok {
			last = f.read(at)
			sum += last
		}
	}
	return sum
}

func textMapIndependent(f *field, q *query) (sum uint64) {
	for i := range q.texts {
		if at, ok := f.byText[q.texts[i]]; ok {
			sum += f.read(at)
		}
	}
	return sum
}

// onBare looks up in the store without checks of sums.
func onBare(look func(*field, *query) uint64) func(*field, *query) uint64 {
	return func(f *field, q *query) uint64 {
		bare := *f
		bare.store = f.bare
		return look(&bare, q)
	}
}

// onNew looks up in a store that was just opened.
func onNew(o archive.Options) func(*field, *query) uint64 {
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
