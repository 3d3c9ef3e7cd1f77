package relocate

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
)

// A Move describes the relocation of an archive.
type Move struct {
	From, To uint64 // requested and actual base
	Size     int64  // size of the file in bytes; pointers must be in [From, From+Size)
	// Old may have the region rw of the file, from which slots are then read. The first access to each writable page
	// is then a write, which takes one page fault instead of two.
	Old []byte
	// Populate may be nil. [Map.ApplyAll] calls it for parts of rw in which it writes to nearly every page. True means
	// that the pages of the part are already copied, so that slots are read from it.
	Populate func(part []byte) bool
}

func (m *Move) movePointer(v uint64) (moved uint64, ok bool) {
	if v&^disk.TypeTags == 0 {
		return v, true
	}
	if _, ok := disk.PointerOffset(v&^disk.TypeTags, m.From, m.Size); !ok {
		return v, false
	}
	return v - m.From + m.To, true
}

// anySlots is the value of want in [Map.Apply] for any number of slots.
const anySlots = -1

// Apply relocates every pointer in [from, to) of rw and returns the number of slots. rw has the writable bytes of the
// region, and from and to are offsets as in [Map.Slots]. The range must have exactly want slots including null ones;
// want is -1 for any number. Apply writes only if all slots of the range are sound. No other goroutine may access the
// range during the call.
func (m *Map) Apply(rw []byte, from, to int64, move Move, want int64) (slots int64, err error) {
	old, err := m.sourceOf(rw, from, to, &move)
	if err != nil {
		return 0, err
	}
	c := m.newWalk(from, to)
	start, words, err := c.nextSlots()
	if err != nil {
		return 0, err
	}
	if c.from < to {
		return m.applyLong(rw, old, from, to, &move, want)
	}
	if err := m.checkSlots(old, start, words, &move); err != nil {
		return 0, err
	}
	slots = int64(len(words))
	if want != anySlots && slots != want {
		return 0, m.slotCountError(from, to, slots, want)
	}
	writeMoved(rw, old, start, words, &move)
	return slots, nil
}

// sourceOf returns the bytes from which slots in [from, to) are read, after checking the range.
func (m *Map) sourceOf(rw []byte, from, to int64, move *Move) ([]byte, error) {
	old := rw
	if move.Old != nil {
		old = move.Old
	}
	if move.Old != nil && int64(len(old)) < to {
		return nil, fmt.Errorf("relocate: %d bytes of rw as it was, want %d", len(old), to)
	}
	return old, m.checkInside(from, to, int64(len(rw)))
}

func (m *Map) slotCountError(from, to, slots, want int64) error {
	return disk.Corrupt(disk.RegionBM, m.bm.Offset,
		"rw [0x%x, 0x%x) has %d pointers, its bitmap %d", from, to, want, slots)
}

// applyLong is Apply for a range with more slots than one batch. It walks twice and checks all slots before it writes.
func (m *Map) applyLong(rw, old []byte, from, to int64, move *Move, want int64) (slots int64, err error) {
	slots, err = m.checkRange(old, from, to, *move)
	if err != nil {
		return 0, err
	}
	if want != anySlots && slots != want {
		return 0, m.slotCountError(from, to, slots, want)
	}
	for c := m.newWalk(from, to); ; {
		start, words, err := c.nextSlots()
		if len(words) == 0 || err != nil {
			return slots, err
		}
		writeMoved(rw, old, start, words, move)
	}
}

// checkRange checks the slots in [from, to) of rw, which must not be relocated yet, and returns their number. The
// error is about the first slot that does not point into the archive. from and to are offsets as in [Map.Slots].
func (m *Map) checkRange(rw []byte, from, to int64, move Move) (slots int64, err error) {
	if err := m.checkInside(from, to, int64(len(rw))); err != nil {
		return 0, err
	}
	for c := m.newWalk(from, to); ; {
		start, words, err := c.nextSlots()
		if len(words) == 0 || err != nil {
			return slots, err
		}
		if err := m.checkSlots(rw, start, words, &move); err != nil {
			return slots, err
		}
		slots += int64(len(words))
	}
}

