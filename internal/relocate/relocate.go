// Package relocate encodes, checks and applies the relocation bitmaps of an
// archive: which words of the region rw (the MethodData blocks) are pointers.
//
// A [Collector] takes the offsets of all pointer slots while an archive is
// written, and returns the bytes of the region bm (the bitmaps). A [Map] reads bm
// of an open archive: it iterates over the slots in any range of rw, and relocates
// the pointers in them from the requested base to the actual one.
//
// # Format
//
// The region bm is a directory and, after it, one Roaring bitmap for every
// chunk of rw that has a slot. A chunk is 65,536 words (512 KiB) of rw: the
// reach of a single Roaring container. Bit n of a chunk's bitmap stands for
// word n of the chunk, and is set where the word is a pointer slot, null or
// not. An archive whose rw is empty has a bm of the first 8 bytes.
//
//	0 u32 number of chunks (rw's size / 512 KiB, rounded up), u32 zero
//	8 for each chunk: u32 reference to its bitmap (0 if no slot), u32 size in bytes
//	  the bitmaps, in the order of the chunks, each padded with zeros to a
//	  multiple of 8
//
// The serialization is Roaring's portable one, with exactly one container and
// without run containers: slots alternate with counts, so that runs do not
// occur, and a bitmap can be read where it lies. That makes a bitmap
//
//	 0 u32 12346, the cookie of a bitmap without run containers
//	 4 u32 1, the number of containers
//	 8 u16 0, the container's key; u16 number of slots - 1
//	12 u32 16, the offset of the container
//	16 up to 4096 slots: u16 for each, strictly ascending
//	   more: 1024 x u64, bit n of the chunk in word n/64 at n%64
//
// # Relocation
//
// A slot holds requested base + offset of a record, with the tag bits of
// HotSpot's type words in its low bits, and 0 (or tag bits alone) for none.
// Relocating adds the difference of the bases; a slot without a pointer keeps its
// value.
//
// # Trust
//
// A bitmap that is not a sound Roaring bitmap of one container, or that names
// a word outside rw, is an error, never a crash. It is checked when its chunk
// is used first, at the cost of a pass over it, and is at most 8,208 bytes. A
// slot whose value does not point into the archive is an error too, found
// before anything of the range is written.
package relocate

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A Source is an open archive.
type Source interface {
	// Bytes returns bytes of a region after checking their sums; offset counts from
	// the start of the file.
	Bytes(region layout.Region, offset, size int64) ([]byte, error)
	// Guard runs f and turns a fault on mapped memory into an error.
	Guard(f func() error) error
}

// A Map is the pointer slots of rw. It reads bm in place, and remembers in a bit a chunk
// that its bitmap was checked. It is safe for concurrent use.
type Map struct {
	source  Source
	bm, rw  layout.Span
	checked []atomic.Uint32
}

// Open makes a Map of the region bm for the region rw of the archive that
// source reads. It costs the same for any size of bm.
func Open(source Source, bm, rw layout.Span) (*Map, error) {
	head, err := source.Bytes(layout.RegionBM, bm.Offset, directoryStart)
	if err != nil {
		return nil, err
	}
	n, want := int64(le.Uint32(head)), chunks(rw.Size)
	if n != want {
		return nil, disk.Corrupt(layout.RegionBM, bm.Offset, "a directory of %d chunks, rw has %d", n, want)
	}
	if directorySize(n) > bm.Size {
		return nil, disk.Corrupt(layout.RegionBM, bm.Offset, "a directory of %d chunks in %d bytes", n, bm.Size)
	}
	return &Map{source, bm, rw, make([]atomic.Uint32, (n+31)/32)}, nil
}

func (m *Map) chunks() int64 { return chunks(m.rw.Size) }

