package compare

import (
	"iter"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

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
	var sum perKind
	c.profilesA.addTo(&sum)
	w := share(sum[c.report.Primary], c.sumA[c.report.Primary])
	if w == 0 {
		return nil
	}
	k, hidden, err := hiddenKeyOf(m, &c.profilesA)
	found := Method{A: m, ShareA: w, Difference: w / 2, Hidden: hidden}
	if hidden {
		c.hidden.leave(&found, k)
	} else {
		c.went.add(&found, w)
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
		var sum perKind
		c.profilesB.addTo(&sum)
		c.onlyB.addShares(&sum, &c.sumB)
		w := share(sum[c.report.Primary], c.sumB[c.report.Primary])
		if w == 0 {
			return nil
		}
		k, hidden, err := hiddenKeyOf(m, &c.profilesB)
		found := Method{B: m, ShareB: w, Difference: w / 2, Hidden: hidden}
		if hidden {
			c.cameHidden(&found, k)
		} else {
			c.came.add(&found, w)
		}
		return err
	})
}

// both compares a method that both archives have.
func (c *comparison) both(m, n reader.Method) error {
	c.report.Methods.Matched++
	pairs, err := c.match()
	if err != nil {
		return err
	}
	k := c.report.Primary
	var sumA, sumB perKind
	c.profilesA.addTo(&sumA)
	c.profilesB.addTo(&sumB)
	found := Method{A: m, B: n, ShareA: share(sumA[k], c.sumA[k]), ShareB: share(sumB[k], c.sumB[k])}
	before := c.overlap[k]
	o := overlapping{c: c, ownA: sumA[k], ownB: sumB[k]}
	for _, p := range pairs {
		matched, err := o.pair(p)
		if err != nil {
			return err
		}
		found.Mismatch = found.Mismatch || !matched
	}
	if len(pairs) > 0 && found.Mismatch {
		c.report.Methods.Mismatch++
	}
	c.report.Profiles.OnlyA += c.profilesA.left()
	found.Overlap = o.own
	if sumA[k] < 1 && sumB[k] < 1 {
		found.Overlap = 1
	}
	found.Difference = max(0, (found.ShareA+found.ShareB)/2-(c.overlap[k]-before))
	if found.Difference > negligible {
		c.changed.add(&found, found.Difference)
	}
	return nil
}

// negligible is a difference due to rounding.
const negligible = 1e-12

// left returns how many profiles have no partner.
func (p *profiles) left() (n int) {
	for i := range p.list {
		if !p.list[i].done {
			n++
		}
	}
	return n
}

// An overlapping sums the overlap of the profiles of one method.
type overlapping struct {
	c          *comparison
	ownA, ownB float64 // sums of the primary kind over the method
	own        float64 // overlap of the method's own counts
}

// pair compares two profiles. matched is false if a lacks the code of the profile. As in
// llvm-profdata, a profile of b without counts always matches.
func (o *overlapping) pair(p pair) (matched bool, err error) {
	c := o.c
	switch {
	case p.b.sum[KindEdges] < 1 && c.report.Domain.LLVM():
		c.report.Profiles.Matched++
		return true, nil
	case p.a == nil && !p.rival:
		c.report.Profiles.OnlyB++
		c.onlyB.addShares(&p.b.sum, &c.sumB)
		return true, nil
	case p.a == nil || c.report.Domain.LLVM() && !p.a.sameShape(p.b):
		c.report.Profiles.Mismatch++
		c.mismatch.addShares(&p.b.sum, &c.sumB)
		return false, nil
	}
	c.report.Profiles.Matched++
	if err = c.profilesA.sites.read(p.a.Profile); err == nil {
		err = c.profilesB.sites.read(p.b.Profile)
	}
	if err == nil {
		err = o.join(p, c.profilesA.sites.list, c.profilesB.sites.list)
	}
	return true, err
}

// join compares the sites that two profiles have in common.
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
			a, b = a[1:], b[1:]
		}
	}
	return nil
}

// site compares two sites.
func (o *overlapping) site(p pair, a, b *site) error {
	c, k := o.c, a.kind
	for x, y := range common(a.cells, b.cells) {
		c.overlap[k] += score(x, y, c.sumA[k], c.sumB[k])
		if k == c.report.Primary {
			o.own += score(x, y, o.ownA, o.ownB)
		}
	}
	place := Place{p.a.Profile, p.b.Profile, a.point}
	switch a.class {
	case classBranch, classSwitch, classSuccessors:
		if a.class != classSuccessors || a.sub == layout.SubConditional {
			c.flip(place, a, b)
			c.waysChange(place, a, b)
		}
	case classTypeCheck:
		c.checkChange(place, a, b)
		return c.siteChange(place, a, b)
	case classReceivers:
		return c.siteChange(place, a, b)
	case classValues:
		if a.kind == KindIndirectCalls {
			return c.siteChange(place, a, b)
		}
	}
	return nil
}

// common yields the counts of cells with the same keys.
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
				a, b = a[1:], b[1:]
			}
		}
	}
}
