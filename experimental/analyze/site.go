package analyze

import (
	"iter"

	"github.com/profarc/profarc/reader"
)

// A Site is the kind of guess that compilers make from the outcomes of a point.
type Site string

// The kinds of sites.
const (
	SiteReceivers Site = "receivers" // receiver types of a call
	SiteChecked   Site = "checked"   // types at a type check, which may also see null
	SiteTargets   Site = "targets"   // targets of an indirect call
	SiteBranch    Site = "branch"    // the two ways of a branch
	SiteSwitch    Site = "switch"    // the ways of a switch
	SiteNull      Site = "null"      // whether a type check saw null
)

// OthersText describes the outcomes of a site that have no row.
func (s Site) OthersText() string {
	switch s {
	case SiteReceivers, SiteChecked:
		return outcomeWords[Others]
	case SiteTargets:
		return "other targets"
	}
	return "other ways"
}

// Trained iterates over the entries of a profile's data section as points. Counts are the trained ones. Outcomes have
// IDs but no names, and points have no shares. Each point is valid until the next iteration.
func Trained(q reader.Profile) iter.Seq2[reader.Entry, *Point] {
	return func(yield func(reader.Entry, *Point) bool) {
		r := &pointReader{s: q.Store(), trained: true}
		p := Point{}
		for e := range q.Entries() {
			kind := pointKindOf(e)
			p = Point{Point: e.Point(), Site: siteKindOf(e), NullSeen: sawNull(e), Outcomes: p.Outcomes[:0],
				PointDetails: PointDetails{Group: kind.group, RowNoun: kind.rows, BySchema: kind.read == nil},
				entry:        e, store: r.s}
			if !p.BySchema {
				r.addOutcomes(&p, e)
			}
			if !yield(e, &p) {
				return
			}
		}
	}
}
