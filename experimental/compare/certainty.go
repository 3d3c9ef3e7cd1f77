package compare

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A certainty is a site with one outcome in one archive and several in the other.
type certainty struct {
	place
	tag     layout.Tag // of the entry in a
	outcome string     // see Certainty
	always  way        // of a branch or switch; of others only its count is set
	result  string     // of a type check
	// count and others are of the other archive, as in Certainty.
	count, others uint64
	weight        float64
}

// The properties in which a site may be certain, and the results of type checks.
const (
	outcomeWays   = "ways"
	outcomeChecks = "checks"
	outcomeNulls  = "nulls"

	succeeds = "succeeds"
	fails    = "fails"
	noNull   = "no null"
)

// enough is how often a certain site must have been reached. HotSpot's C2 ignores
// branches that were reached less often.
const enough = 40

// totals are facts about one archive in addition to the compared counts.
type totals struct {
	untyped  perKind
	failures bool // its VM counts failed type checks
}

// lastCountsFailures is the last release of HotSpot whose failing type checks count
// down. Later releases record their types.
const lastCountsFailures = 21

// countsFailures reports whether a release of HotSpot counts failing type checks; 0 is an unknown release.
func countsFailures(release uint32) bool { return release > 0 && release <= lastCountsFailures }

func (t *totals) add(p *profiles) {
	for i := range p.list {
		for k := range numKinds {
			t.untyped[k] += p.list[i].untyped[k]
		}
		t.failures = t.failures || p.list[i].failed
	}
}

// waysChange records a branch or switch whose way is certain in one archive only.
func (c *comparison) waysChange(at place, a, b *site) {
	found := certainty{place: at, tag: a.entry.Tag(), outcome: outcomeWays}
	onlyA, kindsA := single(a.cells)
	onlyB, kindsB := single(b.cells)
	switch {
	case kindsA == 1 && kindsB > 1 && onlyA.count >= enough:
		found.weight = c.reached(a, b)
		found.ways(onlyA, a, b)
		c.doubts.add(&found, found.weight)
	case kindsB == 1 && kindsA > 1 && onlyB.count >= enough:
		found.weight = c.reached(a, b)
		found.ways(onlyB, b, a)
		c.certainties.add(&found, found.weight)
	}
}

// single returns the last way that occurred, and how many did.
func single(cells []cell) (only cell, kinds int) {
	for _, c := range cells {
		if c.count > 0 {
			only = c
			kinds++
		}
	}
	return only, kinds
}

// ways sets the only way of the certain site, and how often the other one took another way.
func (f *certainty) ways(only cell, certain, now *site) {
	f.always, f.count = leader{only, only.count}.way(certain), total(now.cells)
	for _, cell := range now.cells {
		if cell.key != only.key {
			f.others = disk.SaturatingAdd(f.others, cell.count)
		}
	}
}

// checkChange records a type check that always or never succeeded in one archive only, or that met null in
// one only. That there were no failures is known only if the VM counts them.
func (c *comparison) checkChange(at place, a, b *site) {
	base := certainty{place: at, tag: a.entry.Tag(), outcome: outcomeNulls, weight: c.reached(a, b)}
	switch {
	case !a.null && b.null:
		always(&c.doubts, base, a, b, noNull, 0)
	case a.null && !b.null:
		always(&c.certainties, base, b, a, noNull, 0)
	}
	if !c.of[0].failures || !c.of[1].failures {
		return
	}
	base.outcome = outcomeChecks
	otherResult(&c.doubts, base, a, b)
	otherResult(&c.certainties, base, b, a)
}

// otherResult records a type check that had one result in the certain site and has both
// now. HotSpot's interpreter also counts the types of failing checks, compiled code does
// not. So rows prove a success only if they count more than has failed.
func otherResult(to *top[certainty], found certainty, certain, now *site) {
	switch typed := now.reached() - now.failed; {
	case certain.failed == 0 && now.failed > 0:
		always(to, found, certain, now, succeeds, now.failed)
	case certain.failed > 0 && certain.reached() == certain.failed && typed > now.failed:
		always(to, found, certain, now, fails, typed-now.failed)
	}
}

// always records a type check with one result in the certain site, and with another one others times now.
func always(to *top[certainty], found certainty, certain, now *site, result string,
	others uint64) {
	found.result, found.always.count = result, certain.reached()
	found.count = now.reached()
	found.others = others
	if found.always.count >= enough {
		to.add(&found, found.weight)
	}
}

// reached returns how often a site was reached, as far as that was counted.
func (s *site) reached() uint64 { return disk.SaturatingAdd(total(s.cells), s.untyped) }

// reached returns the mean of a site's shares in both archives, of all executions of sites of its kind.
func (c *comparison) reached(a, b *site) float64 {
	k := a.kind
	return (share(float64(a.reached()), c.sumA[k]+c.of[0].untyped[k]) +
		share(float64(b.reached()), c.sumB[k]+c.of[1].untyped[k])) / 2
}
