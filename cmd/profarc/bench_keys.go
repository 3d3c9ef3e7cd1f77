package main

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"

	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// maxBenchKeys bounds how many methods of a large archive are looked up.
const maxBenchKeys = 1 << 20

// benchKeys are the keys that are looked up, in an order that caches cannot
// foresee, the same as keys that are not there, and the maps beside the archive.
type benchKeys struct {
	keys, noKeys []layout.Key
	ids, noIDs   []uint64
	byID         map[uint64]layout.Ref
	byKey        map[layout.Key]layout.Ref
}

// gatherMaps makes the maps.
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

// draw makes the keys to look up. Their strings are not the map's own, as those
// of a caller are not.
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

// measureMemory gathers the keys and notes what they and the store take.
func (b *bench) measureMemory(s *reader.Store) (*benchKeys, error) {
	before := heapInUse()
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		if _, err := invocations(m); err != nil {
			return nil, err
		}
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

// grown is by how much the heap has grown.
func grown(before uint64) uint64 {
	if now := heapInUse(); now > before {
		return now - before
	}
	return 0
}
