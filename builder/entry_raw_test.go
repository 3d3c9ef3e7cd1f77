package builder_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestRawEntryIsKeptCellForCell: a raw entry keeps its flags, traps and empty rows.
// Its pointers become those that refs returns, with the tags of type words.
func TestRawEntryIsKeptCellForCell(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainHotSpot)
	m := b.Method(layout.Key{Class: "A", Name: "m", Signature: "()V"})
	typ := b.Type(builder.TypeKey{Name: "B"})
	shape := hotspotShape()
	_, e := disk.NewEntry(nil, layout.TagVirtualCallType, 0xf0, 7, 1<<31|4, shape.Cells(layout.TagVirtualCallType, 3))
	cells := []uint64{5, 6, 0, 0, 0x1000, 9, 3, 2, 0x2000 | disk.TypeNullSeen, disk.TypeUnknown}
	for i, v := range cells {
		e.SetCell(i, v)
	}
	p := b.ProfileIn(m, 0, profileset.NoContext)
	p.Internal().Copy(disk.SectionData, e, func(cell int, _ disk.CellKind) uint64 {
		if cell == 4 || cell == 8 {
			return uint64(typ)
		}
		return 0
	})
	testarchive.MustDone(t, p)
	path := filepath.Join(t.TempDir(), "a.parc")
	if _, err := b.Commit(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stored, err := s.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 0)
	entries := slices.Collect(stored.Entries())
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	got := entries[0]
	if !bytes.Equal(disk.Entry(got.Bytes())[:disk.EntryHeaderSize], e[:disk.EntryHeaderSize]) {
		t.Errorf("header %x, want %x", disk.Entry(got.Bytes())[:disk.EntryHeaderSize], e[:disk.EntryHeaderSize])
	}
	pointer := disk.Entry(got.Bytes()).Cell(4)
	if pointer == 0 {
		t.Error("the pointer of the second row is 0")
	}
	cells[4], cells[8] = pointer, pointer|disk.TypeNullSeen
	for i, want := range cells {
		if v := disk.Entry(got.Bytes()).Cell(i); v != want {
			t.Errorf("cell %d is 0x%x, want 0x%x", i, v, want)
		}
	}
	r, _ := got.Receivers()
	if row, ok := r.Row(1); !ok {
		t.Error("the second row is empty")
	} else if name, err := row.Type.Name(); err != nil || name.String() != "B" {
		t.Errorf("type %v, %v", name, err)
	}
}

// hotspotShape returns the shape of the entries of testarchive.New.
func hotspotShape() disk.Shape {
	params := testarchive.Params(layout.DomainHotSpot)
	return disk.ShapeOfParams(&params)
}

func TestRawEntryThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	_, whole := disk.NewEntry(nil, layout.TagJump, 0, 1, 0, 2)
	_, receiver := disk.NewEntry(nil, layout.TagReceiverType, 0, 1, 0, hotspotShape().Cells(layout.TagReceiverType, 0))
	for name, e := range map[string]disk.Entry{
		"empty": nil, "cut off": whole[:16], "two": append(append(disk.Entry{}, whole...), whole...),
		"unknown":         append(disk.Entry{14}, whole[1:]...),
		"not a reference": receiver,
	} {
		b := testarchive.New(layout.DomainHotSpot)
		p := b.Profile(layout.Key{Class: "A", Name: "m"}, 0)
		p.Internal().Copy(disk.SectionData, e, func(int, disk.CellKind) uint64 { return 99 })
		if p.Done() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
