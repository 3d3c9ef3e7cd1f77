package facts

import (
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// enoughCertain is the minimum number of executions in runs with one outcome for a site to be listed. Below it,
// HotSpot's C2 ignores the counts of a branch.
const enoughCertain = 40

// certainCounts holds how often a site was reached in runs in which it had one outcome, by outcome.
type certainCounts map[certainKey]map[uint64]uint64

// A certainKey identifies the outcomes of a point, or its null check.
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

// isListed reports whether the site is polluted, or was certain only in some runs.
func (s *site) isListed() bool {
	return s.timesCertain() >= enoughCertain || s.pooledTally().isPolluted(s.kind)
}

// timesCertain returns how often the site was reached in runs with one outcome.
func (s *site) timesCertain() (sum uint64) {
	for _, n := range s.certain {
		sum = schema.AddCounts(sum, n)
	}
	return sum
}

// certainRows names the certain outcomes, the most frequent first.
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

// certainWay converts an outcome of the table. HotSpot numbers the two outcomes of a branch; other outcomes are cells
// of rows.
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

// rowKinds maps sites to the kind of outcome that their rows have.
var rowKinds = map[analyze.Site]analyze.Kind{
	analyze.SiteReceivers: analyze.OfType, analyze.SiteChecked: analyze.OfType, analyze.SiteTargets: analyze.Value,
	analyze.SiteBranch: analyze.To, analyze.SiteSwitch: analyze.Case,
}
