package reader

import (
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// TestMasksOfWideEntries compares what the masks say of wide entries with what their shape
// says: how many pointers they have, and where one that leads to no type is found.
func TestMasksOfWideEntries(t *testing.T) {
	declared := new(disk.Declared)
	err := declared.Declare(layout.EntryShape{Tag: layout.TagProducer, Name: "Pair",
		Cells: []layout.CellShape{{Name: "of", Kind: layout.CellType}, {Name: "n", Kind: layout.CellCount}},
		Rows: []layout.CellShape{{Name: "n", Kind: layout.CellCount}, {Name: "left", Kind: layout.CellType},
			{Name: "right", Kind: layout.CellType}}})
	if err != nil {
		t.Fatal(err)
	}
	const first = 1 << 20
	shape := disk.Shape{Declared: declared}
	m := &masks{*shape.Masks(), *shape.WideMasks(), typeRecords{first, 10 * disk.TypeSize}, shape.FixedSizes(), shape}
	for tag := layout.Tag(64); tag != 0; tag++ {
		for _, rows := range []int{0, 1, 3} {
			if mask := m.wide.MaskOfTag(tag); mask != nil && (rows == 0 || mask.Row > 0) {
				checkMasks(t, m, tag, rows)
			}
		}
	}
	if m.wide.MaskOfTag(layout.TagProducer) == nil || m.wide.MaskOfTag(layout.TagReceivers) == nil {
		t.Error("a tag that has a mask was not compared")
	}
}

func checkMasks(t *testing.T, m *masks, tag layout.Tag, rows int) {
	t.Helper()
	all, e := disk.NewWide(nil, tag, 0, 7, 0, m.shape.Cells(tag, rows), rows)
	var cells []int
	for cell := range m.shape.Pointers(e) {
		cells = append(cells, cell)
	}
	if n := m.countPointers(all); int(n) != len(cells) {
		t.Errorf("%s with %d rows: %d pointers, want %d", tag, rows, n, len(cells))
	}
	for _, cell := range cells {
		for v, sound := range map[uint64]int{
			0: len(e), m.types.first: len(e), m.types.first + 9*disk.TypeSize: len(e),
			8: 0, m.types.first - disk.TypeSize: 0, m.types.first + 8: 0, m.types.first + m.types.size: 0,
		} {
			le.PutUint64(e[e.CellOffset(cell):], v)
			if size, _ := m.skipSound(all); size != sound {
				t.Errorf("%s with %d rows, cell %d is %#x: %d bytes are sound, want %d", tag, rows, cell, v, size, sound)
			}
		}
		le.PutUint64(e[e.CellOffset(cell):], 0)
	}
	if size, _ := m.skipSound(all[:len(all)-disk.CellSize]); size != 0 && len(all) > disk.WideHeaderSize {
		t.Errorf("%s with %d rows: an entry that is cut off is sound", tag, rows)
	}
}
