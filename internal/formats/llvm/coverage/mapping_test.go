package coverage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/formats/llvm/object"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func join(t testing.TB, s *reader.Store, specs ...*spec) *Coverage {
	t.Helper()
	var mappings []*Mapping
	for _, one := range specs {
		mappings = append(mappings, one.mapping(t))
	}
	c, err := New(s, mappings...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// text is a view as "line:count" for each line with a count.
func text(v *View) string {
	var list []string
	for l := range v.Lines() {
		if l.Mapped {
			list = append(list, fmt.Sprintf("%d:%d", l.Number, l.Count))
		}
	}
	return strings.Join(list, " ")
}

func functionOf(t testing.TB, s *reader.Store, c *Coverage, name string) (*Function, error) {
	t.Helper()
	m, err := s.Find(layout.Key{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return c.Function(m)
}

// TestSmallProgram: all versions, packed or not, in both byte orders, say the same.
func TestSmallProgram(t *testing.T) {
	t.Parallel()
	s := smallArchive(t)
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for version := uint32(versionOldest); version <= versionNewest; version++ {
			program := small()
			program.order, program.version, program.packed = order, version, version%2 == 0
			if version < sinceFolder {
				program.names[1] = "/src/a.c"
			}
			c := join(t, s, program)
			f, err := functionOf(t, s, c, "main")
			if err != nil {
				t.Fatal(err)
			}
			// Line 6 is the expansion of the expansion; 7 to 9 are skipped.
			want := "3:10 4:10 5:10 6:10 10:13 11:10 12:10"
			if got := text(f.View()); got != want || f.Count != 10 || f.View().File != "/src/a.c" {
				t.Errorf("version %d: %s, want %s; entered %d; %s", version, got, want, f.Count, f.View().File)
			}
			files, err := c.Files()
			if want := []string{"/src/a.c", "/usr/b.h"}; err != nil || !slices.Equal(files, want) {
				t.Errorf("files %q (%v), want %q", files, err, want)
			}
			v, err := c.View("/usr/b.h")
			if err != nil || text(v) != "7:3 8:3 9:3" {
				t.Errorf("the header: %s, %v", text(v), err)
			}
			v, err = c.View("/src/a.c")
			if want := "1:3 3:10 4:10 5:10 6:10 10:13 11:10 12:10 20:0 21:0"; err != nil || text(v) != want {
				t.Errorf("the file: %s, want %s, %v", text(v), want, err)
			}
			if _, err := c.View("c.c"); !errors.Is(err, ErrNotMapped) {
				t.Errorf("%v", err)
			}
		}
	}
}

func TestOtherCodeHasNoCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		counts map[uint64][]uint64
		want   string
	}{
		{map[uint64][]uint64{0x1235: {1, 1, 1}}, `app: "main": ` + ErrMismatch.Error() +
			": the profile has no counters of hash 0x0000000000001234"},
		{map[uint64][]uint64{0x1234: {1, 1}, 0x1235: {1, 1, 1}},
			`app: "main": ` + ErrMismatch.Error() + ": its mapping refers to more than the 2 counters of the profile"},
	} {
		s := archiveOf(t, map[string]map[uint64][]uint64{"main": c.counts, "other": {1: {1}}})
		cover := join(t, s, small())
		if _, err := functionOf(t, s, cover, "main"); err == nil || err.Error() != c.want || !errors.Is(err, ErrMismatch) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if _, err := functionOf(t, s, cover, "other"); !errors.Is(err, ErrNotMapped) {
			t.Errorf("%v", err)
		}
		mismatches, err := cover.Mismatches()
		if err != nil || len(mismatches) != 1 || mismatches[0].Name != "main" {
			t.Errorf("%v, %v", mismatches, err)
		}
		v, err := cover.View("/src/a.c")
		if err != nil || text(v) != "20:0 21:0" {
			t.Errorf("%s, %v", text(v), err)
		}
	}
}

