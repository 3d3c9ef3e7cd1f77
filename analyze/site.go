package analyze

import (
	"iter"

	"github.com/profarc/profarc/layout"
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

// sites has what compilers guess at entries of a tag, whatever their sub.
var sites = map[layout.Tag]Site{
	layout.TagBranch: SiteBranch, layout.TagMultiBranch: SiteSwitch, layout.TagBit: SiteNull,
	layout.TagVirtualCall: SiteReceivers, layout.TagVirtualCallType: SiteReceivers,
	layout.TagReceiverType: SiteChecked, layout.TagReceivers: SiteReceivers,
}

// siteOf returns what compilers guess at an entry.
func siteOf(e reader.Entry) Site {
	switch tag, sub := e.Tag(), e.Sub(); {
	case tag == layout.TagReceivers && sub == layout.SubTypeCheck:
		return SiteChecked
	case tag == layout.TagSuccessors && sub == layout.SubConditional:
		return SiteBranch
	case tag == layout.TagValueSite && sub == layout.SubIndirectCall:
		return SiteTargets
	}
	return sites[e.Tag()]
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

// nullSeen reports whether an entry says that its point saw null.
func nullSeen(e reader.Entry) bool {
	return e.Flags()&layout.EntryNullSeen != 0 && e.Tag() != layout.TagCount && !e.Tag().ByProducer()
}
