package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// counted is the invocation count of all methods. Since it is constant, a dependent lookup can compute its id from the
// previous count (see [nextQuery]).
const counted = 7

// A field is an archive, and maps to the same profiles.
type field struct {
	n         int
	path      string
	store     *reader.Store
	bare      *reader.Store // the same archive without verification of checksums
	file      []byte
	keys      []layout.Key
	ids       []uint64
	byID      map[uint64]uint32
	byKey     map[layout.Key]uint32
	byText    map[string]uint32
	places    []uint32 // offsets of the invocation counters in file, in units of 8 bytes
	keyPlaces []uint64 // file offsets of the references to the strings of the keys
	random    *rand.Rand
	order     []int // random order of methods
	next      int   // index in order for the next turn
}

// shapes maps the values of -shape.
var shapes = map[string]bench.Scale{
	"javac": {Javac: true, Invocations: counted},
	"even":  {Block: 400, Invocations: counted},
}

func newField(dir, shape string, n int) (*field, error) {
	scale := shapes[shape]
	path := filepath.Join(dir, fmt.Sprintf("hits-%s-%d.parc", shape, n))
	scale.Methods = n
	if err := archiveOf(path, func() (*builder.Builder, error) { return bench.Build(scale) }); err != nil {
		return nil, err
	}
	f := &field{n: n, path: path, random: rand.New(rand.NewPCG(1, 2)),
		byID: make(map[uint64]uint32, n), byKey: make(map[layout.Key]uint32, n), byText: make(map[string]uint32, n)}
	if err := f.openStores(); err != nil {
		return nil, err
	}
	for i := range n {
		if err := f.addMethod(scale.Key(i)); err != nil {
			return nil, err
		}
	}
	f.order = f.random.Perm(n)
	return f, nil
}

// archiveOf writes the archive at path unless it exists.
func archiveOf(path string, build func() (*builder.Builder, error)) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	b, err := build()
	if err != nil {
		return err
	}
	_, err = b.Commit(context.Background(), path)
	return err
}

func (f *field) openStores() (err error) {
	f.store, err = reader.Open(f.path, archive.Options{})
	if err != nil {
		return err
	}
	f.file = (*mapped.Mapping)(f.store.Mapping()).Unchecked()
	f.bare, err = reader.Open(f.path, archive.Options{Unchecked: true})
	return err
}

func (f *field) close() {
	f.store.Close()
	f.bare.Close()
}

// addMethod looks up a method in all ways, so that all its data are verified, and records the offset of its counter.
func (f *field) addMethod(k layout.Key) error {
	id := k.ID(layout.DomainHotSpot)
	p, err := f.store.Profile(k, layout.CodeAny)
	if err != nil {
		return err
	}
	if _, err := f.store.ProfileID(id, layout.CodeAny); err != nil {
		return err
	}
	if _, err := f.bare.Profile(k, layout.CodeAny); err != nil {
		return err
	}
	at, ok := disk.Block(p.Bytes()).FieldOffset(disk.HasInvocations)
	if !ok {
		return fmt.Errorf("%v has no invocation counter", k)
	}
	place := uint32((p.Ref().Offset() + at) / disk.Unit)
	keyAt, _ := disk.KeyOffset(uint32(disk.Block(p.Bytes()).Presence()))
	f.keyPlaces = append(f.keyPlaces, uint64(p.Ref().Offset())+keyAt)
	f.keys = append(f.keys, k)
	f.ids = append(f.ids, id)
	f.places = append(f.places, place)
	f.byID[id] = place
	f.byKey[k] = place
	f.byText[textOf(&k)] = place
	return nil
}

func textOf(k *layout.Key) string {
	var b strings.Builder
	b.Grow(textSize(k))
	writeText(&b, k)
	return b.String()
}

func writeText(b *strings.Builder, k *layout.Key) {
	for i, part := range [...]string{k.Class, k.Name, k.Signature, k.Loader} {
		if i > 0 {
			b.WriteByte(0)
		}
		b.WriteString(part)
	}
}

func textSize(k *layout.Key) int {
	return len(k.Class) + len(k.Name) + len(k.Signature) + len(k.Loader) + 3
}

// A query has the ids, keys and texts of the methods for a turn, contiguous in memory.
//
// A dependent lookup uses the id at index i ^ count ^ counted, where count is the result of the previous lookup. The
// index equals i, but the processor must wait for count to compute it.
type query struct {
	ids    []uint64
	keys   []layout.Key
	texts  []string
	places []uint32

	keyPlaces []uint64 // file offsets of the references to the strings of the keys
}

// nextQuery returns the next n methods in random order. All texts share one string to reduce the work of the garbage
// collector.
func (f *field) nextQuery(n int) *query {
	q := &query{ids: make([]uint64, n), keys: make([]layout.Key, n), texts: make([]string, n), places: make([]uint32, n),
		keyPlaces: make([]uint64, n)}
	var text strings.Builder
	for i := range n {
		m := f.order[f.next]
		f.next = (f.next + 1) % len(f.order)
		q.ids[i] = f.ids[m]
		q.keys[i] = f.keys[m]
		q.places[i] = f.places[m]
		q.keyPlaces[i] = f.keyPlaces[m]
		writeText(&text, &q.keys[i])
	}
	rest := text.String()
	for i := range n {
		q.texts[i] = rest[:textSize(&q.keys[i])]
		rest = rest[len(q.texts[i]):]
		q.keys[i] = splitText(q.texts[i], &q.keys[i])
	}
	return q
}

// splitText returns the key with parts that are substrings of its text.
func splitText(t string, k *layout.Key) (c layout.Key) {
	c.Class, t = t[:len(k.Class)], t[len(k.Class)+1:]
	c.Name, t = t[:len(k.Name)], t[len(k.Name)+1:]
	c.Signature, t = t[:len(k.Signature)], t[len(k.Signature)+1:]
	c.Loader = t
	return c
}

// makeMissing replaces the methods of a query by nonexistent ones.
func (q *query) makeMissing() {
	for i := range q.ids {
		q.keys[i].Loader = "missing"
		q.texts[i] = textOf(&q.keys[i])
		q.ids[i] = q.keys[i].ID(layout.DomainHotSpot)
	}
}
