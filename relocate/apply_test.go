package relocate

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// testMove moves an archive of 1 MiB.
var testMove = Move{From: 0x5000_0000_0000, To: 0x7fff_1234_5000, Size: 1 << 20}

// pointerWords makes an rw region whose every third word is a slot: null, tagged null, a pointer, or a tagged
// pointer. The others hold counts that look like pointers.
func pointerWords(size int64) (rw []byte, slots []int64) {
	rnd := rand.New(rand.NewPCG(5, 6))
	rw = words.AlignedBytes(int(size))
	for at := int64(0); at < size; at += 8 {
		v := disk.Pointer(testMove.From, rnd.Int64N(testMove.Size)&^7)
		if at%24 == 0 {
			slots = append(slots, at)
			v = []uint64{0, disk.TypeUnknown, v, v | disk.TypeTags}[rnd.IntN(4)]
		}
		le.PutUint64(rw[at:], v)
	}
	return rw, slots
}

// moved returns what rw must hold after the slots in [from, to) were moved.
func moved(rw []byte, slots []int64, from, to int64) []byte {
	rw = slices.Clone(rw)
	for _, at := range slots {
		if v := le.Uint64(rw[at:]); at >= from && at < to && v&^disk.TypeTags != 0 {
			le.PutUint64(rw[at:], v-testMove.From+testMove.To)
		}
	}
	return rw
}

func TestApplyMovesTheSlotsOfTheRangeAlone(t *testing.T) {
	const size = chunkSize + 24000
	rw, slots := pointerWords(size)
	m := mapOf(t, size, slots)
	for _, r := range [][2]int64{{0, 24}, {24, 24}, {8, 4096}, {chunkSize - 800, chunkSize + 800}, {0, size}} {
		got := slices.Clone(rw)
		n, err := m.Apply(got, r[0], r[1], testMove, anySlots)
		if err != nil || int(n) != len(collect(t, m, r[0], r[1])) {
			t.Errorf("%v: %d slots, %v", r, n, err)
		}
		if !bytes.Equal(got, moved(rw, slots, r[0], r[1])) {
			t.Errorf("%v: wrong words", r)
		}
	}
}

func TestApplyWritesNothingIfASlotIsWrong(t *testing.T) {
	const size = 4800
	rw, slots := pointerWords(size)
	m := mapOf(t, size, slots)
	for name, v := range map[string]uint64{
		"below": testMove.From - 8, "behind": testMove.From + uint64(testMove.Size), "moved before": testMove.To + 8,
		"small": 4,
	} {
		wrong := slices.Clone(rw)
		at := slots[len(slots)-1]
		le.PutUint64(wrong[at:], v)
		before := slices.Clone(wrong)
		_, err := m.Apply(wrong, 0, size, testMove, anySlots)
		var e *layout.Error
		if !errors.Is(err, layout.ErrCorrupt) || !errors.As(err, &e) || e.Region != disk.RegionRW || e.Offset != 1<<16+at {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(wrong, before) {
			t.Errorf("%s: something was written", name)
		}
		if _, err := m.ApplyAll(wrong, testMove); !errors.Is(err, layout.ErrCorrupt) {
			t.Errorf("%s: all: %v", name, err)
		}
	}
}

// An invalid range of rw is refused, and moves nothing.
func TestRangesOutsideTheRegion(t *testing.T) {
	const size = 4800
	rw, slots := pointerWords(size)
	m := mapOf(t, size, slots)
	before := slices.Clone(rw)
	for _, r := range [][2]int64{{-8, 8}, {16, 8}, {0, size + 8}, {4, 16}, {0, 1 << 40}} {
		if _, err := m.Apply(rw, r[0], r[1], testMove, anySlots); err == nil {
			t.Errorf("%v is moved", r)
		}
		if _, err := slotsOf(m, r[0], r[1]); err == nil {
			t.Errorf("%v is gone through", r)
		}
		if _, err := m.checkRange(rw, r[0], r[1], testMove); err == nil {
			t.Errorf("%v is checked", r)
		}
	}
	if _, err := m.ApplyAll(rw[:size-8], testMove); err == nil {
		t.Error("a part of the region is taken for all of it")
	}
	if !bytes.Equal(rw, before) {
		t.Error("something was moved")
	}
}

func TestApplyHoldsTheNumberOfSlots(t *testing.T) {
	const size = 4800
	rw, slots := pointerWords(size)
	m := mapOf(t, size, slots)
	before := slices.Clone(rw)
	if _, err := m.Apply(rw, 0, size, testMove, int64(len(slots))+1); !errors.Is(err, layout.ErrCorrupt) ||
		!bytes.Equal(rw, before) {
		t.Errorf("one slot missing: %v", err)
	}
	if n, err := m.Apply(rw, 0, size, testMove, int64(len(slots))); err != nil || n != int64(len(slots)) {
		t.Errorf("%d slots, %v", n, err)
	}
}

func TestApplyAllIsApplyOfEverything(t *testing.T) {
	const size = 5*chunkSize + 8
	rw, slots := pointerWords(size)
	m := mapOf(t, size, slots)
	want := moved(rw, slots, 0, size)
	old := slices.Clone(rw)
	apart := testMove
	apart.Old = old
	for name, all := range map[string]func(rw []byte) (int64, error){
		"in place":       func(rw []byte) (int64, error) { return m.ApplyAll(rw, testMove) },
		"from elsewhere": func(rw []byte) (int64, error) { return m.ApplyAll(rw, apart) },
		"not populated":  func(rw []byte) (int64, error) { return m.ApplyAll(rw, populated(apart, false)) },
		"populated":      func(rw []byte) (int64, error) { return m.ApplyAll(rw, populated(apart, true)) },
		"by Apply":       func(rw []byte) (int64, error) { return m.Apply(rw, 0, size, apart, anySlots) },
	} {
		rw := slices.Clone(rw)
		n, err := all(rw)
		if err != nil || n != int64(len(slots)) || !bytes.Equal(rw, want) {
			t.Errorf("%s: %d slots of %d, %v", name, n, len(slots), err)
		}
	}
	apart.Old = old[:size-8]
	if _, err := m.ApplyAll(rw, apart); err == nil {
		t.Error("slots are read that are not there")
	}
}

// populated returns the move with a Populate that returns the answer.
func populated(m Move, answer bool) Move {
	m.Populate = func([]byte) bool { return answer }
	return m
}

func TestApplyDoesNotAllocate(t *testing.T) {
	const size = chunkSize
	rw, slots := pointerWords(size)
	m := mapOf(t, size, slots)
	there, back := testMove, Move{From: testMove.To, To: testMove.From, Size: testMove.Size}
	n := testing.AllocsPerRun(10, func() {
		if _, err := m.Apply(rw, 0, 4096, there, anySlots); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Apply(rw, 0, 4096, back, anySlots); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
