package builder

// A list numbers values from 1 and grows without being copied: one of millions
// would be copied several times on its way.
type list[V any] struct {
	chunks [][]V
	n      int
}

const (
	chunkShift = 12
	chunkSize  = 1 << chunkShift
)

func (l *list[V]) len() int { return l.n }

func (l *list[V]) has(number uint32) bool { return number != 0 && int(number) <= l.n }

// at is the value with a number that add gave.
func (l *list[V]) at(number uint32) *V {
	i := number - 1
	return &l.chunks[i>>chunkShift][i&(chunkSize-1)]
}

// add gives the number of a new value. Pointers that at gave may be of an old
// copy then.
func (l *list[V]) add(v V) (number uint32) {
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

// truncate drops all but the first n values.
func (l *list[V]) truncate(n int) {
	l.n = n
	l.chunks = l.chunks[:(n+chunkSize-1)/chunkSize]
	if rest := n % chunkSize; rest > 0 {
		last := &l.chunks[len(l.chunks)-1]
		*last = (*last)[:rest]
	}
}

// all goes through the values, in the order of their numbers.
func (l *list[V]) all(yield func(number uint32, v *V) bool) {
	number := uint32(0)
	for _, chunk := range l.chunks {
		for i := range chunk {
			if number++; !yield(number, &chunk[i]) {
				return
			}
		}
	}
}
