package main

import (
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A site is polluted if what was seen there does not tell a compiler what to
// expect. These are the limits.
const (
	// dominant is the share from which one receiver is worth a guess, however
	// many there are: HotSpot's TypeProfileMajorReceiverPercent.
	dominant = 0.9
	// guessed is the number of receivers that compilers test for one by one.
	guessed = 2
	// undecided is the share of the likelier way below which a branch is as good
	// as not profiled.
	undecided = 0.6
)

// A siteKind says what a profile point records that may be polluted.
type siteKind string

// The kinds of sites.
const (
	siteReceivers siteKind = "receivers" // types of the receivers of a call
	siteChecked   siteKind = "checked"   // types that a type check meets
	siteTargets   siteKind = "targets"   // functions that a call through a pointer reaches
	siteBranch    siteKind = "branch"    // two ways
	siteNull      siteKind = "null"      // a type check that has met null
)

// A tally is what was seen at a site, and how often.
type tally struct {
	seen  map[uint64]uint64 // counts by type ordinal, id of a function, or way
	other uint64            // seen without a row of its own
	// untyped was seen without that its type was recorded: it is no kind of its own
	untyped uint64
	null    bool
}

// total is how often the site was reached.
func (t *tally) total() uint64 {
	sum := disk.SaturatingAdd(t.other, t.untyped)
	for _, n := range t.seen {
		sum = disk.SaturatingAdd(sum, n)
	}
	return sum
}

// best is the count of what was seen most.
func (t *tally) best() (most uint64) {
	for _, n := range t.seen {
		most = max(most, n)
	}
	return most
}

// kinds is how many different things were seen, those without a row taken for
// one.
func (t *tally) kinds() (n int) {
	if t.other > 0 {
		n++
	}
	for _, count := range t.seen {
		if count > 0 {
			n++
		}
	}
	return n
}

// add puts what was seen in another context on top.
func (t *tally) add(u *tally) {
	if t.seen == nil {
		t.seen = map[uint64]uint64{}
	}
	for what, n := range u.seen {
		t.seen[what] = disk.SaturatingAdd(t.seen[what], n)
	}
	t.other, t.null = disk.SaturatingAdd(t.other, u.other), t.null || u.null
	t.untyped = disk.SaturatingAdd(t.untyped, u.untyped)
}

// polluted reports whether a tally leaves a compiler without a good guess.
func (t *tally) polluted(kind siteKind) bool {
	certainty := app.Share(t.best(), t.total())
	switch kind {
	case siteNull:
		return t.null
	case siteBranch:
		return len(t.seen) == 2 && t.kinds() == 2 && certainty < undecided
	}
	return t.kinds() > guessed && certainty < dominant
}

// A split says whether profiles of their own for every calling context would
// tell what to expect.
type split string

// The answers.
const (
	splitYes     split = "yes"     // in every context that was recorded
	splitPartly  split = "partly"  // in some
	splitNo      split = "no"      // in none
	splitUnknown split = "unknown" // one context alone was recorded, or none
)

// trifle is the share of a site's counts below which contexts do not matter.
const trifle = 0.01

// A site is one profile point, with what was seen there in each context.
type site struct {
	kind  siteKind
	point int32
	code  uint64
	parts map[layout.Ref]*tally // by context node, 0 for profiles without one
}

func (s *site) pooled() *tally {
	var all tally
	for _, part := range s.parts {
		all.add(part)
	}
	return &all
}

// split compares the site with its contexts, and gives the share of its counts
// that are of contexts where it is not polluted.
func (s *site) split() (answer split, cured float64) {
	if len(s.parts) < 2 {
		return splitUnknown, 0
	}
	var clean, all uint64
	for _, part := range s.parts {
		n := part.total()
		all = disk.SaturatingAdd(all, n)
		if !part.polluted(s.kind) {
			clean = disk.SaturatingAdd(clean, n)
		}
	}
	cured = app.Share(clean, all)
	switch {
	case cured > 1-trifle:
		return splitYes, cured
	case cured < trifle:
		return splitNo, cured
	}
	return splitPartly, cured
}

// sitesOf gathers what a method's profiles say of its sites, in the order in
// which they come first.
func sitesOf(m reader.Method) (sites []*site, err error) {
	type key struct {
		kind  siteKind
		point int32
		code  uint64
	}
	known := map[key]*site{}
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		c, _, err := p.Context()
		if err != nil {
			return nil, err
		}
		for e := range p.Entries() {
			eachTally(p, e, func(kind siteKind, t *tally) {
				k := key{kind, e.Point(), p.Code()}
				if known[k] == nil {
					known[k] = &site{k.kind, k.point, k.code, map[layout.Ref]*tally{}}
					sites = append(sites, known[k])
				}
				part := known[k].parts
				if part[c.Ref()] == nil {
					part[c.Ref()] = &tally{}
				}
				part[c.Ref()].add(t)
			})
		}
	}
	return sites, nil
}