// A function that the archive lacks never ran; dummies give way to what they stand for.
func TestFunctionsWithoutCounters(t *testing.T) {
	t.Parallel()
	s := archiveOf(t, map[string]map[uint64][]uint64{"other": {1: {1}}})
	v, err := join(t, s, small()).View("/src/a.c")
	if err != nil || text(v) != "1:0 3:0 4:0 5:0 6:0 10:0 11:0 12:0 20:0 21:0" {
		t.Errorf("%s, %v", text(v), err)
	}
	real := functionSpec{"unused", 7, []uint64{1}, nil, [][]regionSpec{{code(ref(0), 20, 1, 1, 2)}}}
	s = archiveOf(t, map[string]map[uint64][]uint64{"unused": {7: {5}}})
	for _, first := range []bool{true, false} {
		program := small()
		program.functions = append(program.functions, real)
		if first {
			slices.Reverse(program.functions)
		}
		v, err := join(t, s, program).View("/src/a.c")
		if err != nil || !strings.HasSuffix(text(v), "20:5 21:5") {
			t.Errorf("%s, %v", text(v), err)
		}
	}
	// Of two programs with the function the one counts that uses it.
	c := join(t, s, small(), &spec{binary.LittleEndian, 6, false, []string{"/src", "a.c"}, []functionSpec{real}})
	if f, err := functionOf(t, s, c, "unused"); err != nil || f.Count != 5 {
		t.Errorf("%+v, %v", f, err)
	}
	if mismatches, err := c.Mismatches(); err != nil || len(mismatches) > 0 {
		t.Errorf("%v, %v", mismatches, err)
	}
	v, err = c.View("/src/a.c")
	if err != nil || text(v) != "1:0 3:0 4:0 5:0 6:0 10:0 11:0 12:0 20:5 21:5" {
		t.Errorf("%s, %v", text(v), err)
	}
}

func TestOtherDomainsHaveNoLines(t *testing.T) {
	t.Parallel()
	s := memstore.Open(t, builder.New(layout.DomainLLVMIR, builder.Config{}))
	if _, err := New(s, small().mapping(t)); !errors.Is(err, ErrDomain) {
		t.Errorf("%v", err)
	}
}

func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"/src", "a.c", "/src/a.c"}, {"/src/", "../b/./a.c", "/b/a.c"}, {"/src", "/a.c", "/a.c"}, {".", "a.c", "a.c"},
		{`C:\src`, "a.c", `C:\src\a.c`}, {`C:\src`, `D:\a.c`, `D:\a.c`}, {"/src", "c:/a.c", "c:/a.c"}, {"", "a.c", "a.c"},
	} {
		if got := joinFolder(c[0], c[1]); got != c[2] {
			t.Errorf("%s in %s is %s, want %s", c[1], c[0], got, c[2])
		}
	}
}

