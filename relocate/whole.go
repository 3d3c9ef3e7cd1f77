package relocate

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
)

// chunksOfOne is the number of chunks for which starting another goroutine pays off.
const chunksOfOne = 8

// ApplyAll relocates every pointer of rw on up to GOMAXPROCS goroutines and returns the number of slots. After an
// error rw is partly relocated and unusable.
func (m *Map) ApplyAll(rw []byte, move Move) (slots int64, err error) {
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

// applyChunk relocates the pointers of a chunk. It writes each slot right after checking it.
func (m *Map) applyChunk(rw []byte, n int64, move *Move) (slots int64, err error) {
	from := n * chunkSize
	to := min((n+1)*chunkSize, m.rw.Size)
	old, err := m.sourceOf(rw, to, move)
	if err == nil {
		err = m.checkInside(from, to, int64(len(rw)))
	}
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
