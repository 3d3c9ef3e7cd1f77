package relocate

import (
	"bytes"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/profarc/profarc/layout"
)

func TestCollectorLaysOutDirectoryAndBitmaps(t *testing.T) {
	c := NewCollector(3*chunkSize - 8)
	for _, at := range []int64{8, 2*chunkSize + 16, 24} {
		c.Add(at)
	}
	const start = 100
	got := c.Encode(start)
	if c.Count() != 3 || int64(len(got)) != c.Size() || len(got)%8 != 0 {
		t.Fatalf("count %d, size %d, %d bytes", c.Count(), c.Size(), len(got))
	}
	if n := le.Uint32(got); n != 3 {
		t.Fatalf("%d chunks, want 3", n)
	}
	if at, size := le.Uint32(got[16:]), le.Uint32(got[20:]); at != 0 || size != 0 {
		t.Errorf("the chunk without a slot has a bitmap at %d of %d bytes", at, size)
	}
	at, size := le.Uint32(got[8:]), le.Uint32(got[12:])
	if want := uint32(start + 32/8); at != want || size != 20 {
		t.Fatalf("first bitmap at %d of %d bytes, want %d of 20", at, size, want)
	}
	b := roaring.New()
	if err := b.UnmarshalBinary(got[32:52]); err != nil {
		t.Fatal(err)
	}
	if want := roaring.BitmapOf(1, 3); !b.Equals(want) {
		t.Errorf("first chunk holds %v, want %v", b, want)
	}
}

func TestCollectorOfEmptyRegion(t *testing.T) {
	if got := NewCollector(0).Encode(layout.Ref(7)); !bytes.Equal(got, make([]byte, 8)) {
		t.Errorf("got % x, want eight zeros", got)
	}
}

func TestCollectorIsIndependentOfOrder(t *testing.T) {
	forward, backward := NewCollector(2*chunkSize), NewCollector(2*chunkSize)
	const slots = 10000 // so that the first chunk needs a bitmap container, the second an array
	for i := range int64(slots) {
		forward.Add(i * 64)
		backward.Add((slots - 1 - i) * 64)
		backward.Add(i * 64)
	}
	if !bytes.Equal(forward.Encode(9), backward.Encode(9)) {
		t.Error("the order of adding changes the bytes")
	}
	if forward.Count() != slots || backward.Count() != slots {
		t.Errorf("counts %d and %d, want %d", forward.Count(), backward.Count(), slots)
	}
}
