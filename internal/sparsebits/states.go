package sparsebits

// A States keeps a state from 0 to 3 for each of the slots 0 to n-1. All begin
// in state 0.
type States struct{ words words }

const (
	slotShift = wordShift - 1 // log2 of the slots of a word
	stateMask = 3
)

// NewStates makes the states of n slots.
func NewStates(n int64) *States { return &States{newWords((n + 31) >> slotShift)} }

// Load gives the state of slot i, which must be in the range.
func (s *States) Load(i int64) uint8 {
	c := s.words.find(i >> slotShift)
	if c == nil {
		return 0
	}
	return uint8(c[i>>slotShift&chunkMask].Load() >> (i & 31 * 2) & stateMask)
}

// CompareAndSwap changes the state of slot i from old to new, and reports
// whether it was old.
func (s *States) CompareAndSwap(i int64, old, new uint8) bool {
	w, shift := s.words.at(i>>slotShift), i&31*2
	for {
		word := w.Load()
		if word>>shift&stateMask != uint64(old) {
			return false
		}
		// The neighbours may change meanwhile: that is no reason to give up.
		if w.CompareAndSwap(word, word&^(stateMask<<shift)|uint64(new&stateMask)<<shift) {
			return true
		}
	}
}

// Store puts slot i into state v.
func (s *States) Store(i int64, v uint8) {
	for !s.CompareAndSwap(i, s.Load(i), v) {
	}
}
