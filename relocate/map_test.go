package relocate

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// bytesSource is a Source of a file that is a region bm, at bmStart.
type bytesSource []byte

const bmStart = 64

func (s bytesSource) Bytes(region layout.Region, offset, size int64) ([]byte, error) {
	if region != disk.RegionBM || offset < bmStart || size < 0 || offset+size > bmStart+int64(len(s)) {
		return nil, disk.Corrupt(region, offset, "%d bytes outside", size)
	}
	return s[offset-bmStart:][:size], nil
}

func (s bytesSource) Guard(f func() error) error { return f() }

func (s bytesSource) open(t rapid.TB, rwSize int64) *Map {
	t.Helper()
	m, err := Open(s, headerOf(int64(len(s)), rwSize))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// headerOf returns a header with regions bm and rw of these sizes.
func headerOf(bmSize, rwSize int64) *layout.Header {
	h := &layout.Header{}
	h.Regions[disk.RegionBM-1] = layout.Span{Offset: bmStart, Size: bmSize}
	h.Regions[disk.RegionRW-1] = layout.Span{Offset: 1 << 16, Size: rwSize}
	return h
}

// mapOf makes a Map of slots.
func mapOf(t rapid.TB, rwSize int64, slots []int64) *Map {
	t.Helper()
	c := NewCollector(rwSize)
	for _, at := range slots {
		c.Add(at)
	}
	return bytesSource(c.Encode(disk.RefOf(bmStart))).open(t, rwSize)
}

func collect(t rapid.TB, m *Map, from, to int64) (slots []int64) {
	t.Helper()
	slots, err := slotsOf(m, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return slots
}

func slotsOf(m *Map, from, to int64) (slots []int64, err error) {
	for at, err := range m.Slots(from, to) {
		if err != nil {
			return slots, err
		}
		slots = append(slots, at)
	}
	return slots, nil
}

// slotSets draws sets that need array containers, bit containers, and none.
func slotSets(rwSize int64) *rapid.Generator[[]int64] {
	return rapid.Custom(func(t *rapid.T) []int64 {
		slots := rapid.SliceOfN(rapid.Int64Range(0, rwSize/8-1), 0, 50).Draw(t, "scattered")
		if rapid.Bool().Draw(t, "dense") {
			first, step := rapid.Int64Range(0, chunkWords-1).Draw(t, "first"), rapid.Int64Range(1, 5).Draw(t, "step")
			for i := range rapid.Int64Range(4000, 9000).Draw(t, "count") {
				slots = append(slots, (first+i*step)%(rwSize/8))
			}
		}
		slices.Sort(slots)
		slots = slices.Compact(slots)
		for i := range slots {
			slots[i] *= 8
		}
		return slots
	})
}

func TestSlotsAreThoseCollected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rwSize = 3*chunkSize - 800
		slots := slotSets(rwSize).Draw(t, "slots")
		m := mapOf(t, rwSize, slots)
		from := rapid.Int64Range(0, rwSize/8).Draw(t, "from") * 8
		to := rapid.Int64Range(from/8, rwSize/8).Draw(t, "to") * 8
		var want []int64
		for _, at := range slots {
			if at >= from && at < to {
				want = append(want, at)
			}
		}
		if got := collect(t, m, from, to); !slices.Equal(got, want) {
			t.Fatalf("[%d, %d): got %d slots, want %d", from, to, len(got), len(want))
		}
		if got := collect(t, m, 0, rwSize); !slices.Equal(got, slots) {
			t.Fatalf("all: got %d slots, want %d", len(got), len(slots))
		}
	})
}

