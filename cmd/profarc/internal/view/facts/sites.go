package facts

import (
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Limits for polluted sites, whose counts do not help a compiler.
const (
	// Dominant is the share at which a compiler guards one of many receivers, HotSpot's TypeProfileMajorReceiverPercent.
	Dominant = 0.9
	// Guessed is the number of receivers that compilers test one by one.
	Guessed = 2
	// undecided is the share of the likelier outcome below which a branch is polluted.
	undecided = 0.6
)

// untypedText names the receivers in siteTally.untyped.
var untypedText = (&analyze.Outcome{Kind: analyze.Untyped}).What()

type outcomeID struct {
	kind analyze.Kind
	id   uint64
}

type siteTally struct {
	seen  map[outcomeID]uint64
	other uint64 // count of outcomes without a row
	// untyped counts receivers whose types were not recorded.
	untyped uint64
	null    bool
}

func (t *siteTally) totalCount() uint64 {
	sum := schema.AddCounts(t.other, t.untyped)
	for _, n := range t.seen {
		sum = schema.AddCounts(sum, n)
	}
	return sum
}

func (t *siteTally) highestCount() (most uint64) {
	for _, n := range t.seen {
		most = max(most, n)
	}
	return most
}

// kindCount returns the number of outcomes. All outcomes without a row count as one.
func (t *siteTally) kindCount() (n int) {
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

func (t *siteTally) addTally(u *siteTally) {
	if t.seen == nil {
		t.seen = map[outcomeID]uint64{}
	}
	for what, n := range u.seen {
		t.seen[what] = schema.AddCounts(t.seen[what], n)
	}
	t.other = schema.AddCounts(t.other, u.other)
	t.null = t.null || u.null
	t.untyped = schema.AddCounts(t.untyped, u.untyped)
}

func (t *siteTally) isPolluted(kind analyze.Site) bool {
	certainty := cli.Share(t.highestCount(), t.totalCount())
	switch kind {
	case analyze.SiteNull:
		return t.null
	case analyze.SiteBranch:
		return len(t.seen) == 2 && t.kindCount() == 2 && certainty < undecided
	case analyze.SiteSwitch:
		return false // every case has its own code
	}
	return t.kindCount() > Guessed && certainty < Dominant
}

// A Split tells whether one profile per calling context would cure a polluted site.
type Split string

// Values of Split.
const (
	SplitYes     Split = "yes"     // it would in every context
	SplitPartly  Split = "partly"  // it would in some contexts
	SplitNo      Split = "no"      // it would in no context
	SplitUnknown Split = "unknown" // fewer than two contexts are recorded
)

// negligibleShare is the share of a site's counts below which a context is ignored.
const negligibleShare = 0.01

type site struct {
	kind  analyze.Site
	point int32
	code  uint64
	parts map[layout.Ref]*siteTally // tallies by context node; 0 for profiles without a context
	// certain is how often it was reached in runs in which it had one outcome, by that outcome, if it has several in all.
	certain map[uint64]uint64
}

func (s *site) pooledTally() *siteTally {
	var all siteTally
	for _, part := range s.parts {
		all.addTally(part)
	}
	return &all
}

func (s *site) splitByContext() (answer Split, cured float64) {
	if len(s.parts) < 2 {
		return SplitUnknown, 0
	}
	var clean, all uint64
	for _, part := range s.parts {
		n := part.totalCount()
		all = schema.AddCounts(all, n)
		if !part.isPolluted(s.kind) {
			clean = schema.AddCounts(clean, n)
		}
	}
	cured = cli.Share(clean, all)
	switch {
	case cured > 1-negligibleShare:
		return SplitYes, cured
	case cured < negligibleShare:
		return SplitNo, cured
	}
	return SplitPartly, cured
}

func sitesOf(m reader.Method, certain certainCounts) (sites []*site, err error) {
	type key struct {
		kind  analyze.Site
		point int32
		code  uint64
	}
	known := map[key]*site{}
	for p := range poll.Values(m.Profiles(), &err) {
		c, _, err := p.Context()
		if err != nil {
			return nil, err
		}
		calls, _ := p.Invocations()
		for _, at := range analyze.Trained(p) {
			if at.Site == "" {
				continue
			}
			eachTally(at, calls.Trained(), func(kind analyze.Site, t *siteTally) {
				k := key{kind, at.Point, p.Code()}
				if known[k] == nil {
					known[k] = &site{kind: k.kind, point: k.point, code: k.code, parts: map[layout.Ref]*siteTally{}}
					sites = append(sites, known[k])
				}
				entryOf(known[k].parts, c.Ref()).addTally(t)
				known[k].addCertain(certain[certainKey{p.Ref(), at.Point, kind == analyze.SiteNull}])
			})
		}
	}
	return sites, err
}

// eachTally yields the sites of a point. A type check is two sites.
func eachTally(p *analyze.Point, calls uint64, yield func(analyze.Site, *siteTally)) {
	t := tallyPoint(p)
	switch p.Site {
	case analyze.SiteNull: // it has no count; its method was called at least as often
		t.other = calls
	case analyze.SiteChecked:
		yield(p.Site, t)
		yield(analyze.SiteNull, &siteTally{other: t.totalCount(), null: p.NullSeen})
		return
	}
	t.null = p.Site == analyze.SiteNull && p.NullSeen
	yield(p.Site, t)
}

// tallyPoint counts the outcomes of a point. It leaves out failed type checks, since only some of their types have
// rows.
func tallyPoint(p *analyze.Point) *siteTally {
	t := &siteTally{seen: make(map[outcomeID]uint64, len(p.Outcomes))}
	for i := range p.Outcomes {
		switch o := &p.Outcomes[i]; o.Kind {
		case analyze.Others:
			t.other = o.Count
		case analyze.Untyped:
			t.untyped = o.Count
		case analyze.Failed, analyze.Unlooked:
		default:
			w := outcomeID{o.Kind, o.ID}
			t.seen[w] = schema.AddCounts(t.seen[w], o.Count)
		}
	}
	return t
}
