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