// Range yields the slots in [from, to), both offsets from the start of rw in
// bytes and multiples of 8, in ascending order, until yield returns false. The
// range must lie inside rw.
func (m *Map) Range(from, to int64, yield func(rwOffset int64) bool) error {
	if err := m.inside(from, to, m.rw.Size); err != nil {
		return err
	}
	for c := m.walk(from, to); ; {
		start, words, err := c.next()
		if len(words) == 0 || err != nil {
			return err
		}
		for _, w := range words {
			if !yield(start + int64(w)*wordSize) {
				return nil
			}
		}
	}
}

// Same reports whether the slots in [from, to), both offsets from the start of rw in bytes
// and multiples of 8, are those whose bits are set in want: a bit for each word, the first
// for the last multiple of 64 words that is not behind from. The range must lie inside rw.
func (m *Map) Same(from, to int64, want []uint64) (same bool, err error) {
	if err := m.inside(from, to, m.rw.Size); err != nil {
		return false, err
	}
	for from < to {
		n := from / chunkSize
		start := n * chunkSize
		end := min(to, start+chunkSize)
		b, err := m.chunk(n)
		if err != nil {
			return false, err
		}
		first, last := int(from-start)/wordSize, int(end-start)/wordSize
		words := (last - first&^63 + 63) / 64
		if b == nil {
			b = empty
		}
		if !b.same(first, last, want[:words]) {
			return false, nil
		}
		from, want = end, want[words:]
	}
	return true, nil
}

// empty is the bitmap of a chunk without slots.
var empty = make(bitmap, containerStart)

// inside returns an error unless [from, to) is a range of the size bytes of rw.
func (m *Map) inside(from, to, size int64) error {
	if from < 0 || to < from || to > min(size, m.rw.Size) || (from|to)%wordSize != 0 {
		return fmt.Errorf("relocate: [%d, %d) is no range of the %d bytes of rw", from, to, min(size, m.rw.Size))
	}
	return nil
}

// A walk iterates over the slots of a range, a batch at a time.
type walk struct {
	m        *Map
	from, to int64
	batch    [128]uint16
}

func (m *Map) walk(from, to int64) walk { return walk{m: m, from: from, to: to} }

// next returns the next slots, ascending, as words of the chunk that begins at start;
// none after the last.
func (c *walk) next() (start int64, words []uint16, err error) {
	for c.from < c.to {
		n := c.from / chunkSize
		start = n * chunkSize
		end := min(c.to, start+chunkSize)
		b, err := c.m.chunk(n)
		if err != nil {
			return 0, nil, err
		}
		if b != nil {
			words = c.batch[:b.fill(c.batch[:], int(c.from-start)/wordSize, int(end-start)/wordSize)]
		}
		if len(words) == len(c.batch) {
			end = start + (int64(words[len(words)-1])+1)*wordSize
		}
		if c.from = max(end, c.from+wordSize); len(words) > 0 {
			return start, words, nil
		}
	}
	return 0, nil, nil
}

// chunk returns the checked bitmap of a chunk, nil if it has no slot.
func (m *Map) chunk(n int64) (bitmap, error) {
	at := m.bm.Offset + directorySize(n)
	row, err := m.source.Bytes(layout.RegionBM, at, directoryRow)
	if err != nil {
		return nil, err
	}
	offset, size := layout.Ref(le.Uint32(row)).Offset(), int64(le.Uint32(row[4:]))
	if offset == 0 && size == 0 {
		return nil, nil
	}
	if size > maxBitmapSize || offset < m.bm.Offset+directorySize(m.chunks()) || !m.bm.Holds(offset, size) {
		return nil, disk.Corrupt(layout.RegionBM, at, "the bitmap of chunk %d is [0x%x, +%d)", n, offset, size)
	}
	b, err := m.source.Bytes(layout.RegionBM, offset, size)
	if err != nil {
		return nil, err
	}
	if m.isChecked(n) {
		return b, nil
	}
	if err := bitmap(b).check(int(min(chunkWords, (m.rw.Size-n*chunkSize)/wordSize))); err != nil {
		return nil, disk.Corrupt(layout.RegionBM, offset, "chunk %d: %v", n, err)
	}
	m.checked[n/32].Or(1 << (n % 32))
	return b, nil
}

