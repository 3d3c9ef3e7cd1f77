package analyze

import (
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

// A SiteKind says what a profile point records that may be polluted.
type SiteKind string

// The kinds of sites.
const (
	SiteReceivers SiteKind = "receivers" // types of the receivers of a call
	SiteChecked   SiteKind = "checked"   // types that a type check meets
	SiteTargets   SiteKind = "targets"   // functions that a call through a pointer reaches
	SiteBranch    SiteKind = "branch"    // two ways
	SiteNull      SiteKind = "null"      // a type check that has met null
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
func (t *tally) polluted(kind SiteKind) bool {
	certainty := share(t.best(), t.total())
	switch kind {
	case SiteNull:
		return t.null
	case SiteBranch:
		return len(t.seen) == 2 && t.kinds() == 2 && certainty < undecided
	}
	return t.kinds() > guessed && certainty < dominant
}

// A Split says whether profiles of their own for every calling context would
// tell what to expect.
type Split string

// The answers.
const (
	SplitYes     Split = "yes"     // in every context that was recorded
	SplitPartly  Split = "partly"  // in some
	SplitNo      Split = "no"      // in none
	SplitUnknown Split = "unknown" // one context alone was recorded, or none
)

// negligibleShare is the share of a site's counts below which contexts do not matter.
const negligibleShare = 0.01

// A site is one profile point, with what was seen there in each context.
type site struct {
	kind  SiteKind
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
func (s *site) split() (answer Split, cured float64) {
	if len(s.parts) < 2 {
		return SplitUnknown, 0
	}
	var clean, all uint64
	for _, part := range s.parts {
		n := part.total()
		all = disk.SaturatingAdd(all, n)
		if !part.polluted(s.kind) {
			clean = disk.SaturatingAdd(clean, n)
		}
	}
	cured = share(clean, all)
	switch {
	case cured > 1-negligibleShare:
		return SplitYes, cured
	case cured < negligibleShare:
		return SplitNo, cured
	}
	return SplitPartly, cured
}

// sitesOf gathers what a method's profiles say of its sites, in the order in
// which they come first.
func sitesOf(m reader.Method) (sites []*site, err error) {
	type key struct {
		kind  SiteKind
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
			eachTally(p, e, func(kind SiteKind, t *tally) {
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

// The ways of a branch that has no numbers for them: such as no successor has.
const (
	wayTaken = 1<<64 - 1
	wayNot   = wayTaken - 1
)

// eachTally gives what an entry says of the sites that may be polluted: a type
// check is two.
func eachTally(p reader.Profile, e reader.Entry, yield func(SiteKind, *tally)) {
	switch e.Tag() {
	case layout.TagBranch:
		b, _ := e.Branch()
		yield(SiteBranch, &tally{seen: map[uint64]uint64{wayTaken: b.Taken.Trained(), wayNot: b.NotTaken.Trained()}})
	case layout.TagSuccessors:
		if e.Sub() == layout.SubConditional {
			yield(SiteBranch, rowsTally(e))
		}
	case layout.TagValueSite:
		if e.Sub() == layout.SubIndirectCall {
			yield(SiteTargets, rowsTally(e))
		}
	case layout.TagVirtualCall, layout.TagVirtualCallType:
		yield(SiteReceivers, receiversTally(e))
	case layout.TagReceiverType:
		yieldCheck(e, yield)
	case layout.TagReceivers:
		if e.Sub() == layout.SubTypeCheck {
			yieldCheck(e, yield)
		} else {
			yield(SiteReceivers, receiversTally(e))
		}
	case layout.TagBit: // it counts nothing; its method is called as often at least
		yield(SiteNull, &tally{other: trained(p.Invocations()), null: e.Raw().Flags()&layout.EntryNullSeen != 0})
	}
}

func yieldCheck(e reader.Entry, yield func(SiteKind, *tally)) {
	t := receiversTally(e)
	yield(SiteChecked, t)
	yield(SiteNull, &tally{other: t.total(), null: e.Raw().Flags()&layout.EntryNullSeen != 0})
}

// rowsTally is what the rows of a list say: what was seen, and how often.
func rowsTally(e reader.Entry) *tally {
	t := &tally{seen: map[uint64]uint64{}}
	rows, _ := e.Rows()
	for i := range rows.Len() {
		what := rows.Cell(i, 0).Trained()
		t.seen[what] = disk.SaturatingAdd(t.seen[what], rows.Cell(i, 1).Trained())
	}
	return t
}

// receiversTally is a type profile, without the type checks that failed: the rows
// have the types of some of these.
func receiversTally(e reader.Entry) *tally {
	t := &tally{seen: map[uint64]uint64{}}
	r, _ := e.Receivers()
	beside := r.Unlisted(r.Other().Trained())
	t.other, t.untyped = beside.Types, beside.Untyped
	for row := range r.All() {
		what := uint64(row.Type.Ordinal())
		t.seen[what] = disk.SaturatingAdd(t.seen[what], row.Count.Trained())
	}
	return t
}
