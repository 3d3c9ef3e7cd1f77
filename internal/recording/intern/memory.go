package intern

import "github.com/profarc/profarc/internal/file/mmap"

// An Arena stores many small byte strings in a few large slabs. Strings are identified without pointers.
type Arena struct {
	slabs  [][]byte
	pieces []*mmap.Piece // memory of the slabs; nil for a slab on the heap
}

// A Place is the location of a string in an arena. The zero value is nowhere.
type Place struct{ slab, offset, Size uint32 } // slab is numbered from 1

// Nowhere reports whether p is the zero value.
func (p Place) Nowhere() bool { return p.slab == 0 }

// The size of slabs doubles from firstSlab, slabDoublings times.
const (
	firstSlab     = 1 << 12
	slabDoublings = 8
)

// nextSlab returns the size of the slab that follows slabs others, at least n bytes.
func nextSlab(slabs, n int) int { return max(firstSlab<<min(slabs, slabDoublings), n) }

// Keep stores a copy of p, which must be shorter than 4 GiB.
func (a *Arena) Keep(p []byte) Place {
	if len(a.slabs) == 0 || len(p) > cap(a.last())-len(a.last()) {
		a.addSlab(nextSlab(len(a.slabs), len(p)))
	}
	slab := &a.slabs[len(a.slabs)-1]
	at := Place{uint32(len(a.slabs)), uint32(len(*slab)), uint32(len(p))}
	*slab = append(*slab, p...)
	return at
}

// largeSlab is the size from which slabs are mapped outside the heap.
const largeSlab = firstSlab << slabDoublings

func (a *Arena) addSlab(size int) {
	if size < largeSlab {
		a.slabs, a.pieces = append(a.slabs, make([]byte, 0, size)), append(a.pieces, nil)
		return
	}
	p := mmap.NewPiece(size)
	a.slabs, a.pieces = append(a.slabs, p.Bytes()[:0]), append(a.pieces, p)
}

func (a *Arena) last() []byte { return a.slabs[len(a.slabs)-1] }

// At returns the string at p, or nil for nowhere.
func (a *Arena) At(p Place) []byte {
	if p.slab == 0 {
		return nil
	}
	return a.slabs[p.slab-1][p.offset : p.offset+p.Size : p.offset+p.Size]
}

type ArenaState struct {
	slabs, last int // number of slabs, length of the last
}

func (a *Arena) State() ArenaState {
	s := ArenaState{slabs: len(a.slabs)}
	if s.slabs > 0 {
		s.last = len(a.last())
	}
	return s
}

// Restore drops the strings stored after State returned s.
func (a *Arena) Restore(s ArenaState) {
	clear(a.pieces[s.slabs:])
	a.slabs, a.pieces = a.slabs[:s.slabs], a.pieces[:s.slabs]
	if s.slabs > 0 {
		a.slabs[s.slabs-1] = a.last()[:s.last]
	}
}

// A List numbers values from 1. It grows in chunks, since reallocating a list of millions would copy it several times.
type List[V any] struct {
	chunks [][]V
	n      int
	pieces []*mmap.Piece // memory of the chunks outside the heap
	room   []V           // unused rest of the last piece
}

const (
	chunkShift = 12
	chunkSize  = 1 << chunkShift
	fewChunks  = 16 // number of chunks on the heap; the others are allocated in groups of this size
)

func (l *List[V]) Len() int               { return l.n }
func (l *List[V]) Has(number uint32) bool { return number != 0 && int(number) <= l.n }

func (l *List[V]) At(number uint32) *V {
	i := number - 1
	return &l.chunks[i>>chunkShift][i&(chunkSize-1)]
}

// Add stores v and returns its number. It invalidates pointers that At returned before.
func (l *List[V]) Add(v V) (number uint32) {
	if l.n%chunkSize == 0 {
		l.chunks = append(l.chunks, l.newChunk())
	}
	last := &l.chunks[len(l.chunks)-1]
	*last = append(*last, v)
	l.n++
	return uint32(l.n)
}

func (l *List[V]) newChunk() []V {
	switch {
	case l.n == 0:
		return nil
	case len(l.chunks) < fewChunks:
		return make([]V, 0, chunkSize)
	case len(l.room) == 0:
		var p *mmap.Piece
		p, l.room = mmap.NewPieceOf[V](fewChunks * chunkSize)
		l.pieces = append(l.pieces, p)
	}
	chunk := l.room[:0:chunkSize]
	l.room = l.room[chunkSize:]
	return chunk
}

func (l *List[V]) Truncate(n int) {
	l.n = n
	l.chunks = l.chunks[:(n+chunkSize-1)/chunkSize]
	if rest := n % chunkSize; rest > 0 {
		last := &l.chunks[len(l.chunks)-1]
		*last = (*last)[:rest]
	}
}

// All iterates over the values in the order of their numbers.
func (l *List[V]) All(yield func(number uint32, v *V) bool) {
	number := uint32(0)
	for _, chunk := range l.chunks {
		for i := range chunk {
			if number++; !yield(number, &chunk[i]) {
				return
			}
		}
	}
}

// A Table interns values by key and numbers them from 1.
type Table[K comparable, V any] struct {
	List[V]
	Refs map[K]uint32
}

func (t *Table[K, V]) Find(k K) (ref uint32, ok bool) {
	ref, ok = t.Refs[k]
	return ref, ok
}

func (t *Table[K, V]) Add(k K, v V) (ref uint32) {
	if t.Refs == nil {
		t.Refs = map[K]uint32{}
	}
	ref = t.List.Add(v)
	t.Refs[k] = ref
	return ref
}
