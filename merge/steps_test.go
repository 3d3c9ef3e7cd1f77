package merge_test

import (
	"bytes"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// What is narrowed has rows as a VM holds them, and has lost no count.
func TestNarrowRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := testarchive.New(layout.DomainHotSpot)
		for _, name := range []string{"x", "y", "z"} {
			if err := merge.Into(t.Context(), b, testarchive.DrawRun(t, layout.DomainHotSpot, name).Store, builder.Run{}); err != nil {
				t.Fatal(err)
			}
		}
		wide := testarchive.Build(t, b)
		rows := rapid.IntRange(0, 6).Draw(t, "rows")
		if _, err := merge.NarrowRows(b, rows); err != nil {
			t.Fatal(err)
		}
		narrow := testarchive.Build(t, b)
		if narrow.Header().Params.TypeProfileWidth != uint32(rows) {
			t.Fatal("the settings do not say how many rows there are")
		}
		if w, n := countsAtPoints(t, wide.Store), countsAtPoints(t, narrow.Store); len(w) != len(n) {
			t.Fatalf("%d points, before there were %d", len(n), len(w))
		} else {
			for at, count := range w {
				if n[at] != count {
					t.Fatalf("%+v: counts sum to %d, before to %d", at, n[at], count)
				}
			}
		}
		again := testarchive.Build(t, b)
		if _, err := merge.NarrowRows(b, rows); err != nil || !bytes.Equal(again.Bytes, testarchive.Build(t, b).Bytes) {
			t.Fatalf("narrowing twice changes something: %v", err)
		}
	})
}

type countPlace struct {
	method  layout.Ref
	profile int
	point   int32
}

// countsAtPoints sums the counts of each profile point, and refuses wide
// entries where they were narrowed.
func countsAtPoints(t *rapid.T, s *reader.Store) map[countPlace]int64 {
	sums, shape := map[countPlace]int64{}, disk.ShapeOf(&s.Header().Params)
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
				if disk.Entry(e.Bytes()).Tag().Wide() && shape.TypeRows != 2 {
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
	if _, err := merge.NarrowRows(builder.New(layout.DomainLLVMIR, builder.Config{}), 2); err == nil {
		t.Error("profiles without receivers were narrowed")
	}
	if _, err := merge.NarrowRows(newMerged(t), 65); err == nil {
		t.Error("65 rows were taken")
	}
}

func newMerged(t testarchive.TB) *builder.Builder {
	b := testarchive.New(layout.DomainHotSpot)
	m := b.Method(layout.Key{Class: "A", Name: "a"})
	for _, code := range []uint64{5, 9} {
		p := b.Profile(m, code, builder.NoContext)
		p.Invocations(100 / code)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestKeepVersions(t *testing.T) {
	for versions, want := range map[merge.Versions][]uint64{merge.AllVersions: {5, 9}, merge.HeaviestVersion: {5}, merge.NewestVersion: {9}} {
		b := newMerged(t)
		methods, dropped := merge.KeepVersions(b, versions)
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

func TestRowsThatCannotBe(t *testing.T) {
	for _, n := range []int{-1, disk.MaxRows + 1, 1 << 40} {
		if _, err := merge.NarrowRows(builder.New(layout.DomainHotSpot, builder.Config{}), n); err == nil {
			t.Errorf("%d rows", n)
		}
	}
}

// A bytecode that no method has stays where it is when rows are narrowed.
func TestPointsThatAreNoBytecodesStayWide(t *testing.T) {
	b := testarchive.New(layout.DomainHotSpot)
	p := begun(b)
	row := builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 2}
	for _, point := range []int32{-1, 7, 70000} {
		p.Receivers(builder.Receivers{Point: point, Sub: layout.SubVirtualCall}, row)
	}
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	if _, err := merge.NarrowRows(b, 1); err != nil {
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
	for point, want := range map[int32]layout.Tag{-1: layout.TagReceivers, 7: layout.TagVirtualCall, 70000: layout.TagReceivers} {
		if e, ok := narrowed.At(point); !ok || e.Tag() != want {
			t.Errorf("point %d: %s, want %s", point, e.Tag(), want)
		}
	}
}

// Nothing is changed, and nothing panics, as long as a profile is not whole.
func TestUnfinishedProfiles(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	p := begun(b)
	if _, err := merge.NarrowRows(b, 1); err == nil {
		t.Error("rows of a profile that is not whole are narrowed")
	}
	if methods, dropped := merge.KeepVersions(b, merge.NewestVersion); methods != 0 || dropped != 0 {
		t.Errorf("%d methods, %d dropped", methods, dropped)
	}
	if _, _, err := b.Bytes(); err == nil {
		t.Error("laid out")
	}
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	testarchive.Build(t, b)
}
