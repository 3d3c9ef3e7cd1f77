package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// maxBenchKeys is the most methods of a large archive that are looked up.
const maxBenchKeys = 1 << 20

// benchKeys are keys to look up in random order, as many that are missing, and
// Go maps with the same keys.
type benchKeys struct {
	keys, noKeys []layout.Key
	ids, noIDs   []uint64
	byID         map[uint64]layout.Ref
	byKey        map[layout.Key]layout.Ref
}

// gatherMaps fills the maps.
func gatherMaps(s *reader.Store) (*benchKeys, error) {
	k := &benchKeys{byID: map[uint64]layout.Ref{}, byKey: map[layout.Key]layout.Ref{}}
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		if m.Flags()&layout.MethodSharedID != 0 || !m.Indexed() {
			continue
		}
		key, err := m.Key()
		if err != nil {
			return nil, err
		}
		if k.byID[m.ID()], k.byKey[key] = m.Ref(), m.Ref(); len(k.byKey) == maxBenchKeys {
			break
		}
	}
	return k, nil
}

// draw makes the keys to look up. Their strings are copies: those of a caller
// are not the map's own either.
func (k *benchKeys) draw(ctx context.Context, d layout.Domain) error {
	steps := poll.New(ctx)
	for key := range k.byKey {
		if err := steps.Err(); err != nil {
			return err
		}
		k.keys = append(k.keys, layout.Key{Class: strings.Clone(key.Class), Name: strings.Clone(key.Name),
			Signature: strings.Clone(key.Signature), Loader: strings.Clone(key.Loader)})
	}
	rand.Shuffle(len(k.keys), func(i, j int) { k.keys[i], k.keys[j] = k.keys[j], k.keys[i] })
	for _, key := range k.keys {
		if err := steps.Err(); err != nil {
			return err
		}
		k.ids = append(k.ids, key.ID(d))
		for known := true; known; _, known = k.byKey[key] {
			key.Name += "?"
		}
		k.noKeys = append(k.noKeys, key)
		k.noIDs = append(k.noIDs, key.ID(d))
	}
	return nil
}

// measureMemory gathers the keys, and measures the heap of the store and of the
// maps.
func (b *bench) measureMemory(s *reader.Store) (*benchKeys, error) {
	before := heapInUse()
	for p, err := range s.Profiles() {
		if err != nil {
			return nil, err
		}
		p.Invocations()
	}
	b.report.Memory.IndexBytes = s.Header().Region(layout.RegionIX).Size
	b.report.Memory.StoreHeap = grown(before)
	before = heapInUse()
	k, err := gatherMaps(s)
	if err != nil {
		return nil, err
	}
	b.report.Memory.MapsHeap = grown(before)
	return k, k.draw(b.ctx, s.Header().Domain)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// grown returns by how much the heap has grown.
func grown(before uint64) uint64 {
	if now := heapInUse(); now > before {
		return now - before
	}
	return 0
}

// lookupsPerRound is the number of lookups in one sample.
const lookupsPerRound = 1 << 12

// opening measures opening up to the first lookup.
func (b *bench) opening() error {
	var key layout.Key
	err := b.a.WithStore(b.ctx, b.path, func(s *reader.Store) (err error) {
		for m, err := range s.Methods() {
			if err != nil {
				return err
			}
			key, err = m.Key()
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	var times samples
	for end := time.Now().Add(b.time); time.Now().Before(end) || len(times) == 0; {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		begin := time.Now()
		s, err := reader.Open(b.path, archive.Options{})
		if err != nil {
			return err
		}
		if _, err := s.Find(key); err != nil {
			return err
		}
		times = append(times, float64(time.Since(begin)))
		if err := s.Close(); err != nil {
			return err
		}
		if len(times)%256 == 0 {
			runtime.GC() // unmaps the archives
		}
	}
	b.add(times.result("open to first look-up"))
	return nil
}

// A contest is one kind of lookup, done by the archive and by a map. Each does
// lookup i and reports whether it found something.
type contest struct {
	name          string
	hit           bool
	archive, peer func(i int) bool
	times, peers  samples
}

func contests(s *reader.Store, k *benchKeys) []*contest {
	lookup := func(ids []uint64) func(int) bool {
		return func(i int) bool { _, err := s.Lookup(ids[i]); return err == nil }
	}
	find := func(keys []layout.Key) func(int) bool {
		return func(i int) bool { _, err := s.Find(keys[i]); return err == nil }
	}
	mapID := func(ids []uint64) func(int) bool { return func(i int) bool { _, ok := k.byID[ids[i]]; return ok } }
	mapKey := func(keys []layout.Key) func(int) bool {
		return func(i int) bool { _, ok := k.byKey[keys[i]]; return ok }
	}
	return []*contest{
		{name: "look-up by id, hit", hit: true, archive: lookup(k.ids), peer: mapID(k.ids)},
		{name: "look-up by id, miss", archive: lookup(k.noIDs), peer: mapID(k.noIDs)},
		{name: "look-up by key, hit", hit: true, archive: find(k.keys), peer: mapKey(k.keys)},
		{name: "look-up by key, miss", archive: find(k.noKeys), peer: mapKey(k.noKeys)},
	}
}

// lookups measures lookups, one round of every kind in turn.
func (b *bench) lookups() error {
	return b.a.WithStore(b.ctx, b.path, func(s *reader.Store) error {
		k, err := b.measureMemory(s)
		if err != nil {
			return err
		}
		if len(k.keys) == 0 {
			return fmt.Errorf("%s: no method can be looked up by its id alone: bench an archive with profiles", b.path)
		}
		all := contests(s, k)
		if err := warm(all, len(k.keys)); err != nil {
			return fmt.Errorf("%s: %w", b.path, err)
		}
		from := 0
		for end := time.Now().Add(b.time); time.Now().Before(end) || from == 0; from += lookupsPerRound {
			if err := b.ctx.Err(); err != nil {
				return err
			}
			for _, c := range all {
				c.times = append(c.times, round(c.archive, from, len(k.keys)))
				c.peers = append(c.peers, round(c.peer, from, len(k.keys)))
			}
		}
		for _, c := range all {
			r := c.times.result(c.name)
			r.MapNS = c.peers.median()
			r.Ratio = r.MedianNS / r.MapNS
			b.add(r)
		}
		return nil
	})
}

// warm does every lookup once, which checks the pages, and compares the answers
// of the archive with those of the map.
func warm(all []*contest, n int) error {
	for _, c := range all {
		for i := range n {
			if c.archive(i) != c.hit || c.peer(i) != c.hit {
				return fmt.Errorf("%s: a wrong answer: run profarc verify on it", c.name)
			}
		}
	}
	return nil
}

// round does lookupsPerRound of n lookups, from one on, and returns the mean
// time in nanoseconds.
func round(look func(int) bool, from, n int) float64 {
	begin, i := time.Now(), from%n
	for range lookupsPerRound {
		look(i)
		if i++; i == n {
			i = 0
		}
	}
	return float64(time.Since(begin)) / lookupsPerRound
}
