package merge_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// TestNarrowRows: narrowed profiles have rows as a VM holds them, and have lost no count.
func TestNarrowRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := testarchive.New(layout.DomainHotSpot)
		for _, name := range []string{"x", "y", "z"} {
			mustMerge(t, b, testarchive.DrawRun(t, layout.DomainHotSpot, name), merge.Run{})
		}
		wide := testarchive.Build(t, b)
		rows := rapid.IntRange(0, 6).Draw(t, "rows")
		if _, err := merge.NarrowRows(t.Context(), b, rows); err != nil {
			t.Fatal(err)
		}
		narrow := testarchive.Build(t, b)
		if narrow.Header().Params.TypeProfileWidth != uint32(rows) {
			t.Fatal("the settings do not say how many rows there are")
		}
		before, after := countsAtPoints(t, wide.Store), countsAtPoints(t, narrow.Store)
		if len(before) != len(after) {
			t.Fatalf("%d points, %d before", len(after), len(before))
		}
		for at, count := range before {
			if after[at] != count {
				t.Fatalf("%+v: counts sum to %d, to %d before", at, after[at], count)
			}
		}
		if _, err := merge.NarrowRows(t.Context(), b, rows); err != nil {
			t.Fatal(err)
		}
		checkSame(t, "narrowing again", narrow, testarchive.Build(t, b))
	})
}

// A countPlace is a profile point.
type countPlace struct {
	method  layout.Ref
	profile int
	point   int32
}

// countsAtPoints returns the sum of counts of each profile point. It fails if a wide
// entry is left in an archive that was narrowed.
func countsAtPoints(t *rapid.T, s *reader.Store) map[countPlace]int64 {
	sums, shape := map[countPlace]int64{}, (*mapped.Mapping)(s.Mapping()).Shape()
	methods := layout.Ref(0)
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		methods++
		profiles := 0
		for p := range m.Profiles() {
			profiles++
			for e := range p.Entries() {
				if disk.IsWide(disk.Entry(e.Bytes()).Tag()) && shape.TypeRows != 2 {
					t.Fatalf("a wide %s is left", disk.Entry(e.Bytes()).Tag())
				}
				for cell := range shape.Counts(disk.Entry(e.Bytes())) {
					sums[countPlace{methods, profiles, e.Point()}] += int64(disk.Entry(e.Bytes()).Cell(cell))
				}
			}
		}
	}
	return sums
}

func TestNarrowRowsOfDomainsWithoutTypes(t *testing.T) {
	t.Parallel()
	if _, err := merge.NarrowRows(t.Context(), builder.New(layout.DomainLLVMIR, builder.Config{}), 2); err == nil {
		t.Error("profiles without receivers were narrowed")
	}
	if _, err := merge.NarrowRows(t.Context(), withTwoVersions(t), 65); err == nil {
		t.Error("65 rows were accepted")
	}
}

// withTwoVersions returns a builder with profiles of two versions of a method's code.
func withTwoVersions(t testarchive.TB) *builder.Builder {
	b := testarchive.New(layout.DomainHotSpot)
	m := b.Method(layout.Key{Class: "A", Name: "a"})
	for _, code := range []uint64{5, 9} {
		p := b.ProfileIn(m, code, profileset.NoContext)
		p.Invocations(100 / code)
		testarchive.MustDone(t, p)
	}
	return b
}

func TestKeepVersions(t *testing.T) {
	t.Parallel()
	if _, _, err := merging.KeepVersions(t.Context(), withTwoVersions(t).Internal(),
		merging.NewestVersion); !errors.Is(err, merging.ErrVersionOrder) || !strings.Contains(err.Error(), "A.a") {
		t.Errorf("versions of one dump are ordered: %v", err)
	}
	for versions, want := range map[merging.Versions][]uint64{merging.AllVersions: {5, 9}, merging.HeaviestVersion: {5}} {
		b := withTwoVersions(t)
		methods, dropped, err := merging.KeepVersions(t.Context(), b.Internal(), versions)
		if err != nil {
			t.Fatal(err)
		}
		if methods != 1 || dropped != 2-len(want) {
			t.Errorf("%s: %d methods with several versions, %d profiles dropped", versions, methods, dropped)
		}
		m, err := testarchive.Build(t, b).Find(layout.Key{Class: "A", Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		var codes []uint64
		for p := range m.Profiles() {
			codes = append(codes, p.Code())
		}
		if len(codes) != len(want) || codes[0] != want[0] {
			t.Errorf("%s: codes %v, want %v", versions, codes, want)
		}
	}
}

func TestInvalidNumbersOfRows(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, disk.MaxRows + 1, math.MaxInt} {
		if _, err := merge.NarrowRows(t.Context(), builder.New(layout.DomainHotSpot, builder.Config{}), n); err == nil {
			t.Errorf("%d rows were accepted", n)
		}
	}
}

// TestPointsOutsideBytecodesStayWide: type profiles at points that no bytecode can
// have stay wide when rows are narrowed.
func TestPointsOutsideBytecodesStayWide(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainHotSpot)
	p := begun(b)
	row := builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 2}
	for _, point := range []int32{-1, 7, 70000} {
		p.Receivers(builder.Receivers{Point: point, Sub: layout.SubVirtualCall}, row)
	}
	testarchive.MustDone(t, p)
	if _, err := merge.NarrowRows(t.Context(), b, 1); err != nil {
		t.Fatal(err)
	}
	m, err := testarchive.Build(t, b).Store.Find(layout.Key{Class: "A", Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	narrowed, _, err := m.Profile(0)
	if err != nil {
		t.Fatal(err)
	}
	for point, want := range map[int32]layout.Tag{-1: layout.TagReceivers, 7: layout.TagVirtualCall,
		70000: layout.TagReceivers} {
		if e, ok := narrowed.At(point); !ok {
			t.Errorf("point %d: no entry, want %s", point, want)
		} else if e.Tag() != want {
			t.Errorf("point %d: %s, want %s", point, e.Tag(), want)
		}
	}
}

// TestUnfinishedProfiles: as long as a profile is unfinished, nothing changes, and nothing panics.
func TestUnfinishedProfiles(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	p := begun(b)
	if _, err := merge.NarrowRows(t.Context(), b, 1); err == nil {
		t.Error("rows of an unfinished profile are narrowed")
	}
	if methods, dropped, err := merging.KeepVersions(t.Context(), b.Internal(), merging.NewestVersion); err == nil ||
		methods != 0 ||
		dropped != 0 {
		t.Errorf("%d methods, %d dropped, %v", methods, dropped, err)
	}
	if _, _, err := b.Bytes(); err == nil {
		t.Error("an archive with an unfinished profile was laid out")
	}
	testarchive.MustDone(t, p)
	testarchive.Build(t, b)
}
