package pages

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const profilesOnPage = 6

type methodPage struct {
	*methodFacts
	Access      string
	Notes       []string
	Top         []link       // totals, and a link to the hottest line
	Sampled     *sampledPart // nil if the method is on no stack
	Callers     *caller      // tree of the calling contexts, or nil
	MoreCallers *link        // page with more of the tree, or nil
	Measure     string       // measure of the tree's counts
	Versions    []version
	Code        []*codePart
	Size        uint64        // bytes of all profiles, as in top --by size
	Hint        string        // flags of profarc web that would add code to the page; may be empty
	NoCode      string        // why the code is not displayed; may be empty
	LLVM        *llvmPart     // nil in other domains
	Assembly    *assemblyPart // nil without a program
	Profiles    []*profilePart
	Left        int   // number of hidden profiles
	All         *link // page of all profiles, if this page shows some
}

type version struct {
	Link     link
	Profiles int
}

func (p *methodPage) title() string { return p.Name.Display }

func buildMethod(r *request) (any, error) {
	f, err := readMethodFacts(r)
	if err != nil {
		return nil, err
	}
	p := &methodPage{methodFacts: f}
	return p, p.addParts()
}

func (p *methodPage) addParts() error {
	p.Access = display.AccessText(p.method.Access())
	p.Notes = listing.MethodNotes(p.method)
	p.Hint = codeHint(p.request)
	p.addTotals()
	if p.method.Store().Header().Domain.LLVM() {
		if err := p.addFunction(); err != nil {
			return err
		}
	}
	if p.sampled != nil {
		if err := p.addSamples(); err != nil || p.Sampled.Whole {
			return err
		}
	}
	p.addVersions()
	p.addCallers()
	p.addProfiles()
	return nil
}

func (p *methodPage) addTotals() {
	for _, c := range []struct {
		noun string
		of   func(reader.Profile) (reader.Counter, bool)
	}{{"invocation", reader.Profile.Invocations}, {"backedge", reader.Profile.Backedges}} {
		sum := uint64(0)
		for _, q := range p.all {
			if n, ok := c.of(q); ok {
				sum = schema.AddCounts(sum, n.Load())
			}
		}
		if sum > 0 {
			p.Top = append(p.Top, link{Text: pluralText(sum, c.noun)})
		}
	}
	for _, q := range p.all {
		p.Size += uint64(len(q.Bytes()))
	}
}

func (p *methodPage) addHottest(s *sourceTable, amount func(uint64) string) {
	if s == nil || len(s.Lines) == 0 {
		return
	}
	most := slices.MaxFunc(s.Lines, func(a, b sourceLine) int { return cmp.Compare(a.count, b.count) })
	if most.count > 0 {
		p.Top = append(p.Top, p.request.linkToElement(fmt.Sprintf("hottest line %d: %s", most.number, amount(most.count)),
			lineElement(most.number)))
	}
}

func countText(n uint64) string { return pluralText(n, "count") }

func codeHint(r *request) string {
	switch {
	case r.inReport || !listing.SupportsDomain(r.archive().Header().Domain):
	case len(r.site.ClassPath) == 0:
		return "class-path"
	case len(r.site.SourcePath) == 0:
		return "source-path"
	}
	return ""
}

func (p *methodPage) addVersions() {
	count := map[uint64]int{}
	var codes []uint64
	for _, q := range p.all {
		if count[q.Code()]++; count[q.Code()] == 1 {
			codes = append(codes, q.Code())
		}
	}
	for _, code := range codes {
		q := methodQuery(p.method).withValues("code", display.IDText(code))
		p.Versions = append(p.Versions, version{linkToPage(codeText(code), nameOfMethod, q), count[code]})
	}
	if len(codes) == 1 && codes[0] == layout.CodeUnknown {
		p.Versions = nil
	}
}

func codeText(code uint64) string {
	if code == layout.CodeUnknown {
		return "not known"
	}
	return display.IDText(code)
}

