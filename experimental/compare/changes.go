package compare

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type pointPair struct {
	a, b  reader.Profile
	point int32
}

// A flip is a branch or switch with another most frequent way.
type flip struct {
	pointPair
	tag    layout.Tag // tag of the entry in a
	a, b   way
	weight float64
}

type way struct {
	outcome analyze.Outcome
	share   float64
	count   uint64 // count over all ways of the site
}

// A siteChange is a site with different types or targets in b.
type siteChange struct {
	pointPair
	kind      kind
	change    string
	a, b      targetSummary
	gone, new []target
	weight    float64
}

type target struct {
	of    reader.Type
	value uint64
	share float64
}

type targetSummary struct {
	targets        int
	count, untyped uint64
	top            target
}

// The changes of a site.
const (
	changePolymorphic = "polymorphic" // one type or target in a, several in b
	changeMonomorphic = "monomorphic" // several in a, one in b
	changeRetargeted  = "retargeted"  // one in a, mostly a different one in b
)

func (c *comparison) compareMajority(at pointPair, a, b *site) {
	wayA, okA := majorityCell(a.cells)
	wayB, okB := majorityCell(b.cells)
	if !okA || !okB || wayA.key == wayB.key {
		return
	}
	f := flip{pointPair: at, tag: a.entry.Tag(), a: wayA.toWay(a), b: wayB.toWay(b)}
	f.weight = c.meanShare(a.kind, wayA.total, wayB.total) * (1 - proportionOverlap(a.cells, b.cells))
	c.flips.addItem(&f, f.weight)
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

func (l leadingCell) toWay(s *site) way {
	w := way{share: float64(l.count) / float64(l.total), count: l.total}
	switch {
	case s.group == groupSuccessors:
		point, index := disk.UnpackSuccessor(l.key)
		target := int(point)
		w.outcome = analyze.Outcome{Kind: analyze.To, Target: &target, Index: int(index)}
	case s.guess == analyze.SiteSwitch && l.key > 0:
		w.outcome = analyze.Outcome{Kind: analyze.Case, Index: int(l.key) - 1}
	case s.guess == analyze.SiteSwitch:
		w.outcome.Kind = analyze.Default
	case l.key == 0:
		w.outcome.Kind = analyze.Taken
	default:
		w.outcome.Kind = analyze.NotTaken
	}
	return w
}

// compareTargets records a site with more, fewer or different types or targets. An unrecorded type can be any type, so
// a site counts as having one type only if all were recorded.
func (c *comparison) compareTargets(at pointPair, a, b *site) error {
	seenA, topA := summarizeTargets(a)
	seenB, topB := summarizeTargets(b)
	change := changeRetargeted
	switch {
	case seenA.hasOneTarget() && seenB.targets > 1:
		change = changePolymorphic
	case seenA.targets > 1 && seenB.hasOneTarget():
		change = changeMonomorphic
	case !seenA.hasMostlyOneTarget() || !seenB.hasMostlyOneTarget() || topA == topB:
		return nil
	}
	s := siteChange{pointPair: at, kind: a.kind, change: change, a: seenA, b: seenB}
	s.weight = c.meanShare(a.kind, seenA.count, seenB.count) * (1 - proportionOverlap(a.cells, b.cells))
	var errA, errB error
	s.gone, errA = c.profilesA.sites.targetsMissingFrom(a, b.cells)
	s.new, errB = c.profilesB.sites.targetsMissingFrom(b, a.cells)
	c.sites.addItem(&s, s.weight)
	return cmp.Or(errA, errB)
}

// maxTargets is the maximum number of listed types or targets per site and archive.
const maxTargets = 4

// targetsMissingFrom returns the types or targets of a site that are missing from the other cells, the most frequent
// first.
func (s *sites) targetsMissingFrom(t *site, others []cell) (list []target, err error) {
	var own []cell
	for _, c := range t.cells {
		if c.count > 0 && !slices.ContainsFunc(others, func(o cell) bool { return o.key == c.key && o.count > 0 }) {
			own = append(own, c)
		}
	}
	slices.SortStableFunc(own, func(a, b cell) int { return cmp.Compare(b.count, a.count) })
	for _, c := range own[:min(len(own), maxTargets)] {
		one := target{share: shareOfSum(float64(c.count), float64(totalCount(t.cells)))}
		switch {
		case t.guess == analyze.SiteTargets:
			one.value = c.key
		case c.key != otherTypes:
			one.of, err = s.typeWithKey(t.entry, c.key)
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

func (n *targetSummary) hasOneTarget() bool { return n.targets == 1 && n.untyped == 0 }

// hasMostlyOneTarget reports whether the site has one recorded target that is more frequent than all unrecorded ones.
func (n *targetSummary) hasMostlyOneTarget() bool { return n.targets == 1 && n.count > n.untyped }

// summarizeTargets returns the types or targets of a site, and the key of the most frequent one.
func summarizeTargets(s *site) (n targetSummary, top uint64) {
	var most uint64
	for _, c := range s.cells {
		if c.count == 0 {
			continue
		}
		n.targets++
		if c.count > most {
			most = c.count
			top = c.key
		}
	}
	n.count = totalCount(s.cells)
	n.untyped = s.untyped
	if most == 0 {
		return n, 0
	}
	n.top.share = float64(most) / float64(n.count)
	if s.guess == analyze.SiteTargets {
		n.top.value = top
	} else if top != otherTypes {
		n.top.of = mostFrequentType(s.entry)
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
