package compare

import "github.com/profarc/profarc/internal/file/disk"

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

// lastCountsFailures is HotSpot's last release that decrements a counter when a type check fails.
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

func (c *comparison) newCertainty(at Place, a, b *site, outcome string) Certainty {
	return Certainty{Place: at, Entry: a.entry.Tag().String(), Outcome: outcome, Weight: c.meanExecutionShare(a, b)}
}

// compareWays records a branch or switch that always goes one way in one archive only.
func (c *comparison) compareWays(at Place, a, b *site) {
	onlyA, kindsA := onlyCountedCell(a.cells)
	onlyB, kindsB := onlyCountedCell(b.cells)
	switch {
	case kindsA == 1 && kindsB > 1 && onlyA.count >= minCertainCount:
		addCertainWay(&c.doubts, c.newCertainty(at, a, b, outcomeWays), onlyA, a, b)
	case kindsB == 1 && kindsA > 1 && onlyB.count >= minCertainCount:
		addCertainWay(&c.certainties, c.newCertainty(at, a, b, outcomeWays), onlyB, b, a)
	}
}

func onlyCountedCell(cells []cell) (only cell, kinds int) {
	for _, c := range cells {
		if c.count > 0 {
			only = c
			kinds++
		}
	}
	return only, kinds
}

// addCertainWay records a site that always goes one way in the certain site and others now.
func addCertainWay(to *topList[Certainty], found Certainty, only cell, certain, now *site) {
	found.Always = leadingCell{only, only.count}.toWay(certain).Way
	found.Times = only.count
	found.Count = totalCount(now.cells)
	found.Others = new(uint64)
	for _, cell := range now.cells {
		if cell.key != only.key {
			*found.Others = disk.SaturatingAdd(*found.Others, cell.count)
		}
	}
	to.addItem(&found, found.Weight)
}

// compareChecks records a type check that always or never succeeded in one archive only, or that met null in one
// archive only. It can tell that there were no failures only if the VM counts them.
func (c *comparison) compareChecks(at Place, a, b *site) {
	base := c.newCertainty(at, a, b, outcomeNulls)
	switch {
	case !a.null && b.null:
		addCertainCheck(&c.doubts, base, a, b, noNull, 0)
	case a.null && !b.null:
		addCertainCheck(&c.certainties, base, b, a, noNull, 0)
	}
	if !c.of[0].failures || !c.of[1].failures {
		return
	}
	base.Outcome = outcomeChecks
	addOtherResult(&c.doubts, base, a, b)
	addOtherResult(&c.certainties, base, b, a)
}

// addOtherResult records a type check that had one result in the certain site and has both now. Unlike compiled code,
// HotSpot's interpreter counts types of failed checks, so only a total of rows above the failures proves a success.
func addOtherResult(to *topList[Certainty], found Certainty, certain, now *site) {
	switch typed := now.executions() - now.failed; {
	case certain.failed == 0 && now.failed > 0:
		addCertainCheck(to, found, certain, now, succeeds, now.failed)
	case certain.failed > 0 && certain.executions() == certain.failed && typed > now.failed:
		addCertainCheck(to, found, certain, now, fails, typed-now.failed)
	}
}

// addCertainCheck records a type check with one result in the certain site that now had another result others times.
func addCertainCheck(to *topList[Certainty], found Certainty, certain, now *site, result string, others uint64) {
	found.Always = result
	found.Times = certain.executions()
	found.Count = now.executions()
	if found.Outcome != outcomeNulls {
		found.Others = &others
	}
	if found.Times >= minCertainCount {
		to.addItem(&found, found.Weight)
	}
}

func (s *site) executions() uint64 { return disk.SaturatingAdd(totalCount(s.cells), s.untyped) }

func (c *comparison) meanExecutionShare(a, b *site) float64 {
	k := a.kind
	return (shareOfSum(float64(a.executions()), c.sumA[k]+c.of[0].untyped[k]) +
		shareOfSum(float64(b.executions()), c.sumB[k]+c.of[1].untyped[k])) / 2
}