func (m *Map) isChecked(n int64) bool { return m.checked[n/32].Load()&(1<<(n%32)) != 0 }

// A Move is what relocation does to pointers.
type Move struct {
	From, To uint64 // the requested base, and the one at which the archive lies
	Size     int64  // of the file: a pointer leads into [From, From+Size)
	// Old is rw as it lies in the file, where slots are read: the first access to a page
	// of the writable bytes is then the store, which costs one page fault instead of two.
	// If it is nil they are read where they are written.
	Old []byte
}

// pointer returns the moved value of a slot; ok is false if it does not point
// into the archive.
func (m Move) pointer(v uint64) (moved uint64, ok bool) {
	if v&^disk.TypeTags == 0 {
		return v, true
	}
	if _, ok := disk.PointerOffset(v&^disk.TypeTags, m.From, m.Size); !ok {
		return v, false
	}
	return v - m.From + m.To, true
}

// anySlots makes [Map.Apply] take a range with any number of slots.
const anySlots = -1

// Apply moves every pointer in [from, to) of rw, the writable bytes of the
// region; from and to count from its start, are multiples of 8, and lie inside
// it. The range must have exactly want slots, null ones included, if want is
// not anySlots. It writes nothing unless every slot of the range is sound, and
// returns the number of slots. No other goroutine may use the range meanwhile.
func (m *Map) Apply(rw []byte, from, to int64, move Move, want int64) (slots int64, err error) {
	old, err := m.old(rw, to, &move)
	if err == nil {
		err = m.inside(from, to, int64(len(rw)))
	}
	if err != nil {
		return 0, err
	}
	c := m.walk(from, to)
	start, words, err := c.next()
	if err != nil {
		return 0, err
	}
	if c.from < to {
		return m.applyLong(rw, from, to, move, want)
	}
	if err := m.check(old, start, words, &move); err != nil {
		return 0, err
	}
	if slots = int64(len(words)); want != anySlots && slots != want {
		return 0, m.wrongSlots(from, to, slots, want)
	}
	write(rw, old, start, words, &move)
	return slots, nil
}

// old returns where the slots of rw below to are read.
func (m *Map) old(rw []byte, to int64, move *Move) ([]byte, error) {
	if move.Old == nil {
		return rw, nil
	}
	if int64(len(move.Old)) < to {
		return nil, fmt.Errorf("relocate: %d bytes of rw as it was, want %d", len(move.Old), to)
	}
	return move.Old, nil
}

func (m *Map) wrongSlots(from, to, slots, want int64) error {
	return disk.Corrupt(layout.RegionBM, m.bm.Offset, "rw [0x%x, 0x%x) has %d pointers, its bitmap %d", from, to, want, slots)
}

// applyLong is like Apply for a range whose slots are more than a walk returns at once: it
// walks twice, first to check them.
func (m *Map) applyLong(rw []byte, from, to int64, move Move, want int64) (slots int64, err error) {
	old, err := m.old(rw, to, &move)
	if err != nil {
		return 0, err
	}
	if slots, err = m.checkAll(old, from, to, &move); err != nil {
		return 0, err
	}
	if want != anySlots && slots != want {
		return 0, m.wrongSlots(from, to, slots, want)
	}
	return slots, m.writeAll(rw, old, from, to, &move)
}

// checkAll reads the slots of a range and counts them.
func (m *Map) checkAll(old []byte, from, to int64, move *Move) (slots int64, err error) {
	for c := m.walk(from, to); ; {
		start, words, err := c.next()
		if len(words) == 0 || err != nil {
			return slots, err
		}
		if err := m.check(old, start, words, move); err != nil {
			return slots, err
		}
		slots += int64(len(words))
	}
}

// writeAll moves the slots of a range that was checked.
func (m *Map) writeAll(rw, old []byte, from, to int64, move *Move) error {
	for c := m.walk(from, to); ; {
		start, words, err := c.next()
		if len(words) == 0 || err != nil {
			return err
		}
		write(rw, old, start, words, move)
	}
}

