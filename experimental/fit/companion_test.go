package fit_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A merge keeps counts in addition to the entries of HotSpot. They stay when the code is
// the same, and move with their point when it is not.
func TestCompanionsOfPoints(t *testing.T) {
	t.Parallel()
	v := methodcode.Version{ID: 1, Size: 20, Points: []methodcode.Point{

		{Bci: 3, Kind: methodcode.Call, Sketch: disk.SketchPoint{What: 1}},
		{Bci: 7, Kind: methodcode.Call, Sketch: disk.SketchPoint{What: 2}},
		{Bci: 11, Kind: methodcode.Call, Sketch: disk.SketchPoint{What: 3}},
	}}
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	m := b.Method(layout.Key{Class: "C", Name: "run", Signature: "()V"})
	sketch(b, m, v)
	p := b.ProfileIn(m, v.ID, profileset.NoContext)
	p.Internal().SetSize(profileset.CodeSize{Code: uint32(v.Size)})
	for _, point := range v.Points {
		p.Counter(builder.At{Bci: int32(point.Bci)}, 5)
		if point.Bci == 7 {
			p.Count(builder.Count{Point: point.Bci, Sub: disk.SubUnprofiled, N: 100})
			p.Successors(point.Bci, disk.SubReturn, builder.Successor{Point: 11, Count: 3})
		}
	}
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	s := memstore.Open(t, b)

	verdict, to := check(t, s, v)
	if verdict.State != fit.Exact || unprofiledAt(t, to, 7) != 100 {
		t.Errorf("%s: %d are left of the 100 at bci 7", verdict.State, unprofiledAt(t, to, 7))
	}
	if n := entriesOf(t, to); n != 5 {
		t.Errorf("%d of 5 entries are left of an exact profile", n)
	}

	verdict, to = check(t, s, with(v, 0, 1))
	if verdict.State != fit.Moved || unprofiledAt(t, to, 17) != 100 {
		t.Errorf("%s: %d are left of the 100, now at bci 17", verdict.State, unprofiledAt(t, to, 17))
	}
	if n := entriesOf(t, to); n != 5 { // a call more, and the return points, which are of the old code, less
		t.Errorf("%d entries in the moved profile, want 5", n)
	}
}

// unprofiledAt returns the count in addition to the entries at a bci.
func unprofiledAt(t *testing.T, s *reader.Store, bci int32) (n uint64) {
	t.Helper()
	for e := range onlyProfile(t, s).Entries() {
		if e.Point() == bci && e.Tag() == layout.TagCount {
			n += e.Cell(0).Trained()
		}
	}
	return n
}

func entriesOf(t *testing.T, s *reader.Store) (n int) {
	t.Helper()
	for range onlyProfile(t, s).Entries() {
		n++
	}
	return n
}

// onlyProfile returns the profile of C.run.
func onlyProfile(t *testing.T, s *reader.Store) reader.Profile {
	t.Helper()
	m, err := s.Find(layout.Key{Class: "C", Name: "run", Signature: "()V"})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A profile that was not decoded to its end stays as it is with the same code. With other
// code nobody knows where its points are.
func TestUndecodedProfiles(t *testing.T) {
	t.Parallel()
	v := methodcode.Version{ID: 1, Size: 20, Points: []methodcode.Point{
		{Bci: 3, Kind: methodcode.Call, Sketch: disk.SketchPoint{What: 1}}}}
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	m := b.Method(layout.Key{Class: "C", Name: "run", Signature: "()V"})
	sketch(b, m, v)
	p := b.ProfileIn(m, v.ID, profileset.NoContext)
	p.Counter(builder.At{Bci: 3}, 5)
	p.Internal().AddUndecoded(7, 0, 14|7<<16, 1)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	s := memstore.Open(t, b)
	verdict, to := check(t, s, v)
	if n := entriesOf(t, to); verdict.State != fit.Exact || n != 2 {
		t.Errorf("%s: %d of 2 entries are left", verdict.State, n)
	}
	if verdict, _ = check(t, s, with(v, 0, 1)); verdict.State != fit.Stale {
		t.Errorf("%s, want %s: %s", verdict.State, fit.Stale, verdict.Reason)
	}
}
