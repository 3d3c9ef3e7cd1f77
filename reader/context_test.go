package reader_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// A context is the same whether one goes down to it or up from it, and a parent comes before its children.
func TestContextsAreTheSameFromBothEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := modelStore(t, map[modelKey]uint64{})
		for i := range modelMethods {
			m := modelMethod(t, s, i)
			var before reader.Context
			for c, err := range m.Contexts() {
				if err != nil {
					t.Fatal(err)
				}
				if again, err := s.ContextAt(c.Ref()); err != nil || again != c {
					t.Fatalf("%+v by the walk, %+v by its place, %v", c, again, err)
				}
				if of, err := c.Method(); err != nil || of != m {
					t.Fatalf("a context of %v is one of %v, %v", m, of, err)
				}
				frames, err := c.Frames()
				if err != nil || len(frames) != c.Depth() || c.Depth() < before.Depth() {
					t.Fatalf("%d frames at depth %d after one of depth %d, %v", len(frames), c.Depth(), before.Depth(), err)
				}
				before = c
			}
		}
	})
}

// contextArchive has a method with three contexts, each the parent of the next,
// and another with one. It returns the places of the four, and the other method.
func contextArchive(t *testing.T) (data []byte, nodes []int64, other layout.Ref) {
	t.Helper()
	b := builder.New(layout.DomainGraal, builder.Config{})
	first, second := b.Method(layout.Key{Name: "first"}), b.Method(layout.Key{Name: "second"})
	b.Context(first, builder.Frame{Caller: first, Point: 1}, builder.Frame{Caller: second, Point: 2},
		builder.Frame{Caller: second, Point: 3})
	b.Context(second, builder.Frame{Caller: first, Point: 4})
	data = laid(t, b)
	s := open(t, data)
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for c := range m.Contexts() {
			nodes = append(nodes, c.Ref().Offset())
		}
		other = m.Ref()
	}
	if len(nodes) != 4 {
		t.Fatalf("%d contexts", len(nodes))
	}
	return data, nodes, other
}

// Whoever is led to a context goes up from it, and must find the method that has it.
func TestContextsWithoutTheirMethodAreRefused(t *testing.T) {
	t.Parallel()
	data, nodes, other := contextArchive(t)
	place := func(i int) uint32 { return uint32(disk.RefOf(nodes[i])) }
	for what, change := range map[string]struct {
		node   int
		parent uint32
	}{
		"its own parent":                {2, place(2)},
		"a parent after it":             {1, place(2)},
		"a parent of another method":    {3, place(2)},
		"a parent between two":          {2, place(1) + 1},
		"no parent":                     {0, 0},
		"a method that has others":      {0, uint32(other)},
		"a parent that is of no method": {1, uint32(disk.RefOf(disk.HeaderSize))},
	} {
		t.Run(what, func(t *testing.T) {
			damaged := slices.Clone(data)
			binary.LittleEndian.PutUint32(damaged[nodes[change.node]:], change.parent)
			m, err := archive.FromBytes("damaged", damaged, archive.Options{Unchecked: true})
			if err != nil {
				t.Fatal(err)
			}
			var typed *layout.Error
			below := nodes[change.node:] // it, and those that it leads to
			if change.node < 3 {
				below = nodes[change.node:3]
			}
			for _, from := range below {
				if c, err := reader.New(m).ContextAt(disk.RefOf(from)); !errors.As(err, &typed) || typed.Region != disk.RegionRO {
					t.Errorf("%s: context 0x%x: %+v, %v", what, from, c, err)
				}
			}
		})
	}
}

// TestContextsAmongMany finds contexts in tries of a few nodes, whose pages are checked
// together, and of very many; longer contexts than there are lead to the longest one.
func TestContextsAmongMany(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 200, 2000} {
		b := builder.New(layout.DomainGraal, builder.Config{})
		leaf, caller := b.Method(layout.Key{Class: "C", Name: "leaf"}), b.Method(layout.Key{Class: "C", Name: "caller"})
		for i := range n {
			inner := b.Internal().OuterContext(leaf, profileset.NoContext, caller, int32(3*i-n))
			outer := b.Internal().OuterContext(leaf, inner, leaf, int32(i))
			for code, at := range []builder.ContextRef{inner, outer, outer} {
				p := b.ProfileIn(leaf, uint64(code), at)
				p.Invocations(uint64(10*i + code))
				if err := p.Done(); err != nil {
					t.Fatal(err)
				}
			}
		}
		s := open(t, laid(t, b))
		m, by := find(t, s, layout.Key{Class: "C", Name: "leaf"}), find(t, s, layout.Key{Class: "C", Name: "caller"})
		for range 2 {
			for i := range n {
				frames := []reader.Frame{{Caller: by, Point: int32(3*i - n)}, {Caller: m, Point: int32(i)}, {Caller: by, Point: 1}}
				wantCount(t, m, 0, frames[:1], 10*i, 1)
				wantCount(t, m, 0, frames, 10*i, 1) // the outer contexts lack this version
				wantCount(t, m, 1, frames, 10*i+1, 2)
				wantCount(t, m, 2, frames[:2], 10*i+2, 2)
				if _, depth, err := m.Profile(layout.CodeAny, frames...); !errors.Is(err, reader.ErrAmbiguous) || depth != 2 {
					t.Fatalf("of %d, two versions: depth %d, %v", n, depth, err)
				}
				frames[0].Point++
				if _, _, err := m.Profile(0, frames...); !errors.Is(err, reader.ErrNotFound) {
					t.Fatalf("of %d, no such context: %v", n, err)
				}
			}
		}
	}
}

func wantCount(t *testing.T, m reader.Method, code uint64, frames []reader.Frame, count, depth int) {
	t.Helper()
	p, d, err := m.Profile(code, frames...)
	if c, _ := p.Invocations(); err != nil || d != depth || c.Load() != uint64(count) {
		t.Fatalf("code %d: %d at depth %d, %v, want %d at %d", code, c.Load(), d, err, count, depth)
	}
}
