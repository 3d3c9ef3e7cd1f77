package mapped

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

const testLate = 5000

// A write to an adopted rw reaches neither the pristine bytes nor the file.
func TestAdoptedIsPrivate(t *testing.T) {
	s := synthetic{ro: 5000, rw: 70000}
	data, rw := s.bytes(), disk.RegionOf(s.header(), disk.RegionRW)
	for _, heap := range []bool{false, true} {
		for _, base := range []Base{BaseRequested, BaseAnywhere} {
			t.Run(fmt.Sprint(heap, base), func(t *testing.T) {
				path := writeFile(t, data)
				m := mustOpen(t, path, Options{Heap: heap})
				a := mustAdopt(t, m, base)
				if !bytes.Equal(a.RW, data[rw.Offset:rw.End()]) {
					t.Fatal("the adopted rw is not that of the file")
				}
				scribble(a.RW)
				pristine, err := m.Bytes(disk.RegionRW, rw.Offset, rw.Size)
				if err != nil || !bytes.Equal(pristine, data[rw.Offset:rw.End()]) {
					t.Errorf("writing to the adopted rw changed the pristine one: %v", err)
				}
				if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
					t.Errorf("writing to the adopted rw changed the file: %v", err)
				}
				checkAddresses(t, a, rw)
			})
		}
	}
}

// checkAddresses holds Base against where the memory really is.
func checkAddresses(t *testing.T, a *Adopted, rw layout.Span) {
	t.Helper()
	if got, want := uint64(words.AddressOfBytes(a.RW)), a.Base+uint64(rw.Offset); got != want {
		t.Errorf("rw lies at 0x%x, base and offset say 0x%x", got, want)
	}
	if len(a.Late) != testLate || !bytes.Equal(a.Late, make([]byte, testLate)) {
		t.Fatalf("%d late bytes, not all zero", len(a.Late))
	}
	if words.AddressOfBytes(a.Late)%disk.Unit != 0 {
		t.Error("late memory is not aligned")
	}
	scribble(a.Late)
	for i, b := range a.RW {
		if b != 0xee {
			t.Fatalf("writing to the late memory changed byte %d of rw", i)
		}
	}
}

func scribble(b []byte) {
	for i := range b {
		b[i] = 0xee
	}
}

func mustAdopt(t testing.TB, m *Mapping, base Base) *Adopted {
	t.Helper()
	a, err := m.Adopt(base, testLate)
	needLittleEndian(t, err)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// needLittleEndian ends a test on a big-endian machine, after it has seen that an adoption
// was refused there with the error that says so.
func needLittleEndian(t testing.TB, err error) {
	t.Helper()
	if words.LittleEndian() {
		return
	}
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "counters are little-endian") {
		t.Fatalf("adopted on a big-endian machine: %v", err)
	}
	t.Skip(err)
}

func TestAdoptTellsWhereItLies(t *testing.T) {
	// A base that no other test asks for: what they adopted may still be there.
	want := disk.RequestedBase(77) + rand.Uint64N(1<<18)<<disk.PagesShift
	data := synthetic{ro: 64, rw: 64, base: want}.bytes()
	m := mustOpen(t, writeFile(t, data), Options{})
	first := mustAdopt(t, m, BaseRequested)
	if first.AtRequested != (first.Base == want) {
		t.Errorf("at 0x%x of 0x%x: %t", first.Base, want, first.AtRequested)
	}
	// On other systems the base may be taken, or out of reach.
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && !first.AtRequested {
		t.Errorf("at 0x%x instead of the requested base", first.Base)
	}
	// Now the base is taken, if it was not before.
	for _, base := range []Base{BaseRequested, BaseAnywhere} {
		next := mustAdopt(t, m, base)
		if next.AtRequested || next.Base == want || next.Base == first.Base {
			t.Errorf("the second lies at 0x%x too", next.Base)
		}
		scribble(next.RW)
	}
	if !bytes.Equal(first.RW, data[disk.RegionOf(m.Header(), disk.RegionRW).Offset:]) {
		t.Error("two adoptions share memory")
	}
	if first.mapping != m {
		t.Error("not the mapping that was adopted")
	}
}

func TestAdoptWithoutProfiles(t *testing.T) {
	data := synthetic{ro: 64}.bytes()
	for name, open := range openers {
		m, err := open(t, data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, late := range []int{0, 100} {
			a, err := m.Adopt(BaseRequested, late)
			needLittleEndian(t, err)
			if err != nil || len(a.RW) != 0 || len(a.Late) != late || a.Base == 0 {
				t.Errorf("%s, %d late bytes: %+v, %v", name, late, a, err)
			}
		}
		if _, err := m.Adopt(BaseRequested, -1); err == nil {
			t.Errorf("%s: a negative number of late bytes is taken", name)
		}
	}
}
