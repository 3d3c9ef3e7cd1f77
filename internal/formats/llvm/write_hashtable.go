package llvm

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/lists"
)

// A chainedTable imitates LLVM's generator of on-disk hash tables. The order of items depends on the order of
// insertion and on every resize, so the same bytes require the same steps.
type chainedTable struct {
	heads []int32 // first item of each bucket's chain, or noItem
	next  []int32 // next item in the chain, by item
}

const (
	noItem         = -1
	initialBuckets = 64
)

// newChainedTable inserts items 0 to len(hashes)-1 in this order, and resizes the table to its final size. With
// keepOrder the items keep their order in each chain.
func newChainedTable(hashes []uint64, laid bool) *chainedTable {
	t := &chainedTable{heads: emptyHeads(initialBuckets), next: make([]int32, len(hashes))}
	if laid {
		t.heads = emptyHeads(finalBuckets(len(hashes)))
		for i := len(hashes) - 1; i >= 0; i-- {
			t.insertItem(int32(i), hashes)
		}
		return t
	}
	for i := range hashes {
		if 4*(i+1) >= 3*len(t.heads) {
			t.rebuildBuckets(2*len(t.heads), hashes)
		}
		t.insertItem(int32(i), hashes)
	}
	if n := finalBuckets(len(hashes)); n != len(t.heads) {
		t.rebuildBuckets(n, hashes)
	}
	return t
}

// finalBuckets returns the number of buckets in a written table.
func finalBuckets(items int) int {
	if items <= 2 {
		return 1
	}
	return 1 << bits.Len(uint(items*4/3))
}

func emptyHeads(n int) []int32 {
	heads := make([]int32, n)
	for i := range heads {
		heads[i] = noItem
	}
	return heads
}

func (t *chainedTable) insertItem(item int32, hashes []uint64) {
	bucket := hashes[item] & uint64(len(t.heads)-1)
	t.next[item], t.heads[bucket] = t.heads[bucket], item
}

// rebuildBuckets moves the items, chain by chain, into n buckets.
func (t *chainedTable) rebuildBuckets(n int, hashes []uint64) {
	old := t.heads
	t.heads = emptyHeads(n)
	for _, item := range old {
		for item != noItem {
			next := t.next[item]
			t.insertItem(item, hashes)
			item = next
		}
	}
}

// llvm-profdata keeps functions in a map by name. Up to LLVM 16 it writes them in the order of that map, a hash table
// with quadratic probing. LLVM 17 and later sort by name.

// A probedMap is an LLVM hash map with numbered items instead of keys.
type probedMap struct {
	slots []int32            // item + 1, or 0 if empty
	hash  func(int32) uint32 // hash of an item's key

	// Number of full slots at the start of long searches, by first slot. Chosen hashes would make the work quadratic.
	full map[uint64]uint64
}

const longSearch = 32 // slots

func (m *probedMap) insertItem(item int32) {
	mask := uint64(len(m.slots) - 1)
	first := uint64(m.hash(item)) & mask
	step := m.full[first]
	at := func() uint64 { return (first + step*(step+1)/2) & mask }
	for m.slots[at()] != 0 {
		step++
	}
	m.slots[at()] = item + 1
	if step > longSearch {
		m.full[first] = step + 1
	}
}

func (m *probedMap) resizeSlots(slots int) {
	items := m.orderedItems()
	m.slots = make([]int32, slots)
	m.full = map[uint64]uint64{}
	for _, item := range items {
		m.insertItem(item)
	}
}

func (m *probedMap) orderedItems() []int32 {
	var all []int32
	for _, s := range m.slots {
		if s != 0 {
			all = append(all, s-1)
		}
	}
	return all
}

const firstStringSlots = 16

// sortAsStringMap returns functions in the order of llvm-profdata's map by name, after insertion in the given order.
// hashes has the hash of the name of each function.
func sortAsStringMap(places []int32, hashes []uint32) []int32 {
	m := probedMap{slots: make([]int32, firstStringSlots), hash: func(place int32) uint32 { return hashes[place] }}
	for i, place := range places {
		m.insertItem(place)
		if 4*(i+1) > 3*len(m.slots) {
			m.resizeSlots(2 * len(m.slots))
		}
	}
	return m.orderedItems()
}

func stringHash(name []byte) (h uint32) {
	for _, c := range name {
		h = 33*h + uint32(c)
	}
	return h
}

