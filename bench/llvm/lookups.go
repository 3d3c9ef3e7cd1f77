package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench/turns"
	"github.com/profarc/profarc/internal/llvmreader"
	"github.com/profarc/profarc/reader"
)

// checks are the ways in which pages can be verified. Every key is looked up once
// before the clock runs, so that with the first way each page and each profile has
// been verified.
var checks = []struct {
	name  string
	check archive.Check
}{
	{"checks at first access", archive.CheckOnTouch},
	{"all checked on opening", archive.CheckAll},
	{"no sums checked", archive.CheckNone},
}

// lookups prints how long lookups take, with a tenth of the functions and with all.
func (b *bench) lookups() error {
	for _, n := range []int{b.functions / 10, b.functions} {
		if err := b.lookupsAmong(n); err != nil {
			return err
		}
	}
	return nil
}

// A scene is an open archive and the keys to look up in it.
type scene struct {
	store *reader.Store
	keys  map[string]*llvmreader.Keys // by the name of the file
}

func (b *bench) lookupsAmong(n int) error {
	profdata, err := b.profile(n, 0)
	if err != nil {
		return err
	}
	hits, misses, err := b.keyFiles(n)
	if err != nil {
		return err
	}
	p, err := b.peer.Start(context.Background(), profdata, hits, misses)
	if err != nil {
		return err
	}
	keys, err := readAllKeys(hits, misses)
	if err != nil {
		return err
	}
	fmt.Printf("\n| %d functions |", n)
	for _, c := range checks {
		fmt.Printf(" %s |", c.name)
	}
	fmt.Print(" LLVM's reader | ratio |\n|---|---|---|---|---|---|\n")
	var scenes []scene
	for _, c := range checks {
		store, err := b.openArchive(profdata, c.check)
		if err != nil {
			return err
		}
		defer store.Close()
		scenes = append(scenes, scene{store, keys})
	}
	runtime.LockOSThread() // times are of the thread
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	for _, c := range llvmreader.Contests {
		if err := b.contest(&c, scenes, p); err != nil {
			return err
		}
	}
	return p.Stop()
}

func readAllKeys(hits, misses string) (map[string]*llvmreader.Keys, error) {
	h, err := readKeys(hits)
	if err != nil {
		return nil, err
	}
	m, err := readKeys(misses)
	return map[string]*llvmreader.Keys{"hits": &h, "misses": &m}, err
}

// openArchive opens the archive of a profile.
func (b *bench) openArchive(profdata string, c archive.Check) (*reader.Store, error) {
	path := profdata[:len(profdata)-len(filepath.Ext(profdata))] + ".parc"
	if _, err := os.Stat(path); err != nil {
		if err := execute(b.profarc, "import", "-o", path, profdata); err != nil {
			return nil, err
		}
	}
	return reader.Open(path, archive.Options{Check: c})
}

// contest runs the peer and the archive, opened in several ways, in turns, and
// prints a row. All must find the same.
func (b *bench) contest(c *llvmreader.Contest, scenes []scene, p *llvmreader.Reader) error {
	var want llvmreader.Answer
	file, n := c.File(), len(scenes[0].keys[c.File()].Names)
	contenders := []func() (turns.Cost, error){func() (c turns.Cost, err error) {
		want, err = secondTurn(func() (llvmreader.Answer, error) { return p.LookUp(file, 0, n, 1) })
		return turns.Cost{User: duration(want)}, err
	}}
	for _, s := range scenes {
		contenders = append(contenders, func() (turns.Cost, error) {
			a, err := secondTurn(func() (llvmreader.Answer, error) { return c.Way.LookUp(s.store, s.keys[file], 1) })
			if err == nil && (a.Found != want.Found || a.Sum != want.Sum) {
				err = fmt.Errorf("%s: %d found with a sum of %d, LLVM finds %d with %d", c.Name, a.Found, a.Sum, want.Found, want.Sum)
			}
			return turns.Cost{User: duration(a)}, err
		})
	}
	costs, err := turns.Take(b.rounds, contenders...)
	if err != nil {
		return err
	}
	fmt.Printf("| %s |", c.Name)
	theirs := costs[0].User
	for _, c := range costs[1:] {
		fmt.Printf(" %.0f ns |", perLookup(c.User))
	}
	fmt.Printf(" %.0f ns | %.2f |\n", perLookup(theirs), float64(costs[1].User)/float64(theirs))
	return nil
}

// secondTurn takes two turns and returns the result of the second.
func secondTurn(turn func() (llvmreader.Answer, error)) (llvmreader.Answer, error) {
	if _, err := turn(); err != nil {
		return llvmreader.Answer{}, err
	}
	return turn()
}

// duration returns the time of a thousand lookups: medians are in whole
// nanoseconds.
func duration(a llvmreader.Answer) time.Duration { return time.Duration(a.Nanoseconds * 1000) }

func perLookup(d time.Duration) float64 { return float64(d) / 1000 }
