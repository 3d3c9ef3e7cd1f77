package reader_test

import (
	"errors"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A profile that was not decoded to its end is read and never adopted; the one beside it is.
func TestUndecodedProfilesAreNotAdopted(t *testing.T) {
	for _, eager := range []bool{false, true} {
		s := memstore.Open(t, partly(t))
		if err := s.Adopt(reader.AdoptOptions{Anywhere: true, Eager: eager}); err != nil {
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			t.Fatal(err)
		}
		whole, cut := profileNamed(t, s, "whole"), profileNamed(t, s, "cut")
		if _, err := whole.Claim(); err != nil {
			t.Errorf("eager %t: the whole profile: %v", eager, err)
		}
		if p, err := cut.Claim(); !errors.Is(err, reader.ErrUndecoded) || p.Address() != 0 {
			t.Errorf("eager %t: the cut profile: %v", eager, err)
		}
		if tag, ok := cut.Undecoded(); !ok || tag != 20 {
			t.Errorf("eager %t: tag %d, %t", eager, tag, ok)
		}
		if _, ok := whole.Undecoded(); ok {
			t.Errorf("eager %t: the whole profile is not decoded", eager)
		}
		e, ok := cut.At(4)
		if n, counter := e.Counter(); !ok || !counter || n.Load() != 9 {
			t.Errorf("eager %t: the entry before is not readable", eager)
		}
	}
}

// partly returns an archive of two methods; one was decoded in part.
func partly(t *testing.T) *builder.Builder {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for _, name := range []string{"whole", "cut"} {
		p := b.Profile(layout.Key{Class: "A", Name: name, Signature: "()V"}, 0)
		p.Counter(builder.At{Bci: 4}, 9)
		if name == "cut" {
			p.Internal().AddUndecoded(7, 0, 20|7<<16, 0x7f0000001000)
		}
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func profileNamed(t *testing.T, s *reader.Store, name string) reader.Profile {
	t.Helper()
	m, err := s.Find(layout.Key{Class: "A", Name: name, Signature: "()V"})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Other domains have no such entries.
func TestUndecodedIsHotSpots(t *testing.T) {
	for _, d := range []layout.Domain{layout.DomainLLVMIR, layout.DomainGraal, layout.DomainJamaica} {
		b := builder.New(d, builder.Config{})
		p := b.Profile(layout.Key{Name: "m"}, 0)
		p.Internal().AddUndecoded(7, 0, 20)
		if err := p.Done(); err == nil {
			t.Errorf("%s has an entry that was not decoded", d)
		}
	}
}
