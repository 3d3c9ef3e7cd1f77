package builder_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// What is narrowed has rows as a VM holds them, and has lost no count.
func TestNarrowRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := fatal{rapid: t}
		b := builder.New(layout.DomainHotSpot, builder.Config{Params: mergeParams(layout.DomainHotSpot)})
		for _, name := range []string{"x", "y", "z"} {
			if err := merge.Into(t.Context(), b, drawRun(t, layout.DomainHotSpot, name, false).Store, builder.Run{}); err != nil {
				t.Fatal(err)
			}
		}
		wide := built(f, b)
		rows := rapid.IntRange(0, 6).Draw(t, "rows")
		if _, err := merge.NarrowRows(b, rows); err != nil {
			t.Fatal(err)
		}
		narrow := built(f, b)
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
		again := built(f, b)
		if _, err := merge.NarrowRows(b, rows); err != nil || !bytes.Equal(again.bytes, built(f, b).bytes) {
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

func newMerged(t testing.TB) *builder.Builder {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams()})
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
		m, err := built(t, b).Find(layout.Key{Class: "A", Name: "a"})
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
