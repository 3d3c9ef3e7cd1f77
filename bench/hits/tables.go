package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/profarc/profarc/bench/turns"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A contender looks up all that a query asks for and returns the sum of the counters
// that it has read.
type contender struct {
	name string
	look func(f *field, q *query) uint64
}

// A table is contenders that look up the same kind of thing.
type table struct {
	title      string
	missing    bool
	contenders []contender
}

// measure lets the contenders take turns and prints the medians.
func (t table) measure(f *field, rounds int) error {
	share := min(200_000, f.n/len(t.contenders))
	repeats := max(1, 20_000/share)
	costs := make([][]float64, len(t.contenders))
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector must not run beside a turn
	for round := range rounds {
		runtime.GC()
		for i := range t.contenders {
			c := (i + round) % len(t.contenders)
			q := f.query(share)
			if t.missing {
				q.missing()
			}
			if repeats > 1 { // as hot as it gets
				t.contenders[c].look(f, q)
			}
			begin := threadTime()
			sum := uint64(0)
			for range repeats {
				sum += t.contenders[c].look(f, q)
			}
			costs[c] = append(costs[c], float64(threadTime()-begin)/float64(share*repeats))
			want := uint64(share*repeats) * counted
			if t.missing {
				want = 0
			}
			if sum != want && t.contenders[c].name != "floor" {
				return fmt.Errorf("%s, %s: counters sum to %d, want %d", t.title, t.contenders[c].name, sum, want)
			}
		}
	}
	base := 0.0
	fmt.Printf("%d methods, %s\n", f.n, t.title)
	for i, c := range t.contenders {
		if base == 0 && c.name[:3] == "map" {
			base = turns.Median(costs[i])
		}
	}
	for i, c := range t.contenders {
		median := turns.Median(costs[i])
		fmt.Printf("  %-22s%8.1f ns%8.2f\n", c.name, median, median/base)
	}
	return nil
}

func (f *field) tables() []table {
	return []table{
		{"id, dependent", false, []contender{{"floor", floorDependent}, {"LookupProfile", lookupDependent}, {"map[uint64]", mapDependent}}},
		{"id, independent", false, []contender{{"floor", floorIndependent}, {"LookupProfile", lookupIndependent}, {"LookupProfiles", lookupBatches}, {"map[uint64]", mapIndependent}}},
		{"id, missing", true, []contender{{"LookupProfile", lookupIndependent}, {"LookupProfiles", lookupBatches}, {"map[uint64]", mapIndependent}}},
		{"key, dependent", false, []contender{{"FindProfile", findDependent}, {"map[Key]", keyMapDependent}, {"map[string]", textMapDependent}}},
		{"key, independent", false, []contender{{"FindProfile", findIndependent}, {"FindProfiles", findBatches}, {"map[Key]", keyMapIndependent}, {"map[string]", textMapIndependent}}},
		{"key, missing", true, []contender{{"FindProfile", findIndependent}, {"FindProfiles", findBatches}, {"map[Key]", keyMapIndependent}, {"map[string]", textMapIndependent}}},
	}
}

// count reads the invocation counter of a profile.
func count(p reader.Profile) uint64 {
	c, _ := p.Invocations()
	return c.Load()
}

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
	ix, lines := h.Region(layout.RegionIX).Offset, h.Buckets
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
	ix, lines := h.Region(layout.RegionIX).Offset, h.Buckets
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
		p, err := f.store.LookupProfile(q.ids[i^int(last^counted)], layout.CodeAny)
		if err == nil {
			last = count(p)
			sum += last
		}
	}
	return sum
}

func lookupIndependent(f *field, q *query) (sum uint64) {
	for _, id := range q.ids {
		if p, err := f.store.LookupProfile(id, layout.CodeAny); err == nil {
			sum += count(p)
		}
	}
	return sum
}

func lookupBatches(f *field, q *query) (sum uint64) {
	found := make([]reader.Profile, 1024)
	for ids := q.ids; len(ids) > 0; {
		n := min(len(ids), len(found))
		if hits, err := f.store.LookupProfiles(ids[:n], nil, found[:n]); hits > 0 && err == nil {
			for _, p := range found[:n] {
				sum += count(p)
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
		if p, err := f.store.FindProfile(q.keys[i^int(last^counted)], layout.CodeAny); err == nil {
			last = count(p)
			sum += last
		}
	}
	return sum
}

func findIndependent(f *field, q *query) (sum uint64) {
	for i := range q.keys {
		if p, err := f.store.FindProfile(q.keys[i], layout.CodeAny); err == nil {
			sum += count(p)
		}
	}
	return sum
}

func findBatches(f *field, q *query) (sum uint64) {
	found := make([]reader.Profile, 1024)
	for keys := q.keys; len(keys) > 0; {
		n := min(len(keys), len(found))
		if hits, err := f.store.FindProfiles(keys[:n], nil, found[:n]); hits > 0 && err == nil {
			for _, p := range found[:n] {
				sum += count(p)
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
