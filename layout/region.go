package layout

import "fmt"

// A Region is one of the parts of the file: 0 the header, 1 ps, 2 ix, 3 ro, 4 bm, 5 ex, 6 rw (docs/format.md, The
// file).
type Region uint32

// regionNames are in the order of the file. The header has no row in the region table.
var regionNames = [...]string{"header", "ps", "ix", "ro", "bm", "ex", "rw"}

func (r Region) String() string {
	if int(r) < len(regionNames) {
		return regionNames[r]
	}
	return fmt.Sprintf("region(%d)", uint32(r))
}

// A Span is a range of bytes of the file.
type Span struct {
	Offset, Size int64
}

// End returns the offset of the first byte after the span.
func (s Span) End() int64 { return s.Offset + s.Size }

// Holds reports whether [offset, offset+size) is inside the span.
func (s Span) Holds(offset, size int64) bool {
	return offset >= s.Offset && size >= 0 && size <= s.Size && offset-s.Offset <= s.Size-size
}
