package pages

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var methodView = &view{
	name:   nameOfMethod,
	title:  "Method",
	about:  "What the profiles of a method say, point by point, in the order of its code.",
	build:  buildMethod,
	pages:  methodsWithPages,
	linked: true,
}

// profilesOnPage is the number of profiles on a method's page. Further ones have separate pages.
const profilesOnPage = 6

type methodPage struct {
	Name        analyze.MethodName
	Access      string
	Notes       []string
	Top         []link       // totals, and a link to the hottest line
	Sampled     *sampledPart // nil if the method is on no stack
	Callers     *caller      // tree of the calling contexts, or nil
	MoreCallers *link        // page with more of the tree, or nil
	Measure     string       // measure of the tree's counts
	Versions    []version
	Code        []*codePart
	Size        uint64    // bytes of all profiles, as in top --by size
	Hint        string    // how to display code with the points; may be empty
	NoCode      string    // why the code is not displayed; may be empty
	LLVM        *llvmPart // nil in other domains
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
	m, err := r.askedMethod()
	if err != nil {
		return nil, err
	}
	name, err := analyze.NameOf(r.archive(), m)
	if err != nil {
		return nil, err
	}
	p := &methodPage{Name: name, Access: display.AccessText(m.Access()), Notes: listing.MethodNotes(m)}
	all, err := profilesOf(m)
	if err != nil {
		return nil, err
	}
	p.addTotals(all)
	p.Hint = codeHint(r)
	p.LLVM, err = newLLVMPart(r, m, all)
	if err != nil {
		return nil, err
	}
	if p.LLVM != nil {
		p.addHottest(r, p.LLVM.Source, countText)
	}
	if err := p.addSamples(r, m); err != nil || p.Sampled != nil && p.Sampled.Whole {
		return p, err // its lines cover the profiles of its contexts
	}
	p.addVersions(r, m, all)
	return p, cmp.Or(p.addCallers(r, m, all), p.addProfiles(r, m, all))
}

func (p *methodPage) addTotals(all []reader.Profile) {
	for _, c := range []struct {
		noun string
		of   func(reader.Profile) (reader.Counter, bool)
	}{{"invocation", reader.Profile.Invocations}, {"backedge", reader.Profile.Backedges}} {
		sum := uint64(0)
		for _, q := range all {
			if n, ok := c.of(q); ok {
				sum = schema.AddCounts(sum, n.Load())
			}
		}
		if sum > 0 {
			p.Top = append(p.Top, link{Text: pluralText(sum, c.noun)})
		}
	}
	for _, q := range all {
		p.Size += uint64(len(q.Bytes()))
	}
}

// addHottest adds a link to the line with the highest nonzero count.
func (p *methodPage) addHottest(r *request, s *sourceTable, amount func(uint64) string) {
	if s == nil || len(s.Lines) == 0 {
		return
	}
	most := slices.MaxFunc(s.Lines, func(a, b sourceLine) int { return cmp.Compare(a.count, b.count) })
	if most.count > 0 {
		p.Top = append(p.Top, r.linkToElement(fmt.Sprintf("hottest line %d: %s", most.number, amount(most.count)),
			lineElement(most.number)))
	}
}

// countText formats the count of a line.
func countText(n uint64) string { return pluralText(n, "count") }

// codeHint names the flags that display the code of methods. It returns "" if they are given or the page is in a
// report.
func codeHint(r *request) string {
	switch {
	case r.inReport || !listing.SupportsDomain(r.archive().Header().Domain):
	case len(r.site.ClassPath) == 0:
		return "Bytecode and source lines stand beside the points if profarc web is started with --class-path, naming the " +
			"classes that ran, and --source-path, naming their sources."
	case len(r.site.SourcePath) == 0:
		return "Source lines stand beside the bytecode if profarc web is started with --source-path, naming folders or " +
			"jars of sources."
	}
	return ""
}

func profilesOf(m reader.Method) (all []reader.Profile, err error) {
	for q, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	return all, nil
}

func (p *methodPage) addVersions(r *request, m reader.Method, all []reader.Profile) {
	count := map[uint64]int{}
	var codes []uint64
	for _, q := range all {
		if count[q.Code()]++; count[q.Code()] == 1 {
			codes = append(codes, q.Code())
		}
	}
	for _, code := range codes {
		q := methodQuery(m).withValues("code", display.IDText(code))
		p.Versions = append(p.Versions, version{linkToPage(codeText(code), r.view.name, q), count[code]})
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

// addProfiles adds the profiles that the query asks for, which are one profile, one version of the code, or all.
func (p *methodPage) addProfiles(r *request, m reader.Method, all []reader.Profile) error {
	asked := slices.DeleteFunc(slices.Clone(all), func(q reader.Profile) bool {
		profile := r.query.valueOf("profile")
		code := r.query.valueOf("code")
		return profile != "" && profile != recordRefText(q.Ref()) || code != "" && code != display.IDText(q.Code())
	})
	if len(asked) == 0 && len(all) > 0 {
		return errNoPage
	}
	if len(asked) < len(all) {
		p.All = linkToPage(r.inTerms("All profiles of the method"), r.view.name, methodQuery(m)).optional()
	}
	b := newPointBuilder(r)
	if err := p.addCodePart(b, m, asked); err != nil {
		return err
	}
	for _, q := range asked[:min(len(asked), profilesOnPage)] {
		part, err := b.buildProfilePart(m, q, len(asked) == 1 && p.showsPoints())
		if err != nil {
			return err
		}
		p.Profiles = append(p.Profiles, part)
	}
	p.Left = len(asked) - len(p.Profiles)
	return b.err
}

// showsPoints reports whether the points of the profiles are displayed with the code.
func (p *methodPage) showsPoints() bool {
	return len(p.Code) > 0 && p.Code[0].Good && p.Code[0].MoreCode == 0
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
		for _, i := range by.ranked[:min(len(by.ranked), r.report.Methods)] {
			list = append(list, t.methods[i])
		}
		lists = append(lists, list)
	}
	polluted, err := pollutedMethods(r)
	return queriesInTurn(r.report.Methods, append(lists, polluted)), err
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
