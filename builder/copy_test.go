package builder_test

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

func openBytes(t testing.TB, data []byte) *reader.Store {
	m, err := archive.FromBytes("copied.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

func copyOf(t testing.TB, s *reader.Store, take merge.Take, config builder.Config) []byte {
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
			s := openBytes(t, data)
			if !bytes.Equal(data, copyOf(t, s, merge.Trained, builder.ConfigOf(s.Header()))) {
				t.Error("archive -> view -> builder -> archive gave other bytes")
			}
		})
	}
}

func TestCopyOfRandomArchivesIsTheSameBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := build(t, drawSteps(rt), 2, 1)
		s := openBytes(t, data)
		if !bytes.Equal(data, copyOf(t, s, merge.Trained, builder.ConfigOf(s.Header()))) {
			rt.Fatal("archive -> view -> builder -> archive gave other bytes")
		}
	})
}

// liveStore is a small archive that is adopted and counted in.
func liveStore(t testing.TB) *reader.Store {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams()})
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
	s := openBytes(t, data)
	if err := s.Adopt(reader.AdoptOptions{Base: archive.BaseAnywhere}); err != nil {
		t.Fatal(err)
	}
	return s
}

func profileOf(t testing.TB, s *reader.Store, name string) reader.Profile {
	m, err := s.Find(layout.Key{Class: "Shapes", Name: name, Signature: "()V"})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Profile(reader.AnyCode)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// count counts 3 invocations, 2 calls on Square and one on a late type.
func count(t testing.TB, s *reader.Store) {
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
		got := openBytes(t, copyOf(t, s, c.take, config))
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
		if _, _, err := m.Profile(reader.AnyCode); c.untouched != (err == nil) {
			t.Errorf("take %d: profile of the untouched method: %v", c.take, err)
		}
	}
}

func rowCount(t testing.TB, p reader.Profile, name string) uint64 {
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
	data := build(t, []step{func(b *builder.Builder) error {
		return b.Profile(b.Method(layout.Key{Class: "A", Name: "a"}), 0, builder.NoContext).Done()
	}}, 1, 1)
	s := openBytes(t, data)
	b := builder.New(s.Header().Domain, builder.ConfigOf(s.Header()))
	if err := merge.Copy(t.Context(), b, s, merge.Live); !errors.Is(err, reader.ErrNotAdopted) {
		t.Errorf("live copy of a view: %v, want ErrNotAdopted", err)
	}
}

func TestMisuseIsRefused(t *testing.T) {
	params := hotspotParams()
	key := layout.Key{Class: "A", Name: "a"}
	for name, misuse := range map[string]func(b *builder.Builder) error{
		"other domain": func(b *builder.Builder) error {
			data, _, err := builder.New(layout.DomainGraal, builder.Config{}).Bytes()
			if err != nil {
				t.Fatal(err)
			}
			return merge.Copy(t.Context(), b, openBytes(t, data), merge.Trained)
		},
		"same profile twice": func(b *builder.Builder) error {
			return errors.Join(b.Profile(b.Method(key), 1, 0).Done(), b.Profile(b.Method(key), 1, 0).Done())
		},
		"too many rows": func(b *builder.Builder) error {
			p := b.Profile(b.Method(key), 0, 0)
			p.VirtualCall(builder.At{}, builder.Others{}, make([]builder.Row, 3)...)
			return p.Done()
		},
		"foreign reference": func(b *builder.Builder) error {
			p := b.Profile(b.Method(key), 0, 0)
			p.VirtualCall(builder.At{}, builder.Others{}, builder.Row{Type: 99})
			return p.Done()
		},
		"begun and not done": func(b *builder.Builder) error {
			b.Profile(b.Method(key), 0, 0)
			_, _, err := b.Bytes()
			return err
		},
		"NUL in a name": func(b *builder.Builder) error { b.Method(layout.Key{Name: "a\x00b"}); return b.Err() },
	} {
		if err := misuse(builder.New(layout.DomainHotSpot, builder.Config{Params: params})); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
