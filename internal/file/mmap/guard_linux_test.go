package mmap

import (
	"errors"
	"os"
	"testing"
	"unsafe"
)

// A mapping asked for at an address where one has just been given back is there.
func TestPrivateAtAFreeBase(t *testing.T) {
	f, content := testFile(t)
	plan := Plan{Size: int64(len(content)), RW: boundary, Late: 100}
	for range 10 { // something else may come between
		was, err := NewPrivate(f, plan)
		if err != nil {
			t.Fatal(err)
		}
		plan.Base = uint64(was.Base())
		if err := was.Unmap(); err != nil {
			t.Fatal(err)
		}
		if p := mustMap(t, f, plan); p.AtBase() {
			return
		}
	}
	t.Error("never at the base that was asked for")
}

func TestGuardNamesTheAddress(t *testing.T) {
	f, content := testFile(t)
	v, err := NewView(f, int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	defer v.Unmap()
	if err := os.Truncate(f.Name(), 1); err != nil {
		t.Fatal(err)
	}
	const at = boundary + 77
	want := uintptr(unsafe.Pointer(&v.Bytes()[at]))
	read := func() error {
		if v.Bytes()[at] == content[at] {
			return errors.New("a byte that is gone was read")
		}
		return nil
	}
	err = Guard(func(address uintptr) bool { return address == want }, read)
	var fault *Fault
	if !errors.As(err, &fault) || fault.Address != want {
		t.Errorf("want a fault at 0x%x, have: %v", want, err)
	}
	if v := panicOf(func() { Guard(func(uintptr) bool { return false }, read) }); v == nil {
		t.Error("a fault elsewhere was taken for an own one")
	}
}

func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestGuardChangesNothingElse(t *testing.T) {
	all := func(uintptr) bool { return true }
	own := errors.New("own")
	if err := Guard(all, func() error { return own }); err != own {
		t.Errorf("the error became %v", err)
	}
	if v := panicOf(func() { Guard(all, func() error { panic(own) }) }); v != own {
		t.Errorf("the panic became %v", v)
	}
	var none *int
	if v := panicOf(func() { Guard(all, func() error { *none = 1; return nil }) }); v == nil {
		t.Error("a nil pointer was taken for a fault of mapped memory")
	}
}

func BenchmarkGuard(b *testing.B) {
	none := func(uintptr) bool { return false }
	b.ReportAllocs()
	for b.Loop() {
		Guard(none, func() error { return nil })
	}
}