func (m *Map) checkSlots(old []byte, start int64, words []uint16, move *Move) error {
	for _, w := range words {
		at := start + int64(w)*wordSize
		v := le.Uint64(old[at:])
		if _, ok := move.movePointer(v); !ok {
			return m.strayPointerError(at, v, move)
		}
	}
	return nil
}

func (m *Map) strayPointerError(at int64, v uint64, move *Move) error {
	return disk.Corrupt(disk.RegionRW, m.rw.Offset+at, "pointer 0x%x leads outside [0x%x, +0x%x)", v, move.From, move.Size)
}

func writeMoved(rw, old []byte, start int64, words []uint16, move *Move) {
	for _, w := range words {
		at := start + int64(w)*wordSize
		v := le.Uint64(old[at:])
		if moved, _ := move.movePointer(v); moved != v {
			le.PutUint64(rw[at:], moved)
		}
	}
}

// chunksOfOne is the number of chunks for which starting another goroutine pays off.
const chunksOfOne = 8

// ApplyAll relocates every pointer of rw on up to GOMAXPROCS goroutines and returns the number of slots. After an
// error rw is partly relocated and unusable.
func (m *Map) ApplyAll(rw []byte, move Move) (slots int64, err error) {
	if m.chunkCount() == 0 {
		return 0, nil
	}
	var next, total atomic.Int64
	var first atomic.Pointer[error]
	var workers sync.WaitGroup
	work := func() {
		err := m.source.Guard(func() error {
			for n := next.Add(1) - 1; n < m.chunkCount() && first.Load() == nil; n = next.Add(1) - 1 {
				moved, err := m.applyChunk(rw, n, &move)
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
	for range min(int64(runtime.GOMAXPROCS(0))-1, m.chunkCount()/chunksOfOne) {
		workers.Go(work)
	}
	work()
	workers.Wait()
	if e := first.Load(); e != nil {
		return 0, *e
	}
	return total.Load(), nil
}

// manySlots is the minimum bitmap size in bytes for which nearly every page of a chunk has a slot.
const manySlots = containerStart + 2*8*chunkSize/4096

func (m *Map) applyChunk(rw []byte, n int64, move *Move) (slots int64, err error) {
	from := n * chunkSize
	to := min((n+1)*chunkSize, m.rw.Size)
	old, err := m.sourceOf(rw, from, to, move)
	if err != nil {
		return 0, err
	}
	b, err := m.checkedBitmap(n)
	if b == nil || err != nil {
		return 0, err
	}
	if move.Populate != nil && len(b) >= manySlots && move.Populate(rw[from:to]) {
		old = rw
	}
	set, _, err := b.roaringBitmap()
	if err != nil {
		return 0, disk.Corrupt(disk.RegionBM, m.bm.Offset, "chunk %d: %v", n, err)
	}
	var words [256]uint32
	for it := set.ManyIterator(); ; {
		k := it.NextMany(words[:])
		if k == 0 {
			return slots, nil
		}
		if err := m.checkAndMove(rw[from:to], old[from:to], from, words[:k], move); err != nil {
			return slots, err
		}
		slots += int64(k)
	}
}

func (m *Map) checkAndMove(rw, old []byte, start int64, words []uint32, move *Move) error {
	for _, w := range words {
		at := int64(w) * wordSize
		if at >= int64(len(rw)) { // the bitmap changed after the check
			return disk.Corrupt(disk.RegionBM, m.bm.Offset, "a slot at 0x%x, behind rw", start+at)
		}
		v := le.Uint64(old[at:])
		moved, ok := move.movePointer(v)
		if !ok {
			return m.strayPointerError(start+at, v, move)
		}
		if moved != v {
			le.PutUint64(rw[at:], moved)
		}
	}
	return nil
}
