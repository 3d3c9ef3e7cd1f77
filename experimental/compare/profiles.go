package compare

import (
	"slices"

	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type profiles struct {
	list    []profile
	sites   sites
	poll    *poll.Poll
	samples samples     // samples of all contexts
	sampled kindAmounts // totals of samples
	leftOut int         // excluded profiles, over all methods
	marked  int         // profiles with a mark and no counts, over all methods
}

type profile struct {
	reader.Profile
	sum     kindAmounts
	untyped kindAmounts // counts without a type, which do not overlap
	failed  bool        // the profile counts failed type checks
	// LLVM's functions with equal name and hash may differ in the following numbers.
	counters int
	values   [3]int // number of value sites by kind
	done     bool   // the profile has a partner
}

// csHash is set in the function hash of LLVM's context-sensitive records.
const csHash = 1 << 60

// readMethod reads the profiles of a method. The zero Method has no profiles.
func (p *profiles) readMethod(m reader.Method, c *comparison) error {
	p.list = p.list[:0]
	if p.poll == nil {
		p.poll = poll.New(c.ctx)
		p.samples = samples{} // not shared, since both archives are read in parallel
	}
	clear(p.samples)
	p.sampled = kindAmounts{}
	return poll.Each(p.poll, m.Profiles(), func(q reader.Profile) error {
		if c.a.Header().Domain == layout.DomainLLVMIR && (q.Code()&csHash != 0) != c.o.ContextSensitive {
			p.leftOut++
			return nil
		}
		if err := p.sites.readProfile(q); err != nil {
			return err
		}
		if p.sites.marked {
			p.marked++
		}
		p.list = append(p.list, profile{Profile: q})
		p.addUpSites(&p.list[len(p.list)-1])
		return nil
	})
}

// addUpSites adds up the counts of a profile whose sites have been read. Samples go to the method.
func (all *profiles) addUpSites(p *profile) {
	for i := range all.sites.list {
		s := &all.sites.list[i]
		if s.kind.countsSamples() {
			all.sampled[s.kind] += all.samples.addSiteSamples(s)
			continue
		}
		for _, c := range s.cells {
			p.sum[s.kind] += float64(c.count)
		}
		p.untyped[s.kind] += float64(s.untyped)
		p.failed = p.failed || s.failed > 0
		switch s.group {
		case groupCounters:
			p.counters += len(s.cells)
		case groupValues:
			if int(s.sub) < len(p.values) {
				p.values[s.sub]++
			}
		}
	}
}

func (p *profile) hasSameShape(q *profile) bool {
	return p.counters == q.counters && p.values == q.values
}

func (p *profiles) addCountsTo(sum *kindAmounts) {
	for k := range numKinds {
		sum[k] += p.sampled[k]
		for i := range p.list {
			sum[k] += p.list[i].sum[k]
		}
	}
}

// A profilePair is two matching profiles, or a profile of b without a partner.
type profilePair struct {
	a, b  *profile
	rival bool // a has a profile for other code
}

// matchProfiles pairs the profiles of a method. Profiles of the same context and code come first, then profiles of the
// same context with one unknown code, then the remaining profiles of b without a partner.
func (c *comparison) matchProfiles() ([]profilePair, error) {
	m := &c.matching
	m.a = c.profilesA.list
	m.b = c.profilesB.list
	m.pairs = m.pairs[:0]
	if err := m.numberContexts(c); err != nil {
		return nil, err
	}
	m.pairSameCode()
	m.pairUnknownCode()
	m.addUnmatched()
	return m.pairs, nil
}

// A profileMatching pairs the profiles of one method. The profiles of an archive are sorted by context and code, and
// this pair is unique.
type profileMatching struct {
	a, b      []profile
	contextsA []uint32 // context number of each profile, equal for equal contexts, 0 without a context
	contextsB []uint32
	pairs     []profilePair
}

type contextCode struct {
	context uint32
	code    uint64
}

func (m *profileMatching) addPair(i, j int) {
	a := &m.a[i]
	b := &m.b[j]
	a.done, b.done = true, true
	m.pairs = append(m.pairs, profilePair{a: a, b: b})
}

func (m *profileMatching) pairSameCode() {
	if len(m.a) == 1 && len(m.b) == 1 {
		if m.contextsA[0] == m.contextsB[0] && m.a[0].Code() == m.b[0].Code() {
			m.addPair(0, 0)
		}
		return
	}
	index := make(map[contextCode]int, len(m.b))
	for j := range m.b {
		index[contextCode{m.contextsB[j], m.b[j].Code()}] = j
	}
	for i := range m.a {
		if j, ok := index[contextCode{m.contextsA[i], m.a[i].Code()}]; ok {
			m.addPair(i, j)
		}
	}
}

// pairUnknownCode pairs each remaining profile of a with the first remaining one of b in the same context, if the code
// of either is unknown. A profile without known code is the first of its context.
func (m *profileMatching) pairUnknownCode() {
	if len(m.pairs) == min(len(m.a), len(m.b)) {
		return // one archive has no profiles left
	}
	first := map[uint32]int{}
	for j := range slices.Backward(m.b) {
		first[m.contextsB[j]] = j
	}
	for i := range m.a {
		context := m.contextsA[i]
		j, ok := first[context]
		if m.a[i].done || !ok {
			continue
		}
		if m.a[i].Code() == 0 {
			for j < len(m.b) && m.contextsB[j] == context && m.b[j].done {
				j++
			}
		}
		if j < len(m.b) && m.contextsB[j] == context && !m.b[j].done &&
			(m.a[i].Code() == 0 || m.b[j].Code() == 0) {
			m.addPair(i, j)
		}
	}
}

func (m *profileMatching) addUnmatched() {
	var ofA map[uint32]bool // contexts that a has
	for j := range m.b {
		if m.b[j].done {
			continue
		}
		if ofA == nil {
			ofA = map[uint32]bool{}
			for i := range m.a {
				ofA[m.contextsA[i]] = true
			}
		}
		m.pairs = append(m.pairs, profilePair{b: &m.b[j], rival: ofA[m.contextsB[j]]})
	}
}

func (m *profileMatching) numberContexts(c *comparison) (err error) {
	var n contextNumbers
	m.contextsA, err = n.numberProfiles(m.contextsA, c.a, m.a, c.counterparts.methodKeyInB)
	if err != nil {
		return err
	}
	m.contextsB, err = n.numberProfiles(m.contextsB, c.b, m.b,
		func(caller reader.Method) (uint64, error) { return uint64(caller.Ref()), nil })
	return err
}

// contextNumbers numbers the contexts of a method in both archives, from 1. A context consists of its inner context and
// one frame, so each takes one step, whatever its depth. Few methods have contexts, so numberContext makes the maps.
type contextNumbers struct {
	ids   map[contextFrame]uint32
	known map[layout.Ref]uint32 // numbers of the contexts of the archive being numbered
}

type contextFrame struct {
	inner  uint32 // 0 without an inner context
	caller uint64
	point  int32
}

// numberProfiles numbers the contexts of profiles, in the memory of numbers.
func (n *contextNumbers) numberProfiles(numbers []uint32, s *reader.Store, list []profile,
	key func(reader.Method) (uint64, error)) ([]uint32, error) {
	numbers = slices.Grow(numbers[:0], len(list))[:len(list)]
	clear(numbers)
	n.known = nil
	for i := range list {
		context, ok, err := list[i].Context()
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		numbers[i], err = n.numberContext(s, context, key)
		if err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

func (n *contextNumbers) numberContext(s *reader.Store, c reader.Context,
	key func(reader.Method) (uint64, error)) (uint32, error) {
	if n.ids == nil {
		n.ids = map[contextFrame]uint32{}
	}
	if n.known == nil {
		n.known = map[layout.Ref]uint32{}
	}
	path := []reader.Context{c}
	for inner := c.Inner(); inner != 0 && n.known[inner] == 0; inner = path[len(path)-1].Inner() {
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
		frame := contextFrame{inner: n.known[path[i].Inner()], point: f.Point}
		frame.caller, err = key(f.Caller)
		if err != nil {
			return 0, err
		}
		if n.ids[frame] == 0 {
			n.ids[frame] = uint32(len(n.ids) + 1)
		}
		n.known[path[i].Ref()] = n.ids[frame]
	}
	return n.known[c.Ref()], nil
}