func TestSlotsStopWhenTold(t *testing.T) {
	m := mapOf(t, 3*chunkSize, []int64{8, 16, chunkSize + 8, 2 * chunkSize})
	n := 0
	for _, err := range m.Slots(0, 3*chunkSize) {
		if n++; n == 3 || err != nil {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d slots", n)
	}
}

// What check accepts the library reads as the same set, and the other way
// round, but for run containers, which this format does not use.
func TestBitmapsAreRoarings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(rapid.Uint32Range(0, chunkWords-1), 1, 6000, rapid.ID).Draw(t, "words")
		want := roaring.BitmapOf(words...)
		p, err := want.ToBytes()
		if err != nil {
			t.Fatal(err)
		}
		if err := bitmap(p).checkBitmap(int(want.Maximum()) + 1); err != nil {
			t.Fatal(err)
		}
		if err := bitmap(p).checkBitmap(int(want.Maximum())); err == nil {
			t.Fatal("a word outside the limit was accepted")
		}
		got := make([]uint16, len(words)+1)
		got = got[:bitmap(p).fillSlots(got, 0, chunkWords)]
		if !slices.EqualFunc(got, want.ToArray(), func(a uint16, b uint32) bool { return uint32(a) == b }) {
			t.Fatalf("%d words, want %d", len(got), len(words))
		}
	})
}

// A damaged region gives an error that matches ErrCorrupt, or slots inside rw.
func TestDamageIsHarmless(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	const rwSize = chunkSize + 8*2000
	c := NewCollector(rwSize)
	for i := range int64(5000) {
		c.Add(i * 16)
	}
	c.Add(chunkSize + 8*1999)
	sound := c.Encode(disk.RefOf(bmStart))
	refused := 0
	for i := range sound {
		for _, v := range []byte{0, 0xff, sound[i] + 1} {
			damaged := bytesSource(slices.Clone(sound))
			damaged[i] = v
			m, err := Open(damaged, headerOf(int64(len(sound)), rwSize))
			if err == nil {
				var slots []int64
				slots, err = slotsOf(m, 0, rwSize)
				if j := slices.IndexFunc(slots, func(at int64) bool { return at < 0 || at >= rwSize || at%8 != 0 }); j >= 0 {
					t.Fatalf("byte %d: slot %d", i, slots[j])
				}
			}
			if err != nil {
				if refused++; !errors.Is(err, layout.ErrCorrupt) {
					t.Fatalf("byte %d: %v", i, err)
				}
			}
		}
	}
	if refused < len(sound) {
		t.Errorf("%d of %d changes were refused", refused, 3*len(sound))
	}
}

func TestOpenRefusesOtherGeometry(t *testing.T) {
	region := bytesSource(NewCollector(2 * chunkSize).Encode(disk.RefOf(bmStart)))
	for name, c := range map[string]struct{ bm, rw int64 }{
		"more chunks": {24, 3 * chunkSize}, "fewer chunks": {24, chunkSize}, "directory cut off": {16, 2 * chunkSize},
	} {
		_, err := Open(region, headerOf(c.bm, c.rw))
		if !errors.Is(err, layout.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One Map may be used from several goroutines, whichever touches a chunk first.
func TestMapIsShared(t *testing.T) {
	const chunks = 8
	var slots []int64
	for i := range int64(chunks * 100) {
		slots = append(slots, i*(chunkSize/100)&^7)
	}
	m := mapOf(t, chunks*chunkSize, slots)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got, err := slotsOf(m, 0, chunks*chunkSize); err != nil || len(got) != len(slots) {
				t.Errorf("%d slots, %v; want %d", len(got), err, len(slots))
			}
		})
	}
	wg.Wait()
}

// The longest list has the size of an array of bits. No chunk is pointers alone:
// blocks and entries begin with headers.
func TestContainersAtTheirLimit(t *testing.T) {
	for _, slots := range []int{maxArraySlots - 1, maxArraySlots, maxArraySlots + 1, chunkWords - 1} {
		c := NewCollector(chunkSize)
		for i := range slots {
			c.Add(int64(i) * wordSize)
		}
		region := c.Encode(0)
		b := bitmap(region[directorySize(1):][:le.Uint32(region[directoryStart+4:])])
		if err := b.checkBitmap(chunkWords); err != nil {
			t.Errorf("%d slots: %v", slots, err)
		}
		words := make([]uint16, chunkWords)
		if n := b.fillSlots(words, 0, chunkWords); n != slots || words[slots-1] != uint16(slots-1) {
			t.Errorf("%d slots: %d are read, the last is %d", slots, n, words[n-1])
		}
	}
}
