package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench/turns"
	"github.com/profarc/profarc/layout"
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

// contests are the kinds of lookups. Each is compared with the peer's lookup of
// the same keys.
var contests = []struct {
	name string
	keys string // the file that the peer is asked for
	way  lookupFunc
}{
	{"name and hash, hit", "hits", byName},
	{"name, miss", "misses", byName},
	{"id and hash, hit", "hits", byID},
	{"id, miss", "misses", byID},
	{"names in batches and hash, hit", "hits", namesInBatches},
	{"ids in batches and hash, hit", "hits", idsInBatches},
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
	keys  map[string]*keys // by the name of the peer's file
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

// contest runs the peer and the archive, opened in several ways, in turns, and
// prints a row. All must find the same.
func (b *bench) contest(name, file string, w lookupFunc, scenes []scene, p *peer) error {
	var want answer
	contenders := []func() (turns.Cost, error){func() (c turns.Cost, err error) {
		want, err = secondTurn(func() (answer, error) { return p.lookup(file) })
		return turns.Cost{Wall: want.duration()}, err
	}}
	for _, s := range scenes {
		contenders = append(contenders, func() (turns.Cost, error) {
			a, err := secondTurn(func() (answer, error) { return w.timed(s.store, s.keys[file]) })
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

// secondTurn takes two turns and returns the result of the second.
func secondTurn(turn func() (answer, error)) (answer, error) {
	if _, err := turn(); err != nil {
		return answer{}, err
	}
	return turn()
}

// duration returns the time of a thousand lookups: medians are in whole
// nanoseconds.
func (a answer) duration() time.Duration { return time.Duration(a.nanoseconds * 1000) }

func perLookup(d time.Duration) float64 { return float64(d) / 1000 }

// A lookupFunc looks up keys in an archive. It returns how many were found and the
// sum of their first counters.
type lookupFunc func(*reader.Store, *keys) (found, sum uint64, err error)

// timed returns the result of a lookupFunc and its time.
func (w lookupFunc) timed(s *reader.Store, k *keys) (a answer, err error) {
	begin := time.Now()
	a.found, a.sum, err = w(s, k)
	a.nanoseconds = float64(time.Since(begin).Nanoseconds()) / float64(len(k.names))
	return a, err
}

// byName finds functions by name, as a compiler does.
func byName(s *reader.Store, k *keys) (found, sum uint64, err error) {
	for i, name := range k.names {
		p, err := s.FindProfile(layout.Key{Name: name}, k.hashes[i])
		if err == reader.ErrNotFound {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		count, err := firstCounter(p)
		if err != nil {
			return 0, 0, err
		}
		found, sum = found+1, sum+count
	}
	return found, sum, nil
}

// byID finds functions by the MD5 of their names, which it knows.
func byID(s *reader.Store, k *keys) (found, sum uint64, err error) {
	for i, id := range k.ids {
		p, err := s.LookupProfile(id, k.hashes[i])
		if err == reader.ErrNotFound {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		count, err := firstCounter(p)
		if err != nil {
			return 0, 0, err
		}
		found, sum = found+1, sum+count
	}
	return found, sum, nil
}

// batchSize is the number of functions in a batch.
const batchSize = 64

// namesInBatches finds functions by name, in batches.
func namesInBatches(s *reader.Store, k *keys) (found, sum uint64, err error) {
	var batch [batchSize]layout.Key
	return inBatches(k, func(at, end int, profiles []reader.Profile) error {
		for i, name := range k.names[at:end] {
			batch[i].Name = name
		}
		_, err := s.FindProfiles(batch[:end-at], k.hashes[at:end], profiles)
		return err
	})
}

// idsInBatches finds functions by id, in batches.
func idsInBatches(s *reader.Store, k *keys) (found, sum uint64, err error) {
	return inBatches(k, func(at, end int, profiles []reader.Profile) error {
		_, err := s.LookupProfiles(k.ids[at:end], k.hashes[at:end], profiles)
		return err
	})
}

func inBatches(k *keys, lookup func(at, end int, profiles []reader.Profile) error) (found, sum uint64, err error) {
	var batch [batchSize]reader.Profile
	for at := 0; at < len(k.ids); at += batchSize {
		profiles := batch[:min(batchSize, len(k.ids)-at)]
		if err := lookup(at, at+len(profiles), profiles); err != nil {
			return 0, 0, err
		}
		for _, p := range profiles {
			if !p.Valid() {
				continue
			}
			count, err := firstCounter(p)
			if err != nil {
				return 0, 0, err
			}
			found, sum = found+1, sum+count
		}
	}
	return found, sum, nil
}

var errNoCounters = errors.New("a profile without counters")

// firstCounter returns the first counter, which LLVM calls the entry count.
func firstCounter(p reader.Profile) (uint64, error) {
	e, ok := p.At(0)
	if !ok || e.Tag() != layout.TagCounters || e.Cells() == 0 {
		return 0, errNoCounters
	}
	return e.Cell(0).Load(), nil
}

// An answer is the result of one turn of lookups.
type answer struct {
	nanoseconds float64 // per lookup
	found       uint64
	sum         uint64 // of the first counters of the functions found
}

// A peer is a process that runs LLVM's reader.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (b *bench) startPeer(profdata, hits, misses string) (*peer, error) {
	cmd := exec.Command(b.peer, profdata, hits, misses)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peer{cmd, in, bufio.NewReader(out)}, cmd.Start()
}

// lookup tells the peer to look up all keys of a file, "hits" or "misses".
func (p *peer) lookup(file string) (a answer, err error) {
	if _, err := fmt.Fprintln(p.in, file); err != nil {
		return a, err
	}
	_, err = fmt.Fscan(p.out, &a.nanoseconds, &a.found, &a.sum)
	return a, err
}

func (p *peer) stop() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }
