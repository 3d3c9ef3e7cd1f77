package compare

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A place is a profile point in both archives.
type place struct {
	a, b  reader.Profile
	point int32
}

// A flip is a branch or switch with another most frequent way.
type flip struct {
	place
	tag    layout.Tag // tag of the entry in a
	a, b   way
	weight float64
}

// A way is an outcome of a branch or a switch.
type way struct {
	outcome analyze.Outcome
	share   float64
	count   uint64 // count over all ways of the site
}

// A siteChange is a site with different types or targets in b.
type siteChange struct {
	place
	kind      kind
	change    string
	a, b      seen
	gone, new []target
	weight    float64
}

// A target is a receiver type or call target of a site.
type target struct {
	of    reader.Type
	value uint64
	share float64
}

// seen summarizes the targets of a site, like Seen.
type seen struct {
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

// flip records a branch with another most frequent way.
func (c *comparison) flip(at place, a, b *site) {
	wayA, okA := majority(a.cells)
	wayB, okB := majority(b.cells)
	if !okA || !okB || wayA.key == wayB.key {
		return
	}
	f := flip{place: at, tag: a.entry.Tag(), a: wayA.way(a), b: wayB.way(b)}
	f.weight = c.weight(a.kind, wayA.total, wayB.total) * (1 - proportion(a.cells, b.cells))
	c.flips.add(&f, f.weight)
}

// weight returns the mean of a site's shares in both archives.
func (c *comparison) weight(k kind, a, b uint64) float64 {
	return (share(float64(a), c.sumA[k]) + share(float64(b), c.sumB[k])) / 2
}

// proportion returns the overlap of the proportions of two lists of counts.
func proportion(a, b []cell) (overlap float64) {
	sumA := float64(total(a))
	sumB := float64(total(b))
	for x, y := range common(a, b) {
		overlap += score(x, y, sumA, sumB)
	}
	return overlap
}

// total adds up counts and saturates.
func total(cells []cell) (sum uint64) {
	for _, c := range cells {
		sum = disk.SaturatingAdd(sum, c.count)
	}
	return sum
}

// A leader is the cell with the highest count.
type leader struct {
	cell
	total uint64
}

// majority returns the cell with the highest count; ok is false for a tie or without counts.
func majority(cells []cell) (l leader, ok bool) {
	for _, c := range cells {
		switch {
		case c.count > l.count:
			l.cell, ok = c, true
		case c.count == l.count && c.count > 0:
			ok = false
		}
	}
	l.total = total(cells)
	return l, ok
}

func (l leader) way(s *site) way {
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

// siteChange records a site with more, fewer or different types or targets. An unrecorded type can be any type, so a
// site counts as having one type only if all were recorded.
func (c *comparison) siteChange(at place, a, b *site) error {
	seenA, topA := seenAt(a)
	seenB, topB := seenAt(b)
	change := changeRetargeted
	switch {
	case seenA.one() && seenB.targets > 1:
		change = changePolymorphic
	case seenA.targets > 1 && seenB.one():
		change = changeMonomorphic
	case !seenA.mostlyOne() || !seenB.mostlyOne() || topA == topB:
		return nil
	}
	s := siteChange{place: at, kind: a.kind, change: change, a: seenA, b: seenB}
	s.weight = c.weight(a.kind, seenA.count, seenB.count) * (1 - proportion(a.cells, b.cells))
	var errA, errB error
	s.gone, errA = c.profilesA.sites.targetsBeside(a, b.cells)
	s.new, errB = c.profilesB.sites.targetsBeside(b, a.cells)
	c.sites.add(&s, s.weight)
	return cmp.Or(errA, errB)
}

// maxTargets is the maximum number of listed types or targets per site and archive.
const maxTargets = 4

// targetsBeside returns the types or targets of a site that are missing from the other cells, the most frequent first.
func (s *sites) targetsBeside(t *site, others []cell) (list []target, err error) {
	var own []cell
	for _, c := range t.cells {
		if c.count > 0 && !slices.ContainsFunc(others, func(o cell) bool { return o.key == c.key && o.count > 0 }) {
			own = append(own, c)
		}
	}
	slices.SortStableFunc(own, func(a, b cell) int { return cmp.Compare(b.count, a.count) })
	for _, c := range own[:min(len(own), maxTargets)] {
		one := target{share: share(float64(c.count), float64(total(t.cells)))}
		switch {
		case t.guess == analyze.SiteTargets:
			one.value = c.key
		case c.key != otherTypes:
			one.of, err = s.typeOf(t.entry, c.key)
			if err != nil {
				return nil, err
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// typeOf returns the type with a key among the rows of an entry.
func (s *sites) typeOf(e reader.Entry, key uint64) (reader.Type, error) {
	r, _ := e.Receivers()
	for row := range r.All() {
		if k, err := s.names.typeKey(row.Type.Ordinal()); err != nil || k == key {
			return row.Type, err
		}
	}
	return reader.Type{}, nil
}

// one reports whether the site has exactly one target.
func (n *seen) one() bool { return n.targets == 1 && n.untyped == 0 }

// mostlyOne reports whether the site has one recorded target that is more frequent than all unrecorded ones.
func (n *seen) mostlyOne() bool { return n.targets == 1 && n.count > n.untyped }

// seenAt returns the types or targets of a site, and the key of the most frequent one.
func seenAt(s *site) (n seen, top uint64) {
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
	n.count = total(s.cells)
	n.untyped = s.untyped
	if most == 0 {
		return n, 0
	}
	n.top.share = float64(most) / float64(n.count)
	if s.guess == analyze.SiteTargets {
		n.top.value = top
	} else if top != otherTypes {
		n.top.of = topType(s.entry)
	}
	return n, top
}

// topType returns the most frequent type of an entry, in a tie the first.
func topType(e reader.Entry) (t reader.Type) {
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
