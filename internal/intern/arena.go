package intern

// An Arena keeps many small byte strings in a few large slabs, and names each
// by its place, so that what refers to them has no pointers.
type Arena struct {
	slabs [][]byte
	used  int64 // bytes of all that was kept
	freed int64 // of these, bytes that were let go
}

// A Place is where an arena keeps bytes. The zero value is nowhere.
type Place struct{ slab, offset, Size uint32 } // slab from 1

// Nowhere reports whether nothing is kept at the place.
func (p Place) Nowhere() bool { return p.slab == 0 }

// Slabs double from the first size to the last.
const (
	firstSlab     = 1 << 12
	slabSize      = firstSlab << slabDoublings
	slabDoublings = 8
)

// nextSlab is the size of the slab behind so many, for n bytes at least.
func nextSlab(slabs, n int) int { return max(firstSlab<<min(slabs, slabDoublings), n) }

// Keep copies p, of less than 4 GiB.
func (a *Arena) Keep(p []byte) Place {
	if len(a.slabs) == 0 || len(p) > cap(a.last())-len(a.last()) {
		a.slabs = append(a.slabs, make([]byte, 0, nextSlab(len(a.slabs), len(p))))
	}
	slab := &a.slabs[len(a.slabs)-1]
	at := Place{uint32(len(a.slabs)), uint32(len(*slab)), uint32(len(p))}
	*slab = append(*slab, p...)
	a.used += int64(len(p))
	return at
}

func (a *Arena) last() []byte { return a.slabs[len(a.slabs)-1] }

// At is what is kept at a place, nil for nowhere.
func (a *Arena) At(p Place) []byte {
	if p.slab == 0 {
		return nil
	}
	return a.slabs[p.slab-1][p.offset : p.offset+p.Size : p.offset+p.Size]
}

// ArenaState is how far an arena was filled.
type ArenaState struct {
	slabs, last int // number of slabs, bytes in the last of them
	used, freed int64
}

func (a *Arena) State() ArenaState {
	s := ArenaState{slabs: len(a.slabs), used: a.used, freed: a.freed}
	if s.slabs > 0 {
		s.last = len(a.last())
	}
	return s
}

// Holds reports whether the arena had kept something at a place by then.
func (s ArenaState) Holds(p Place) bool {
	return int(p.slab) < s.slabs || int(p.slab) == s.slabs && int(p.offset) < s.last
}

// Restore drops what was kept since.
func (a *Arena) Restore(s ArenaState) {
	a.slabs, a.used, a.freed = a.slabs[:s.slabs], s.used, s.freed
	if s.slabs > 0 {
		a.slabs[s.slabs-1] = a.last()[:s.last]
	}
}

// Free lets go of what is kept at a place. Its bytes are in use until the
// arena is made anew.
func (a *Arena) Free(p Place) { a.freed += int64(p.Size) }

// Wasteful reports whether most of the arena was let go.
func (a *Arena) Wasteful() bool { return a.freed > slabSize && a.freed > a.used/2 }
