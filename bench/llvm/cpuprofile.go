package main

import (
	"os"
	"runtime/pprof"

	"github.com/profarc/profarc/archive"
)

// profileLookups looks all functions up by name, some ten times, under the
// profiler.
func (b *bench) profileLookups(path string) error {
	if err := b.findPrograms(); err != nil {
		return err
	}
	profdata, err := b.profile(b.functions, 0)
	if err != nil {
		return err
	}
	hits, misses, err := b.keyFiles(b.functions)
	if err != nil {
		return err
	}
	keys, err := readAllKeys(hits, misses)
	if err != nil {
		return err
	}
	store, err := b.openArchive(profdata, archive.CheckOnTouch)
	if err != nil {
		return err
	}
	defer store.Close()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, _, err := byName(store, keys["hits"]); err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for range 10 {
		if _, _, err := byName(store, keys["hits"]); err != nil {
			return err
		}
	}
	return nil
}
