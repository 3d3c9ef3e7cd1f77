package layout

import "fmt"

// Methods that were seen and never ran are many in some domains: nine of ten in
// a profile of GraalVM. One of which nothing is known but its key has no record
// and no slot in the index, but a row of 8 bytes in a section of its own, where
// it is found by binary search. The section is empty, or
//
//	0 u32 classes
//	4 u32 zero
//	8 classes x 8 bytes, ClassRow, in the order of their types
//	  rows x 8 bytes, NeverRanRow: those of the first class, then of the next
//
// The rows of a class are sorted by name and signature.
const (
	NeverRanHeaderSize = 8
	ClassRowSize       = 8
	NeverRanRowSize    = 8
)

// A ClassRow is a class that declares methods that never ran. It is the only
// type of its name, which is not empty, and has no loader.
type ClassRow struct {
	Holder Narrow // type record
	End    uint32 // number of rows of this class and all before it
}

// Append appends the encoded row.
func (c ClassRow) Append(b []byte) []byte {
	return le.AppendUint32(le.AppendUint32(b, uint32(c.Holder)), c.End)
}

// ParseClassRow decodes the row at the front of b, of [ClassRowSize] bytes at
// least.
func ParseClassRow(b []byte) ClassRow {
	return ClassRow{Narrow(le.Uint32(b)), le.Uint32(b[4:])}
}

// A NeverRanRow is a method that was seen and never ran.
type NeverRanRow struct {
	Name      Narrow // symbol
	Signature Narrow // signature symbol, 0 for none
}

// Append appends the encoded row.
func (r NeverRanRow) Append(b []byte) []byte {
	return le.AppendUint32(le.AppendUint32(b, uint32(r.Name)), uint32(r.Signature))
}

// Head is what the head of a record for the method would be, but for its size,
// which is 0.
func (r NeverRanRow) Head() MethodHead {
	return MethodHead(r.Name) | MethodHead(MethodDeclared|MethodNeverRan)<<48
}

// ParseNeverRanRow decodes the row at the front of b, of [NeverRanRowSize]
// bytes at least.
func ParseNeverRanRow(b []byte) NeverRanRow {
	return NeverRanRow{Narrow(le.Uint32(b)), Narrow(le.Uint32(b[4:]))}
}

// NeverRanSize is the size of the section for so many classes and rows.
func NeverRanSize(classes, rows int) int64 {
	if rows == 0 {
		return 0
	}
	return NeverRanHeaderSize + int64(classes)*ClassRowSize + int64(rows)*NeverRanRowSize
}

// AppendNeverRanHeader appends what stands in front of the classes.
func AppendNeverRanHeader(b []byte, classes int) []byte {
	return le.AppendUint64(b, uint64(uint32(classes)))
}

// ParseNeverRan gives the places of classes and rows in the section, whose
// first [NeverRanHeaderSize] bytes are head. The error says what is wrong,
// without a place.
func ParseNeverRan(section Span, head []byte) (classes, rows Span, err error) {
	n := int64(le.Uint32(head))
	if left := section.Size - NeverRanHeaderSize; left < 0 || n > left/ClassRowSize {
		return Span{}, Span{}, fmt.Errorf("%d classes in a section of %d bytes", n, section.Size)
	}
	classes = Span{section.Offset + NeverRanHeaderSize, n * ClassRowSize}
	return classes, Span{classes.End(), section.End() - classes.End()}, nil
}