func (p *methodPage) addProfiles() {
	r := p.request
	if len(p.asked) < len(p.all) {
		p.All = linkToPage(r.inTerms("All profiles of the method"), nameOfMethod, methodQuery(p.method)).optional()
	}
	b := newPointBuilder(r)
	p.addCodePart(b)
	for _, q := range p.asked[:min(len(p.asked), profilesOnPage)] {
		p.Profiles = append(p.Profiles, b.buildProfilePart(p.method, q, p.showsPoints()))
	}
	p.Left = len(p.asked) - len(p.Profiles)
}

// methodsWithPages returns the queries of the methods with pages in a report. They are the first ones by each measure,
// and the methods with the most polluted sites.
func methodsWithPages(r *request) ([]query, error) {
	t, err := tallyOf(r)
	if err != nil {
		return nil, err
	}
	var lists [][]layout.Ref
	for _, by := range t.measures {
		list := []layout.Ref{}
		for _, i := range by.ranked[:min(len(by.ranked), r.methods)] {
			list = append(list, t.methods[i])
		}
		lists = append(lists, list)
	}
	polluted, err := pollutedMethods(r)
	return queriesInTurn(r.methods, append(lists, polluted)), err
}

// queriesInTurn returns the queries of at most n methods. It takes the first of each list, then the second of each, and
// so on.
func queriesInTurn(n int, lists [][]layout.Ref) (queries []query) {
	known := map[layout.Ref]bool{}
	for rank := range n {
		for _, list := range lists {
			if rank < len(list) && !known[list[rank]] && len(queries) < n {
				known[list[rank]] = true
				queries = append(queries, newQuery("at", recordRefText(list[rank])))
			}
		}
	}
	return queries
}

type methodFacts struct {
	request *request
	method  reader.Method
	Name    analyze.MethodName
	all     []reader.Profile
	samples *listing.Samples
	sampled *listing.Sampled // nil if the method is on no stack
	// onlySamples reports whether the page shows only the lines with samples, which include the lines of the contexts.
	onlySamples bool
	asked       []reader.Profile // profiles that the query selects
	program     *program         // nil without a class path
	code        *listing.Listing // nil without a usable class path
}

func readMethodFacts(r *request) (*methodFacts, error) {
	m, err := r.askedMethod()
	if err != nil {
		return nil, err
	}
	f := &methodFacts{request: r, method: m, Name: r.nameOf(m)}
	f.all = slices.Collect(poll.Values(m.Profiles(), &err))
	if err != nil {
		return nil, err
	}
	f.samples, err = samplesOf(r)
	if err == nil {
		f.sampled, err = f.samples.OfMethod(m)
	}
	if err != nil {
		return nil, err
	}
	if f.sampled.Total == 0 {
		f.sampled = nil
	}
	asked := r.query.valueOf("contexts") + r.query.valueOf("profile") + r.query.valueOf("code")
	f.onlySamples = f.sampled != nil && asked == "" && m.Store().Header().Domain == layout.DomainSampled
	if f.onlySamples {
		return f, nil
	}
	return f, cmp.Or(f.selectProfiles(), f.readCode())
}

// selectProfiles selects the profiles that the query asks for, which are one profile, one version of the code, or all.
func (f *methodFacts) selectProfiles() error {
	profile := f.request.query.valueOf("profile")
	code := f.request.query.valueOf("code")
	f.asked = slices.DeleteFunc(slices.Clone(f.all), func(q reader.Profile) bool {
		return profile != "" && profile != recordRefText(q.Ref()) || code != "" && code != display.IDText(q.Code())
	})
	if len(f.asked) == 0 && len(f.all) > 0 {
		return errNoPage
	}
	return nil
}

func (f *methodFacts) readCode() (err error) {
	if !listing.SupportsDomain(f.method.Store().Header().Domain) {
		return nil
	}
	f.program, err = programOf(f.request)
	if err == nil && f.program != nil && f.program.err == nil {
		f.code, err = f.program.classes.ListMethod(f.method, ofOneVersion(f.asked)...)
	}
	return err
}

