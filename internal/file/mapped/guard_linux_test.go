package mapped

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// cutShort opens an archive and cuts its file off behind the first page.
func cutShort(t *testing.T) *Mapping {
	t.Helper()
	path := writeFile(t, synthetic{ro: 9 * disk.PageSize, rw: 70000}.bytes())
	m := mustOpen(t, path, Options{})
	if _, err := m.Bytes(disk.RegionRO, disk.RegionOf(m.Header(), disk.RegionRO).Offset, 8); err != nil {
		t.Fatal(err)
	}
	mustTruncate(t, path)
	return m
}

func mustTruncate(t *testing.T, path string) {
	t.Helper()
	if err := os.Truncate(path, disk.PageSize); err != nil {
		t.Fatal(err)
	}
}

// wantFault expects the error of a file that ended before an offset.
func wantFault(t *testing.T, err error, region layout.Region, from, to int64) {
	t.Helper()
	var e *layout.Error
	if !errors.As(err, &e) || !errors.Is(err, layout.ErrTruncated) || e.File == "" ||
		e.Region != region || e.Offset < from || e.Offset >= to {
		t.Errorf("want a fault in %s in [0x%x,0x%x), have: %v", region, from, to, err)
	}
}

func TestFileCutShortIsAnError(t *testing.T) {
	m := cutShort(t)
	ro := disk.RegionOf(m.Header(), disk.RegionRO)
	at := ro.Offset + 5*disk.PageSize
	_, err := m.Bytes(disk.RegionRO, at, 8)
	wantFault(t, err, disk.RegionRO, at-disk.PageSize, at+disk.PageSize)
	wantFault(t, m.Verify(context.Background(), nil), disk.RegionRO, disk.PageSize, ro.End())
	_, err = m.Adopt(BaseAnywhere, 0)
	wantFault(t, err, disk.RegionRO, disk.PageSize, disk.PageSize+1)
}

func TestGuardNamesTheOffset(t *testing.T) {
	path := writeFile(t, synthetic{ro: 64, rw: 70000}.bytes())
	m := mustOpen(t, path, Options{})
	rw := disk.RegionOf(m.Header(), disk.RegionRW)
	pristine, err := m.Bytes(disk.RegionRW, rw.Offset, rw.Size)
	if err != nil {
		t.Fatal(err)
	}
	adopted := mustAdopt(t, m, BaseAnywhere)
	mustTruncate(t, path)
	for _, memory := range [][]byte{pristine, adopted.RW} {
		sum := byte(0)
		err := m.Guard(func() error {
			sum += memory[66000]
			return nil
		})
		wantFault(t, err, disk.RegionRW, rw.Offset+66000, rw.Offset+66001)
		_ = sum
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	wantFault(t, m.Guard(func() error { pristine[3]++; return nil }), disk.RegionRW, rw.Offset+3, rw.Offset+4)
}

func TestGuardLetsOtherPanicsGoOn(t *testing.T) {
	m := cutShort(t)
	own, other := errors.New("own"), cutShort(t)
	if err := m.Guard(func() error { return own }); err != own {
		t.Errorf("the error of the function became %v", err)
	}
	var none *layout.Header
	for name, f := range map[string]func() error{
		"a value":         func() error { panic(own) },
		"nil":             func() error { none.FileSize++; return nil },
		"another mapping": func() error { return errors.New(string(other.data[5*disk.PageSize:][:1])) },
	} {
		if v := panicOf(func() { m.Guard(f) }); v == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

// Memory goes when nothing holds it any more, and not before.
func TestMemoryGoesWithItsHolders(t *testing.T) {
	path := writeFile(t, synthetic{ro: 64, rw: 64}.bytes())
	a := mustAdopt(t, mustOpen(t, path, Options{}), BaseAnywhere)
	pristine := a.mapping.data
	for range 5 {
		runtime.GC()
	}
	if n := timesMapped(t, path); n < 2 {
		t.Fatalf("mapped %d times while the adopted archive is held", n)
	}
	if string(pristine[:8]) != string(disk.Magic[:]) {
		t.Error("the pristine bytes changed")
	}
	runtime.KeepAlive(a)
	for range 100 {
		if timesMapped(t, path) == 0 {
			return
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("still mapped %d times", timesMapped(t, path))
}

// Rejected archives do not wait for the garbage collector.
func TestRejectedIsUnmappedAtOnce(t *testing.T) {
	data := synthetic{ro: 64}.bytes()
	data[100] ^= 1
	path := writeFile(t, data)
	if _, err := Open(path, Options{}); !errors.Is(err, layout.ErrChecksum) {
		t.Fatal(err)
	}
	if n := timesMapped(t, path); n != 0 {
		t.Errorf("mapped %d times", n)
	}
}

func timesMapped(t *testing.T, path string) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("no list of mappings: ", err)
	}
	return strings.Count(string(maps), path)
}

func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}
