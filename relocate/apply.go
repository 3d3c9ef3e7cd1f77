package relocate

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A Move says what relocation does to a pointer.
type Move struct {
	From, To uint64 // the base that pointers are made for, and the one at which the archive lies
	Size     int64  // of the file: a pointer leads into [From, From+Size)
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
	if err = m.inside(from, to, int64(len(rw))); err == nil {
		slots, err = m.check(rw, from, to, move)
	}
	if err == nil && want != anySlots && slots != want {
		err = disk.Corrupt(layout.RegionBM, m.bm.Offset, "rw [0x%x, 0x%x) has %d pointers, its bitmap %d", from, to, want, slots)
	}
	if err != nil {
		return 0, err
	}
	return slots, m.write(rw, from, to, move)
}

// check reads every slot of a range and counts them.
func (m *Map) check(rw []byte, from, to int64, move Move) (slots int64, err error) {
	for c := m.walk(from, to); ; {
		start, words, err := c.next()
		if len(words) == 0 || err != nil {
			return slots, err
		}
		for _, w := range words {
			at := start + int64(w)*wordSize
			v := le.Uint64(rw[at:])
			if _, ok := move.pointer(v); !ok {
				return slots, disk.Corrupt(layout.RegionRW, m.rw.Offset+at, "pointer 0x%x leads outside [0x%x, +0x%x)", v, move.From, move.Size)
			}
		}
		slots += int64(len(words))
	}
}

// write moves the slots of a range that was checked.
func (m *Map) write(rw []byte, from, to int64, move Move) error {
	for c := m.walk(from, to); ; {
		start, words, err := c.next()
		if len(words) == 0 || err != nil {
			return err
		}
		for _, w := range words {
			at := start + int64(w)*wordSize
			v, _ := move.pointer(le.Uint64(rw[at:]))
			le.PutUint64(rw[at:], v)
		}
	}
}

// ApplyAll moves every pointer of rw, with GOMAXPROCS goroutines. After an
// error rw is partly moved and of no use.
func (m *Map) ApplyAll(rw []byte, move Move) (slots int64, err error) {
	var next, total atomic.Int64
	var first atomic.Pointer[error]
	var workers sync.WaitGroup
	for range min(int64(runtime.GOMAXPROCS(0)), m.chunks()) {
		workers.Go(func() {
			err := m.source.Guard(func() error {
				for n := next.Add(1) - 1; n < m.chunks() && first.Load() == nil; n = next.Add(1) - 1 {
					moved, err := m.Apply(rw, n*chunkSize, min((n+1)*chunkSize, m.rw.Size), move, anySlots)
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
		})
	}
	workers.Wait()
	if e := first.Load(); e != nil {
		return 0, *e
	}
	return total.Load(), nil
}
