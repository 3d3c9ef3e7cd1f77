package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench/turns"
	"github.com/profarc/profarc/reader"
)

// checks are how pages can be checked. Every key was looked up before the clock
// runs, so that with the first each page, and each profile, was found sound.
var checks = []struct {
	name  string
	check archive.Check
}{
	{"checks at first touch", archive.CheckOnTouch},
	{"all checked on opening", archive.CheckAll},
	{"no sums checked", archive.CheckNone},
}

// contests are what is looked up, and how; each against the peer's look-up of
// the same keys.
var contests = []struct {
	name string
	keys string // the file that the peer is asked for
	way  way
}{
	{"name and hash, hit", "hits", byName},
	{"name, miss", "misses", byName},
	{"id and hash, hit", "hits", byID},
	{"id, miss", "misses", byID},
	{"names in batches and hash, hit", "hits", namesInBatches},
	{"ids in batches and hash, hit", "hits", idsInBatches},
}

// lookups prints how long look-ups take, at a tenth of the functions and at all.
func (b *bench) lookups() error {
	for _, n := range []int{b.functions / 10, b.functions} {
		if err := b.lookupsAmong(n); err != nil {
			return err
		}
	}
	return nil
}

// A scene is an open archive with what is looked up in it.
type scene struct {
	store *reader.Store
	keys  map[string]*keys // by the name that the peer has for them
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
	p, err := b.startPeer(profdata, hits, misses)
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
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	for _, c := range contests {
		if err := b.contest(c.name, c.keys, c.way, scenes, p); err != nil {
			return err
		}
	}
	return p.stop()
}

func readAllKeys(hits, misses string) (map[string]*keys, error) {
	h, err := readKeys(hits)
	if err != nil {
		return nil, err
	}
	m, err := readKeys(misses)
	return map[string]*keys{"hits": &h, "misses": &m}, err
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

// contest lets the archive, opened in several ways, and the peer take turns, and
// prints a row. All must find the same.
func (b *bench) contest(name, file string, w way, scenes []scene, p *peer) error {
	var want answer
	contenders := []func() (turns.Cost, error){func() (c turns.Cost, err error) {
		want, err = warm(func() (answer, error) { return p.lookup(file) })
		return turns.Cost{Wall: want.duration()}, err
	}}
	for _, s := range scenes {
		contenders = append(contenders, func() (turns.Cost, error) {
			a, err := warm(func() (answer, error) { return w.timed(s.store, s.keys[file]) })
			if err == nil && (a.found != want.found || a.sum != want.sum) {
				err = fmt.Errorf("%s: %d found with a sum of %d, LLVM finds %d with %d", name, a.found, a.sum, want.found, want.sum)
			}
			return turns.Cost{Wall: a.duration()}, err
		})
	}
	costs, err := turns.Take(b.rounds, contenders...)
	if err != nil {
		return err
	}
	fmt.Printf("| %s |", name)
	theirs := costs[0].Wall
	for _, c := range costs[1:] {
		fmt.Printf(" %.0f ns |", perLookup(c.Wall))
	}
	fmt.Printf(" %.0f ns | %.2f |\n", perLookup(theirs), float64(costs[1].Wall)/float64(theirs))
	return nil
}

// warm takes a turn that does not count, and one that does.
func warm(turn func() (answer, error)) (answer, error) {
	if _, err := turn(); err != nil {
		return answer{}, err
	}
	return turn()
}

// duration is how long a thousand look-ups took: a median has whole nanoseconds.
func (a answer) duration() time.Duration { return time.Duration(a.nanoseconds * 1000) }

func perLookup(d time.Duration) float64 { return float64(d) / 1000 }
