package builder

// An arena keeps many small byte strings in a few large slabs, and names each
// by its place, so that what refers to them has no pointers.
type arena struct {
	slabs [][]byte
	used  int64 // bytes of all that was kept
	freed int64 // of these, bytes that were let go
}

// A place is where an arena keeps bytes. The zero value is nowhere.
type place struct{ slab, offset, size uint32 } // slab from 1

// Slabs double from the first size to the last.
const (
	firstSlab     = 1 << 12
	slabSize      = firstSlab << slabDoublings
	slabDoublings = 8
)

// nextSlab is the size of the slab behind so many, for n bytes at least.
func nextSlab(slabs, n int) int { return max(firstSlab<<min(slabs, slabDoublings), n) }

// keep copies p, of less than 4 GiB.
func (a *arena) keep(p []byte) place {
	if len(a.slabs) == 0 || len(p) > cap(a.last())-len(a.last()) {
		a.slabs = append(a.slabs, make([]byte, 0, nextSlab(len(a.slabs), len(p))))
	}
	slab := &a.slabs[len(a.slabs)-1]
	at := place{uint32(len(a.slabs)), uint32(len(*slab)), uint32(len(p))}
	*slab = append(*slab, p...)
	a.used += int64(len(p))
	return at
}

func (a *arena) last() []byte { return a.slabs[len(a.slabs)-1] }

// at is what is kept at a place, nil for nowhere.
func (a *arena) at(p place) []byte {
	if p.slab == 0 {
		return nil
	}
	return a.slabs[p.slab-1][p.offset : p.offset+p.size : p.offset+p.size]
}

// arenaState is how far an arena was filled.
type arenaState struct {
	slabs, last int // number of slabs, bytes in the last of them
	used, freed int64
}

func (a *arena) state() arenaState {
	s := arenaState{slabs: len(a.slabs), used: a.used, freed: a.freed}
	if s.slabs > 0 {
		s.last = len(a.last())
	}
	return s
}

// holds reports whether the arena had kept something at a place by then.
func (s arenaState) holds(p place) bool {
	return int(p.slab) < s.slabs || int(p.slab) == s.slabs && int(p.offset) < s.last
}

// restore drops what was kept since.
func (a *arena) restore(s arenaState) {
	a.slabs, a.used, a.freed = a.slabs[:s.slabs], s.used, s.freed
	if s.slabs > 0 {
		a.slabs[s.slabs-1] = a.last()[:s.last]
	}
}

// free lets go of what is kept at a place. Its bytes are in use until the
// arena is made anew.
func (a *arena) free(p place) { a.freed += int64(p.size) }

// wasteful reports whether most of the arena was let go.
func (a *arena) wasteful() bool { return a.freed > slabSize && a.freed > a.used/2 }
