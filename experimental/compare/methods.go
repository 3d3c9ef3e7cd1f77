package compare

import (
	"iter"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/reader"
)

// A method is a method with counts and the difference of its profiles, like Method.
type method struct {
	a, b                                reader.Method
	overlap, shareA, shareB, difference float64
	hidden, mismatch                    bool
}

// methodsOfA compares the methods of a with their counterparts.
func (c *comparison) methodsOfA() error {
	return c.eachMethod(c.a, func(m reader.Method) error {
		if err := c.profilesA.read(m, c); err != nil {
			return err
		}
		c.report.Methods.A++
		c.report.Profiles.A += len(c.profilesA.list)
		partner := c.counterparts.method(m)
		if partner == 0 {
			return c.gone(m)
		}
		n, err := c.b.MethodAt(partner)
		if err != nil {
			return err
		}
		if err := c.profilesB.read(n, c); err != nil {
			return err
		}
		c.report.Methods.B++
		c.report.Profiles.B += len(c.profilesB.list)
		return c.both(m, n)
	})
}

// gone counts a method that b lacks.
func (c *comparison) gone(m reader.Method) error {
	c.report.Methods.OnlyA++
	c.report.Profiles.OnlyA += len(c.profilesA.list)
	found := method{a: m}
	var sum perKind
	c.profilesA.addTo(&sum)
	found.shareA = share(sum[c.primary], c.sumA[c.primary])
	return c.addUnmatched(&found, m, &c.profilesA, &c.went, c.hidden.leave)
}

// addUnmatched adds a method of one archive to list, or calls addHidden if its class is hidden. Methods without counts
// are left out.
func (c *comparison) addUnmatched(found *method, m reader.Method, p *profiles, list *top[method],
	addHidden func(*method, hiddenKey)) error {
	weight := found.shareA + found.shareB
	if weight == 0 {
		return nil
	}
	k, hidden, err := hiddenKeyOf(m, p)
	found.difference = weight / 2
	found.hidden = hidden
	if hidden {
		addHidden(found, k)
	} else {
		list.add(found, weight)
	}
	return err
}

// methodsOfB counts the methods that only b has.
func (c *comparison) methodsOfB() error {
	return c.eachMethod(c.b, func(m reader.Method) error {
		if c.counterparts.taken.has(m.Ref()) {
			return nil
		}
		if err := c.profilesB.read(m, c); err != nil {
			return err
		}
		c.report.Methods.B++
		c.report.Methods.OnlyB++
		c.report.Profiles.B += len(c.profilesB.list)
		c.report.Profiles.OnlyB += len(c.profilesB.list)
		found := method{b: m}
		var sum perKind
		c.profilesB.addTo(&sum)
		c.onlyB.addShares(&sum, &c.sumB)
		found.shareB = share(sum[c.primary], c.sumB[c.primary])
		return c.addUnmatched(&found, m, &c.profilesB, &c.came, c.cameHidden)
	})
}

// both compares a method that is in both archives.
func (c *comparison) both(m, n reader.Method) error {
	c.report.Methods.Matched++
	pairs, err := c.match()
	if err != nil {
		return err
	}
	k := c.primary
	var sumA, sumB perKind
	c.profilesA.addTo(&sumA)
	c.profilesB.addTo(&sumB)
	found := method{a: m, b: n, shareA: share(sumA[k], c.sumA[k]), shareB: share(sumB[k], c.sumB[k])}
	before := c.overlap[k]
	o := overlapping{c: c, ownA: sumA[k], ownB: sumB[k]}
	o.addSamples()
	for _, p := range pairs {
		matched, err := o.pair(p)
		if err != nil {
			return err
		}
		found.mismatch = found.mismatch || !matched
	}
	if len(pairs) > 0 && found.mismatch {
		c.report.Methods.Mismatch++
	}
	c.report.Profiles.OnlyA += c.profilesA.left()
	found.overlap = o.own
	if sumA[k] < 1 && sumB[k] < 1 {
		found.overlap = 1
	}
	found.difference = max(0, (found.shareA+found.shareB)/2-(c.overlap[k]-before))
	if found.difference > negligible {
		c.changed.add(&found, found.difference)
	}
	return nil
}

