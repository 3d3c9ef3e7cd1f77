package llvm

import (
	"github.com/profarc/profarc/internal/disk"
)

// A nameIndex finds the names of a module by their NameRef. NameRefs are spread
// evenly, but for those of somebody who computes them: a probe is bounded.
type nameIndex struct {
	names []string
	refs  []uint64
	used  []bool   // a function of that name was read
	slots []uint32 // 1 + index into the above
	mask  uint64
}

// maxProbe is how far a name may lie from its place. Names in a table half full
// at most, and spread evenly, are never as far.
const maxProbe = 1 << 10

// newNameIndex indexes names. Of those with the same NameRef the first is found.
func newNameIndex(names []string) *nameIndex {
	size := 8
	for size < 2*len(names) {
		size *= 2
	}
	x := &nameIndex{
		names: names, refs: make([]uint64, len(names)), used: make([]bool, len(names)),
		slots: make([]uint32, size), mask: uint64(size - 1),
	}
	for i, name := range names {
		x.refs[i] = disk.NameRef(name)
		x.place(i)
	}
	return x
}

func (x *nameIndex) place(i int) {
	for probe := range uint64(maxProbe) {
		slot := &x.slots[(x.refs[i]+probe)&x.mask]
		if *slot == 0 {
			*slot = uint32(i + 1)
			return
		}
		if x.refs[*slot-1] == x.refs[i] {
			return
		}
	}
}

// find gives the index of the name with that NameRef.
func (x *nameIndex) find(ref uint64) (i int, ok bool) {
	for probe := range uint64(maxProbe) {
		slot := x.slots[(ref+probe)&x.mask]
		if slot == 0 {
			break
		}
		if x.refs[slot-1] == ref {
			return int(slot - 1), true
		}
	}
	return 0, false
}