// sortAsDenseMap sorts the records of one function from insertion order into the write order of llvm-profdata. That is
// the order of a map by FuncHash, with 4 inline buckets, or 64 or more on the heap. Readers accept any order.
func sortAsDenseMap(records []record, version int) {
	hash := hashSince19
	if version < sinceMixedHashes {
		hash = hashBefore19
	}
	m := probedMap{slots: make([]int32, inlineSlots), hash: func(i int32) uint32 { return hash(records[i].hash) }}
	for i := range records {
		if 4*(i+1) >= 3*len(m.slots) {
			m.resizeSlots(max(heapSlots, 2*len(m.slots)))
		}
		m.insertItem(int32(i))
	}
	ordered := make([]record, 0, len(records))
	for _, i := range m.orderedItems() {
		ordered = append(ordered, records[i])
	}
	copy(records, ordered)
}

const (
	inlineSlots = 4
	heapSlots   = 64
)

// hashSince19 returns the map's hash of a FuncHash in LLVM 19 and later.
func hashSince19(h uint64) uint32 {
	h *= 0xbf58476d1ce4e5b9
	return uint32(h ^ h>>31)
}

// hashBefore19 returns the map's hash of a FuncHash before LLVM 19.
func hashBefore19(h uint64) uint32 { return uint32(37 * h) }

// The functions of a bucket are scattered over the archive, so writing is bound by memory latency. Goroutines overlap
// it. Each encodes a chunk of buckets, and the chunks are written in order.

const chunkBuckets = 1 << 11

type chunk struct {
	bytes []byte
	err   error
}

func (w *indexedWriter) writeBuckets(p *indexedPlan) (err error) {
	pending := make(chan chan chunk, runtime.GOMAXPROCS(0))
	var failed atomic.Bool
	go func() {
		defer close(pending)
		for first := 0; first < len(p.chains.heads) && !failed.Load(); first += chunkBuckets {
			done := make(chan chunk, 1)
			pending <- done
			go func() { done <- w.encodeChunk(p, p.chains.heads[first:min(first+chunkBuckets, len(p.chains.heads))]) }()
		}
	}()
	for done := range pending {
		c := <-done
		if err != nil {
			continue // drain the other chunks
		}
		_, err = w.out.Write(c.bytes)
		if c.err != nil {
			err = c.err
		}
		failed.Store(err != nil)
	}
	return err
}

func (w *indexedWriter) encodeChunk(p *indexedPlan, heads []int32) (c chunk) {
	size := int64(0)
	for _, head := range heads {
		size += p.bucketSize(head)
	}
	e := itemEncoder{plan: p, walk: newRecordWalk(w.store, nil), encoding: encoding{version: w.encoding.version},
		out: make([]byte, 0, size)}
	err := w.store.Mapping().Guard(func() error { return lists.Each(heads, e.appendBucket) })
	return chunk{e.out, err}
}

type itemEncoder struct {
	plan     *indexedPlan
	walk     *recordWalk
	encoding encoding
	out      []byte
}

// appendBucket appends the u16 number of items, and the items. Ids are hashes of names, so 16 bits suffice.
func (e *itemEncoder) appendBucket(head int32) error {
	if head == noItem {
		return nil
	}
	at := len(e.out)
	n := 0
	e.out = append(e.out, 0, 0)
	for item := head; item != noItem; item = e.plan.chains.next[item] {
		if err := e.appendItem(item); err != nil {
			return err
		}
		n++
	}
	if n > math.MaxUint16 {
		return fmt.Errorf("%d functions have ids that end alike, a bucket holds %d: the archive's ids are not those of "+
			"its names", n, math.MaxUint16)
	}
	le.PutUint16(e.out[at:], uint16(n))
	return nil
}

// appendItem appends u64 hash, u64 length of the name, u64 size of the records, the name and the records.
func (e *itemEncoder) appendItem(item int32) error {
	planned := &e.plan.items[item]
	m, err := e.walk.store.MethodAt(planned.method)
	if err != nil {
		return err
	}
	name, err := m.Name()
	if err != nil {
		return err
	}
	records, err := e.walk.recordsOf(m)
	if err != nil {
		return err
	}
	e.plan.insertion.sortRecords(planned.position, records)
	start := len(e.out)
	b := appendWords(e.out, e.plan.hashes[item], uint64(planned.name), uint64(planned.data))
	b = name.AppendTo(b)
	for i := range records {
		b = e.encoding.appendRecord(b, &records[i])
	}
	e.out = b
	if int64(len(b)-start) != planned.encodedSize() {
		return disk.Corrupt(disk.RegionRW, planned.method.Offset(), "the profile of a function changed while it was written")
	}
	return nil
}
