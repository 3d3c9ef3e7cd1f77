package compare

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A certainty is a site with one outcome in one archive and several in the other.
type certainty struct {
	pointPair
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

// minCertainCount is the minimum number of executions of a certain site. HotSpot's C2 ignores branches with fewer.
const minCertainCount = 40

type archiveTotals struct {
	untyped  kindAmounts
	failures bool // the VM counts failed type checks
}

// lastCountsFailures is the last release of HotSpot that decrements a counter when a type check fails. Later releases
// record the types.
const lastCountsFailures = 21

// countsFailures reports whether a release of HotSpot counts failed type checks. Release 0 is unknown.
func countsFailures(release uint32) bool { return release > 0 && release <= lastCountsFailures }

func (t *archiveTotals) addProfiles(p *profiles) {
	for i := range p.list {
		for k := range numKinds {
			t.untyped[k] += p.list[i].untyped[k]
		}
		t.failures = t.failures || p.list[i].failed
	}
}

// compareWays records a branch or switch that always goes one way in one archive only.
func (c *comparison) compareWays(at pointPair, a, b *site) {
	found := certainty{pointPair: at, tag: a.entry.Tag(), outcome: outcomeWays}
	onlyA, kindsA := onlyCountedCell(a.cells)
	onlyB, kindsB := onlyCountedCell(b.cells)
	switch {
	case kindsA == 1 && kindsB > 1 && onlyA.count >= minCertainCount:
		found.weight = c.meanExecutionShare(a, b)
		found.setWays(onlyA, a, b)
		c.doubts.addItem(&found, found.weight)
	case kindsB == 1 && kindsA > 1 && onlyB.count >= minCertainCount:
		found.weight = c.meanExecutionShare(a, b)
		found.setWays(onlyB, b, a)
		c.certainties.addItem(&found, found.weight)
	}
}

// onlyCountedCell returns the last cell with a count, and the number of such cells.
func onlyCountedCell(cells []cell) (only cell, kinds int) {
	for _, c := range cells {
		if c.count > 0 {
			only = c
			kinds++
		}
	}
	return only, kinds
}

// setWays sets the only way of the certain site, and the number of times the other site went elsewhere.
func (f *certainty) setWays(only cell, certain, now *site) {
	f.always, f.count = leadingCell{only, only.count}.toWay(certain), totalCount(now.cells)
	for _, cell := range now.cells {
		if cell.key != only.key {
			f.others = disk.SaturatingAdd(f.others, cell.count)
		}
	}
}

// compareChecks records a type check that always or never succeeded in one archive only, or that met null in one
// archive only. It can tell that there were no failures only if the VM counts them.
func (c *comparison) compareChecks(at pointPair, a, b *site) {
	base := certainty{pointPair: at, tag: a.entry.Tag(), outcome: outcomeNulls, weight: c.meanExecutionShare(a, b)}
	switch {
	case !a.null && b.null:
		addCertainCheck(&c.doubts, base, a, b, noNull, 0)
	case a.null && !b.null:
		addCertainCheck(&c.certainties, base, b, a, noNull, 0)
	}
	if !c.of[0].failures || !c.of[1].failures {
		return
	}
	base.outcome = outcomeChecks
	addOtherResult(&c.doubts, base, a, b)
	addOtherResult(&c.certainties, base, b, a)
}

// addOtherResult records a type check that had one result in the certain site and has both now. HotSpot's interpreter
// counts the types of failed checks as well, compiled code does not. So rows prove a success only if their total
// exceeds the number of failures.
func addOtherResult(to *topList[certainty], found certainty, certain, now *site) {
	switch typed := now.executions() - now.failed; {
	case certain.failed == 0 && now.failed > 0:
		addCertainCheck(to, found, certain, now, succeeds, now.failed)
	case certain.failed > 0 && certain.executions() == certain.failed && typed > now.failed:
		addCertainCheck(to, found, certain, now, fails, typed-now.failed)
	}
}

// addCertainCheck records a type check with one result in the certain site that now had another result others times.
func addCertainCheck(to *topList[certainty], found certainty, certain, now *site, result string,
	others uint64) {
	found.result, found.always.count = result, certain.executions()
	found.count = now.executions()
	found.others = others
	if found.always.count >= minCertainCount {
		to.addItem(&found, found.weight)
	}
}

func (s *site) executions() uint64 { return disk.SaturatingAdd(totalCount(s.cells), s.untyped) }

func (c *comparison) meanExecutionShare(a, b *site) float64 {
	k := a.kind
	return (shareOfSum(float64(a.executions()), c.sumA[k]+c.of[0].untyped[k]) +
		shareOfSum(float64(b.executions()), c.sumB[k]+c.of[1].untyped[k])) / 2
}
