package disk_test

import (
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// TestWideMasks compares the masks of wide entries with what the shape says of each cell.
func TestWideMasks(t *testing.T) {
	shape, masked := disk.Shape{}, 0
	masks := shape.WideMasks()
	for tag := layout.Tag(1); tag != 0; tag++ {
		m := masks.MaskOfTag(tag)
		if m == nil {
			continue
		}
		masked++
		for _, rows := range []int{0, 1, 2, 7} {
			_, e := disk.NewWide(nil, tag, 0, 0, 0, shape.Cells(tag, rows), rows)
			want := map[int]bool{}
			for cell, kind := range shape.Pointers(e) {
				if kind != disk.CellType {
					t.Errorf("%s: cell %d is no pointer to a type", tag, cell)
				}
				want[cell] = true
			}
			for cell := range e.Cells() {
				is := m.Types>>cell&1 != 0
				if cell >= m.Cells {
					is = m.TypesOfRows>>((cell-m.Cells)%m.Row)&1 != 0
				}
				if is != want[cell] {
					t.Errorf("%s with %d rows: cell %d is a pointer: %t, by the mask %t", tag, rows, cell, want[cell], is)
				}
			}
		}
	}
	if masked < 4 || masks.MaskOfTag(layout.TagReceivers) == nil || masks.MaskOfTag(layout.TagCallees) != nil ||
		masks.MaskOfTag(layout.TagBitmap) != nil {
		t.Errorf("%d tags have masks", masked)
	}
}
