package mapped

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"pgregory.net/rapid"
)

var summedRegions = []layout.Region{disk.RegionIX, disk.RegionRO, disk.RegionBM, disk.RegionEX, disk.RegionRW}

func TestBytesAreThoseOfTheFile(t *testing.T) {
	data := synthetic{ro: 9000, rw: 20000}.bytes()
	for name, open := range openers {
		for _, check := range []Check{CheckOnTouch, CheckAll, CheckNone} {
			t.Run(fmt.Sprint(name, check), func(t *testing.T) {
				m, err := open(t, data, Options{Check: check})
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				rapid.Check(t, func(t *rapid.T) { bytesOrRefusal(t, m, data) })
			})
		}
	}
}

// bytesOrRefusal asks for any part of any region, and expects the file's bytes
// exactly where the part is inside the region.
func bytesOrRefusal(t *rapid.T, m *Mapping, data []byte) {
	region := layout.Region(rapid.Uint32Range(0, 7).Draw(t, "region"))
	s := layout.Span{}
	if region <= disk.RegionRW {
		s = disk.RegionOf(m.Header(), region)
	}
	offset := rapid.OneOf(rapid.Int64(), rapid.Int64Range(s.Offset-2, s.End()+2)).Draw(t, "offset")
	size := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1, s.Size+1)).Draw(t, "size")
	got, err := m.Bytes(region, offset, size)
	if region <= disk.RegionRW && s.Holds(offset, size) {
		if err != nil || !bytes.Equal(got, data[offset:offset+size]) || cap(got) != len(got) {
			t.Fatalf("%d bytes of %s from %d: %d bytes, room for %d, %v", size, region, offset, len(got), cap(got), err)
		}
		return
	}
	var e *layout.Error
	if !errors.As(err, &e) || !errors.Is(err, layout.ErrCorrupt) || e.File != m.Name() || e.Region != region ||
		e.Offset != offset {
		t.Fatalf("%d bytes of %s from %d: %v", size, region, offset, err)
	}
}

// Whatever byte is changed, the archive is refused, or Verify finds it, and
// Bytes gives what was there or an error.
func TestEveryFlippedByteIsFound(t *testing.T) {
	s := synthetic{ro: 5000, rw: 64}
	sound, padding := s.bytes(), disk.RegionOf(s.header(), disk.RegionEX).End()
	for i := range sound {
		if at := int64(i); at > padding+100 && at < int64(len(sound))-300 && i%17 != 0 {
			continue // one byte of the 60 KiB of zeros before rw is like another
		}
		bad := bytes.Clone(sound)
		bad[i] ^= 1 << (i % 8)
		m, err := FromBytes("app.parc", bad, Options{})
		if err != nil {
			continue
		}
		h := m.Header()
		if i < disk.HeaderSize {
			t.Fatalf("header byte %d was changed, and the archive opens", i)
		}
		wantDamageAt(t, m.Verify(context.Background(), nil), int64(i))
		for _, r := range append([]layout.Region{disk.RegionPS}, summedRegions...) {
			s := disk.RegionOf(h, r)
			got, err := m.Bytes(r, s.Offset, s.Size)
			if err == nil && !bytes.Equal(got, sound[s.Offset:s.End()]) {
				t.Fatalf("byte %d was changed, and %s is given as sound", i, r)
			}
		}
	}
}

// wantDamageAt expects an error that names the page, the group of sums or the
// padding in which the byte at offset is.
func wantDamageAt(t *testing.T, err error, offset int64) {
	t.Helper()
	var e *layout.Error
	if !errors.As(err, &e) || !errors.Is(err, layout.ErrCorrupt) {
		t.Fatalf("byte %d was changed: %v", offset, err)
	}
	if e.File != "app.parc" || e.Offset > offset || e.Offset < offset-disk.PageSize {
		t.Fatalf("byte %d was changed, the error is of %q at %d: %v", offset, e.File, e.Offset, err)
	}
}

func TestChecksHappenWhenAskedFor(t *testing.T) {
	data := synthetic{ro: 3 * disk.PageSize}.bytes()
	m := mustRead(t, data, Options{})
	ro := disk.RegionOf(m.Header(), disk.RegionRO)
	bad := ro.Offset + 2*disk.PageSize
	data[bad] ^= 1

	if _, err := m.Bytes(disk.RegionRO, ro.Offset, 8); err != nil {
		t.Errorf("a sound page of a damaged archive: %v", err)
	}
	wantPageError(t, m, disk.RegionRO, bad)
	wantPageError(t, m, disk.RegionRO, bad) // a page that failed is not taken for checked
	if _, err := FromBytes("app.parc", data, Options{Check: CheckAll}); !errors.Is(err, layout.ErrChecksum) {
		t.Errorf("opened with all checks: %v", err)
	}
	if b, err := mustRead(t, data, Options{Check: CheckNone}).Bytes(disk.RegionRO, bad, 1); err != nil ||
		b[0] != data[bad] {
		t.Errorf("opened without checks: %v, %v", b, err)
	}
}

// wantPageError expects Bytes to name the page of the byte at offset.
func wantPageError(t *testing.T, m *Mapping, region layout.Region, offset int64) {
	t.Helper()
	tree := disk.SumTreeOf(m.Header())
	want := tree.PageSpan(tree.Page(offset)).Offset
	var e *layout.Error
	_, err := m.Bytes(region, offset, 1)
	if !errors.As(err, &e) || e.Kind != layout.ErrChecksum || e.Region != region || e.Offset != want ||
		e.File != "app.parc" {
		t.Errorf("byte %d was changed: %v", offset, err)
	}
}

