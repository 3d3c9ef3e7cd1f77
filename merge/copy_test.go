package merge_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/specimen"
	"github.com/profarc/profarc/internal/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

func copyOf(t testarchive.TB, s *reader.Store, take merge.Take, config builder.Config) []byte {
	b := builder.New(s.Header().Domain, config)
	if err := merge.Copy(t.Context(), b, s, take); err != nil {
		t.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCopyOfEveryDomainIsTheSameBytes(t *testing.T) {
	for _, sp := range specimen.All() {
		t.Run(sp.Name, func(t *testing.T) {
			data, err := sp.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			s := testarchive.Open(t, data)
			if !bytes.Equal(data, copyOf(t, s, merge.Trained, builder.ConfigOf(s.Header()))) {
				t.Error("archive -> view -> builder -> archive gave other bytes")
			}
		})
	}
}

func TestCopyOfRandomArchivesIsTheSameBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := testarchive.BuildSteps(rt, testarchive.DrawSteps(rt), testarchive.Concurrency{})
		if !bytes.Equal(s.Bytes, copyOf(rt, s.Store, merge.Trained, builder.ConfigOf(s.Header()))) {
			rt.Fatal("archive -> view -> builder -> archive gave other bytes")
		}
	})
}

// liveStore is a small archive that is adopted and counted in.
func liveStore(t testarchive.TB) *reader.Store {
	b := testarchive.New(layout.DomainHotSpot)
	square := b.Type(builder.TypeKey{Name: "Square"})
	for _, name := range []string{"counted", "untouched"} {
		p := b.Profile(b.Method(layout.Key{Class: "Shapes", Name: name, Signature: "()V"}), 0, builder.NoContext)
		p.Invocations(100)
		p.VirtualCall(builder.At{Bci: 6}, builder.Others{Count: 5}, builder.Row{Type: square, Count: 7})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	s := testarchive.Open(t, data)
	if err := s.Adopt(reader.AdoptOptions{Base: archive.BaseAnywhere}); err != nil {
		t.Fatal(err)
	}
	return s
}

func profileOf(t testarchive.TB, s *reader.Store, name string) reader.Profile {
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

// count counts 3 invocations, 2 calls on Square and one on a late type.
func count(t testarchive.TB, s *reader.Store) {
	p, err := profileOf(t, s, "counted").Adopt()
	if err != nil {
		t.Fatal(err)
	}
	invocations, _ := p.Invocations()
	e, _ := p.At(6)
	receivers, _ := e.Receivers()
	known, _ := s.FindType("Square", "")
	late, err := s.LateType("Circle", "")
	if err := errors.Join(err, invocations.Add(3), receivers.Record(known), receivers.Record(known), receivers.Record(late)); err != nil {
		t.Fatal(err)
	}
}

func TestSnapshots(t *testing.T) {
	s := liveStore(t)
	count(t, s)
	for _, c := range []struct {
		take                        merge.Take
		invocations, square, circle uint64
		untouched                   bool
	}{
		{merge.Trained, 100, 7, 0, true},
		{merge.Live, 103, 9, 1, true},
		{merge.Delta, 3, 2, 1, false},
	} {
		config := builder.ConfigOf(s.Header())
		config.DumpID = [16]byte{}
		got := testarchive.Open(t, copyOf(t, s, c.take, config))
		p := profileOf(t, got, "counted")
		invocations, _ := p.Invocations()
		if invocations.Load() != c.invocations {
			t.Errorf("take %d: %d invocations, want %d", c.take, invocations.Load(), c.invocations)
		}
		if square, circle := rowCount(t, p, "Square"), rowCount(t, p, "Circle"); square != c.square || circle != c.circle {
			t.Errorf("take %d: rows %d and %d, want %d and %d", c.take, square, circle, c.square, c.circle)
		}
		m, err := got.Find(layout.Key{Class: "Shapes", Name: "untouched", Signature: "()V"})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.Profile(layout.CodeAny); c.untouched != (err == nil) {
			t.Errorf("take %d: profile of the untouched method: %v", c.take, err)
		}
	}
}

func rowCount(t testarchive.TB, p reader.Profile, name string) uint64 {
	e, ok := p.At(6)
	r, ok2 := e.Receivers()
	if !ok || !ok2 {
		t.Fatal("no receivers at bci 6")
	}
	for row := range r.All() {
		if n, err := row.Type.Name(); err == nil && n.Equal(name) {
			return row.Count.Load()
		}
	}
	return 0
}

func TestSnapshotNeedsAdoption(t *testing.T) {
	one := testarchive.New(layout.DomainHotSpot)
	mustDone(t, begun(one))
	s := testarchive.Build(t, one).Store
	b := builder.New(s.Header().Domain, builder.ConfigOf(s.Header()))
	if err := merge.Copy(t.Context(), b, s, merge.Live); !errors.Is(err, reader.ErrNotAdopted) {
		t.Errorf("live copy of a view: %v, want ErrNotAdopted", err)
	}
}

// An archive that was added is counted: merged as well it would be twice.
func TestAddedAndMerged(t *testing.T) {
	one := testarchive.Build(t, testarchive.New(layout.DomainHotSpot)).Store
	b := testarchive.New(layout.DomainHotSpot)
	if err := merge.Copy(t.Context(), b, one, merge.Trained); err != nil {
		t.Fatal(err)
	}
	if err := merge.Into(t.Context(), b, one, builder.Run{}); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("merged after it was added: %v", err)
	}
	b = testarchive.New(layout.DomainHotSpot)
	if err := merge.Into(t.Context(), b, one, builder.Run{}); err != nil {
		t.Fatal(err)
	}
	if err := merge.Copy(t.Context(), b, one, merge.Trained); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("added after it was merged: %v", err)
	}
}
