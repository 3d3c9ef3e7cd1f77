package sparsebits

// A Set is a set of numbers from 0 to n-1. What is in it stays in it.
type Set struct{ words words }

// New makes an empty set of numbers below n.
func New(n int64) *Set { return &Set{newWords((n + 63) >> wordShift)} }

// Has reports whether i is in the set. It panics if i is far outside the range
// that the set was made for; for other numbers outside it is false.
func (s *Set) Has(i int64) bool {
	c := s.words.find(i >> wordShift)
	return c != nil && c[i>>wordShift&chunkMask].Load()&(1<<(i&63)) != 0
}

// Add puts i, which must be in the range, into the set. All that happened
// before Add is seen by whoever finds i with Has.
func (s *Set) Add(i int64) {
	s.words.at(i >> wordShift).Or(1 << (i & 63))
}