// Damaged sums are found before a page is believed, on every level.
func TestSumsAreCheckedUpToTheRoot(t *testing.T) {
	s := synthetic{ro: 600 * disk.PageSize}
	sound := s.bytes()
	h := s.header()
	tree, ps, ro := disk.SumTreeOf(h), disk.RegionOf(h, disk.RegionPS).Offset, disk.RegionOf(h, disk.RegionRO)
	if tree.Levels() != 2 {
		t.Fatalf("%d levels", tree.Levels())
	}
	for level := range 2 {
		bad := bytes.Clone(sound)
		at := ps + tree.SlotOffset(level, 0)
		// A page and its sum are changed alike: only the level above can tell.
		bad[ro.Offset+100] ^= 1
		p := tree.PageSpan(tree.Page(ro.Offset))
		putSum(bad[ps+tree.SlotOffset(0, 0):], disk.Checksum(bad[p.Offset:p.End()]))
		if level == 1 {
			g := tree.Group(0, 0)
			putSum(bad[at:], disk.Checksum(bad[ps+g.Offset:ps+g.End()]))
		}
		var e *layout.Error
		_, err := mustRead(t, bad, Options{}).Bytes(disk.RegionRO, ro.Offset+100, 1)
		if !errors.As(err, &e) || e.Region != disk.RegionPS || e.Offset != ps+tree.Group(level, 0).Offset {
			t.Errorf("level %d was forged: %v", level, err)
		}
		if _, err := mustRead(t, bad, Options{}).Bytes(disk.RegionPS, at, 8); !errors.Is(err, layout.ErrChecksum) {
			t.Errorf("level %d was forged, ps is given as sound: %v", level, err)
		}
	}
}

func TestClosed(t *testing.T) {
	data := synthetic{ro: 64, rw: 64}.bytes()
	for name, open := range openers {
		t.Run(name, func(t *testing.T) {
			m, err := open(t, data, Options{})
			if err != nil {
				t.Fatal(err)
			}
			rw := disk.RegionOf(m.Header(), disk.RegionRW)
			old, err := m.Bytes(disk.RegionRW, rw.Offset, rw.Size)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := m.Close(); err != nil {
					t.Fatal(err)
				}
			}
			_, bytesErr := m.Bytes(disk.RegionRW, rw.Offset, rw.Size)
			_, adoptErr := m.Adopt(BaseRequested, 0)
			for _, err := range []error{bytesErr, adoptErr, m.Verify(context.Background(), nil)} {
				if !errors.Is(err, ErrClosed) {
					t.Errorf("after Close: %v", err)
				}
			}
			if !bytes.Equal(old, data[rw.Offset:]) {
				t.Error("bytes given before Close changed")
			}
		})
	}
}

// Many goroutines touch the same pages for the first time.
// Nothing that an index may say of places makes Prefetch fail.
func TestPrefetchPassesOver(t *testing.T) {
	data := synthetic{ro: 9000}.bytes()
	for name, open := range openers {
		m, err := open(t, data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		places := []int64{0, -1, int64(len(data)) - 1, int64(len(data)), 1 << 62, -1 << 63}
		if n := testing.AllocsPerRun(10, func() { m.Prefetch(places) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
		m.Close()
		m.Prefetch(places)
	}
}

func TestConcurrentFirstTouch(t *testing.T) {
	data := synthetic{ro: 700 * disk.PageSize, rw: 5000}.bytes()
	m := mustRead(t, data, Options{})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for _, r := range summedRegions {
				s := disk.RegionOf(m.Header(), r)
				for at := s.Offset + int64(g); at+16 <= s.End(); at += 1000 {
					if b, err := m.Bytes(r, at, 16); err != nil || !bytes.Equal(b, data[at:at+16]) {
						t.Errorf("%s at %d: %v", r, at, err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestBytesAllocatesNothing(t *testing.T) {
	data := synthetic{ro: 5 * disk.PageSize}.bytes()
	for _, check := range []Check{CheckOnTouch, CheckNone} {
		m := mustRead(t, data, Options{Check: check})
		ro := disk.RegionOf(m.Header(), disk.RegionRO)
		read := func() {
			for _, size := range []int64{0, 8, 2 * disk.PageSize} {
				if _, err := m.Bytes(disk.RegionRO, ro.Offset, size); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := testing.AllocsPerRun(100, read); n != 0 {
			t.Errorf("check %d: %v allocations", check, n)
		}
	}
}

func BenchmarkBytes(b *testing.B) {
	const pages = 64
	path := writeFile(b, synthetic{ro: pages * disk.PageSize}.bytes())
	for name, check := range map[string]Check{"checked": CheckOnTouch, "unchecked": CheckNone} {
		b.Run(name, func(b *testing.B) {
			m := mustOpen(b, path, Options{Check: check})
			ro := disk.RegionOf(m.Header(), disk.RegionRO)
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				if _, err := m.Bytes(disk.RegionRO, ro.Offset+i%(pages-1)*disk.PageSize, 64); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The first touch of a page, its hashing included.
func BenchmarkFirstTouch(b *testing.B) {
	const pages = 4096
	data := synthetic{ro: pages * disk.PageSize}.bytes()
	var m *Mapping
	b.ReportAllocs()
	for i := int64(0); b.Loop(); i++ {
		if i%(pages-1) == 0 {
			b.StopTimer()
			m = mustRead(b, data, Options{})
			b.StartTimer()
		}
		ro := disk.RegionOf(m.Header(), disk.RegionRO)
		if _, err := m.Bytes(disk.RegionRO, ro.Offset+i%(pages-1)*disk.PageSize, 64); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, size := range []int64{1 << 20, 1 << 30} {
		path, _ := synthetic{ro: size}.writeSparse(b)
		b.Run(fmt.Sprint(size>>20, "MiB"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := mustOpen(b, path, Options{}).Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
