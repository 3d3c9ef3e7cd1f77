package compare

import (
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// profiles are those of one method that are compared.
type profiles struct {
	list    []profile
	sites   sites
	leftOut int // profiles so far that are of the kind that is not compared
	marked  int // profiles so far that are marked, and have no counts
}

// A profile is one with the sums of its counts.
type profile struct {
	reader.Profile
	sum     perKind
	untyped perKind // counts of no type, which are not compared
	failed  bool    // it counts type checks that failed
	// LLVM's functions of one name and hash may still differ in these.
	counters int
	values   [3]int // sites, by kind
	done     bool   // has its partner
}

// csHash is set in the function hash of LLVM's context-sensitive records.
const csHash = 1 << 60

// read takes the profiles of a method; the zero Method has none.
func (p *profiles) read(m reader.Method, c *comparison) error {
	p.list = p.list[:0]
	for q, err := range m.Profiles() {
		if err != nil {
			return err
		}
		if c.a.Header().Domain == layout.DomainLLVMIR && (q.Code()&csHash != 0) != c.o.ContextSensitive {
			p.leftOut++
			continue
		}
		if err := p.sites.read(q); err != nil {
			return err
		}
		if p.sites.marked {
			p.marked++
		}
		p.list = append(p.list, profile{Profile: q})
		p.list[len(p.list)-1].measure(p.sites.list)
	}
	return nil
}

// measure adds the counts of a profile up.
func (p *profile) measure(list []site) {
	for i := range list {
		s := &list[i]
		for _, c := range s.cells {
			p.sum[s.kind] += float64(c.count)
		}
		p.untyped[s.kind] += float64(s.untyped)
		p.failed = p.failed || s.failed > 0
		switch s.class {
		case classCounters:
			p.counters += len(s.cells)
		case classValues:
			if int(s.sub) < len(p.values) {
				p.values[s.sub]++
			}
		}
	}
}

// sameShape reports whether two of LLVM's profiles have the same counters and
// value sites; others have the same shape if they are of the same code.
func (p *profile) sameShape(q *profile) bool { return p.counters == q.counters && p.values == q.values }

func (p *profiles) addTo(sum *perKind) {
	for i := range p.list {
		for k := range numKinds {
			sum[k] += p.list[i].sum[k]
		}
	}
}

// A pair is two profiles that belong together, or one of b that has no partner.
type pair struct {
	a, b  *profile
	rival bool // a has the profile of another version of the code
}

// match pairs the profiles of a method: those of the same context and code, then
// those of the same context if one code is not known. Those of b that are left
// over come last, as pairs without a.
func (c *comparison) match() ([]pair, error) {
	pairs := c.scratch[:0]
	contextsA, err := c.contextKeys(&c.profilesA, true)
	if err != nil {
		return nil, err
	}
	contextsB, err := c.contextKeys(&c.profilesB, false)
	if err != nil {
		return nil, err
	}
	for _, fits := range []func(codeA, codeB uint64) bool{
		func(codeA, codeB uint64) bool { return codeA == codeB },
		func(codeA, codeB uint64) bool { return codeA == 0 || codeB == 0 },
	} {
		pairs = c.matchWhere(pairs, contextsA, contextsB, fits)
	}
	var rival func(context string) bool
	for i := range c.profilesB.list {
		if b := &c.profilesB.list[i]; !b.done {
			if rival == nil {
				rival = c.contextsOfA(contextsA)
			}
			pairs = append(pairs, pair{nil, b, rival(at(contextsB, i))})
		}
	}
	c.scratch = pairs
	return pairs, nil
}

// contextsOfA says of a context whether a has profiles there, by the keys of its
// profiles.
func (c *comparison) contextsOfA(keys []string) (known func(key string) bool) {
	switch {
	case len(c.profilesA.list) == 0:
		return func(string) bool { return false }
	case keys == nil:
		return func(key string) bool { return key == "" }
	}
	all := map[string]bool{}
	for _, key := range keys {
		all[key] = true
	}
	return func(key string) bool { return all[key] }
}

// fewProfiles is up to how many profiles of a method are held against each
// other without an index.
const fewProfiles = 8

func (c *comparison) matchWhere(pairs []pair, contextsA, contextsB []string, fits func(codeA, codeB uint64) bool) []pair {
	var index map[string][]int // of the profiles of b, by context
	if len(c.profilesB.list) > fewProfiles {
		index = map[string][]int{}
		for i := range c.profilesB.list {
			index[at(contextsB, i)] = append(index[at(contextsB, i)], i)
		}
	}
	take := func(a *profile, i int) bool {
		b := &c.profilesB.list[i]
		if b.done || !fits(a.Code(), b.Code()) {
			return false
		}
		a.done, b.done = true, true
		pairs = append(pairs, pair{a: a, b: b})
		return true
	}
	for i := range c.profilesA.list {
		a, context := &c.profilesA.list[i], at(contextsA, i)
		if a.done {
			continue
		}
		if index != nil {
			_ = slices.ContainsFunc(index[context], func(j int) bool { return take(a, j) })
			continue
		}
		for j := range c.profilesB.list {
			if at(contextsB, j) == context && take(a, j) {
				break
			}
		}
	}
	return pairs
}

// at is key i; no keys stand for profiles without a context.
func at(keys []string, i int) string {
	if keys == nil {
		return ""
	}
	return keys[i]
}

// contextKeys gives a key for the context of each profile, by the methods of b;
// nil if none has a context.
func (c *comparison) contextKeys(p *profiles, ofA bool) ([]string, error) {
	var keys []string
	for i := range p.list {
		context, ok, err := p.list[i].Context()
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		frames, err := context.Frames()
		if err != nil {
			return nil, err
		}
		if keys == nil {
			keys = make([]string, len(p.list))
		}
		keys[i] = string(c.appendFrames(nil, frames, ofA))
	}
	return keys, nil
}

// appendFrames appends the frames with the callers' places in b.
func (c *comparison) appendFrames(b []byte, frames []reader.Frame, ofA bool) []byte {
	for _, f := range frames {
		caller := uint64(f.Caller.Ref())
		if ofA {
			caller, _ = c.counterparts.methodKey(f.Caller)
		}
		b = binary.LittleEndian.AppendUint64(b, caller)
		b = binary.LittleEndian.AppendUint32(b, uint32(f.Point))
	}
	return b
}
