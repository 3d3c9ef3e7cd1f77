package intern

import "github.com/profarc/profarc/internal/file/mmap"

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
