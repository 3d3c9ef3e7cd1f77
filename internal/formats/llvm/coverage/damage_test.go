package coverage

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/formats/llvm/object"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/reader"
)

// readAll reads everything of a damaged program, up to some lines of each file. Errors must
// have a kind and a place in the section.
func readAll(t testing.TB, s *reader.Store, damaged *object.Sections) {
	t.Helper()
	size := int64(0)
	for _, one := range slices.Concat(damaged.Covmap, damaged.Covfun, damaged.Names) {
		size += int64(len(one.Data))
	}
	check := func(err error) {
		var e *Error
		switch {
		case err == nil || errors.Is(err, ErrMismatch) || errors.Is(err, ErrNotMapped):
		case !errors.As(err, &e) || e.Kind != ErrMalformed && e.Kind != ErrVersion:
			t.Fatalf("an error of no kind: %v", err)
		case e.Section == "" || e.Offset < 0 || e.Offset > size:
			t.Fatalf("an error without a place: %v", err)
		}
	}
	m, err := newMapping("app", damaged)
	check(err)
	if err != nil {
		return
	}
	c, err := New(s, m)
	if err != nil {
		t.Fatal(err)
	}
	for method, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.Function(method)
		check(err)
		if err == nil {
			readLines(t, f.View())
		}
	}
	names, err := c.Files()
	check(err)
	for _, name := range names {
		v, err := c.View(name)
		if err != nil {
			t.Fatal(err)
		}
		readLines(t, v)
	}
}

// readLines checks that segments are in order and that lines come one after the other.
func readLines(t testing.TB, v *View) {
	t.Helper()
	ordered := slices.IsSortedFunc(v.Segments, func(a, b Segment) int {
		return comparePositions(position{a.Line, a.Column}, position{b.Line, b.Column})
	})
	if !ordered {
		t.Fatalf("segments without order: %v", v.Segments)
	}
	n := v.First()
	for line := range v.Lines() {
		if line.Number != n {
			t.Fatalf("line %d after %d", line.Number, n-1)
		}
		if n++; n > v.First()+1000 {
			return
		}
	}
	if n > 0 && n != v.Last()+1 {
		t.Fatalf("lines end at %d of %d", n-1, v.Last())
	}
}

// partsOf returns the sections of each kind.
func partsOf(s *object.Sections) []*object.Section {
	return []*object.Section{&s.Covmap[0], &s.Covfun[0], &s.Names[0]}
}

func TestCutAtEveryLength(t *testing.T) {
	t.Parallel()
	s := smallArchive(t)
	for part := range 3 {
		whole := partsOf(small().sections())[part].Data
		for n := range whole {
			damaged := small().sections()
			partsOf(damaged)[part].Data = whole[:n]
			readAll(t, s, damaged)
		}
	}
}

func TestEveryByteFlipped(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	s := smallArchive(t)
	for _, packed := range []bool{true, false} {
		program := small()
		program.packed = packed
		for part := range 3 {
			for at := range partsOf(program.sections())[part].Data {
				for _, with := range []byte{1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xff} {
					damaged := program.sections()
					partsOf(damaged)[part].Data[at] ^= with
					readAll(t, s, damaged)
				}
			}
		}
	}
}

// Lists of files that unpack to much more than they are, or that repeat a long folder, are
// refused before they fill the memory.
func TestFilesDoNotFillTheMemory(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	s := smallArchive(t)
	long := small()
	long.names = append([]string{string(bytes.Repeat([]byte("a"), 1<<20))}, make([]string, 1<<16)...)
	bomb := small()
	bomb.names = []string{string(make([]byte, 64<<20))}
	for _, program := range []*spec{long, bomb} {
		damaged := program.sections()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := newMapping("app", damaged)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, parse.ErrLimit) && !errors.Is(err, ErrMalformed) {
			t.Errorf("%v", err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8*parse.FreeExpansion {
			t.Errorf("%d bytes allocated", used)
		}
		readAll(t, s, damaged)
	}
}

// Whatever the bytes are: no panic, and an error of a kind or lines.
func FuzzMapping(f *testing.F) {
	for _, packed := range []bool{true, false} {
		program := small()
		program.packed = packed
		s := program.sections()
		f.Add(s.Covmap[0].Data, s.Covfun[0].Data, s.Names[0].Data)
	}
	store := smallArchive(f)
	f.Fuzz(func(t *testing.T, covmap, covfun, names []byte) {
		s := small().sections()
		s.Covmap[0].Data, s.Covfun[0].Data, s.Names[0].Data = covmap, covfun, names
		readAll(t, store, s)
	})
}
