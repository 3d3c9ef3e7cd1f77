package builder_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A raw entry keeps its flags, traps and empty rows; its pointers become those
// that refs gives, with the tags that type words had.
func TestRawEntryIsKeptCellForCell(t *testing.T) {
	b := testarchive.New(layout.DomainHotSpot)
	m := b.Method(layout.Key{Class: "A", Name: "m", Signature: "()V"})
	typ := b.Type(builder.TypeKey{Name: "B"})
	shape := hotspotShape()
	_, e := disk.NewEntry(nil, layout.TagVirtualCallType, 0xf0, 7, 1<<31|4, shape.Cells(layout.TagVirtualCallType, 3))
	cells := []uint64{5, 6, 0, 0, 0x1000, 9, 3, 2, 0x2000 | disk.TypeNullSeen, disk.TypeUnknown}
	for i, v := range cells {
		e.SetCell(i, v)
	}
	p := b.Profile(m, 0, builder.NoContext)
	p.Raw(layout.SectionData, e, func(cell int, _ disk.CellKind) uint64 {
		if cell == 4 || cell == 8 {
			return uint64(typ)
		}
		return 0
	})
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.parc")
	if _, err := b.Commit(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := onlyEntry(t, s)
	if !bytes.Equal(disk.Entry(got.Bytes())[:disk.EntryHeaderSize], e[:disk.EntryHeaderSize]) {
		t.Errorf("header %x, want %x", disk.Entry(got.Bytes())[:disk.EntryHeaderSize], e[:disk.EntryHeaderSize])
	}
	pointer := disk.Entry(got.Bytes()).Cell(4)
	cells[4], cells[8] = pointer, pointer|disk.TypeNullSeen
	for i, want := range cells {
		if v := disk.Entry(got.Bytes()).Cell(i); v != want || pointer == 0 {
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
	return disk.ShapeOf(&params)
}

func onlyEntry(t *testing.T, s *reader.Store) (entry reader.Entry) {
	t.Helper()
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Profiles() {
			for e := range p.Entries() {
				entry = e
			}
		}
	}
	return entry
}

func TestRawEntryThatDoesNotFitIsRefused(t *testing.T) {
	_, whole := disk.NewEntry(nil, layout.TagJump, 0, 1, 0, 2)
	_, receiver := disk.NewEntry(nil, layout.TagReceiverType, 0, 1, 0, hotspotShape().Cells(layout.TagReceiverType, 0))
	for name, e := range map[string]disk.Entry{
		"empty": nil, "cut off": whole[:16], "two": append(append(disk.Entry{}, whole...), whole...), "unknown": append(disk.Entry{14}, whole[1:]...),
		"not a reference": receiver,
	} {
		b := testarchive.New(layout.DomainHotSpot)
		p := b.Profile(b.Method(layout.Key{Class: "A", Name: "m"}), 0, builder.NoContext)
		p.Raw(layout.SectionData, e, func(int, disk.CellKind) uint64 { return 99 })
		if p.Done() == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
