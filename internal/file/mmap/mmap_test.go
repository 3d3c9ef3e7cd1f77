package mmap

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// boundary is a multiple of every system's pages.
const boundary = 1 << 16

// testFile returns a file of noise that does not end with a page.
func testFile(t *testing.T) (f *os.File, content []byte) {
	t.Helper()
	content = make([]byte, 2*boundary+1234)
	for i := range content {
		content[i] = byte(i*7 + i>>8)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, content
}

func mustMap(t *testing.T, f *os.File, plan Plan) *Private {
	t.Helper()
	p, err := NewPrivate(f, plan)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Unmap() })
	return p
}

func TestView(t *testing.T) {
	f, content := testFile(t)
	for _, n := range []int64{1, boundary, int64(len(content))} {
		v, err := NewView(f, n)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(v.Bytes(), content[:n]) {
			t.Errorf("a view of %d bytes differs from the file", n)
		}
		if err := v.Unmap(); err != nil {
			t.Error(err)
		}
	}
}

func TestPrivate(t *testing.T) {
	f, content := testFile(t)
	size := int64(len(content))
	for _, rw := range []int64{0, boundary, 2 * boundary, size} {
		for _, late := range []int64{0, 1, 3*boundary + 5} {
			p := mustMap(t, f, Plan{Size: size, RW: rw, Late: late})
			if got := sliceAt(p.Base(), rw); !bytes.Equal(got, content[:rw]) {
				t.Errorf("the read-only part of %d bytes differs from the file", rw)
			}
			if !bytes.Equal(p.RW(), content[rw:]) {
				t.Errorf("the writable part from %d on differs from the file", rw)
			}
			if !bytes.Equal(p.Late(), make([]byte, late)) {
				t.Errorf("%d late bytes, want %d zeros", len(p.Late()), late)
			}
			fill(p.RW(), 1)
			fill(p.Late(), 2)
			if bytes.IndexByte(p.RW(), 2) >= 0 || bytes.IndexByte(p.Late(), 1) >= 0 {
				t.Error("the parts overlap")
			}
			if now, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(now, content) {
				t.Errorf("the file was written to, %v", err)
			}
		}
	}
}

func fill(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

func TestPrivateAtTheBase(t *testing.T) {
	f, content := testFile(t)
	plan := Plan{Size: int64(len(content)), RW: boundary, Late: 100}
	anywhere := mustMap(t, f, plan)
	if anywhere.AtBase() {
		t.Error("at a base that nobody asked for")
	}
	plan.Base = uint64(anywhere.Base())
	other := mustMap(t, f, plan) // the base is taken
	if other.AtBase() || other.Base() == anywhere.Base() {
		t.Errorf("0x%x was given twice", other.Base())
	}
	if !bytes.Equal(anywhere.RW(), content[boundary:]) {
		t.Error("the mapping that was there was damaged")
	}
}

func TestImpossibleBases(t *testing.T) {
	f, content := testFile(t)
	for _, base := range []uint64{1, boundary + 1, 1 << 62, math.MaxUint64 &^ 0xffff, math.MaxUint64} {
		p := mustMap(t, f, Plan{Base: base, Size: int64(len(content)), RW: boundary})
		if p.AtBase() || !bytes.Equal(p.RW(), content[boundary:]) {
			t.Errorf("asked for 0x%x, lies at 0x%x", base, p.Base())
		}
	}
}

// TestWritableFromWithinAPage: the part begins where it should, and what is written there stays in the process.
func TestWritableFromWithinAPage(t *testing.T) {
	f, content := testFile(t)
	p := mustMap(t, f, Plan{Size: int64(len(content)), RW: boundary + 72})
	if !bytes.Equal(p.RW(), content[boundary+72:]) {
		t.Error("the writable part is not the file's")
	}
	p.RW()[0]++
	if now, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(now, content) {
		t.Errorf("a write reached the file: %v", err)
	}
}

func TestImpossiblePlans(t *testing.T) {
	f, _ := testFile(t)
	for _, plan := range []Plan{
		{}, {Size: -1}, {Size: 10, RW: 11}, {Size: 10, RW: -1}, {Size: 10, Late: -1},
		{Size: math.MaxInt64}, {Size: 10, Late: math.MaxInt64},
		{Size: 1 << 40, RW: boundary, Late: math.MaxInt64 - 1<<40},
	} {
		if p, err := NewPrivate(f, plan); !errors.Is(err, errImpossiblePlan) {
			t.Errorf("%+v: %v, %v", plan, p, err)
		}
	}
	f.Close()
	if _, err := NewPrivate(f, Plan{Size: 10}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("of a closed file: %v", err)
	}
}

// Populating changes nothing that is read, and reaches no page of the file.
func TestPopulate(t *testing.T) {
	f, content := testFile(t)
	p := mustMap(t, f, Plan{Size: int64(len(content)), RW: boundary})
	rw := p.RW()
	rw[5] = 99
	for _, part := range [][]byte{nil, rw[:0], rw[100:200], rw} {
		Populate(part)
	}
	if rw[5] != 99 || !bytes.Equal(rw[6:], content[boundary+6:]) {
		t.Error("populating changed what lies there")
	}
	file := make([]byte, len(content))
	if _, err := f.ReadAt(file, 0); err != nil || !bytes.Equal(file, content) {
		t.Errorf("populating reached the file: %v", err)
	}
}
