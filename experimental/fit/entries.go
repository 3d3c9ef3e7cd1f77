package fit

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// tagsOf holds the tags of HotSpot's entries by kind of point, typedTagsOf the tags of entries that also record the
// types of arguments and return values.
var (
	tagsOf = [...]layout.Tag{methodcode.Call: layout.TagCounter, methodcode.VirtualCall: layout.TagVirtualCall,
		methodcode.TypeCheck: layout.TagReceiverType, methodcode.Jump: layout.TagJump,
		methodcode.Branch: layout.TagBranch, methodcode.Switch: layout.TagMultiBranch, methodcode.Ret: layout.TagRet}
	typedTagsOf = [len(tagsOf)]layout.Tag{methodcode.Call: layout.TagCallType,
		methodcode.VirtualCall: layout.TagVirtualCallType}
)

// untypedCheck is the tag of a type check in a VM that records no types there.
const untypedCheck = layout.TagBit

// pointKindOf returns the kind of a data entry's point, 0 if HotSpot has no such entry.
func pointKindOf(e reader.Entry) methodcode.PointKind {
	tag := e.Tag()
	if tag == untypedCheck || tag == layout.TagReceivers && e.Sub() == layout.SubTypeCheck {
		return methodcode.TypeCheck
	}
	if tag == layout.TagReceivers { // merged rows of several entries
		return methodcode.VirtualCall
	}
	for kind := range tagsOf {
		if tag != 0 && (tag == tagsOf[kind] || tag == typedTagsOf[kind]) {
			return methodcode.PointKind(kind)
		}
	}
	return 0
}

// ofEscapeAnalysis reports whether an entry holds results of escape analysis, which are valid only for the old code.
func ofEscapeAnalysis(e reader.Entry) bool { return e.Tag() == layout.TagArgInfo }

func nativeSize(e disk.Entry, shape disk.Shape) int64 {
	if e.Tag() == layout.TagReceivers {
		return disk.EntryHeaderSize + int64(shape.Cells(layout.TagVirtualCall, 0))*disk.CellSize
	}
	return int64(len(e))
}

// displacements returns the displacement cells of a branch, jump or switch, in the order of [methodcode.Point.Targets].
func displacements(e disk.Entry, shape disk.Shape) (cells []int) {
	if e.Tag() == layout.TagRet { // its rows have bytecode indices
		return nil
	}
	for cell, kind := range shape.WalkCells(e) {
		if kind == disk.CellDisplacement {
			cells = append(cells, cell)
		}
	}
	return cells
}

// weightOf adds up the counts of an entry. Negative counts of failed type checks are ignored.
func weightOf(e reader.Entry, shape disk.Shape) (sum float64) {
	raw := disk.Entry(e.Bytes())
	signed := raw.SignedCount()
	for cell := range shape.Counts(raw) {
		if n := raw.Cell(cell); !signed || int64(n) > 0 {
			sum += float64(n)
		}
	}
	return sum
}
