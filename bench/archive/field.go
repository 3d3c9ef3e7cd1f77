package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// maxKeys is the approximate maximum number of methods to look up.
const maxKeys = 1 << 20

type field struct {
	store  *reader.Store
	file   []byte
	found  []reader.Profile // results of a batch
	domain layout.Domain
	keys   []layout.Key // shuffled
	ids    []uint64
	byID   map[uint64]uint32 // unit of the file that a hit reads
	byKey  map[layout.Key]uint32
	suffix string // appended to names to make missing keys
	next   int    // index of the first key of the next query
	text   int64  // total bytes of all keys
	copied int64  // bytes of keys copied by queries since the last collection
}

// mostText is how many bytes of keys one turn looks up, about, and what queries may copy
// between two collections.
const (
	mostText   = 4 << 20
	mostCopied = 128 << 20
)

func (f *field) lookupsPerTurn() int {
	average := f.text/int64(max(1, len(f.keys))) + 1
	return int(min(maxLookupsPerTurn, max(16, mostText/average)))
}

func (b *bench) loadField(s *reader.Store) error {
	before := heapInUse()
	if err := readProfiles(s); err != nil {
		return err
	}
	b.report.Memory.IndexBytes = disk.RegionOf(s.Header(), disk.RegionIX).Size
	b.report.Memory.StoreHeap = max(0, heapInUse()-before)
	f := &field{store: s, file: (*mapped.Mapping)(s.Mapping()).Unchecked(), domain: s.Header().Domain, suffix: "?",
		byID: map[uint64]uint32{}, byKey: map[layout.Key]uint32{}, found: make([]reader.Profile, maxLookupsPerTurn)}
	b.field, before = f, heapInUse()
	if err := b.addMethods(poll.New(b.ctx)); err != nil {
		return err
	}
	b.report.Memory.MapsHeap = max(0, heapInUse()-before)
	for k := range f.byKey {
		f.keys, f.ids = append(f.keys, k), append(f.ids, k.ID(f.domain))
		f.text += int64(len(k.Class) + len(k.Name) + len(k.Signature) + len(k.Loader))
	}
	rand.Shuffle(len(f.keys), func(i, j int) {
		f.keys[i], f.keys[j], f.ids[i], f.ids[j] = f.keys[j], f.keys[i], f.ids[j], f.ids[i]
	})
	return nil
}

// readProfiles reads all profiles, which verifies them.
func readProfiles(s *reader.Store) error {
	n := uint64(0)
	for _, err := range s.Profiles() {
		if err != nil {
			return err
		}
		n++
	}
	if n != s.Header().Counts.Profiles {
		return fmt.Errorf("%s: %d profiles, its header says %d: run profarc verify on it", s.Mapping().Name(), n,
			s.Header().Counts.Profiles)
	}
	return nil
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func (f *field) releaseStore() { f.store, f.file, f.found, f.byID, f.byKey = nil, nil, nil, nil, nil }

func (b *bench) addMethods(steps *poll.Poll) error {
	every := int(b.field.store.Header().Counts.Methods/maxKeys) + 1
	n := 0
	for m, err := range b.field.store.Methods() {
		if err := errors.Join(err, steps.Err()); err != nil {
			return err
		}
		if n++; n%every != 0 || m.Flags()&disk.MethodSharedID != 0 || hasRow(b.field.store.Header(), m.Ref()) {
			continue
		}
		if err := b.addMethod(m); err != nil {
			return err
		}
	}
	return nil
}

// hasRow reports whether the reference of a method refers to the row of an unexecuted method, which no id finds.
func hasRow(h *layout.Header, n layout.Ref) bool {
	return h.Parts[disk.PartUnexecuted].Holds(n.Offset(), disk.UnexecutedRowSize)
}

// addMethod looks a method up in every way, which verifies it, and records the unit that a hit reads. It skips methods
// without a profile, and with several.
func (b *bench) addMethod(m reader.Method) error {
	f := b.field
	k, err := m.Key()
	if err != nil {
		return err
	}
	id := k.ID(f.domain)
	p, err := f.store.ProfileID(id, layout.CodeAny)
	if errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous) {
		return nil
	}
	found, other := f.store.Profile(k, layout.CodeAny)
	if err := errors.Join(err, other); err != nil {
		return err
	}
	place := counterUnit(p)
	if found.Ref() != p.Ref() || counterValue(p) != f.readWord(place) {
		return b.wrongAnswer(escape.Printable(k.Name))
	}
	for strings.HasSuffix(k.Name, f.suffix) {
		f.suffix += "?"
	}
	f.byID[id], f.byKey[k] = place, place
	return nil
}

func (b *bench) wrongAnswer(what string) error {
	return fmt.Errorf("%s: %s: a wrong answer: run profarc verify on it", b.path, what)
}

func counterUnit(p reader.Profile) uint32 {
	at := int64(0)
	if _, ok := p.Invocations(); ok {
		at, _ = disk.Block(p.Bytes()).FieldOffset(disk.HasInvocations)
	}
	return uint32((p.Ref().Offset() + at) / disk.Unit)
}

func counterValue(p reader.Profile) uint64 {
	if c, ok := p.Invocations(); ok {
		return c.Load()
	}
	return binary.LittleEndian.Uint64(p.Bytes())
}

func (f *field) readWord(place uint32) uint64 {
	return binary.LittleEndian.Uint64(f.file[int64(place)*disk.Unit:])
}

// zero is 0, which the compiler does not know.
var zero = uint64(len(os.Args)) >> 32

// sink receives results, so that the compiler keeps the lookups.
var sink atomic.Uint64

// A query holds the ids and keys that one turn looks up. They are adjacent in memory, so fetching them costs nothing.
type query struct {
	ids  []uint64
	keys []layout.Key
}

func (f *field) nextQuery(n int, missing bool) query {
	q := query{make([]uint64, n), make([]layout.Key, n)}
	var text strings.Builder
	for i := range n {
		q.ids[i], q.keys[i] = f.ids[f.next], f.keys[f.next]
		if missing {
			q.keys[i].Name += f.suffix
			q.ids[i] = q.keys[i].ID(f.domain)
		}
		for _, part := range keyParts(&q.keys[i]) {
			text.WriteString(*part)
		}
		f.next = (f.next + 1) % len(f.keys)
	}
	f.copied += int64(text.Len())
	rest := text.String()
	for i := range q.keys {
		for _, part := range keyParts(&q.keys[i]) {
			*part, rest = rest[:len(*part)], rest[len(*part):]
		}
	}
	return q
}

func keyParts(k *layout.Key) [4]*string {
	return [4]*string{&k.Class, &k.Name, &k.Signature, &k.Loader}
}

func (q *query) subQuery(from, to int) query { return query{q.ids[from:to], q.keys[from:to]} }
