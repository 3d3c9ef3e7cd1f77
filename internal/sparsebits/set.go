package sparsebits

// A Set is a set of numbers from 0 to n-1. What is in it stays in it.
type Set struct{ words words }

// New makes an empty set of numbers below n.
func New(n int64) *Set { return &Set{newWords((n + 63) >> wordShift)} }

// Has reports whether i is in the set. It panics if i is far outside the range
// that the set was made for; for other numbers outside it is false.
func (s *Set) Has(i int64) bool {
	w := uint64(i) >> wordShift
	c := s.words.find(w)
	return c != nil && c[w%(1<<chunkShift)].Load()>>(uint(i)%64)&1 != 0
}

// Add puts i, which must be in the range, into the set. All that happened
// before Add is seen by whoever finds i with Has.
func (s *Set) Add(i int64) {
	s.words.at(uint64(i) >> wordShift).Or(1 << (uint(i) % 64))
}
