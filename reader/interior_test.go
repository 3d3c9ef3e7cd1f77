package reader_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Bytes inside a block are not taken for a block that was checked: whether they
// are refused does not depend on what was read before.
func TestInsideOfACheckedBlockIsChecked(t *testing.T) {
	t.Parallel()
	data := laid(t, fixture(0))
	var blocks []reader.Profile
	all := open(t, data)
	for m := range all.Methods() {
		blocks = slices.AppendSeq(blocks, func(yield func(reader.Profile) bool) {
			for p := range m.Profiles() {
				yield(p)
			}
		})
	}
	refused := 0
	for _, p := range blocks {
		for n := p.Ref() + 1; n < p.Ref()+layout.Ref(len(p.Bytes())/disk.Unit); n++ {
			_, after := all.ProfileAt(n)
			_, alone := open(t, data).ProfileAt(n)
			if (after == nil) != (alone == nil) {
				t.Errorf("block at 0x%x, %d bytes into one that was checked: %v, in an archive of which nothing was read: %v",
					n.Offset(), (n-p.Ref())*disk.Unit, after, alone)
			}
			if alone != nil {
				refused++
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// nested returns an archive with a block among whose counters another one begins, and where the two are.
func nested(t *testing.T) (s *reader.Store, outer, inner layout.Ref) {
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	p := b.Profile(layout.Key{Name: "main"}, 7)
	p.Counters(1, 2, 3, 4, 5, 6)
	mustDone(p)
	data := laid(t, b)
	m := find(t, open(t, data), layout.Key{Name: "main"})
	first, _, err := m.Profile(7)
	if err != nil {
		t.Fatal(err)
	}
	counters := first.Ref().Offset() + disk.Block(first.Bytes()).SectionSpan(disk.SectionData).Offset +
		disk.WideHeaderSize
	binary.LittleEndian.PutUint64(data[counters+8:], 2|uint64(m.Ref())<<32) // a block of two units
	binary.LittleEndian.PutUint64(data[counters+16:], 0)
	opened, err := archive.FromBytes("nested.parc", data, archive.Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(opened), first.Ref(), disk.RefOf(counters + 8)
}

// Of two blocks that overlap one alone is adopted: the pointers in both would be relocated twice.
func TestOverlappingBlocksAreNotBothAdopted(t *testing.T) {
	for _, innerFirst := range []bool{false, true} {
		s, one, other := nested(t)
		if innerFirst {
			one, other = other, one
		}
		adopt(t, s, reader.AdoptOptions{Anywhere: true})
		for range 2 { // the answer stays the same
			if _, err := profileAt(t, s, one).Claim(); err != nil {
				t.Fatal(err)
			}
			if _, err := profileAt(t, s, other).Claim(); !errors.Is(err, layout.ErrCorrupt) {
				t.Errorf("inner first %v: %v, want that the other overlaps", innerFirst, err)
			}
		}
	}
}

func profileAt(t *testing.T, s *reader.Store, n layout.Ref) reader.Profile {
	t.Helper()
	p, err := s.ProfileAt(n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What refers to a method refers to one that the index knows, and not to bytes
// inside of a record, whatever they look like.
func TestMethodsMissingFromTheIndexAreRefused(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	b.Method(layout.Key{Name: "a name of thirty-two bytes, a to z"})
	data := laid(t, b)
	at := open(t, data).Header().Parts[disk.PartMethods].Offset
	const name = disk.MinMethodSize + 8 // after the id
	record := disk.MethodRecord{ID: 77, Units: 2, Flags: disk.MethodHasID}
	copy(data[at+name:], record.Append(nil))
	m, err := archive.FromBytes("inside.parc", data, archive.Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	if _, err := s.MethodAt(disk.RefOf(at)); err != nil {
		t.Errorf("the method itself: %v", err)
	}
	if _, err := s.MethodAt(disk.RefOf(at + name)); !errors.Is(err, layout.ErrCorrupt) {
		t.Errorf("a record inside its name: %v", err)
	}
}
