package relocate

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
)

// testMove moves an archive of 1 MiB.
var testMove = Move{From: 0x5000_0000_0000, To: 0x7fff_1234_5000, Size: 1 << 20}

// pointerWords makes an rw region whose every third word is a slot: null,
// tagged null, a pointer, or a tagged pointer. The others hold counts that look
// like pointers.
func pointerWords(size int64) (rw []byte, slots []int64) {
	rnd := rand.New(rand.NewPCG(5, 6))
	rw = words.Aligned(int(size))
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
		"below": testMove.From - 8, "behind": testMove.From + uint64(testMove.Size), "moved before": testMove.To + 8, "small": 4,
	} {
		wrong := slices.Clone(rw)
		at := slots[len(slots)-1]
		le.PutUint64(wrong[at:], v)
		before := slices.Clone(wrong)
		_, err := m.Apply(wrong, 0, size, testMove, anySlots)
		var e *layout.Error
		if !errors.Is(err, layout.ErrCorrupt) || !errors.As(err, &e) || e.Region != layout.RegionRW || e.Offset != 1<<16+at {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(wrong, before) {
			t.Errorf("%s: something was written", name)
		}
		if _, err := m.ApplyAll(wrong, testMove, nil); !errors.Is(err, layout.ErrCorrupt) {
			t.Errorf("%s: all: %v", name, err)
		}
	}
}

// What is no range of rw is refused, and moves nothing.
func TestRangesOutsideTheRegion(t *testing.T) {
	const size = 4800
	rw, slots := pointerWords(size)
	m := mapOf(t, size, slots)
	before := slices.Clone(rw)
	for _, r := range [][2]int64{{-8, 8}, {16, 8}, {0, size + 8}, {4, 16}, {0, 1 << 40}} {
		if _, err := m.Apply(rw, r[0], r[1], testMove, anySlots); err == nil {
			t.Errorf("%v is moved", r)
		}
		if err := m.Range(r[0], r[1], func(int64) bool { return true }); err == nil {
			t.Errorf("%v is gone through", r)
		}
	}
	if _, err := m.ApplyAll(rw[:size-8], testMove, nil); err == nil {
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
	if _, err := m.Apply(rw, 0, size, testMove, int64(len(slots))+1); !errors.Is(err, layout.ErrCorrupt) || !bytes.Equal(rw, before) {
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
		"in place":       func(rw []byte) (int64, error) { return m.ApplyAll(rw, testMove, nil) },
		"from elsewhere": func(rw []byte) (int64, error) { return m.ApplyAll(rw, apart, nil) },
		"not ready":      func(rw []byte) (int64, error) { return m.ApplyAll(rw, apart, func([]byte) bool { return false }) },
		"ready":          func(rw []byte) (int64, error) { return m.ApplyAll(rw, apart, func([]byte) bool { return true }) },
		"by Apply":       func(rw []byte) (int64, error) { return m.Apply(rw, 0, size, apart, anySlots) },
	} {
		rw := slices.Clone(rw)
		n, err := all(rw)
		if err != nil || n != int64(len(slots)) || !bytes.Equal(rw, want) {
			t.Errorf("%s: %d slots of %d, %v", name, n, len(slots), err)
		}
	}
	apart.Old = old[:size-8]
	if _, err := m.ApplyAll(rw, apart, nil); err == nil {
		t.Error("slots are read that are not there")
	}
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

func BenchmarkApply(b *testing.B) {
	for name, size := range map[string]int64{"block": 512, "chunk": chunkSize} {
		b.Run(name, func(b *testing.B) {
			rw, slots := pointerWords(chunkSize)
			c := NewCollector(chunkSize)
			for _, at := range slots {
				c.Add(at)
			}
			m := bytesSource(c.Region(disk.RefOf(bmStart))).open(b, chunkSize)
			moves := [2]Move{testMove, {From: testMove.To, To: testMove.From, Size: testMove.Size}}
			b.ReportAllocs()
			b.SetBytes(size)
			i := 0
			for b.Loop() {
				if _, err := m.Apply(rw, 0, size, moves[i&1], anySlots); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}
