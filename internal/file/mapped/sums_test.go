package mapped

import (
	"context"
	"encoding/binary"
	"errors"
	"github.com/profarc/profarc/internal/file/mmap"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

func putSum(b []byte, sum uint64) { binary.LittleEndian.PutUint64(b, sum) }

// An archive of more than 1 GiB has four levels of sums. A touch checks one
// group of each level and the page, wherever it is.
func TestFourLevelsOfSums(t *testing.T) {
	if strconv.IntSize == 32 || !mmap.Available {
		t.Skip("1 GiB in one piece is not free in 32 bits, or the file is read before it is changed")
	}
	path, h := synthetic{ro: 1 << 30, rw: 1 << 16}.writeSparse(t)
	if n := disk.SumTreeOf(h).Levels(); n != 4 {
		t.Fatalf("%d levels", n)
	}
	m := mustOpen(t, path, Options{})
	ro, rw := disk.RegionOf(h, disk.RegionRO), disk.RegionOf(h, disk.RegionRW)
	for _, at := range []int64{ro.Offset, ro.Offset + 1<<29, ro.End() - 8} {
		if _, err := m.Bytes(disk.RegionRO, at, 8); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Bytes(disk.RegionRW, rw.Offset, rw.Size); err != nil {
		t.Fatal(err)
	}

	bad := ro.Offset + 1<<29 + 12345
	poke(t, path, bad, 1)
	_, err := m.Bytes(disk.RegionRO, bad, 1)
	tree := disk.SumTreeOf(h)
	wantOffset(t, err, tree.PageSpan(tree.Page(bad)).Offset)
	if _, err := m.Bytes(disk.RegionRO, bad+disk.PageSize, 1); err != nil {
		t.Errorf("the page behind the damaged one: %v", err)
	}
	// Sums of a part that was not touched yet, level by level.
	for level := range 4 {
		m := mustOpen(t, path, Options{})
		far := tree.Page(ro.Offset + 3<<28)
		n := far >> (6 * level)
		poke(t, path, disk.RegionOf(h, disk.RegionPS).Offset+tree.SlotOffset(level, n), 1)
		_, err = m.Bytes(disk.RegionRO, ro.Offset+3<<28, 1)
		wantOffset(t, err, disk.RegionOf(h, disk.RegionPS).Offset+tree.Group(level, disk.GroupOf(n)).Offset)
	}
}

// poke adds to the byte at an offset of a file.
func poke(t *testing.T, path string, offset int64, add byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [1]byte
	if _, err := f.ReadAt(b[:], offset); err != nil {
		t.Fatal(err)
	}
	b[0] += add
	if _, err := f.WriteAt(b[:], offset); err != nil {
		t.Fatal(err)
	}
}

func wantOffset(t *testing.T, err error, offset int64) {
	t.Helper()
	var e *layout.Error
	if !errors.As(err, &e) || e.Kind != layout.ErrChecksum || e.Offset != offset {
		t.Errorf("want a checksum error at 0x%x, have: %v", offset, err)
	}
}

func TestVerifyNamesTheFirstDamage(t *testing.T) {
	s := synthetic{ro: 3000 * disk.PageSize, rw: 70000}
	data, h := s.bytes(), s.header()
	m := mustRead(t, data, Options{})
	if err := m.Verify(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{h.FileSize - 1, disk.RegionOf(h, disk.RegionEX).End() + 1, 6000123, 2500000, 2200000} {
		data[at] ^= 0x10
		wantDamageAt(t, m.Verify(context.Background(), nil), at)
	}
}

func TestVerifyTellsHowFarItIs(t *testing.T) {
	s := synthetic{ro: 3000 * disk.PageSize}
	m := mustRead(t, s.bytes(), Options{})
	var steps []int64
	err := m.Verify(context.Background(), func(done, total int64) {
		if total != s.header().FileSize {
			t.Errorf("total is %d", total)
		}
		steps = append(steps, done)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) < 3 || !slices.IsSorted(steps) || steps[len(steps)-1] != s.header().FileSize {
		t.Errorf("steps of a file of %d bytes: %v", s.header().FileSize, steps)
	}
}

func TestVerifyEndsWithItsContext(t *testing.T) {
	m := mustRead(t, synthetic{ro: 9000 * disk.PageSize}.bytes(), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	err := m.Verify(ctx, func(done, total int64) {
		calls++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || calls > 1+maxVerifiers {
		t.Errorf("%d steps after the end: %v", calls, err)
	}
}

// The header that is verified is the one in the file, not the one that was read.
func TestVerifyReadsTheHeaderAgain(t *testing.T) {
	data := synthetic{ro: 64}.bytes()
	m := mustRead(t, data, Options{})
	data[200] ^= 1
	if err := m.Verify(context.Background(), nil); !errors.Is(err, layout.ErrChecksum) {
		t.Errorf("a damaged header: %v", err)
	}
	disk.UpdateChecksum(data)
	if err := m.Verify(context.Background(), nil); !errors.Is(err, layout.ErrCorrupt) {
		t.Errorf("another header: %v", err)
	}
}

// A header alone is an archive too: there is no page, and ps is padding.
func TestArchiveWithoutPages(t *testing.T) {
	h := &layout.Header{Version: disk.Version, Domain: layout.DomainHotSpot, RWShift: disk.LineShift,
		SumRoot: disk.Checksum(nil)}
	disk.SetRegion(h, disk.RegionPS, layout.Span{Offset: disk.HeaderSize, Size: disk.LineSize})
	h.FileSize = disk.HeaderSize + disk.LineSize
	for r := disk.RegionIX; r <= disk.RegionRW; r++ {
		disk.SetRegion(h, r, layout.Span{Offset: h.FileSize})
	}
	for s := range h.Parts {
		h.Parts[s].Offset = h.FileSize
	}
	data := append(disk.AppendHeader(nil, h), make([]byte, disk.LineSize)...)
	m := mustRead(t, data, Options{Check: CheckAll})
	if _, err := m.Bytes(disk.RegionPS, disk.HeaderSize, disk.LineSize); err != nil {
		t.Error(err)
	}
}
