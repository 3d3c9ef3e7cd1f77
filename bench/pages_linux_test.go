package bench

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A toll is the memory of an archive that may not be read. What reads it nevertheless
// faults, pays with the page, which may be read from then on, and begins again.
type toll struct {
	memory []byte
	store  *reader.Store
}

// shut takes all pages back.
func (l *toll) shut(t *testing.T) {
	t.Helper()
	if err := unix.Mprotect(l.memory, unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
}

// pages returns how many pages f touches.
func (l *toll) pages(t *testing.T, f func() error) (n int) {
	t.Helper()
	base, size := words.AddressOfBytes(l.memory), uintptr(os.Getpagesize())
	mine := func(address uintptr) bool { return address-base < uintptr(len(l.memory)) }
	for l.shut(t); ; n++ {
		err := mmap.Guard(mine, f)
		var fault *mmap.Fault
		if !errors.As(err, &fault) {
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		from := (fault.Address - base) &^ (size - 1)
		if err := unix.Mprotect(l.memory[from:min(from+size, uintptr(len(l.memory)))], unix.PROT_READ); err != nil {
			t.Fatal(err)
		}
	}
}

func (l *toll) open() error {
	m, err := archive.FromBytes("tolled.parc", l.memory, archive.Options{})
	if err == nil {
		l.store = reader.New(m)
	}
	return err
}

// newToll has an archive of n methods with the keys and profiles of javac.
func newToll(t *testing.T, n int) *toll {
	t.Helper()
	b, err := Build(Scale{Methods: n, Javac: true})
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	memory, err := unix.Mmap(-1, 0, len(data), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	copy(memory, data)
	t.Cleanup(func() {
		if err := unix.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	return &toll{memory: memory}
}

// A tolled is a kind of lookup of method i, and the most pages that one touches, and that
// they touch on average.
type tolled struct {
	name   string
	lookup func(l *toll, i int) error
	most   int
	mean   float64
}

// tollMethods is how many methods the archive has; every tollStep-th is looked up.
const tollMethods, tollStep = 20_000, 97

// TestPagesOfALookup guards how many pages of a file a lookup touches: each is a fault at the first access,
// and a miss in caches and TLB later. The counts are the same in every run, for the bytes are.
func TestPagesOfALookup(t *testing.T) {
	l := newToll(t, tollMethods)
	if n := l.pages(t, l.open); n != 1 {
		t.Errorf("to open touches %d pages, want that of the header", n)
	}
	for _, c := range []tolled{
		// Header, line, profile and record, and the sums of their pages.
		{"open and hit by id", afterOpening(byID), 8, 6.2},
		{"open and miss", afterOpening(missing), 2, 2},
		{"first hit by id", byID, 8, 5.1},
		{"hit by id", byID, 2, 2},
		// Class, name and signature besides, and each may reach into a second page.
		{"first hit by key", byKey, 9, 7.8},
		{"hit by key", byKey, 6, 5.1},
		{"first miss", missing, 2, 1.1},
		{"miss", missing, 1, 1},
	} {
		most, mean := l.cost(t, c.lookup)
		t.Logf("%s: at most %d pages, %.2f on average", c.name, most, mean)
		if most > c.most || mean > c.mean || most == 0 {
			t.Errorf("%s touches up to %d pages, %.2f on average, want at most %d and %v", c.name, most, mean, c.most, c.mean)
		}
	}
}

// cost returns how many pages lookups of many methods touch, one after the other.
func (l *toll) cost(t *testing.T, lookup func(l *toll, i int) error) (most int, mean float64) {
	t.Helper()
	sum, n := 0, 0
	for i := 0; i < tollMethods; i += tollStep {
		pages := l.pages(t, func() error { return lookup(l, i) })
		sum, most, n = sum+pages, max(most, pages), n+1
	}
	return most, float64(sum) / float64(n)
}

// afterOpening opens the archive again before the lookup.
func afterOpening(lookup func(l *toll, i int) error) func(*toll, int) error {
	return func(l *toll, i int) error {
		if err := l.open(); err != nil {
			return err
		}
		return lookup(l, i)
	}
}

func byID(l *toll, i int) error {
	return read(l.store.ProfileID(JavacKey(i).ID(layout.DomainHotSpot), layout.CodeAny))
}

func byKey(l *toll, i int) error { return read(l.store.Profile(JavacKey(i), layout.CodeAny)) }

func missing(l *toll, i int) error {
	_, err := l.store.ProfileID(JavacKey(tollMethods+i).ID(layout.DomainHotSpot), layout.CodeAny)
	if !errors.Is(err, reader.ErrNotFound) {
		return errors.Join(errors.New("found"), err)
	}
	return nil
}

// read reads a counter of a profile.
func read(p reader.Profile, err error) error {
	if c, ok := p.Invocations(); err == nil && !ok {
		return errors.New("no counter")
	} else if err == nil {
		sink += c.Load()
	}
	return err
}

// sink keeps the bytes read.
var sink uint64
