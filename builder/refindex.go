package builder

// A refIndex finds references by hash. It is for tables of millions: it has no
// pointers for the garbage collector to follow, and keeps each hash beside the
// reference, so that what the reference stands for is looked at only where it is
// likely the one.
type refIndex struct {
	slots []refSlot // as many as a power of two
	used  int
}

type refSlot struct{ hash, ref uint32 } // ref 0: the slot is free

// firstSlots is the number of slots of a small index.
const firstSlots = 1 << 8

// find gives the reference with that hash for which is holds. If there is none
// it gives 0 and the slot where it is to be put.
func (x *refIndex) find(hash uint32, is func(ref uint32) bool) (ref, at uint32) {
	if x.used >= len(x.slots)/4*3 {
		x.grow()
	}
	mask := uint32(len(x.slots) - 1)
	for at = x.first(hash); x.slots[at].ref != 0; at = (at + 1) & mask {
		if slot := x.slots[at]; slot.hash == hash && is(slot.ref) {
			return slot.ref, at
		}
	}
	return 0, at
}

// put puts a reference into the slot that find gave.
func (x *refIndex) put(at, hash, ref uint32) {
	x.slots[at] = refSlot{hash, ref}
	x.used++
}

// first is the slot at which the search for a hash begins: by its highest bits,
// so that an index twice as large has its slots in the same order.
func (x *refIndex) first(hash uint32) uint32 {
	return uint32(uint64(hash) * uint64(len(x.slots)) >> 32)
}

func (x *refIndex) grow() {
	old := x.slots
	x.slots = make([]refSlot, max(2*len(old), firstSlots))
	mask := uint32(len(x.slots) - 1)
	for _, slot := range old {
		if slot.ref == 0 {
			continue
		}
		at := x.first(slot.hash)
		for x.slots[at].ref != 0 {
			at = (at + 1) & mask
		}
		x.slots[at] = slot
	}
}
