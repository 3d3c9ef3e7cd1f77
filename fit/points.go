package fit

import (
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A profiled is the points of a profile, with their entries.
type profiled struct {
	points  []Point
	entries []reader.Entry
	weights []float64 // sums of their counts
	size    int       // of the code, 0 if not known
	names   []Name    // that the code names, nil if not known
}

// pointsOf takes the points of a HotSpot profile. Displacements are differences
// between the places of entries in the VM's own MethodData, which are computed
// again.
func pointsOf(p reader.Profile, shape disk.Shape) profiled {
	var out profiled
	var offsets []int64
	at := int64(0)
	for e := range p.Entries() {
		kind := kindOf(e)
		if kind == 0 {
			continue
		}
		out.points = append(out.points, Point{Bci: e.Point(), Kind: kind})
		out.entries = append(out.entries, e)
		out.weights = append(out.weights, weightOf(e, shape))
		offsets = append(offsets, at)
		at += nativeSize(disk.Entry(e.Bytes()), shape)
	}
	offsets = append(offsets, at)
	for i, e := range out.entries {
		eachDisplacement(disk.Entry(e.Bytes()), func(cell int) {
			target := int32(-1)
			if j, ok := slices.BinarySearch(offsets, offsets[i]+int64(disk.Entry(e.Bytes()).Cell(cell))); ok {
				target = int32(j)
			}
			out.points[i].Targets = append(out.points[i].Targets, target)
		})
	}
	size, _ := p.Size()
	out.size = int(size)
	return out
}

// kindOf is the kind of a data entry's point, 0 if HotSpot has none such.
func kindOf(e reader.Entry) PointKind {
	switch e.Tag() {
	case layout.TagCounter, layout.TagCallType:
		return Call
	case layout.TagVirtualCall, layout.TagVirtualCallType:
		return VirtualCall
	case layout.TagReceiverType, layout.TagBit:
		return TypeCheck
	case layout.TagJump:
		return Jump
	case layout.TagBranch:
		return Branch
	case layout.TagMultiBranch:
		return Switch
	case layout.TagRet:
		return Ret
	case layout.TagReceivers: // several rows of HotSpot's, merged
		if e.Sub() == layout.SubTypeCheck {
			return TypeCheck
		}
		return VirtualCall
	}
	return 0
}

// nativeSize is the size that an entry has in the VM.
func nativeSize(e disk.Entry, shape disk.Shape) int64 {
	if e.Tag() == layout.TagReceivers {
		return disk.EntryHeaderSize + int64(shape.Cells(layout.TagVirtualCall, 0))*disk.CellSize
	}
	return int64(len(e))
}

// eachDisplacement calls yield with the cells that are displacements to the
// targets of a branch, jump or switch.
func eachDisplacement(e disk.Entry, yield func(cell int)) {
	switch e.Tag() {
	case layout.TagJump, layout.TagBranch:
		yield(1)
	case layout.TagMultiBranch:
		for cell := 2; cell < e.Cells(); cell += 2 {
			yield(cell)
		}
	}
}

// weightOf adds the counts of an entry up. Type checks that fail are counted
// down: that is no count.
func weightOf(e reader.Entry, shape disk.Shape) (sum float64) {
	raw := disk.Entry(e.Bytes())
	for cell := range shape.Counts(raw) {
		if n := raw.Cell(cell); e.Tag() != layout.TagReceiverType || int64(n) > 0 {
			sum += float64(n)
		}
	}
	return sum
}

// weightOfProfile is all that a profile has counted.
func weightOfProfile(p reader.Profile, shape disk.Shape) (sum float64) {
	for _, get := range []func() (reader.Counter, bool){p.Invocations, p.Backedges} {
		if c, ok := get(); ok {
			sum += float64(c.Trained())
		}
	}
	for e := range p.Entries() {
		sum += weightOf(e, shape)
	}
	return sum
}
