package pages

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

// hasSites reports whether profile points guide compilers. The points of sampled programs do not.
func hasSites(s *Site) bool { return s.Archive.Header().Domain != layout.DomainSampled }

const sitesListed = 20_000

type pollutionPage struct {
	Of    int
	Width uint64        // number of types that HotSpot records per site; 0 in other domains
	Worst *pollutedSite // may be nil
	Sites *table
	Left  int // number of hidden sites
	// InContexts reports whether any site was seen in several calling contexts.
	InContexts bool
	inRuns     bool // some site had one outcome in some of the merged runs
}

type pollutedSite struct {
	*facts.PollutedSite
	Method link
	What   string // what is mixed
	Mixed  []segment
}

type segment struct {
	Text  string
	Count uint64
	Share float64
	Class string
	From  float64 // share of the segments before
}

func buildPollution(r *request) (any, error) {
	report, err := pollutionOf(r)
	if err != nil {
		return nil, err
	}
	p := &pollutionPage{Of: report.Of, Left: report.Of - len(report.Sites)}
	domain := r.archive().Header().Domain
	if domain == layout.DomainHotSpot {
		p.Width = uint64(r.archive().Header().Params.TypeProfileWidth)
	}
	p.InContexts = slices.ContainsFunc(report.Sites, func(s facts.PollutedSite) bool { return s.Contexts > 1 })
	p.inRuns = slices.ContainsFunc(report.Sites, func(s facts.PollutedSite) bool { return len(s.Certain) > 0 })
	columns := []column{{Key: "method", Name: "Method"}, numberColumn("point", capitalized(display.PointWord(domain))),
		{Key: "kind", Name: "What is mixed"}, numberColumn("count", "Count"),
		numberColumn("best", "Likeliest recorded"), {Key: "seen", Name: "Seen"}}
	if p.inRuns {
		columns = append(columns, numberColumn("certain", "In runs that were certain"))
	}
	if p.InContexts {
		columns = append(columns, numberColumn("contexts", "Contexts"), numberColumn("split", "Split helps"))
	}
	p.Sites = newTable(r, "sites", "Polluted sites", columns...)
	for i := range report.Sites {
		p.Sites.addTableRow(p.siteCells(r, &report.Sites[i])...)
	}
	p.Sites.finishRows()
	if len(report.Sites) > 0 {
		s := &report.Sites[0]
		p.Worst = &pollutedSite{s, siteLink(r, s), kindWords[s.Kind], segmentsOf(r, s)}
	}
	return p, nil
}

func pollutionOf(r *request) (*facts.PollutionReport, error) {
	find := func(ctx context.Context, s *Site, _ *Progress) (*facts.PollutionReport, error) {
		return facts.MostPolluted(ctx, s.Archive, analyze.RankOptions{Limit: sitesListed})
	}
	return resultOf(r, "the polluted sites", find)
}

func (p *pollutionPage) siteCells(r *request, s *facts.PollutedSite) []cell {
	best := numberCell(percentText(s.Best), s.Best)
	if s.Kind == analyze.SiteNull {
		best = noNumber
	}
	shown := []cell{linkCell(siteLink(r, s)), numberCell(fmt.Sprint(s.Point), float64(s.Point)),
		textCell(capitalized(kindWords[s.Kind])), countCell(s.Count), best, seenCell(r, s)}
	if p.inRuns {
		shown = append(shown, shareCell(s.CertainShare()))
	}
	if !p.InContexts {
		return shown
	}
	split := numberCell(capitalized(string(s.Split)), s.Cured)
	if s.Split == facts.SplitPartly {
		split.Link.Text = percentText(s.Cured)
	}
	if s.Split == facts.SplitUnknown {
		split.Value = -1
	}
	return append(shown, countCell(s.Contexts), split)
}

var kindWords = map[analyze.Site]string{
	analyze.SiteReceivers: "receivers of a call", analyze.SiteChecked: "types at a check",
	analyze.SiteTargets: "targets of an indirect call",
	analyze.SiteBranch:  "ways of a branch", analyze.SiteSwitch: "ways of a switch", analyze.SiteNull: "null at a check",
}

func siteLink(r *request, s *facts.PollutedSite) link {
	q := newQuery("at", recordRefText(s.Method))
	if !r.inReport {
		q = q.withValues("code", s.Code)
	}
	return linkToPage(s.Spelled(), nameOfMethod, q).atElement(pointElement(s.Point))
}

func seenCell(r *request, s *facts.PollutedSite) cell {
	list := segmentsOf(r, s)
	c := textCell(lists.Join(list, ", ", func(s segment) string { return percentText(s.Share) + " " + s.Text }))
	c.Stack = list
	return c
}

func segmentsOf(r *request, s *facts.PollutedSite) (list []segment) {
	if s.Kind == analyze.SiteNull {
		return nil
	}
	from := uint64(0)
	names := seenTexts(r, s.Kind, s.Seen)
	for i, row := range slices.Concat(s.Seen, s.RestRows()) {
		part := segment{row.What, row.Count, cli.Share(row.Count, s.Count), "part-rest", cli.Share(from, s.Count)}
		if i < len(names) {
			part.Text, part.Class = names[i], fmt.Sprintf("part-%d", i)
		}
		list = append(list, part)
		from = min(schema.AddCounts(from, row.Count), s.Count)
	}
	return list
}

// seenTexts returns the outcomes of a site. Types are spelled as in source code, without packages if that is
// unambiguous. The ranking has their loaders in parentheses.
func seenTexts(r *request, kind analyze.Site, seen []facts.SeenRow) []string {
	var short, full []string
	for _, row := range seen {
		full = append(full, display.Spelling{}.Function(row.What))
		if kind != analyze.SiteReceivers && kind != analyze.SiteChecked {
			continue
		}
		name, loader, _ := strings.Cut(row.What, " (loader ")
		loader = strings.TrimSuffix(loader, ")")
		full[len(full)-1] = typeText(r.archive(), name, loader)
		short = append(short, shortTypeText(r.archive(), name, loader))
	}
	if len(short) < len(full) || len(slices.Compact(slices.Sorted(slices.Values(short)))) < len(short) {
		return full
	}
	return short
}

func pollutedMethods(r *request) (list []layout.Ref, err error) {
	if !hasSites(r.site) {
		return nil, nil
	}
	report, err := pollutionOf(r)
	if err != nil {
		return nil, err
	}
	for i := range report.Sites[:min(len(report.Sites), r.methods)] {
		list = append(list, report.Sites[i].Method)
	}
	return list, nil
}
