package compare

import (
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Certainty is a site with one outcome in one archive and several in the other. A compiler leaves out
// outcomes that never occurred, so that compiled code is discarded when one does.
type Certainty struct {
	Place
	Tag     layout.Tag // of the entry in a
	Outcome Outcome
	// Always is the only outcome in the archive in which the site is certain. For
	// OutcomeCheck, Index is 0 for success and 1 for failure.
	Always Way
	// Count is how often the site was reached in the other archive, and Others how often
	// at least it had another outcome there: 0 for nulls, which are not counted.
	Count, Others uint64
	// Weight is the mean of the site's shares in both archives, however rare the other outcomes are: once a
	// compiler can no longer assume one outcome, every execution of the site pays for the check.
	Weight float64
}

// An Outcome is a property in which a site may be certain.
type Outcome uint8

// The outcomes.
const (
	OutcomeWay   Outcome = iota // of a branch or a switch: which way it goes
	OutcomeCheck                // of a type check: whether it succeeds
	OutcomeNull                 // of a type check: whether it meets null
)

var outcomeNames = [...]string{"ways", "checks", "nulls"}

func (o Outcome) String() string { return outcomeNames[o] }

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
func (c *comparison) waysChange(place Place, a, b *site) {
	found := Certainty{Place: place, Tag: a.entry.Tag(), Outcome: OutcomeWay}
	onlyA, kindsA := single(a.cells)
	onlyB, kindsB := single(b.cells)
	switch {
	case kindsA == 1 && kindsB > 1 && onlyA.count >= enough:
		found.Weight = c.reached(a, b)
		found.ways(onlyA, a, b)
		c.doubts.add(&found, found.Weight)
	case kindsB == 1 && kindsA > 1 && onlyB.count >= enough:
		found.Weight = c.reached(a, b)
		found.ways(onlyB, b, a)
		c.certainties.add(&found, found.Weight)
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
func (f *Certainty) ways(only cell, certain, now *site) {
	f.Always, f.Count = leader{only, only.count}.way(certain), total(now.cells)
	for _, cell := range now.cells {
		if cell.key != only.key {
			f.Others = disk.SaturatingAdd(f.Others, cell.count)
		}
	}
}

// checkChange records a type check that always or never succeeded in one archive only, or that met null in
// one only. That there were no failures is known only if the VM counts them.
func (c *comparison) checkChange(place Place, a, b *site) {
	base := Certainty{Place: place, Tag: a.entry.Tag(), Outcome: OutcomeNull, Weight: c.reached(a, b)}
	nullA, nullB := nullSeen(a.entry), nullSeen(b.entry)
	switch {
	case !nullA && nullB:
		always(&c.doubts, base, a, b, 0, 0)
	case nullA && !nullB:
		always(&c.certainties, base, b, a, 0, 0)
	}
	if !c.of[0].failures || !c.of[1].failures {
		return
	}
	base.Outcome = OutcomeCheck
	otherResult(&c.doubts, base, a, b)
	otherResult(&c.certainties, base, b, a)
}

func nullSeen(e reader.Entry) bool {
	r, ok := e.Receivers()
	return ok && r.NullSeen()
}

// The results of a type check.
const (
	succeeds = 0
	fails    = 1
)

// otherResult records a type check that had one result in the certain site and has both
// now. HotSpot's interpreter also counts the types of failing checks, compiled code does
// not. So rows prove a success only if they count more than has failed.
func otherResult(to *top[Certainty], found Certainty, certain, now *site) {
	switch typed := now.reached() - now.failed; {
	case certain.failed == 0 && now.failed > 0:
		always(to, found, certain, now, succeeds, now.failed)
	case certain.failed > 0 && certain.reached() == certain.failed && typed > now.failed:
		always(to, found, certain, now, fails, typed-now.failed)
	}
}

// always records a type check with one result in the certain site, and with another one others times now.
func always(to *top[Certainty], found Certainty, certain, now *site, result uint32, others uint64) {
	found.Always = Way{Index: result, Share: 1, Count: certain.reached()}
	found.Count, found.Others = now.reached(), others
	if found.Always.Count >= enough {
		to.add(&found, found.Weight)
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
