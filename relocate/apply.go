package relocate

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
)

// A Move says where an archive was meant to be mapped, and where it is.
type Move struct {
	From, To uint64 // the requested base and the actual one
	Size     int64  // of the file: a pointer leads into [From, From+Size)
	// Old is the region rw of the file, from which slots are read if it is not nil. The first access to a
	// page of the writable bytes is then the store, which costs one page fault instead of two.
	Old []byte
	// Populate, if not nil, is called by [Map.ApplyAll] with each part of rw of which it writes
	// to nearly every page. If it returns true the pages of the part are copied already, and
	// the slots in it are read there.
	Populate func(part []byte) bool
}

// pointer returns the moved value of a slot; ok is false if it does not point into the archive.
func (m *Move) pointer(v uint64) (moved uint64, ok bool) {
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

// Apply moves every pointer in [from, to) of rw, the writable bytes of the region, and returns
// the number of slots; from and to are as in [Map.Slots]. The range must have exactly want
// slots, null ones included; any number if want is -1. Apply writes nothing unless every slot
// of the range is sound. No other goroutine may use the range meanwhile.
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
		return m.applyLong(rw, old, from, to, &move, want)
	}
	if err := m.checkSlots(old, start, words, &move); err != nil {
		return 0, err
	}
	slots = int64(len(words))
	if want != anySlots && slots != want {
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
	return disk.Corrupt(disk.RegionBM, m.bm.Offset,
		"rw [0x%x, 0x%x) has %d pointers, its bitmap %d", from, to, want, slots)
}

// applyLong is like Apply for a range whose slots are more than a walk returns at once: it
// walks twice, first to check them.
func (m *Map) applyLong(rw, old []byte, from, to int64, move *Move, want int64) (slots int64, err error) {
	slots, err = m.check(old, from, to, *move)
	if err != nil {
		return 0, err
	}
	if want != anySlots && slots != want {
		return 0, m.wrongSlots(from, to, slots, want)
	}
	for c := m.walk(from, to); ; {
		start, words, err := c.next()
		if len(words) == 0 || err != nil {
			return slots, err
		}
		write(rw, old, start, words, move)
	}
}

// check reads the slots in [from, to) of rw, which has not been moved, and returns their number, or the error
// of the first that does not point into the archive; from and to are as in [Map.Slots].
func (m *Map) check(rw []byte, from, to int64, move Move) (slots int64, err error) {
	if err := m.inside(from, to, int64(len(rw))); err != nil {
		return 0, err
	}
	for c := m.walk(from, to); ; {
		start, words, err := c.next()
		if len(words) == 0 || err != nil {
			return slots, err
		}
		if err := m.checkSlots(rw, start, words, &move); err != nil {
			return slots, err
		}
		slots += int64(len(words))
	}
}

// checkSlots checks slots of the chunk at start.
func (m *Map) checkSlots(old []byte, start int64, words []uint16, move *Move) error {
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
	return disk.Corrupt(disk.RegionRW, m.rw.Offset+at, "pointer 0x%x leads outside [0x%x, +0x%x)", v, move.From, move.Size)
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
