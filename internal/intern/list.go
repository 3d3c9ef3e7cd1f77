package intern

// A List numbers values from 1 and grows without being copied: one of millions
// would be copied several times on its way.
type List[V any] struct {
	chunks [][]V
	n      int
}

const (
	chunkShift = 12
	chunkSize  = 1 << chunkShift
)

func (l *List[V]) Len() int { return l.n }

func (l *List[V]) Has(number uint32) bool { return number != 0 && int(number) <= l.n }

// At is the value with a number that add gave.
func (l *List[V]) At(number uint32) *V {
	i := number - 1
	return &l.chunks[i>>chunkShift][i&(chunkSize-1)]
}

// Add gives the number of a new value. Pointers that at gave may be of an old
// copy then.
func (l *List[V]) Add(v V) (number uint32) {
	if l.n%chunkSize == 0 {
		var chunk []V
		if l.n > 0 { // the first grows, for most lists are short
			chunk = make([]V, 0, chunkSize)
		}
		l.chunks = append(l.chunks, chunk)
	}
	last := &l.chunks[len(l.chunks)-1]
	*last = append(*last, v)
	l.n++
	return uint32(l.n)
}

// Truncate drops all but the first n values.
func (l *List[V]) Truncate(n int) {
	l.n = n
	l.chunks = l.chunks[:(n+chunkSize-1)/chunkSize]
	if rest := n % chunkSize; rest > 0 {
		last := &l.chunks[len(l.chunks)-1]
		*last = (*last)[:rest]
	}
}

// All goes through the values, in the order of their numbers.
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
