package facts

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ByPollution is the measure that ranks sites instead of methods.
const ByPollution = "pollution"

type PollutionReport struct {
	Archive string         `json:"archive"`
	By      string         `json:"by"`
	Of      int            `json:"of"` // number of polluted sites
	Sites   []PollutedSite `json:"sites"`
}

// A PollutedSite is a polluted site, or one that was certain in some of the merged runs. Best is the highest recorded
// count as a share of all. Cured is the share of counts in contexts where the site is not polluted.
type PollutedSite struct {
	analyze.MethodName
	Method   layout.Ref   `json:"-"` // reference of the method's record
	Kind     analyze.Site `json:"kind"`
	Point    int32        `json:"point"`
	Code     string       `json:"code,omitempty"`
	Count    uint64       `json:"count"`
	Best     float64      `json:"best_share"`
	Contexts int          `json:"contexts"`
	Split    Split        `json:"split"`
	Cured    float64      `json:"split_share"`
	Certain  []SeenRow    `json:"certain"` // the only outcomes of some of the merged runs, with counts
	Seen     []SeenRow    `json:"seen"`    // the most frequent outcomes
	Other    uint64       `json:"other"`   // receivers of types without a row
	Untyped  uint64       `json:"untyped"` // receivers whose types were not recorded
}

func (s *PollutedSite) CertainShare() float64 {
	sum := uint64(0)
	for _, row := range s.Certain {
		sum = schema.AddCounts(sum, row.Count)
	}
	return cli.Share(min(sum, s.Count), s.Count)
}