// negligible is the largest difference that rounding can cause.
const negligible = 1e-12

// left returns the number of profiles without a partner.
func (p *profiles) left() (n int) {
	for i := range p.list {
		if !p.list[i].done {
			n++
		}
	}
	return n
}

// An overlapping adds up the overlap of the profiles of one method.
type overlapping struct {
	c          *comparison
	ownA, ownB float64 // totals of the primary kind over the method
	own        float64 // overlap of the method's counts among themselves
}

// pair compares two profiles. matched is false if a lacks the code of the profile in b. A profile in b without counts
// always matches, as in llvm-profdata.
func (o *overlapping) pair(p pair) (matched bool, err error) {
	c := o.c
	switch {
	case p.b.sum[kindEdges] < 1 && c.a.Header().Domain.LLVM():
		c.report.Profiles.Matched++
		return true, nil
	case p.a == nil && !p.rival:
		c.report.Profiles.OnlyB++
		c.onlyB.addShares(&p.b.sum, &c.sumB)
		return true, nil
	case p.a == nil || c.a.Header().Domain.LLVM() && !p.a.sameShape(p.b):
		c.report.Profiles.Mismatch++
		c.mismatch.addShares(&p.b.sum, &c.sumB)
		return false, nil
	}
	c.report.Profiles.Matched++
	err = c.profilesA.sites.read(p.a.Profile)
	if err == nil {
		err = c.profilesB.sites.read(p.b.Profile)
	}
	if err == nil {
		err = o.join(p, c.profilesA.sites.list, c.profilesB.sites.list)
	}
	return true, err
}

// join compares the sites that two profiles share.
func (o *overlapping) join(p pair, a, b []site) error {
	for len(a) > 0 && len(b) > 0 {
		switch d := a[0].compareTo(&b[0]); {
		case d < 0:
			a = a[1:]
		case d > 0:
			b = b[1:]
		default:
			if err := o.site(p, &a[0], &b[0]); err != nil {
				return err
			}
			a = a[1:]
			b = b[1:]
		}
	}
	return nil
}

// site compares two sites.
func (o *overlapping) site(p pair, a, b *site) error {
	c := o.c
	for x, y := range common(a.cells, b.cells) {
		if !a.kind.ofSamples() {
			o.addOverlap(a.kind, x, y)
		}
	}
	at := place{p.a.Profile, p.b.Profile, a.point}
	switch a.guess {
	case analyze.SiteBranch, analyze.SiteSwitch:
		c.flip(at, a, b)
		c.waysChange(at, a, b)
	case analyze.SiteChecked:
		c.checkChange(at, a, b)
		return c.siteChange(at, a, b)
	case analyze.SiteReceivers, analyze.SiteTargets:
		return c.siteChange(at, a, b)
	}
	return nil
}

// addOverlap adds the overlap of two counts of a kind.
func (o *overlapping) addOverlap(k kind, x, y uint64) {
	o.c.overlap[k] += score(x, y, o.c.sumA[k], o.c.sumB[k])
	if k == o.c.primary {
		o.own += score(x, y, o.ownA, o.ownB)
	}
}

// common yields the counts of cells with equal keys.
func common(a, b []cell) iter.Seq2[uint64, uint64] {
	return func(yield func(x, y uint64) bool) {
		for len(a) > 0 && len(b) > 0 {
			switch {
			case a[0].key < b[0].key:
				a = a[1:]
			case a[0].key > b[0].key:
				b = b[1:]
			default:
				if !yield(a[0].count, b[0].count) {
					return
				}
				a = a[1:]
				b = b[1:]
			}
		}
	}
}
