package compare

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

func (c *comparison) compareMethodsOfA() error {
	return c.eachMethod(c.a, func(m reader.Method) error {
		if err := c.profilesA.readMethod(m, c); err != nil {
			return err
		}
		c.report.Methods.A++
		c.report.Profiles.A += len(c.profilesA.list)
		partner := c.counterparts.methodInB(m)
		if partner == 0 {
			return c.countGoneMethod(m)
		}
		n, err := c.b.MethodAt(partner)
		if err != nil {
			return err
		}
		if err := c.profilesB.readMethod(n, c); err != nil {
			return err
		}
		c.report.Methods.B++
		c.report.Profiles.B += len(c.profilesB.list)
		return c.compareMethod(m, n)
	})
}

func (c *comparison) countGoneMethod(m reader.Method) error {
	c.report.Methods.OnlyA++
	c.report.Profiles.OnlyA += len(c.profilesA.list)
	found := Method{A: m}
	var sum kindAmounts
	c.profilesA.addCountsTo(&sum)
	found.ShareA = shareOfSum(sum[c.primary], c.sumA[c.primary])
	c.addSampledMethod(&found, c.profilesA.samples, nil)
	return c.addLoneMethod(&found, m, &c.profilesA, &c.went, c.hidden.addGone)
}

// addLoneMethod adds a method with counts of one archive to list, or calls addHidden if its class is hidden.
func (c *comparison) addLoneMethod(found *Method, m reader.Method, p *profiles, list *topList[Method],
	addHidden func(*Method, hiddenKey)) error {
	weight := found.ShareA + found.ShareB
	if weight == 0 {
		return nil
	}
	k, hidden, err := hiddenKeyOf(m, p)
	found.Difference = weight / 2
	found.Hidden = hidden
	if hidden {
		addHidden(found, k)
	} else {
		list.addItem(found, weight)
	}
	return err
}

func (c *comparison) countMethodsOfB() error {
	return c.eachMethod(c.b, func(m reader.Method) error {
		if c.counterparts.taken.Contains(uint32(m.Ref())) {
			return nil
		}
		if err := c.profilesB.readMethod(m, c); err != nil {
			return err
		}
		c.report.Methods.B++
		c.report.Methods.OnlyB++
		c.report.Profiles.B += len(c.profilesB.list)
		c.report.Profiles.OnlyB += len(c.profilesB.list)
		found := Method{B: m}
		var sum kindAmounts
		c.profilesB.addCountsTo(&sum)
		c.onlyB.addShares(&sum, &c.sumB)
		found.ShareB = shareOfSum(sum[c.primary], c.sumB[c.primary])
		c.addSampledMethod(&found, nil, c.profilesB.samples)
		return c.addLoneMethod(&found, m, &c.profilesB, &c.came, c.addHiddenFromB)
	})
}

func (c *comparison) compareMethod(m, n reader.Method) error {
	c.report.Methods.Matched++
	t := &c.report.Profiles
	counted := t.Matched + t.Mismatch
	pairs, err := c.matchProfiles()
	if err != nil {
		return err
	}
	k := c.primary
	var sumA, sumB kindAmounts
	c.profilesA.addCountsTo(&sumA)
	c.profilesB.addCountsTo(&sumB)
	found := Method{A: m, B: n, ShareA: shareOfSum(sumA[k], c.sumA[k]), ShareB: shareOfSum(sumB[k], c.sumB[k])}
	c.addSampledMethod(&found, c.profilesA.samples, c.profilesB.samples)
	before := c.overlap[k]
	o := methodOverlap{c: c, ownA: sumA[k], ownB: sumB[k]}
	o.addSampleOverlap()
	for _, p := range pairs {
		matched, err := o.compareProfiles(p)
		if err != nil {
			return err
		}
		found.Mismatch = found.Mismatch || !matched
	}
	if len(pairs) > 0 && found.Mismatch {
		c.report.Methods.Mismatch++
	}
	t.OnlyA += max(0, len(c.profilesA.list)+counted-t.Matched-t.Mismatch)
	found.Overlap = o.own
	if sumA[k] < 1 && sumB[k] < 1 {
		found.Overlap = 1
	}
	found.Difference = max(0, (found.ShareA+found.ShareB)/2-(c.overlap[k]-before))
	if found.Difference > negligible {
		c.changed.addItem(&found, found.Difference)
	}
	return nil
}

// negligible is the largest difference that rounding can cause.
const negligible = 1e-12

type methodOverlap struct {
	c          *comparison
	ownA, ownB float64 // totals of the primary kind over the method
	own        float64 // overlap of the two methods, with the method's totals as 100%
}

