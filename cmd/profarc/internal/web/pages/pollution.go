package pages

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var pollutionView = &view{
	name:    nameOfPollution,
	title:   pollutionTitle,
	about:   "Profile points whose counts do not tell a compiler what to expect, those that are reached most first.",
	offered: func(s *Site) bool { return s.Archive.Header().Domain != layout.DomainSampled },
	build:   buildPollution,
}

const pollutionTitle = "Pollution"

// Limits of the pages of polluted sites.
const (
	sitesListed    = 20_000
	contextsListed = 5_000
)

// A pollutionPage is one of the two pages of the view. Either All or Site is set.
type pollutionPage struct {
	All  *allSites
	Site *sitePage
}

func (p *pollutionPage) title() string {
	if s := p.Site; s != nil {
		return fmt.Sprintf("%s, at %s %d of %s", s.Kind, s.At, s.Point, s.Name)
	}
	return pollutionTitle
}

type allSites struct {
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
	Method link
	At     string // kind of number of the point
	Point  int32
	Kind   string
	Count  uint64
	Why    string
	Doubt  string // the unknown parts, or ""
	Split  string
	Mixed  []segment
}

type segment struct {
	Text  string
	Count uint64
	Share float64
	Class string
}

func buildPollution(r *request) (any, error) {
	if r.query.valueOf("at") != "" {
		return buildSite(r)
	}
	report, err := pollutionOf(r)
	if err != nil {
		return nil, err
	}
	p := &allSites{Of: report.Of, Left: report.Of - len(report.Sites)}
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
		p.Worst = describeSite(r, &report.Sites[0])
	}
	return &pollutionPage{All: p}, nil
}

func pollutionOf(r *request) (*facts.PollutionReport, error) {
	find := func(ctx context.Context, s *Site, _ *Progress) (*facts.PollutionReport, error) {
		return facts.MostPolluted(ctx, s.Archive, analyze.RankOptions{Limit: sitesListed})
	}
	return resultOf(r, "the polluted sites", find)
}

func (p *allSites) siteCells(r *request, s *facts.PollutedSite) []cell {
	best := numberCell(percentText(s.Best), s.Best)
	if s.Kind == analyze.SiteNull {
		best = noNumber
	}
	shown := []cell{linkCell(siteLink(r, s)), numberCell(fmt.Sprint(s.Point), float64(s.Point)),
		textCell(capitalized(kindWords[s.Kind])), countCell(s.Count), best, seenCell(r, s.Kind, s.Seen, s.Count, s.Untyped)}
	if p.inRuns {
		shown = append(shown, shareCell(s.CertainShare()))
	}
	if !p.InContexts {
		return shown
	}
	contexts := countCell(s.Contexts)
	if s.Contexts > 1 { // the page of a single context would repeat this row
		contexts.Link = linkToPage(contexts.Link.Text, nameOfPollution, newQuery("at", recordRefText(s.Method),
			"point", fmt.Sprint(s.Point), "kind", string(s.Kind), "code", s.Code))
	}
	split := numberCell(capitalized(string(s.Split)), s.Cured)
	if s.Split == facts.SplitPartly {
		split.Link.Text = percentText(s.Cured)
	}
	if s.Split == facts.SplitUnknown {
		split.Value = -1
	}
	return append(shown, contexts, split)
}

// Descriptions of the kinds of sites and answers.
var (
	kindWords = map[analyze.Site]string{
		analyze.SiteReceivers: "receivers of a call", analyze.SiteChecked: "types at a check",
		analyze.SiteTargets: "targets of an indirect call",
		analyze.SiteBranch:  "ways of a branch", analyze.SiteSwitch: "ways of a switch", analyze.SiteNull: "null at a check",
	}
	whyWords = map[analyze.Site]string{
		analyze.SiteReceivers: "more than two types come here, and none of those recorded in nine of ten calls: a " +
			"compiler cannot tell which method is called, and does not inline it",
		analyze.SiteChecked: "more than two types are checked here, and none of those recorded nine of ten times: a " +
			"compiler cannot test for the likely one first",
		analyze.SiteTargets: "more than two functions are called here, and none of them in nine of ten calls: a compiler " +
			"cannot test for the likely one first",
		analyze.SiteBranch: "neither way is taken six of ten times: a compiler does not know which one to lay out as the " +
			"likely one",
		analyze.SiteNull: "null was seen: a compiler has to test for it",
	}
	doubtWords = map[facts.Doubt]string{
		facts.DoubtLikelier: "More came of types without a row than of the likeliest recorded: one of those may be " +
			"likelier.",
		facts.DoubtDominant: "Nine of ten or more were of types without a row: if these are all of one type, the site " +
			"is not polluted. The archive does not tell.",
	}
	splitReasons = map[facts.Split]string{
		facts.SplitYes:     "A profile for each caller would cure it: it is mixed in none of its contexts.",
		facts.SplitNo:      "A profile for each caller would not help: it is mixed in every context.",
		facts.SplitPartly:  "A profile for each caller would help for %s of its counts.",
		facts.SplitUnknown: "Whether a profile for each caller would help is not known: at most one context was recorded.",
	}
)

func siteLink(r *request, s *facts.PollutedSite) link {
	q := newQuery("at", recordRefText(s.Method))
	if !r.inReport {
		q = q.withValues("code", s.Code)
	}
	return linkToPage(s.Spelled(), nameOfMethod, q).atElement(pointElement(s.Point))
}

