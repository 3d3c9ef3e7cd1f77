package reader_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestEagerAdoptionLeavesNothingToCheck changes a byte of the archive after all of it was
// adopted: no first touch finds it any more, which one of a lazy adoption does.
func TestEagerAdoptionLeavesNothingToCheck(t *testing.T) {
	for _, o := range []reader.AdoptOptions{{}, {Eager: true}} {
		data := slices.Clone(laid(t, numbered(2000)))
		s := open(t, data)
		adopt(t, s, o)
		p := profileOf(t, open(t, slices.Clone(data)), numberedKey(1234))
		data[p.Ref().Offset()+int64(len(p.Bytes()))-1] ^= 1
		_, err := s.Profile(numberedKey(1234), layout.CodeAny)
		if found := errors.Is(err, layout.ErrChecksum); found == o.Eager {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestEagerAdoptionReportsDamageWhereItIsMet: a damaged profile fails its own lookup, not
// the adoption, and not the lookups of those in sound pages.
func TestEagerAdoptionReportsDamageWhereItIsMet(t *testing.T) {
	data := slices.Clone(laid(t, numbered(2000)))
	p := profileOf(t, open(t, slices.Clone(data)), numberedKey(1234))
	data[p.Ref().Offset()+int64(len(p.Bytes()))-1] ^= 1
	s := open(t, data)
	adopt(t, s, reader.AdoptOptions{Anywhere: true, Eager: true})
	failed := 0
	for i := range 2000 {
		p, err := s.Profile(numberedKey(i), layout.CodeAny)
		if err == nil {
			_, err = p.Claim()
		}
		if err != nil && !errors.Is(err, layout.ErrChecksum) {
			t.Fatal(err)
		}
		if err != nil {
			failed++
		}
	}
	_, err := s.Profile(numberedKey(1234), layout.CodeAny)
	testarchive.CheckEqual(t, "the damaged profile is refused", errors.Is(err, layout.ErrChecksum), true)
	if failed == 0 || failed > 200 {
		t.Errorf("%d lookups of 2000 failed", failed)
	}
}
