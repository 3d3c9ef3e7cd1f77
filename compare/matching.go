package compare

import (
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A matching pairs the profiles of one method that both archives have. The
// profiles of an archive come context by context, and by code within; no two have
// the same of both.
type matching struct {
	a, b      []profile
	contextsA []uint32 // of each profile, the same number for the same context of both; nil if none has a context
	contextsB []uint32
	pairs     []pair
}

// A versioned context is what a profile is of.
type versioned struct {
	context uint32
	code    uint64
}

// at is number i; no numbers stand for profiles without a context, which is 0.
func at(contexts []uint32, i int) uint32 {
	if contexts == nil {
		return 0
	}
	return contexts[i]
}

// pair pairs profile i of a with profile j of b.
func (m *matching) pair(i, j int) {
	a, b := &m.a[i], &m.b[j]
	a.done, b.done = true, true
	m.pairs = append(m.pairs, pair{a: a, b: b})
}

// fewProfiles is up to how many profiles of a method are held against each
// other without an index.
const fewProfiles = 8

// sameCode pairs profiles of the same context and code.
func (m *matching) sameCode() {
	if len(m.b) <= fewProfiles {
		for i := range m.a {
			for j := range m.b {
				if at(m.contextsA, i) == at(m.contextsB, j) && m.a[i].Code() == m.b[j].Code() {
					m.pair(i, j)
					break
				}
			}
		}
		return
	}
	index := make(map[versioned]int, len(m.b))
	for j := range m.b {
		index[versioned{at(m.contextsB, j), m.b[j].Code()}] = j
	}
	for i := range m.a {
		if j, ok := index[versioned{at(m.contextsA, i), m.a[i].Code()}]; ok {
			m.pair(i, j)
		}
	}
}

// unknownCode pairs what is left of a with the first that is left of b in the same
// context, if one of the two is of a code that is not known. That is the first of
// its context, so that each profile of b is passed over once at most.
func (m *matching) unknownCode() {
	if len(m.pairs) == min(len(m.a), len(m.b)) {
		return // nothing is left of one of the two
	}
	first := map[uint32]int{}
	for j := len(m.b) - 1; j >= 0; j-- {
		first[at(m.contextsB, j)] = j
	}
	for i := range m.a {
		context := at(m.contextsA, i)
		j, ok := first[context]
		if m.a[i].done || !ok {
			continue
		}
		if m.a[i].Code() == 0 {
			for j < len(m.b) && at(m.contextsB, j) == context && m.b[j].done {
				j++
			}
		}
		if j < len(m.b) && at(m.contextsB, j) == context && !m.b[j].done && (m.a[i].Code() == 0 || m.b[j].Code() == 0) {
			m.pair(i, j)
		}
	}
}

// leftOver adds the profiles of b that have no partner.
func (m *matching) leftOver() {
	var ofA map[uint32]bool // the contexts of a
	for j := range m.b {
		if m.b[j].done {
			continue
		}
		if ofA == nil {
			ofA = map[uint32]bool{}
			for i := range m.a {
				ofA[at(m.contextsA, i)] = true
			}
		}
		m.pairs = append(m.pairs, pair{b: &m.b[j], rival: ofA[at(m.contextsB, j)]})
	}
}

// nameContexts numbers the contexts of the profiles, by the callers' places in b.
func (m *matching) nameContexts(c *comparison) (err error) {
	var n contextNumbers
	if m.contextsA, err = n.number(c.a, m.a, c.counterparts.methodKey); err != nil {
		return err
	}
	m.contextsB, err = n.number(c.b, m.b, func(caller reader.Method) (uint64, error) { return uint64(caller.Ref()), nil })
	return err
}

// contextNumbers give the contexts of a method in both archives numbers, from 1. A
// context is the one within it and a frame more, so that each takes one step,
// however deep it is.
type contextNumbers struct{ ids map[contextFrame]uint32 }

type contextFrame struct {
	inner  uint32 // 0 for none
	caller uint64
	point  int32
}

// number numbers the contexts of profiles, nil if none has any.
func (n *contextNumbers) number(s *reader.Store, list []profile, key func(reader.Method) (uint64, error)) (numbers []uint32, err error) {
	var known map[layout.Ref]uint32
	for i := range list {
		context, ok, err := list[i].Context()
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if numbers == nil {
			numbers, known = make([]uint32, len(list)), map[layout.Ref]uint32{}
		}
		if n.ids == nil {
			n.ids = map[contextFrame]uint32{}
		}
		if numbers[i], err = n.of(s, context, known, key); err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

// of numbers a context, and before it those within it that have no number yet.
func (n *contextNumbers) of(s *reader.Store, c reader.Context, known map[layout.Ref]uint32, key func(reader.Method) (uint64, error)) (uint32, error) {
	path := []reader.Context{c}
	for inner := c.Inner(); inner != 0 && known[inner] == 0; inner = path[len(path)-1].Inner() {
		next, err := s.ContextAt(inner)
		if err != nil {
			return 0, err
		}
		path = append(path, next)
	}
	for i := len(path) - 1; i >= 0; i-- {
		f, err := path[i].Caller()
		if err != nil {
			return 0, err
		}
		frame := contextFrame{inner: known[path[i].Inner()], point: f.Point}
		if frame.caller, err = key(f.Caller); err != nil {
			return 0, err
		}
		if n.ids[frame] == 0 {
			n.ids[frame] = uint32(len(n.ids) + 1)
		}
		known[path[i].Ref()] = n.ids[frame]
	}
	return known[c.Ref()], nil
}