// check reads slots.
func (m *Map) check(old []byte, start int64, words []uint16, move *Move) error {
	for _, w := range words {
		at := start + int64(w)*wordSize
		v := le.Uint64(old[at:])
		if _, ok := move.pointer(v); !ok {
			return m.stray(at, v, move)
		}
	}
	return nil
}

// stray returns the error of the slot at an offset in rw that does not point into the archive.
func (m *Map) stray(at int64, v uint64, move *Move) error {
	return disk.Corrupt(layout.RegionRW, m.rw.Offset+at, "pointer 0x%x leads outside [0x%x, +0x%x)", v, move.From, move.Size)
}

// write moves slots that were checked. One without a pointer is not written.
func write(rw, old []byte, start int64, words []uint16, move *Move) {
	for _, w := range words {
		at := start + int64(w)*wordSize
		v := le.Uint64(old[at:])
		if moved, _ := move.pointer(v); moved != v {
			le.PutUint64(rw[at:], moved)
		}
	}
}

// chunksOfOne is from how many chunks on another goroutine is worth starting.
const chunksOfOne = 8

// ApplyAll moves every pointer of rw, with as many as GOMAXPROCS goroutines, this one among
// them. It calls ready, if that is not nil, with each part of rw of which it writes to nearly
// every page, and reads the slots in that part too if the result is true: its pages are
// copied then. After an error rw is partly moved and of no use.
func (m *Map) ApplyAll(rw []byte, move Move, ready func(part []byte) bool) (slots int64, err error) {
	var next, total atomic.Int64
	var first atomic.Pointer[error]
	var workers sync.WaitGroup
	work := func() {
		err := m.source.Guard(func() error {
			for n := next.Add(1) - 1; n < m.chunks() && first.Load() == nil; n = next.Add(1) - 1 {
				moved, err := m.applyChunk(rw, n, &move, ready)
				if err != nil {
					return err
				}
				total.Add(moved)
			}
			return nil
		})
		if err != nil {
			first.CompareAndSwap(nil, &err)
		}
	}
	for range min(int64(runtime.GOMAXPROCS(0))-1, m.chunks()/chunksOfOne) {
		workers.Go(work)
	}
	work()
	workers.Wait()
	if e := first.Load(); e != nil {
		return 0, *e
	}
	return total.Load(), nil
}

// manySlots is from how many bytes of bitmap on nearly every page of a chunk has a slot.
const manySlots = containerStart + 2*8*chunkSize/4096

// applyChunk moves the pointers of a chunk, each as soon as it is checked.
func (m *Map) applyChunk(rw []byte, n int64, move *Move, ready func(part []byte) bool) (slots int64, err error) {
	from, to := n*chunkSize, min((n+1)*chunkSize, m.rw.Size)
	old, err := m.old(rw, to, move)
	if err == nil {
		err = m.inside(from, to, int64(len(rw)))
	}
	if err != nil {
		return 0, err
	}
	if b, err := m.chunk(n); err == nil && ready != nil && len(b) >= manySlots && ready(rw[from:to]) {
		old = rw
	}
	for c := m.walk(from, to); ; {
		start, words, err := c.next()
		if len(words) == 0 || err != nil {
			return slots, err
		}
		if err := m.moveAtOnce(rw, old, start, words, move); err != nil {
			return slots, err
		}
		slots += int64(len(words))
	}
}

// moveAtOnce checks and writes in one pass.
func (m *Map) moveAtOnce(rw, old []byte, start int64, words []uint16, move *Move) error {
	for _, w := range words {
		at := start + int64(w)*wordSize
		v := le.Uint64(old[at:])
		moved, ok := move.pointer(v)
		if !ok {
			return m.stray(at, v, move)
		}
		if moved != v {
			le.PutUint64(rw[at:], moved)
		}
	}
	return nil
}