func (f *methodFacts) showsPoints() bool {
	return len(f.asked) == 1 && f.code != nil && f.code.HasCounts() && len(f.code.Instructions) > 0 &&
		len(f.code.Instructions) <= instructionsOnPage
}

func framesOf(q reader.Profile) ([]reader.Frame, error) {
	c, ok, err := q.Context()
	if err != nil || !ok {
		return nil, err
	}
	return c.Frames()
}

func ofOneVersion(profiles []reader.Profile) []reader.Profile {
	return slices.DeleteFunc(slices.Clone(profiles), func(q reader.Profile) bool { return q.Code() != profiles[0].Code() })
}

type sampledPart struct {
	*listing.Sampled
	Self, Total, Sum string // samples of the method, with callees, and of all stacks
	Share            float64
	Source           sourceTable
	Callers, Callees *table
	Contexts         *link // page of the calling contexts of the samples, or nil
	Whole            bool  // the page shows only this part
}

const callsInReport = 12

func samplesOf(r *request) (*listing.Samples, error) {
	return resultOf(r, "the samples of all methods",
		func(_ context.Context, s *Site, _ *Progress) (*listing.Samples, error) {
			return listing.ReadSamples(s.Archive, s.SourcePath)
		})
}

func (p *methodPage) addSamples() error {
	r := p.request
	all := p.samples
	found := p.sampled
	noun := string(all.Unit)
	s := &sampledPart{Sampled: found, Sum: all.Unit.Text(all.Sum, cli.Grouped), Share: cli.Share(found.Total, all.Sum),
		Self: all.Unit.Text(found.Self, cli.Grouped), Total: all.Unit.Text(found.Total, cli.Grouped),
		Callers: callTable(r, "callers", "Callers", noun, found.Callers, all.Sum),
		Callees: callTable(r, "callees", "Callees", noun, found.Callees, all.Sum), Whole: p.onlySamples}
	s.Problem = r.withoutFileFolders(found.Problem)
	s.Source = sourceTable{File: r.withoutFolders(found.File), WithSelf: true}
	for _, l := range found.Lines {
		s.Source.Lines = append(s.Source.Lines, sampledLine(r, all, found, l))
	}
	if s.Whole && found.Contexts > 0 {
		s.Contexts = linkToPage(pluralText(uint64(found.Contexts), "calling context"), nameOfMethod,
			r.query.withValues("contexts", "more")).optional()
	}
	p.Top = []link{{Text: fmt.Sprintf("%s of %s (%s)", s.Total, s.Sum, percentText(s.Share))},
		{Text: s.Self + r.inTerms(" in the method itself")}}
	p.addHottest(&s.Source, func(n uint64) string { return all.Unit.Text(n, cli.Grouped) })
	p.Sampled = s
	return p.addAssembly(&s.Source)
}

func sampledLine(r *request, all *listing.Samples, of *listing.Sampled, l listing.SampledLine) sourceLine {
	shown := sourceLine{ID: r.elementID(lineElement(int(l.Number))), At: link{Text: all.At(of, l)},
		Text: shortenLine(l.Text), After: l.After, number: int(l.Number), count: l.Total}
	if l.Self > 0 {
		shown.Self = all.Unit.Short(l.Self, cli.Grouped)
	}
	if l.Total > 0 {
		shown.Count, shown.Heat = all.Unit.Short(l.Total, cli.Grouped), heatClass(cli.Share(l.Total, of.Total))
	}
	return shown
}

func callTable(r *request, id, title, noun string, calls []facts.SampledCall, whole uint64) *table {
	t := newTable(r, id, title, textColumn("method", "Method"), numberColumn("total", "Total"),
		numberColumn("share", "Share of all"))
	if r.inReport {
		t.rows = callsInReport
	}
	for _, c := range calls {
		l := r.linkToMethod(r.methodAt(c.Other))
		t.addTableRow(linkCell(l), amountCell(c.Total, noun), shareCell(cli.Share(c.Total, whole)))
	}
	return t.finishUnlessEmpty()
}
