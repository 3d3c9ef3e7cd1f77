package peers

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench"
	"github.com/profarc/profarc/bench/ratios"
	"github.com/profarc/profarc/internal/cli/paired"
	"github.com/profarc/profarc/internal/system/cputime"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// counted is the invocation count of all methods.
const counted = 7

// A peer maps the key of each method to its counter and profile.
type peer interface {
	// turn looks up keys. It returns the total of their counters and the processor time in nanoseconds.
	turn(keys [][]byte) (sum uint64, took int64, err error)
	close() error
}

// A store is a peer that runs in this process.
type store interface {
	// count returns the counter of a key, or 0 for a miss.
	count(key []byte) uint64
	close() error
}

// called converts a store to a peer.
type called struct{ store }

func (c called) turn(keys [][]byte) (sum uint64, took int64, err error) {
	begin := cputime.ThreadTime()
	for _, k := range keys {
		sum += c.count(k)
	}
	return sum, cputime.ThreadTime() - begin, nil
}

// peerOfStore converts a store's constructor to a peer's constructor.
func peerOfStore(fill func(path string, records []record) (store, error)) func(string, []record) (peer, error) {
	return func(path string, records []record) (peer, error) {
		s, err := fill(path, records)
		return called{s}, err
	}
}

// A contender is a peer and its name.
type contender struct {
	name string
	peer
	goal float64 // required ratio to the time of profarc
}

// A record is a key and a value of a peer. The value begins with the counter.
type record struct{ key, value []byte }

// A field is an archive and peers with the same data.
type field struct {
	n      int
	store  *reader.Store
	keys   []layout.Key
	peers  []contender
	absent []string // reasons why peers are missing
	random *rand.Rand
	order  []int
	next   int
}

func newField(dir string, n int) (*field, error) {
	path := filepath.Join(dir, fmt.Sprintf("peers-%d.parc", n))
	b, err := bench.Build(bench.Scale{Methods: n, Javac: true, Invocations: counted})
	if err != nil {
		return nil, err
	}
	if _, err := b.Commit(context.Background(), path); err != nil {
		return nil, err
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return nil, err
	}
	f := &field{n: n, store: s, random: rand.New(rand.NewPCG(5, 6))}
	records, err := f.records()
	if err != nil {
		return nil, err
	}
	f.order = f.random.Perm(n)
	return f, f.fillPeers(dir, records)
}

// records returns the records of all methods, sorted by key.
func (f *field) records() ([]record, error) {
	var all []record
	for i := range f.n {
		k := bench.JavacKey(i)
		p, err := f.store.Profile(k, layout.CodeAny)
		if err != nil {
			return nil, err
		}
		f.keys = append(f.keys, k)
		value := binary.LittleEndian.AppendUint64(nil, counted)
		all = append(all, record{textOf(k), append(value, p.Bytes()...)})
	}
	slices.SortFunc(all, func(a, b record) int { return strings.Compare(string(a.key), string(b.key)) })
	return all, nil
}

func textOf(k layout.Key) []byte {
	return []byte(k.Class + "\x00" + k.Name + "\x00" + k.Signature + "\x00" + k.Loader)
}

// fillPeers creates the peers.
func (f *field) fillPeers(dir string, records []record) error {
	for _, each := range []struct {
		name string
		fill func(path string, records []record) (peer, error)
		goal float64
	}{{"CDB", peerOfStore(fillCDB), 2.5}, {"LMDB", fillLMDB, 5}} {
		p, err := each.fill(filepath.Join(dir, fmt.Sprintf("%s-%d", each.name, f.n)), records)
		if errors.Is(err, errMissing) {
			f.absent = append(f.absent, fmt.Sprintf("%s: %v.", each.name, err))
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", each.name, err)
		}
		f.peers = append(f.peers, contender{each.name, p, each.goal})
	}
	return nil
}

func (f *field) close() error {
	errs := []error{f.store.Close()}
	for _, p := range f.peers {
		errs = append(errs, p.close())
	}
	return errors.Join(errs...)
}

// A query holds the keys for a turn.
type query struct {
	keys  []layout.Key
	texts [][]byte
}

func (f *field) nextQuery(n int, missing bool) (q query) {
	for range n {
		k := f.keys[f.order[f.next]]
		f.next = (f.next + 1) % f.n
		if missing {
			k.Loader = "missing"
		}
		t := textOf(k)
		cut := strings.Split(string(t), "\x00")
		q.keys = append(q.keys, layout.Key{Class: cut[0], Name: cut[1], Signature: cut[2], Loader: cut[3]})
		q.texts = append(q.texts, t)
	}
	return q
}

const (
	titleHits   = "key-value stores, key hit"
	titleMisses = "key-value stores, key miss"

	note = "Both stores have the same keys and the same profiles as values, without compression, in files that are in " +
		"memory. Ratios are to profarc. CDB is a small reader of its format over a mapping; LMDB is called by a program " +
		"in C, which measures itself, and reads within one transaction."
)

// measure lets profarc and the peers take turns.
func (f *field) measure(rounds int, missing bool) (ratios.Table, error) {
	share := min(20_000, f.n/(1+len(f.peers)))
	g := ratios.Guard{Rounds: rounds, Loop: ratios.FixedLoop}
	add := func(name string, look func(q query) (uint64, int64, error)) {
		g.Turns = append(g.Turns, func() (float64, error) {
			sum, took, err := look(f.nextQuery(share, missing))
			if want := uint64(share * counted); err == nil && (sum != want && !missing || sum != 0 && missing) {
				err = fmt.Errorf("%s: counters sum to %d", name, sum)
			}
			return float64(took) / float64(share), err
		})
	}
	add("profarc", f.findAll)
	for _, p := range f.peers {
		add(p.name, func(q query) (uint64, int64, error) { return p.turn(q.texts) })
	}
	costs, noise, err := g.Run()
	t := ratios.Table{Title: titleHits, Methods: f.n, Note: strings.Join(append([]string{note}, f.absent...), " "),
		Noise: noise}
	if missing {
		t.Title = titleMisses
	}
	return f.addRows(t, costs), err
}

func (f *field) findAll(q query) (sum uint64, took int64, err error) {
	begin := cputime.ThreadTime()
	for i := range q.keys {
		if p, err := f.store.Profile(q.keys[i], layout.CodeAny); err == nil {
			c, _ := p.Invocations()
			sum += c.Load()
		}
	}
	return sum, cputime.ThreadTime() - begin, nil
}

// addRows adds the rows. Goals apply only to hits in large stores.
func (f *field) addRows(t ratios.Table, costs [][]float64) ratios.Table {
	if len(costs) == 0 {
		return t
	}
	t.Rows = []ratios.Row{{Name: "profarc", Value: paired.Median(costs[0]), Ratio: 1}}
	for i, p := range f.peers {
		t.Rows = append(t.Rows, ratios.Row{Name: p.name, Value: paired.Median(costs[i+1]),
			Ratio: ratios.MedianRatio(costs[i+1], costs[0])})
		if t.Title == titleHits && f.n >= 1_000_000 {
			t.Rows[0].Goals = append(t.Rows[0].Goals, ratios.Goal{Against: p.name, Limit: 1 / p.goal,
				Ratio: ratios.MedianRatio(costs[0], costs[i+1])})
		}
	}
	return t
}
