package merge_test

import (
	"context"
	"errors"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// orLive sets bits of a cell of an adopted entry, as native code may.
func orLive(t *testing.T, c reader.Counter, bits uint64) {
	t.Helper()
	word, ok := c.Word()
	if !ok {
		t.Fatal("the cell is not live")
	}
	word.Or(bits)
}

// liveEntry adopts the only profile of an archive and returns its entry at a point.
func liveEntry(t *testing.T, s *reader.Store, point int32) reader.Entry {
	t.Helper()
	if err := s.Adopt(reader.AdoptOptions{}); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Profiles() {
			if p, err = p.Claim(); err != nil {
				t.Fatal(err)
			}
			e, _ := p.At(point)
			return e
		}
	}
	t.Fatal("no profile")
	return reader.Entry{}
}

// snapshotOf returns a copy of an adopted archive.
func snapshotOf(t *testing.T, s *reader.Store, take merge.Counts) *reader.Store {
	t.Helper()
	b := builder.New(s.Header().Domain, builder.ConfigOf(s.Header()))
	if _, err := merge.Snapshot(context.Background(), b, s, take); err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, b)
}

// TestSnapshotsHaveBits: what native code may set beside counts is in a snapshot, also if
// nothing was counted.
func TestSnapshotsHaveBits(t *testing.T) {
	for _, take := range []merge.Counts{merge.Totals, merge.Increments} {
		b := testarchive.New(layout.DomainLLVMIR)
		p := b.Profile(layout.Key{Name: "main"}, 1)
		p.Bitmap(0, []byte{1, 0})
		testarchive.MustDone(t, p)
		s := memstore.Open(t, b)
		orLive(t, liveEntry(t, s, 0).Cell(0), 0x8000)
		bits, _ := liveEntry(t, snapshotOf(t, s, take), 0).Bitmap()
		if len(bits) != 2 || bits[0] != 1 || bits[1] != 0x80 {
			t.Errorf("take %d: bits % x", take, bits)
		}
	}
}

// TestSnapshotsHaveTypeWords: the tags of a type word can be set in place.
func TestSnapshotsHaveTypeWords(t *testing.T) {
	b := testarchive.New(layout.DomainHotSpot)
	p := b.Profile(layout.Key{Class: "A", Name: "m", Signature: "(LB;)V"}, 1)
	seen := b.Type(builder.TypeKey{Name: "B"})
	p.CallType(builder.At{Bci: 3}, 7,
		builder.CallTypes{Args: []builder.Slot{{Stack: 1, Type: builder.TypeWord{Type: seen}}}})
	testarchive.MustDone(t, p)
	s := memstore.Open(t, b)
	orLive(t, liveEntry(t, s, 3).Cell(3), 1) // count, number of cells, slot, type word
	types, _ := liveEntry(t, snapshotOf(t, s, merge.Totals), 3).Types()
	_, word := types.Arg(0)
	if name, err := word.Type.Name(); err != nil || name.String() != "B" || !word.NullSeen || word.Unknown {
		t.Errorf("%v, %v: %+v", name, err, word)
	}
}
