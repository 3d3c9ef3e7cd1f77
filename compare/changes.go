package compare

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/reader"
)

// flip records a branch whose most frequent way has changed.
func (c *comparison) flip(place Place, a, b *site) {
	wayA, okA := majority(a.cells)
	wayB, okB := majority(b.cells)
	if !okA || !okB || wayA.key == wayB.key {
		return
	}
	f := Flip{Place: place, Tag: a.entry.Tag(), A: wayA.way(a), B: wayB.way(b)}
	f.Weight = c.weight(a.kind, wayA.total, wayB.total) * (1 - proportion(a.cells, b.cells))
	c.flips.add(&f, f.Weight)
}

// weight returns the mean of a site's shares in both archives.
func (c *comparison) weight(k Kind, a, b uint64) float64 {
	return (share(float64(a), c.sumA[k]) + share(float64(b), c.sumB[k])) / 2
}

// proportion returns how far the proportions of two lists of counts agree.
func proportion(a, b []cell) (overlap float64) {
	sumA, sumB := float64(total(a)), float64(total(b))
	for x, y := range common(a, b) {
		overlap += score(x, y, sumA, sumB)
	}
	return overlap
}

// total sums counts, and saturates.
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

// majority returns the highest count; ok is false if there is none, or if two are equal.
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

func (l leader) way(s *site) Way {
	w := Way{Index: uint32(l.key), Share: float64(l.count) / float64(l.total), Count: l.total}
	if s.class == classSuccessors {
		w.Target, w.Index = disk.UnpackSuccessor(l.key)
	}
	return w
}

// siteChange records a site with more, fewer or other types or targets. An unrecorded
// type may have been any: a site has one type only if all were recorded.
func (c *comparison) siteChange(place Place, a, b *site) error {
	seenA, topA := seen(a)
	seenB, topB := seen(b)
	change := ChangeRetargeted
	switch {
	case seenA.one() && seenB.Targets > 1:
		change = ChangePolymorphic
	case seenA.Targets > 1 && seenB.one():
		change = ChangeMonomorphic
	case !seenA.mostlyOne() || !seenB.mostlyOne() || topA == topB:
		return nil
	}
	s := SiteChange{Place: place, Kind: a.kind, Change: change, A: seenA, B: seenB}
	s.Weight = c.weight(a.kind, seenA.Count, seenB.Count) * (1 - proportion(a.cells, b.cells))
	var errA, errB error
	s.Gone, errA = c.profilesA.sites.targetsBeside(a, b.cells)
	s.New, errB = c.profilesB.sites.targetsBeside(b, a.cells)
	c.sites.add(&s, s.Weight)
	return cmp.Or(errA, errB)
}

// maxTargets is how many types or targets of one archive are listed of a site.
const maxTargets = 4

// targetsBeside returns the types or targets of a site that are not among other cells, the
// most frequent first.
func (s *sites) targetsBeside(t *site, others []cell) (list []Target, err error) {
	var own []cell
	for _, c := range t.cells {
		if c.count > 0 && !slices.ContainsFunc(others, func(o cell) bool { return o.key == c.key && o.count > 0 }) {
			own = append(own, c)
		}
	}
	slices.SortStableFunc(own, func(a, b cell) int { return cmp.Compare(b.count, a.count) })
	for _, c := range own[:min(len(own), maxTargets)] {
		target := Target{Share: share(float64(c.count), float64(total(t.cells)))}
		switch {
		case t.class == classValues:
			target.Value = c.key
		case c.key != otherTypes:
			if target.Type, err = s.typeOf(t.entry, c.key); err != nil {
				return nil, err
			}
		}
		list = append(list, target)
	}
	return list, nil
}

// typeOf returns the type of a key among the rows of an entry.
func (s *sites) typeOf(e reader.Entry, key uint64) (reader.Type, error) {
	r, _ := e.Receivers()
	for row := range r.All() {
		if k, err := s.names.typeKey(row.Type); err != nil || k == key {
			return row.Type, err
		}
	}
	return reader.Type{}, nil
}

// one reports whether a site has exactly one target.
func (n *Seen) one() bool { return n.Targets == 1 && n.Untyped == 0 }

// mostlyOne reports whether a site has one known target, which is more frequent than all unrecorded ones.
func (n *Seen) mostlyOne() bool { return n.Targets == 1 && n.Count > n.Untyped }

// seen returns the types or targets of a site, and the key of the most frequent.
func seen(s *site) (n Seen, top uint64) {
	var most uint64
	for _, c := range s.cells {
		if c.count == 0 {
			continue
		}
		n.Targets++
		if c.count > most {
			most, top = c.count, c.key
		}
	}
	n.Count, n.Untyped = total(s.cells), s.untyped
	if most == 0 {
		return n, 0
	}
	n.TopShare = float64(most) / float64(n.Count)
	if s.class == classValues {
		n.Value = top
	} else if top != otherTypes {
		n.Top = topType(s.entry)
	}
	return n, top
}

// topType returns the most frequent type of an entry, the first of several.
func topType(e reader.Entry) (t reader.Type) {
	r, _ := e.Receivers()
	var most uint64
	for row := range r.All() {
		if n := row.Count.Trained(); n > most {
			t, most = row.Type, n
		}
	}
	return t
}
