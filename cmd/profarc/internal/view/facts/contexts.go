package facts

import (
	"cmp"
	"github.com/profarc/profarc/experimental/analyze"
	"slices"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A SiteContext describes a site in one calling context.
type SiteContext struct {
	Context  layout.Ref // context node; 0 for profiles without a context
	Count    uint64
	Best     float64 // share of the most frequent outcome
	Polluted bool    // whether the site is polluted in this context too
	Seen     []SeenRow
	Untyped  uint64 // receivers whose types were not recorded
}

// ContextsOf returns the contexts of a site, the highest counts first. code is the number in PollutedSite.Code, or
// layout.CodeUnknown. An unknown site has no contexts.
func ContextsOf(m reader.Method, kind analyze.Site, point int32, code uint64) (list []SiteContext, err error) {
	sites, err := sitesOf(m, nil)
	if err != nil {
		return nil, err
	}
	names := &siteNames{s: m.Store()}
	for _, at := range sites {
		if at.kind != kind || at.point != point || at.code != code {
			continue
		}
		for context, part := range at.parts {
			n := part.totalCount()
			list = append(list, SiteContext{context, n, shareOf(part.highestCount(), n), part.isPolluted(kind),
				names.mostSeen(part, seenRows), part.untyped})
		}
	}
	slices.SortFunc(list, func(a, b SiteContext) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Context, b.Context))
	})
	return list, names.err
}