// compareProfiles compares two profiles. matched is false if a lacks the code of the profile in b. A profile in b
// without counts always matches, as in llvm-profdata.
func (o *methodOverlap) compareProfiles(p profilePair) (matched bool, err error) {
	c := o.c
	switch {
	case p.b.sum[kindEdges] < 1 && c.a.Header().Domain.LLVM():
		c.report.Profiles.Matched++
		return true, nil
	case p.a == nil && !p.rival:
		c.report.Profiles.OnlyB++
		c.onlyB.addShares(&p.b.sum, &c.sumB)
		return true, nil
	case p.a == nil || c.a.Header().Domain.LLVM() && !p.a.hasSameShape(p.b):
		c.report.Profiles.Mismatch++
		c.mismatch.addShares(&p.b.sum, &c.sumB)
		return false, nil
	}
	c.report.Profiles.Matched++
	err = c.profilesA.sites.readProfile(p.a.Profile)
	if err == nil {
		err = c.profilesB.sites.readProfile(p.b.Profile)
	}
	if err == nil {
		err = o.compareSites(p, c.profilesA.sites.list, c.profilesB.sites.list)
	}
	return true, err
}

func (o *methodOverlap) compareSites(p profilePair, a, b []site) error {
	for len(a) > 0 && len(b) > 0 {
		switch d := a[0].compareTo(&b[0]); {
		case d < 0:
			a = a[1:]
		case d > 0:
			b = b[1:]
		default:
			if err := o.compareSite(p, &a[0], &b[0]); err != nil {
				return err
			}
			a = a[1:]
			b = b[1:]
		}
	}
	return nil
}

func (o *methodOverlap) compareSite(p profilePair, a, b *site) error {
	c := o.c
	for x, y := range commonCounts(a.cells, b.cells) {
		if !a.kind.countsSamples() {
			o.addOverlap(a.kind, x, y)
		}
	}
	at := Place{A: p.a.Profile, B: p.b.Profile, Point: a.point}
	switch a.guess {
	case analyze.SiteBranch, analyze.SiteSwitch:
		c.compareMajority(at, a, b)
		c.compareWays(at, a, b)
	case analyze.SiteChecked:
		c.compareChecks(at, a, b)
		return c.compareTargets(at, a, b)
	case analyze.SiteReceivers, analyze.SiteTargets:
		return c.compareTargets(at, a, b)
	}
	return nil
}

func (o *methodOverlap) addOverlap(k kind, x, y uint64) {
	o.c.overlap[k] += countOverlap(x, y, o.c.sumA[k], o.c.sumB[k])
	if k == o.c.primary {
		o.own += countOverlap(x, y, o.ownA, o.ownB)
	}
}

func commonCounts(a, b []cell) iter.Seq2[uint64, uint64] {
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

type samplePoint struct {
	kind  kind
	point int32
}

// countsSamples reports whether counts of a kind are compared by method and point over all contexts. Two runs share few
// whole stacks, so a comparison by context would show little but chance.
func (k kind) countsSamples() bool { return k == kindSamples || k == kindNanoseconds }

type samples map[samplePoint]uint64

func (s samples) addSiteSamples(t *site) (sum float64) {
	at := samplePoint{t.kind, t.point}
	for _, c := range t.cells {
		s[at] = disk.SaturatingAdd(s[at], c.count)
		sum += float64(c.count)
	}
	return sum
}

// sortedPoints returns the points in a reproducible order for floating-point totals.
func (s samples) sortedPoints() []samplePoint {
	return slices.SortedFunc(maps.Keys(s), func(a, b samplePoint) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.point, b.point))
	})
}

func (o *methodOverlap) addSampleOverlap() {
	a := o.c.profilesA.samples
	b := o.c.profilesB.samples
	for _, at := range a.sortedPoints() {
		o.addOverlap(at.kind, a[at], b[at])
	}
}

type allocationKey struct {
	function uint64
	stack    string
}

func allocatedBytes(s *reader.Store) (bytes map[allocationKey]uint64, sum float64, err error) {
	t, err := s.TableOrEmpty(disk.TableAllocations)
	if err != nil {
		return nil, 0, err
	}
	bytes = map[allocationKey]uint64{}
	for row := range t.Rows {
		key := allocationKey{function: t.Cell(disk.AllocationFunction, row)}
		if t.Cell(disk.AllocationStack, row) != 0 {
			key.stack, err = t.Text(disk.AllocationStack, row)
			if err != nil {
				return nil, 0, err
			}
		}
		n := t.Cell(disk.AllocationFields+disk.HeapBytes, row)
		bytes[key] = disk.SaturatingAdd(bytes[key], n)
		sum += float64(n)
	}
	return bytes, sum, nil
}

func (c *comparison) compareAllocations() error {
	a, sumA, errA := allocatedBytes(c.a)
	b, sumB, errB := allocatedBytes(c.b)
	if err := cmp.Or(errA, errB); err != nil {
		return err
	}
	const k = kindAllocatedBytes
	c.sumA[k], c.sumB[k] = sumA, sumB
	keys := slices.SortedFunc(maps.Keys(b), func(x, y allocationKey) int { // floating-point totals depend on the order
		return cmp.Or(cmp.Compare(x.function, y.function), cmp.Compare(x.stack, y.stack))
	})
	for _, key := range keys {
		y := b[key]
		if x, both := a[key]; both {
			c.overlap[k] += countOverlap(x, y, sumA, sumB)
		} else {
			c.onlyB[k] += shareOfSum(float64(y), sumB)
		}
	}
	return nil
}
