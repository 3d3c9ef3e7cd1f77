package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

// The changes of a site.
const (
	changePolymorphic = "polymorphic" // one type or target in a, several in b
	changeMonomorphic = "monomorphic" // several in a, one in b
	changeRetargeted  = "retargeted"  // one in a, mostly a different one in b
)

func (c *comparison) compareMajority(at Place, a, b *site) {
	wayA, okA := majorityCell(a.cells)
	wayB, okB := majorityCell(b.cells)
	if !okA || !okB || wayA.key == wayB.key {
		return
	}
	f := Flip{Place: at, Entry: a.entry.Tag().String(), A: wayA.toWay(a), B: wayB.toWay(b)}
	f.Weight = c.meanShare(a.kind, wayA.total, wayB.total) * (1 - proportionOverlap(a.cells, b.cells))
	c.flips.addItem(&f, f.Weight)
}

func (c *comparison) meanShare(k kind, a, b uint64) float64 {
	return (shareOfSum(float64(a), c.sumA[k]) + shareOfSum(float64(b), c.sumB[k])) / 2
}

func proportionOverlap(a, b []cell) (overlap float64) {
	sumA := float64(totalCount(a))
	sumB := float64(totalCount(b))
	for x, y := range commonCounts(a, b) {
		overlap += countOverlap(x, y, sumA, sumB)
	}
	return overlap
}

func totalCount(cells []cell) (sum uint64) {
	for _, c := range cells {
		sum = disk.SaturatingAdd(sum, c.count)
	}
	return sum
}

type leadingCell struct {
	cell
	total uint64
}

// majorityCell returns the cell with the highest count; ok is false for a tie or without counts.
func majorityCell(cells []cell) (l leadingCell, ok bool) {
	for _, c := range cells {
		switch {
		case c.count > l.count:
			l.cell, ok = c, true
		case c.count == l.count && c.count > 0:
			ok = false
		}
	}
	l.total = totalCount(cells)
	return l, ok
}

func (l leadingCell) toWay(s *site) Way {
	w := Way{Share: float64(l.count) / float64(l.total), Count: l.total}
	var o analyze.Outcome
	switch {
	case s.group == groupSuccessors:
		point, index := disk.UnpackSuccessor(l.key)
		w.Way = fmt.Sprintf("to %d, index %d", point, index)
		return w
	case s.guess == analyze.SiteSwitch && l.key > 0:
		o = analyze.Outcome{Kind: analyze.Case, Index: int(l.key) - 1}
	case s.guess == analyze.SiteSwitch:
		o.Kind = analyze.Default
	case l.key == 0:
		o.Kind = analyze.Taken
	default:
		o.Kind = analyze.NotTaken
	}
	w.Way = o.What()
	return w
}

// compareTargets records a site with more, fewer or different types or targets. An unrecorded type can be any type, so
// a site counts as having one type only if all were recorded.
func (c *comparison) compareTargets(at Place, a, b *site) error {
	seenA, topA := summarizeTargets(a)
	seenB, topB := summarizeTargets(b)
	change := changeRetargeted
	switch {
	case seenA.hasOneTarget() && seenB.Targets > 1:
		change = changePolymorphic
	case seenA.Targets > 1 && seenB.hasOneTarget():
		change = changeMonomorphic
	case !seenA.hasMostlyOneTarget() || !seenB.hasMostlyOneTarget() || topA == topB:
		return nil
	}
	s := SiteChange{Place: at, Kind: a.kind.String(), Change: change, A: seenA, B: seenB}
	s.Weight = c.meanShare(a.kind, seenA.Count, seenB.Count) * (1 - proportionOverlap(a.cells, b.cells))
	var errA, errB error
	s.Gone, errA = c.profilesA.sites.targetsMissingFrom(a, b.cells)
	s.New, errB = c.profilesB.sites.targetsMissingFrom(b, a.cells)
	c.sites.addItem(&s, s.Weight)
	return cmp.Or(errA, errB)
}

// maxTargets is the maximum number of listed types or targets per site and archive.
const maxTargets = 4

// targetsMissingFrom returns the types or targets of a site that the other cells lack, the most frequent first.
func (s *sites) targetsMissingFrom(t *site, others []cell) (list []Target, err error) {
	list = []Target{}
	var own []cell
	for _, c := range t.cells {
		if c.count > 0 && !slices.ContainsFunc(others, func(o cell) bool { return o.key == c.key && o.count > 0 }) {
			own = append(own, c)
		}
	}
	slices.SortStableFunc(own, func(a, b cell) int { return cmp.Compare(b.count, a.count) })
	for _, c := range own[:min(len(own), maxTargets)] {
		one := Target{Target: "other types", Share: shareOfSum(float64(c.count), float64(totalCount(t.cells)))}
		switch {
		case t.guess == analyze.SiteTargets:
			one.value = c.key
		case c.key != otherTypes:
			one.Type, err = s.typeWithKey(t.entry, c.key)
			if err != nil {
				return nil, err
			}
		}
		list = append(list, one)
	}
	return list, nil
}

func (s *sites) typeWithKey(e reader.Entry, key uint64) (reader.Type, error) {
	r, _ := e.Receivers()
	for row := range r.All() {
		if k, err := s.names.typeKey(row.Type.Ordinal()); err != nil || k == key {
			return row.Type, err
		}
	}
	return reader.Type{}, nil
}

func (n *Seen) hasOneTarget() bool { return n.Targets == 1 && n.Untyped == 0 }

// hasMostlyOneTarget reports whether the site has one recorded target that is more frequent than all unrecorded ones.
func (n *Seen) hasMostlyOneTarget() bool { return n.Targets == 1 && n.Count > n.Untyped }

// summarizeTargets returns the types or targets of a site, and the key of the most frequent one.
func summarizeTargets(s *site) (n Seen, top uint64) {
	var most uint64
	for _, c := range s.cells {
		if c.count == 0 {
			continue
		}
		n.Targets++
		if c.count > most {
			most = c.count
			top = c.key
		}
	}
	n.Count = totalCount(s.cells)
	n.Untyped = s.untyped
	n.Top = "other types"
	if most == 0 {
		return n, 0
	}
	n.Share = float64(most) / float64(n.Count)
	if s.guess == analyze.SiteTargets {
		n.value = top
	} else if top != otherTypes {
		n.Type = mostFrequentType(s.entry)
	}
	return n, top
}

// mostFrequentType returns the most frequent type of an entry, in a tie the first.
func mostFrequentType(e reader.Entry) (t reader.Type) {
	r, _ := e.Receivers()
	var most uint64
	for row := range r.All() {
		if n := row.Count.Trained(); n > most {
			t = row.Type
			most = n
		}
	}
	return t
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
	except   kindAmounts // counts of the methods in Options.Except
	failures bool        // the VM counts failed type checks
}

// lastCountsFailures is HotSpot's last release that decrements a counter when a type check fails.
const lastCountsFailures = 21

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