// A function that two programs or two names of one file have counts once.
func TestPlainNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"/src/a.c:f": "f", "b.c:f": "b.c:f", "/src/a.c": "/src/a.c", "f": "f"} {
		if got := (&Function{Name: name, files: []string{"/src/a.c"}}).plainName(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestMalformedMappings(t *testing.T) {
	t.Parallel()
	regions := func(list ...regionSpec) [][]regionSpec { return [][]regionSpec{list} }
	one := func(f functionSpec) *spec {
		return &spec{binary.LittleEndian, 6, false, []string{"/src", "a.c"}, []functionSpec{f}}
	}
	for want, f := range map[string]functionSpec{
		"an expression of counters that refers to itself": {"main", 1, []uint64{1},
			[][2]uint64{{plus(1), ref(0)}, {ref(0), plus(0)}}, regions(code(plus(0), 1, 1, 1, 1))},
		"expression 1 of 1": {"main", 1, []uint64{1}, [][2]uint64{{ref(0), ref(0)}},
			regions(code(plus(1), 1, 1, 1, 1))},
		"file 2 of 2":                            {"main", 1, []uint64{2}, nil, regions(code(ref(0), 1, 1, 1, 1))},
		"the expansion of file 1 of 1":           {"main", 1, []uint64{1}, nil, regions(code(expand(1), 1, 1, 1, 1))},
		"a region of kind 9":                     {"main", 1, []uint64{1}, nil, regions(code(9<<kindBits, 1, 1, 1, 1))},
		"a region from 2:5 to 2:4":               {"main", 1, []uint64{1}, nil, regions(code(ref(0), 2, 5, 0, 4))},
		"line 4294967296":                        {"main", 1, []uint64{1}, nil, regions(code(ref(0), 1<<32-1, 1, 1, 1))},
		"4294967296, where numbers have 32 bits": {"main", 1, []uint64{1}, nil, regions(code(ref(0), 1<<32, 1, 1, 1))},
		"a function without regions":             {"main", 1, []uint64{1}, nil, regions()},
		"a number that does not end":             {"main", 1, nil, nil, nil},
	} {
		t.Run(want, func(t *testing.T) {
			if f.files == nil {
				f.name = "main"
			}
			s := archiveOf(t, map[string]map[uint64][]uint64{"main": {1: {1}}})
			program := one(f).sections()
			if f.files == nil {
				binary.LittleEndian.PutUint32(program.Covfun[0].Data[8:], 0)
				program.Covfun[0].Data = program.Covfun[0].Data[:recordSize]
			}
			m, err := newMapping("app", program)
			if err != nil {
				t.Fatal(err)
			}
			c, err := New(s, m)
			if err != nil {
				t.Fatal(err)
			}
			_, err = functionOf(t, s, c, "main")
			if whole := fmt.Sprintf("app: __llvm_covfun: byte 28: %v: %s", ErrMalformed, want); err == nil ||
				err.Error() != whole || !errors.Is(err, ErrMalformed) {
				t.Errorf("%v, want %s", err, whole)
			}
			if _, err := c.Files(); !errors.Is(err, ErrMalformed) {
				t.Errorf("the files: %v", err)
			}
		})
	}
}

func TestMalformedSections(t *testing.T) {
	t.Parallel()
	for want, damage := range map[string]func(s *object.Sections){
		"__llvm_covmap: byte 0: " + ErrVersion.Error() +
			": version 3; 4 to 7 are read, of LLVM 11 and later": func(s *object.Sections) { s.Covmap[0].Data[12] = 2 },
		"__llvm_covmap: byte 0: " + ErrVersion.Error() +
			": version 8; 4 to 7 are read, of LLVM 11 and later": func(s *object.Sections) { s.Covmap[0].Data[12] = 7 },
		"__llvm_covmap: byte 0: " + ErrMalformed.Error() +
			": a header of 15 bytes": func(s *object.Sections) { s.Covmap[0].Data = s.Covmap[0].Data[:15] },
		"__llvm_covfun: byte 0: " + ErrMalformed.Error() +
			": a function of 27 bytes": func(s *object.Sections) { s.Covfun[0].Data = s.Covfun[0].Data[:27] },
		"__llvm_covfun: byte 0: " + ErrMalformed.Error() +
			": a function of 80 bytes, where 2 are left": func(s *object.Sections) { s.Covfun[0].Data = s.Covfun[0].Data[:30] },
	} {
		s := small().sections()
		damage(s)
		if _, err := newMapping("app", s); err == nil || err.Error() != "app: "+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// The list of files that a function refers to is missing.
	s, archive := small().sections(), smallArchive(t)
	s.Covfun[0].Data[20]++
	m, err := newMapping("app", s)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := New(archive, m)
	if _, err := functionOf(t, archive, c, "main"); !errors.Is(err, ErrMalformed) ||
		!strings.Contains(err.Error(), "that no translation unit has") {
		t.Errorf("%v", err)
	}
}

// TestDeepNesting: work and memory do not grow with the square of what is
// nested, and no recursion is as deep as a file says.
func TestDeepNesting(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	const n = 100_000
	f := functionSpec{"main", 1, []uint64{1}, nil, nil}
	var regions []regionSpec
	for i := range uint64(n) {
		left := ref(0)
		if i > 0 {
			left = plus(i - 1)
		}
		f.expressions = append(f.expressions, [2]uint64{left, left})
		regions = append(regions, code(plus(i), 1, 1, 2*n-2*i, 1))
	}
	f.regions = [][]regionSpec{regions}
	s := archiveOf(t, map[string]map[uint64][]uint64{"main": {1: {1}}})
	c := join(t, s, &spec{binary.LittleEndian, 6, false, []string{"/src", "a.c"}, []functionSpec{f}})
	got, err := functionOf(t, s, c, "main")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for range got.View().Lines() {
		lines++
	}
	if lines != 2*n+1 || got.regions[2].n != 8 {
		t.Errorf("%d lines, and %d", lines, got.regions[2].n)
	}
}

// Files may expand each other in circles.
func TestExpansionsInCircles(t *testing.T) {
	t.Parallel()
	s := archiveOf(t, map[string]map[uint64][]uint64{"main": {1: {6}}})
	f := functionSpec{"main", 1, []uint64{1, 1, 1}, nil, [][]regionSpec{
		{code(expand(1), 1, 1, 1, 1), code(ref(0), 0, 1, 2, 1)},
		{code(expand(2), 5, 1, 0, 9)}, {code(expand(1), 6, 1, 0, 9)}}}
	c := join(t, s, &spec{binary.LittleEndian, 6, false, []string{"/src", "a.c"}, []functionSpec{f}})
	got, err := functionOf(t, s, c, "main")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("1:0 2:0 3:6", text(got.View())); diff != "" {
		t.Error(diff)
	}
}