func seenCell(r *request, kind analyze.Site, seen []facts.SeenRow, count, untyped uint64) cell {
	list := segmentsOf(r, kind, seen, count, untyped)
	var parts []string
	for _, s := range list {
		parts = append(parts, percentText(s.Share)+" "+s.Text)
	}
	c := textCell(strings.Join(parts, ", "))
	c.Stack = list
	return c
}

func segmentsOf(r *request, kind analyze.Site, seen []facts.SeenRow, count, untyped uint64) (list []segment) {
	if kind == analyze.SiteNull {
		return nil
	}
	rest := count
	names := seenTexts(r, kind, seen)
	for i, row := range seen {
		list = append(list, segment{names[i], row.Count, cli.Share(row.Count, count), fmt.Sprintf("part-%d", i)})
		rest -= min(rest, row.Count)
	}
	untyped = min(rest, untyped)
	for _, part := range []segment{{Text: kind.OthersText(), Count: rest - untyped},
		{Text: facts.UntypedText, Count: untyped}} {
		if part.Count > 0 {
			list = append(list, segment{part.Text, part.Count, cli.Share(part.Count, count), "part-rest"})
		}
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

func pollutionReason(s *facts.PollutedSite) string {
	if len(s.Certain) == 0 {
		return whyWords[s.Kind]
	}
	return fmt.Sprintf("it had one outcome in merged runs with %s of its counts, and has several in all: a compiler "+
		"with a profile of one of those runs leaves out what they never did, and has to test for it now",
		percentText(s.CertainShare()))
}

func describeSite(r *request, s *facts.PollutedSite) *pollutedSite {
	split := splitReasons[s.Split]
	if s.Split == facts.SplitPartly {
		split = fmt.Sprintf(split, percentText(s.Cured))
	}
	at := display.PointWord(r.archive().Header().Domain)
	return &pollutedSite{siteLink(r, s), at, s.Point, kindWords[s.Kind], s.Count, pollutionReason(s),
		doubtWords[s.Doubt()], split, segmentsOf(r, s.Kind, s.Seen, s.Count, s.Untyped)}
}

type sitePage struct {
	Method   link
	Name     string
	At       string // kind of number of the point
	Point    int32
	Kind     string
	Contexts *table
	Left     int
	All      link // page of all sites
}

func buildSite(r *request) (any, error) {
	m, err := r.askedMethod()
	if err != nil {
		return nil, err
	}
	point, pointErr := strconv.ParseInt(r.query.valueOf("point"), 10, 32)
	code, codeErr := strconv.ParseUint("0"+r.query.valueOf("code"), 16, 64)
	kind := analyze.Site(r.query.valueOf("kind"))
	if pointErr != nil || codeErr != nil || kindWords[kind] == "" {
		return nil, errNoPage
	}
	found, err := facts.ContextsOf(m, kind, int32(point), code)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errNoPage
	}
	to, err := methodLink(r.archive(), m)
	if err != nil {
		return nil, err
	}
	p := &sitePage{Method: to.atElement(pointElement(int32(point))), Name: to.Text,
		At: display.PointWord(r.archive().Header().Domain), Point: int32(point), Kind: kindWords[kind],
		All: linkToPage("All polluted sites", nameOfPollution, query{})}
	p.Left = max(len(found)-contextsListed, 0)
	return &pollutionPage{Site: p}, p.addContexts(r, kind, found[:len(found)-p.Left])
}

func (p *sitePage) addContexts(r *request, kind analyze.Site, found []facts.SiteContext) error {
	p.Contexts = newTable(r, "contexts", "What the site saw in each context", textColumn("context", "Called by"),
		numberColumn("count", "Count"), numberColumn("best", "Likeliest recorded"),
		textColumn("mixed", "Still mixed"), textColumn("seen", "Seen"))
	for _, c := range found {
		caller, err := contextLink(r.archive(), c.Context)
		if err != nil {
			return err
		}
		best := shareCell(c.Best)
		if kind == analyze.SiteNull {
			best = noNumber
		}
		p.Contexts.addTableRow(linkCell(caller), countCell(c.Count), best,
			textCell(map[bool]string{true: "Yes", false: "No"}[c.Polluted]), seenCell(r, kind, c.Seen, c.Count, c.Untyped))
	}
	p.Contexts.finishRows()
	return nil
}

func contextLink(s *reader.Store, at layout.Ref) (link, error) {
	if at == 0 {
		return link{Text: "any caller"}, nil
	}
	c, err := s.ContextAt(at)
	if err != nil {
		return link{}, err
	}
	frames, err := c.Frames()
	if err != nil || len(frames) == 0 {
		return link{Text: "any caller"}, err
	}
	l, err := methodLink(s, frames[0].Caller)
	l.Text += fmt.Sprintf(" at %s %d", display.PointWord(s.Header().Domain), frames[0].Point)
	for _, f := range frames[1:min(len(frames), 3)] {
		outer, err := methodLink(s, f.Caller)
		if err != nil {
			return l, err
		}
		l.Text += ", by " + outer.Text
	}
	if more := len(frames) - 3; more > 0 {
		l.Text += fmt.Sprintf(", and %s", pluralText(uint64(more), "further caller"))
	}
	return l, err
}

func pollutedMethods(r *request) (list []layout.Ref, err error) {
	if !pollutionView.offered(r.site) {
		return nil, nil
	}
	report, err := pollutionOf(r)
	if err != nil {
		return nil, err
	}
	for i := range report.Sites[:min(len(report.Sites), r.report.Methods)] {
		list = append(list, report.Sites[i].Method)
	}
	return list, nil
}
