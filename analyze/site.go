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

// UntypedText names objects whose types were not recorded.
const UntypedText = "types that were not recorded"

// OthersText names what a site saw beside that which has a row.
func OthersText(kind Site) string {
	switch kind {
	case SiteReceivers, SiteChecked:
		return "other types"
	case SiteTargets:
		return "other targets"
	}
	return "other ways"
}

// Sites returns the points of a profile at which compilers guess. Counts are the trained ones;
// outcomes have ids and no names. A point is valid until the next one.
func Sites(q reader.Profile) iter.Seq[*Point] {
	return func(yield func(*Point) bool) {
		r, p := &pointReader{s: q.Store(), trained: true}, Point{}
		for e := range q.Entries() {
			site := siteOf(e)
			if site == "" {
				continue
			}
			p = Point{Point: e.Point(), Site: site, NullSeen: nullSeen(e), Outcomes: p.Outcomes[:0], entry: e}
			if r.outcomes(&p, e); !yield(&p) {
				return
			}
		}
	}
}