// RestRows returns the counts beyond Seen, of outcomes without a row and of receivers whose types were not recorded.
func (s *PollutedSite) RestRows() (rows []SeenRow) {
	rest := s.Count
	for _, row := range s.Seen {
		rest -= min(rest, row.Count)
	}
	untyped := min(rest, s.Untyped)
	for _, row := range []SeenRow{{s.Kind.OthersText(), rest - untyped}, {untypedText, untyped}} {
		if row.Count > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// A Doubt is an uncertainty about a site caused by types without a row.
type Doubt string

// Doubts, from the least to the greatest.
const (
	DoubtNone     Doubt = ""
	DoubtLikelier Doubt = "likelier" // a type without a row may be more frequent than all others
	DoubtDominant Doubt = "dominant" // a type without a row may have 90% or more, so that the site is not polluted
)

func (s *PollutedSite) Doubt() Doubt {
	switch hidden := cli.Share(schema.AddCounts(s.Other, s.Untyped), s.Count); {
	case hidden >= Dominant:
		return DoubtDominant
	case hidden > s.Best:
		return DoubtLikelier
	}
	return DoubtNone
}

type SeenRow struct {
	What  string `json:"what"`
	Count uint64 `json:"count"`
}

const seenRows = 3

type pollution struct {
	m     reader.Method
	site  *site
	count uint64
}

func MostPolluted(ctx context.Context, s *reader.Store, o analyze.RankOptions) (*PollutionReport, error) {
	certain, err := readCertain(s)
	if err != nil {
		return nil, err
	}
	var found []pollution
	for m := range poll.Values(selectedMethods(ctx, s, o), &err) {
		sites, err := sitesOf(m, certain)
		if err != nil {
			return nil, err
		}
		for _, at := range sites {
			if n := at.pooledTally().totalCount(); n >= max(o.Min, 1) && at.isListed() {
				found = append(found, pollution{m, at, n})
			}
		}
	}
	sorted := poll.SortStable(ctx, found, func(a, b pollution) int { return cmp.Compare(b.count, a.count) })
	if err = cmp.Or(err, sorted); err != nil {
		return nil, err
	}
	r := &PollutionReport{Archive: s.Mapping().Name(), By: ByPollution, Of: len(found), Sites: []PollutedSite{}}
	return r, r.addSites(s, found[:o.RowCount(len(found))])
}

func selectedMethods(ctx context.Context, s *reader.Store, o analyze.RankOptions) iter.Seq2[reader.Method, error] {
	return func(yield func(reader.Method, error) bool) {
		for m, err := range s.Methods() {
			selected := false
			if err = cmp.Or(err, ctx.Err()); err == nil {
				selected, err = o.Selects(m)
			}
			if (selected || err != nil) && (!yield(m, err) || err != nil) {
				return
			}
		}
	}
}

func (r *PollutionReport) addSites(s *reader.Store, found []pollution) error {
	p := &siteNames{s: s}
	for _, f := range found {
		name, err := analyze.NameOf(s, f.m)
		if err != nil {
			return err
		}
		all := f.site.pooledTally()
		row := PollutedSite{MethodName: name, Method: f.m.Ref(), Kind: f.site.kind, Point: f.site.point, Count: f.count,
			Best:     cli.Share(all.highestCount(), f.count),
			Contexts: len(f.site.parts), Seen: p.mostSeen(all, seenRows), Other: all.other, Untyped: all.untyped}
		row.Split, row.Cured = f.site.splitByContext()
		if f.site.code != 0 {
			row.Code = display.IDText(f.site.code)
		}
		if row.Kind == analyze.SiteNull {
			row.Other, row.Best = 0, 0
		}
		row.Certain = p.certainRows(f.site)
		r.Sites = append(r.Sites, row)
	}
	return p.err
}

type siteNames struct {
	s       *reader.Store
	targets entries.Targets
	err     error
}

func (p *siteNames) mostSeen(t *siteTally, most int) []SeenRow {
	order := slices.SortedFunc(maps.Keys(t.seen), func(a, b outcomeID) int {
		return cmp.Or(cmp.Compare(t.seen[b], t.seen[a]), cmp.Compare(a.id, b.id), cmp.Compare(a.kind, b.kind))
	})
	rows := []SeenRow{}
	for _, what := range order[:min(most, len(order))] {
		if n := t.seen[what]; n > 0 {
			rows = append(rows, SeenRow{p.seenText(what), n})
		}
	}
	return rows
}

func (p *siteNames) seenText(w outcomeID) string {
	switch w.kind {
	case analyze.OfType:
		t, err := p.s.Type(uint32(w.id))
		p.err = cmp.Or(p.err, err)
		if !t.Valid() {
			return "none"
		}
		name, err := display.TypeText(t)
		p.err = cmp.Or(p.err, err)
		return escape.Printable(name)
	case analyze.Value:
		name, _, err := p.targets.Find(p.s, layout.SubIndirectCall, w.id)
		p.err = cmp.Or(p.err, err)
		return name
	case analyze.Case:
		return fmt.Sprintf("case %d", w.id)
	case analyze.To:
		point, index := schema.UnpackSuccessor(w.id)
		return fmt.Sprintf("to %d (%d)", point, index)
	}
	return string(w.kind)
}

// enoughCertain is the minimum number of executions in runs with one outcome for a site to be listed. Below it,
// HotSpot's C2 ignores the counts of a branch.
const enoughCertain = 40

// certainCounts holds how often a site was reached in runs in which it had one outcome, by outcome.
type certainCounts map[certainKey]map[uint64]uint64

type certainKey struct {
	profile layout.Ref
	point   int32
	null    bool
}

func readCertain(s *reader.Store) (certainCounts, error) {
	t, err := s.TableOrEmpty(schema.TableCertain)
	if err != nil || t.Rows == 0 {
		return nil, err
	}
	all := certainCounts{}
	for row := range t.Rows {
		outcome := t.Cell(2, row)
		k := certainKey{layout.Ref(t.Cell(0, row)), int32(t.Cell(1, row)), outcome == schema.OutcomeNoNull}
		if all[k] == nil {
			all[k] = map[uint64]uint64{}
		}
		all[k][outcome] = schema.AddCounts(all[k][outcome], t.Cell(3, row))
	}
	return all, nil
}

func (s *site) addCertain(counts map[uint64]uint64) {
	if s.certain == nil && len(counts) > 0 {
		s.certain = map[uint64]uint64{}
	}
	for outcome, n := range counts {
		s.certain[outcome] = schema.AddCounts(s.certain[outcome], n)
	}
}

func (s *site) isListed() bool {
	return s.timesCertain() >= enoughCertain || s.pooledTally().isPolluted(s.kind)
}

func (s *site) timesCertain() (sum uint64) {
	for _, n := range s.certain {
		sum = schema.AddCounts(sum, n)
	}
	return sum
}

func (p *siteNames) certainRows(s *site) []SeenRow {
	if s.kind == analyze.SiteNull && len(s.certain) > 0 {
		return []SeenRow{{"no null", s.timesCertain()}}
	}
	t := siteTally{seen: map[outcomeID]uint64{}}
	for outcome, n := range s.certain {
		t.seen[p.certainWay(s.kind, outcome)] += n
	}
	return p.mostSeen(&t, len(s.certain))
}

// certainWay converts an outcome of the table. HotSpot numbers the two outcomes of a branch.
// Other outcomes are keys of rows.
func (p *siteNames) certainWay(kind analyze.Site, outcome uint64) outcomeID {
	domain := p.s.Header().Domain
	switch point, index := schema.UnpackSuccessor(outcome); {
	case kind == analyze.SiteBranch && domain == layout.DomainHotSpot:
		return branchWay(outcome)
	case kind == analyze.SiteBranch && domain == layout.DomainCustom && point == 0 && index <= 1: // without targets
		return branchWay(uint64(index))
	case kind == analyze.SiteSwitch && outcome == 0:
		return outcomeID{kind: analyze.Default}
	}
	return outcomeID{rowKinds[kind], outcome}
}

func branchWay(number uint64) outcomeID {
	if number == 0 {
		return outcomeID{kind: analyze.Taken}
	}
	return outcomeID{kind: analyze.NotTaken}
}

var rowKinds = map[analyze.Site]analyze.Kind{
	analyze.SiteReceivers: analyze.OfType, analyze.SiteChecked: analyze.OfType, analyze.SiteTargets: analyze.Value,
	analyze.SiteBranch: analyze.To, analyze.SiteSwitch: analyze.Case,
}
