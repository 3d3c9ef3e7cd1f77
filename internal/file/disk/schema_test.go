package disk_test

import (
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// The shortcuts past the table of schemas must lead where the table does.
func TestShortcutsAgreeWithSchema(t *testing.T) {
	for _, shape := range []disk.Shape{{}, {TypeRows: 2, BciRows: 2}, {TypeRows: 3, BciRows: 1, Gap: 2}} {
		for _, tag := range []layout.Tag{layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType} {
			row := 0
			for cell := range shape.Pointers(entryOf(shape, tag, 0)) {
				if got := shape.ReceiverRow(row); got != cell {
					t.Errorf("%s, %+v: row %d is at cell %d, the schema says %d", tag, shape, row, got, cell)
				}
				row++
			}
			if row != shape.TypeRows {
				t.Errorf("%s, %+v: %d rows", tag, shape, row)
			}
		}
		for _, tag := range []layout.Tag{layout.TagCallType, layout.TagVirtualCallType, layout.TagParametersType} {
			slot := -1
			for cell, kind := range shape.WalkCells(entryOf(shape, tag, 2)) {
				if kind == disk.CellSlot {
					slot = cell
				}
			}
			if got := shape.TypeList(tag); got != slot {
				t.Errorf("%s, %+v: the type list begins at cell %d, the schema says %d", tag, shape, got, slot)
			}
		}
	}
	_, receivers := disk.NewWide(nil, layout.TagReceivers, 0, 0, 0, disk.ReceiversFixed+2, 1)
	for cell := range (disk.Shape{}).Pointers(receivers) {
		if cell != disk.ReceiversFixed {
			t.Errorf("the first row of Receivers begins at cell %d, the schema says %d", disk.ReceiversFixed, cell)
		}
	}
}

// entryOf returns an entry of a HotSpot tag whose length cell, if it has one, holds n.
func entryOf(shape disk.Shape, tag layout.Tag, n int) disk.Entry {
	_, e := disk.NewEntry(nil, tag, 0, 0, 0, shape.Cells(tag, n))
	for at := range e.Cells() {
		e.SetCell(at, uint64(n)) // wherever the length is
	}
	return e
}

func BenchmarkPointers(b *testing.B) {
	shape := disk.Shape{TypeRows: 2, BciRows: 2}
	for _, tag := range []layout.Tag{layout.TagBranch, layout.TagVirtualCall, layout.TagCallType} {
		e := entryOf(shape, tag, 4)
		b.Run(tag.String(), func(b *testing.B) {
			n := 0
			for b.Loop() {
				for cell := range shape.Pointers(e) {
					n += cell
				}
			}
		})
	}
}

func BenchmarkNext(b *testing.B) {
	shape := disk.Shape{TypeRows: 2, BciRows: 2}
	for _, tag := range []layout.Tag{layout.TagBranch, layout.TagVirtualCall, layout.TagCallType} {
		e := entryOf(shape, tag, 4)
		b.Run(tag.String(), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := shape.NextEntry(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Length is what an entry was made with.
func TestLengthOfEntries(t *testing.T) {
	shape := disk.Shape{TypeRows: 2, BciRows: 2}
	for tag, n := range map[layout.Tag]int{layout.TagMultiBranch: 8, layout.TagArgInfo: 3, layout.TagCallType: 5,
		layout.TagVirtualCallType: 4, layout.TagParametersType: 2} {
		e := entryOf(shape, tag, n)
		if got := shape.EntryLength(e); got != n || shape.Cells(tag, got) != e.Cells() {
			t.Errorf("%s: the length is %d, want %d", tag, got, n)
		}
	}
	if got := shape.EntryLength(entryOf(shape, layout.TagVirtualCall, 0)); got != 0 {
		t.Errorf("VirtualCall: the length is %d, want 0", got)
	}
	_, wide := disk.NewWide(nil, layout.TagCallees, 0, 0, 0, 6, 3)
	if got := shape.EntryLength(wide); got != 3 {
		t.Errorf("Callees: the length is %d, want 3", got)
	}
}
