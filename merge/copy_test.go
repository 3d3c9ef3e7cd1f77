package merge_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// copyOf returns the copy of an archive.
func copyOf(t testarchive.TB, s *reader.Store, take merge.Counts, config builder.Config) testarchive.Archive {
	t.Helper()
	b := builder.New(s.Header().Domain, config)
	if _, err := merge.Snapshot(t.Context(), b, s, take); err != nil {
		t.Fatal(err)
	}
	return testarchive.Build(t, b)
}

func TestCopyOfEveryDomainIsTheSameBytes(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		checkSame(t, "a copy", s, copyOf(t, s.Store, merge.Trained, builder.ConfigOf(s.Header())))
	})
}

func TestCopyOfRandomArchivesIsTheSameBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := testarchive.DrawRun(t, rapid.SampledFrom(testarchive.Domains).Draw(t, "domain"), "run")
		checkSame(t, "a copy", s, copyOf(t, s.Store, merge.Trained, builder.ConfigOf(s.Header())))
	})
}

// adoptedStore returns a small archive that is adopted, to be counted in.
func adoptedStore(t testarchive.TB) *reader.Store {
	t.Helper()
	b := testarchive.New(layout.DomainHotSpot)
	square := b.Type(builder.TypeKey{Name: "Square"})
	for _, name := range []string{"counted", "untouched"} {
		p := b.Profile(layout.Key{Class: "Shapes", Name: name, Signature: "()V"}, 0)
		p.Invocations(100)
		p.VirtualCall(builder.At{Bci: 6}, builder.Others{Count: 5}, builder.Row{Type: square, Count: 7})
		testarchive.MustDone(t, p)
	}
	s := testarchive.Build(t, b).Store
	err := s.Adopt(reader.AdoptOptions{Anywhere: true})
	if errors.Is(err, errors.ErrUnsupported) && binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// profileOf returns the profile of a method of Shapes.
func profileOf(t testarchive.TB, s *reader.Store, name string) reader.Profile {
	t.Helper()
	m, err := s.Find(layout.Key{Class: "Shapes", Name: name, Signature: "()V"})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// recordCalls counts 3 invocations, 2 calls on Square and one on a late type.
func recordCalls(t testarchive.TB, s *reader.Store) {
	t.Helper()
	p, err := profileOf(t, s, "counted").Claim()
	if err != nil {
		t.Fatal(err)
	}
	invocations, _ := p.Invocations()
	e, _ := p.At(6)
	receivers, _ := e.Receivers()
	known, _ := s.FindType("Square", "")
	late, err := s.LateType("Circle", "")
	if err := errors.Join(err, invocations.Add(3)); err != nil {
		t.Fatal(err)
	}
	for _, receiver := range []reader.Type{known, known, late} {
		if _, err := receivers.Record(receiver); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSnapshots(t *testing.T) {
	t.Parallel()
	s := adoptedStore(t)
	recordCalls(t, s)
	for _, c := range []struct {
		take                        merge.Counts
		invocations, square, circle uint64
		untouched                   bool
	}{
		{merge.Trained, 100, 7, 0, true},
		{merge.Totals, 103, 9, 1, true},
		{merge.Increments, 3, 2, 1, false},
	} {
		config := builder.ConfigOf(s.Header())
		config.DumpID = [16]byte{}
		got := copyOf(t, s, c.take, config).Store
		p := profileOf(t, got, "counted")
		invocations, _ := p.Invocations()
		if invocations.Load() != c.invocations {
			t.Errorf("take %d: %d invocations, want %d", c.take, invocations.Load(), c.invocations)
		}
		for name, want := range map[string]uint64{"Square": c.square, "Circle": c.circle} {
			if got := rowCount(t, p, name); got != want {
				t.Errorf("take %d: %d calls on %s, want %d", c.take, got, name, want)
			}
		}
		_, err := got.Find(layout.Key{Class: "Shapes", Name: "untouched", Signature: "()V"})
		if c.untouched != (err == nil) || err != nil && !errors.Is(err, reader.ErrNotFound) {
			t.Errorf("take %d: the untouched method: %v", c.take, err)
		}
	}
}

// rowCount returns the count of a type at bci 6, 0 if it has no row.
func rowCount(t testarchive.TB, p reader.Profile, name string) uint64 {
	t.Helper()
	e, ok := p.At(6)
	r, ok2 := e.Receivers()
	if !ok || !ok2 {
		t.Fatal("no receivers at bci 6")
	}
	for row := range r.All() {
		if n, err := row.Type.Name(); err == nil && n.String() == name {
			return row.Count.Load()
		}
	}
	return 0
}

func TestSnapshotNeedsAdoption(t *testing.T) {
	t.Parallel()
	one := testarchive.New(layout.DomainHotSpot)
	testarchive.MustDone(t, begun(one))
	s := testarchive.Build(t, one).Store
	b := builder.New(s.Header().Domain, builder.ConfigOf(s.Header()))
	if _, err := merge.Snapshot(t.Context(), b, s, merge.Totals); !errors.Is(err, reader.ErrNotAdopted) {
		t.Errorf("live copy of a view: %v, want ErrNotAdopted", err)
	}
}

// TestCopiedArchiveIsNotMerged: an archive is either copied or merged, for both would count it twice.
func TestCopiedArchiveIsNotMerged(t *testing.T) {
	t.Parallel()
	one := testarchive.Build(t, testarchive.New(layout.DomainHotSpot)).Store
	b := testarchive.New(layout.DomainHotSpot)
	if _, err := merge.Snapshot(t.Context(), b, one, merge.Trained); err != nil {
		t.Fatal(err)
	}
	if err := merge.Into(t.Context(), b, one, merge.Run{}); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("merged after it was copied: %v", err)
	}
	b = testarchive.New(layout.DomainHotSpot)
	if err := merge.Into(t.Context(), b, one, merge.Run{}); err != nil {
		t.Fatal(err)
	}
	if _, err := merge.Snapshot(t.Context(), b, one, merge.Trained); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("copied after it was merged: %v", err)
	}
}
