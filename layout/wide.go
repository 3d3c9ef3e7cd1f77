package layout

import "fmt"

// wideRow are the cells of wide entries, by tag from the first wide one: fixed
// ones, then so many a row. A bitmap's are counted in another way.
var wideRow = [lastWide - firstWide + 1]struct{ fixed, row int }{
	TagCounters - firstWide:   {0, 1}, // counter
	TagValueSite - firstWide:  {0, 2}, // value, count
	TagSuccessors - firstWide: {0, 2}, // i32 point and u32 index in one cell, count
	TagReceivers - firstWide:  {2, 2}, // count of other types, traps; type pointer, count
	TagCallees - firstWide:    {0, 2}, // method pointer, count
	TagCount - firstWide:      {1, 0}, // count
}

// firstWide is the first wide tag, lastWide the last.
const (
	firstWide = TagCounters
	lastWide  = TagCount
)

// WideCells is the number of cells of a wide entry with so many rows. The rows
// of a bitmap are its bytes.
func WideCells(tag Tag, rows int) int {
	if tag == TagBitmap {
		return int((int64(rows) + 7) / 8)
	}
	if tag < firstWide || tag > lastWide {
		return 0
	}
	w := &wideRow[tag-firstWide]
	return w.fixed + rows*w.row
}

// ReceiversFixed is the number of cells before the rows of a TagReceivers
// entry: the count of other types, and the traps word.
const ReceiversFixed = 2

// wideSize checks the header of the wide entry at the front of b and gives its
// size in bytes.
func wideSize(b []byte) (int64, error) {
	tag := Tag(b[0])
	if tag < firstWide || tag > lastWide {
		return 0, fmt.Errorf("unknown entry tag %d", uint8(tag))
	}
	if len(b) < WideHeaderSize {
		return 0, fmt.Errorf("a %s entry is cut off after %d bytes", tag, len(b))
	}
	cells, rows := le.Uint32(b[8:]), le.Uint32(b[12:])
	if int64(WideCells(tag, int(rows))) != int64(cells) {
		return 0, fmt.Errorf("a %s entry of %d rows says it has %d cells", tag, rows, cells)
	}
	return WideHeaderSize + int64(cells)*CellSize, nil
}

// Rows is the number of rows of a wide entry.
func (e Entry) Rows() int { return int(le.Uint32(e[12:])) }

// PackSuccessor is the first cell of a successor row.
func PackSuccessor(point int32, index uint32) uint64 {
	return uint64(uint32(point)) | uint64(index)<<32
}

// UnpackSuccessor takes the first cell of a successor row apart.
func UnpackSuccessor(cell uint64) (point int32, index uint32) {
	return int32(uint32(cell)), uint32(cell >> 32)
}
