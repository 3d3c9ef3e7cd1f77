package analyze

import (
	"iter"

	"github.com/profarc/profarc/reader"
)

// A Site says what compilers guess at a point from its outcomes.
type Site string

// The kinds of sites.
const (
	SiteReceivers Site = "receivers" // receiver types of a call
	SiteChecked   Site = "checked"   // types that reach a type check, which may also see null
	SiteTargets   Site = "targets"   // targets of an indirect call
	SiteBranch    Site = "branch"    // the two ways of a branch
	SiteSwitch    Site = "switch"    // the ways of a switch
	SiteNull      Site = "null"      // whether a type check saw null
)

// OthersText names what a site saw beside that which has a row.
func (s Site) OthersText() string {
	switch s {
	case SiteReceivers, SiteChecked:
		return outcomeWords[Others]
	case SiteTargets:
		return "other targets"
	}
	return "other ways"
}

// Trained returns the entries of a profile's data as points. Counts are the trained ones; outcomes
// have ids and no names, and points have no shares. A point is valid until the next one.
func Trained(q reader.Profile) iter.Seq2[reader.Entry, *Point] {
	return func(yield func(reader.Entry, *Point) bool) {
		r := &pointReader{s: q.Store(), trained: true}
		p := Point{}
		for e := range q.Entries() {
			p = Point{Point: e.Point(), Site: siteOf(e), Group: kindOf(e).group, RowNoun: kindOf(e).rows, NullSeen: nullSeen(e),
				BySchema: kindOf(e).read == nil, Outcomes: p.Outcomes[:0], entry: e, store: r.s}
			if !p.BySchema {
				r.outcomes(&p, e)
			}
			if !yield(e, &p) {
				return
			}
		}
	}
}
