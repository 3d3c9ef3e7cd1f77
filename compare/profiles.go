package compare

import (
	"cmp"

	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// profiles are those of one method that are compared.
type profiles struct {
	list    []profile
	sites   sites
	poll    *poll.Poll
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
	if p.poll == nil {
		p.poll = poll.New(c.ctx) // two goroutines may be at work
	}
	for q, err := range m.Profiles() {
		if err = cmp.Or(err, p.poll.Err()); err != nil {
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
	m := matching{a: c.profilesA.list, b: c.profilesB.list, pairs: c.scratch[:0]}
	if err := m.nameContexts(c); err != nil {
		return nil, err
	}
	m.sameCode()
	m.unknownCode()
	m.leftOver()
	c.scratch = m.pairs
	return m.pairs, nil
}
