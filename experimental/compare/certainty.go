package compare

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A certainty is a site with one outcome in one archive and several in the other.
type certainty struct {
	place
	tag     layout.Tag // tag of the entry in a
	outcome string     // see Certainty
	always  way        // the only outcome of a branch or switch; other sites set only its count
	result  string     // result of a type check
	// count and others belong to the other archive, as in Certainty.
	count, others uint64
	weight        float64
}

// Properties in which a site may be certain, and results of type checks.
const (
	outcomeWays   = "ways"
	outcomeChecks = "checks"
	outcomeNulls  = "nulls"

	succeeds = "succeeds"
	fails    = "fails"
	noNull   = "no null"
)

// enough is the minimum number of executions of a certain site. HotSpot's C2 ignores branches with fewer.
const enough = 40

// totals holds facts about one archive other than the compared counts.
type totals struct {
	untyped  perKind
	failures bool // the VM counts failed type checks
}

// lastCountsFailures is the last release of HotSpot that decrements a counter when a type check fails. Later releases
// record the types.
const lastCountsFailures = 21

// countsFailures reports whether a release of HotSpot counts failed type checks. Release 0 is unknown.
func countsFailures(release uint32) bool { return release > 0 && release <= lastCountsFailures }

func (t *totals) add(p *profiles) {
	for i := range p.list {
		for k := range numKinds {
			t.untyped[k] += p.list[i].untyped[k]
		}
		t.failures = t.failures || p.list[i].failed
	}
}

// waysChange records a branch or switch that always goes one way in one archive only.
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

// single returns the last cell with a count, and the number of such cells.
func single(cells []cell) (only cell, kinds int) {
	for _, c := range cells {
		if c.count > 0 {
			only = c
			kinds++
		}
	}
	return only, kinds
}

// ways sets the only way of the certain site, and the number of times the other site went elsewhere.
func (f *certainty) ways(only cell, certain, now *site) {
	f.always, f.count = leader{only, only.count}.way(certain), total(now.cells)
	for _, cell := range now.cells {
		if cell.key != only.key {
			f.others = disk.SaturatingAdd(f.others, cell.count)
		}
	}
}

// checkChange records a type check that always or never succeeded in one archive only, or that met null in one archive
// only. It can tell that there were no failures only if the VM counts them.
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

// otherResult records a type check that had one result in the certain site and has both now. HotSpot's interpreter
// counts the types of failed checks as well, compiled code does not. So rows prove a success only if their total
// exceeds the number of failures.
func otherResult(to *top[certainty], found certainty, certain, now *site) {
	switch typed := now.reached() - now.failed; {
	case certain.failed == 0 && now.failed > 0:
		always(to, found, certain, now, succeeds, now.failed)
	case certain.failed > 0 && certain.reached() == certain.failed && typed > now.failed:
		always(to, found, certain, now, fails, typed-now.failed)
	}
}

// always records a type check with one result in the certain site that now had another result others times.
func always(to *top[certainty], found certainty, certain, now *site, result string,
	others uint64) {
	found.result, found.always.count = result, certain.reached()
	found.count = now.reached()
	found.others = others
	if found.always.count >= enough {
		to.add(&found, found.weight)
	}
}

// reached returns the counted executions of a site.
func (s *site) reached() uint64 { return disk.SaturatingAdd(total(s.cells), s.untyped) }

// reached returns the mean over both archives of the site's share in the executions of its kind.
func (c *comparison) reached(a, b *site) float64 {
	k := a.kind
	return (share(float64(a.reached()), c.sumA[k]+c.of[0].untyped[k]) +
		share(float64(b.reached()), c.sumB[k]+c.of[1].untyped[k])) / 2
}
