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

// Load returns the state of slot i, which must be in the range.
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

// Fill puts all slots in [from, to) from state 0 into state v. It reports false,
// and changes none of them, if one is in another state. Of two calls whose ranges
// overlap one at most succeeds.
func (s *States) Fill(from, to int64, v uint8) bool {
	for at := from; at < to; {
		next := min(to, (at>>slotShift+1)<<slotShift)
		if !s.fillWord(at, next, v) {
			s.Clear(from, at)
			return false
		}
		at = next
	}
	return true
}

// fillWord is Fill for slots that share a word.
func (s *States) fillWord(from, to int64, v uint8) bool {
	w, mask := s.words.at(from>>slotShift), slotsMask(from, to)
	for {
		word := w.Load()
		if word&mask != 0 {
			return false
		}
		if w.CompareAndSwap(word, word|mask&(uint64(v&stateMask)*everySlot)) {
			return true
		}
	}
}

// Clear puts all slots in [from, to) into state 0.
func (s *States) Clear(from, to int64) {
	for at := from; at < to; {
		next := min(to, (at>>slotShift+1)<<slotShift)
		s.words.at(at >> slotShift).And(^slotsMask(at, next))
		at = next
	}
}

// everySlot has a 1 in each of the slots of a word.
const everySlot = 0x5555_5555_5555_5555

// slotsMask has the bits of the slots in [from, to), which share a word.
func slotsMask(from, to int64) uint64 {
	return ^uint64(0) >> (64 - 2*(to-from)) << (from & 31 * 2)
}
