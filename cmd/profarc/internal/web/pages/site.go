package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type Options struct {
	Archive *reader.Store
	// Other is archive B, to compare with Archive as A. It may be nil.
	Other *reader.Store
	// ClassPath has the profiled code, as class files, jars or a JDK. It may be empty.
	ClassPath []string
	// SourcePath has the sources. It may be empty.
	SourcePath []string
	// Binary is the compiled program of the profiled functions. It may be empty.
	Binary string
}

// A Site has archives and the results of background jobs. It is safe for concurrent use.
type Site struct {
	Options
	work *backgroundJobs
	twin *Site // site of the other archive, or nil
	isB  bool  // Archive is B, and Other is A
}

// NewSite returns a site of open archives, which must stay open until Close. Background jobs end with ctx.
func NewSite(ctx context.Context, o Options) *Site {
	s := &Site{Options: o, work: newBackgroundJobs(ctx)}
	if o.Other != nil {
		o.Archive, o.Other = o.Other, o.Archive
		s.twin = &Site{Options: o, work: newBackgroundJobs(s.work.ctx), isB: true, twin: s}
	}
	return s
}

// Close ends all background jobs and closes the files of the class path and the sources. The archives stay open. Later
// requests for pages get earlier results.
func (s *Site) Close() {
	for _, side := range s.sitesOfArchives() {
		side.work.closeResults()
	}
}

func (s *Site) archiveNames() string {
	if s.Other == nil {
		return filepath.Base(s.Archive.Mapping().Name())
	}
	return fmt.Sprintf("%s and %s", filepath.Base(s.Archive.Mapping().Name()), filepath.Base(s.Other.Mapping().Name()))
}

// guardFaults runs f. It returns an error if an archive's file was truncated and reading its mapping faults.
func (s *Site) guardFaults(f func() error) error {
	guarded := func() error { return s.Archive.Mapping().Guard(f) }
	if s.Other != nil {
		inner := guarded
		guarded = func() error { return s.Other.Mapping().Guard(inner) }
	}
	return guarded()
}

var errNoPage = errors.New("the archive has no such page")

func isNotFound(err error) bool {
	return errors.Is(err, errNoPage) || errors.Is(err, reader.ErrNotFound)
}

func (s *Site) fileFolders() (list []string) {
	files := slices.Concat([]string{s.Archive.Mapping().Name(), s.Binary}, s.ClassPath, s.SourcePath)
	if s.Other != nil {
		files = append(files, s.Other.Mapping().Name())
	}
	for _, file := range files {
		if folder := filepath.Dir(file); folder != "." && folder != string(filepath.Separator) {
			list = append(list, folder+string(filepath.Separator))
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(list)
}

// withoutFileFolders removes the folders of this machine from a text of a report, since others read reports.
func (r *request) withoutFileFolders(text string) string {
	if !r.inReport {
		return text
	}
	return r.withoutFolders(text)
}

func (r *request) withoutFolders(text string) string {
	for _, folder := range r.site.fileFolders() {
		text = strings.ReplaceAll(text, folder, "")
	}
	return text
}

// A view is one kind of page. The template with its name displays the result of build.
type view struct {
	name  string // name in addresses, one lower-case word
	title string // title in headings and in the menu
	// offered reports whether a site has data for the view. It may be nil.
	offered func(*Site) bool
	build   func(*request) (any, error)
	// pages returns the queries of the pages in a report. If it is nil, there is one page without a query.
	pages  func(*request) ([]query, error)
	linked bool // not in the menu, but linked from other pages
	both   bool // shows both archives of a site
}

// Names of views, and titles that other views use.
const (
	nameOfDiff      = "diff"
	nameOfOverview  = "overview"
	nameOfMethods   = "methods"
	nameOfClasses   = "classes"
	nameOfPollution = "pollution"
	nameOfFlame     = "stacks"
	nameOfMethod    = "method"
	whereName       = "where"
	nameOfStackPair = "stackpair"
	nameOfPair      = "pair"
	nameOfFit       = "fit"
	nameOfMoves     = "moves"

	whereTitle  = "Treemap"
	titleOfPair = "Side by side"
)

// views lists all views in the order of the menu.
var views = []*view{
	{name: nameOfDiff, title: "What changed", offered: hasOther, build: buildDiff, both: true},
	{name: nameOfOverview, title: "Overview", build: buildOverview},
	{name: nameOfMethods, title: "Methods", build: buildMethods},
	{name: nameOfClasses, title: "Classes", offered: hasPackages, build: buildClasses},
	{name: nameOfPollution, title: "Pollution", offered: hasSites, build: buildPollution},
	{name: nameOfFlame, title: "Stacks", offered: hasStacks, build: buildFlame, pages: stacksInReport},
	{name: nameOfMethod, title: "Method", build: buildMethod, pages: methodsWithPages, linked: true},
	{name: whereName, title: whereTitle, build: buildWhere, pages: whereInReport, linked: true},
	{name: nameOfStackPair, title: "Stacks of both", offered: hasCommonStacks, build: buildStackPair, both: true},
	{name: nameOfPair, title: titleOfPair, offered: hasOther, build: buildPair, pages: pairsWithPages, linked: true,
		both: true},
	{name: nameOfFit, title: "Fit", offered: hasClasses, build: buildFit},
	{name: nameOfMoves, title: "Moved points", offered: hasClasses, build: buildMoves, pages: movesWithPages,
		linked: true},
}

func hasOther(s *Site) bool        { return s.Other != nil }
func hasStacks(s *Site) bool       { return len(stackSources(s.Archive)) > 0 }
func hasCommonStacks(s *Site) bool { return s.Other != nil && len(commonStacks(s)) > 0 }

func (s *Site) viewNamed(name string) *view {
	for _, v := range s.offeredViews() {
		if v.name == name {
			return v
		}
	}
	return nil
}

func (s *Site) offeredViews() (list []*view) {
	for _, v := range views {
		if v.offered == nil || v.offered(s) {
			list = append(list, v)
		}
	}
	return list
}

type request struct {
	ctx   context.Context
	site  *Site
	view  *view
	query query
	// patience is the maximum wait for background results; a negative value means no limit.
	patience time.Duration
	// inReport reports whether the page is for a report, which has more rows per page.
	inReport bool
	page     string // id of the page in the report
	methods  int    // number of methods with pages in the report
	damage   *error // first error of noteError
}

// noteError keeps the first error of reading the archives. The page then fails when it is built.
func (r *request) noteError(err error) { *r.damage = cmp.Or(*r.damage, err) }

func (r *request) archive() *reader.Store { return r.site.Archive }

// With two archives each is a side, A or B, with a separate site. Views of one archive show the side in the query, and
// the links of a page stay on its side. Views of both archives belong to side A.
const (
	keyOfSide = "archive"
	sideA     = "a"
	sideB     = "b"
)

func (s *Site) sitesOfArchives() []*Site {
	if s.twin == nil {
		return []*Site{s}
	}
	return []*Site{s, s.twin}
}

// askedView returns the view with a name, and the site of the side that a query asks for.
func (s *Site) askedView(name string, q query) (*Site, *view) {
	v := s.viewNamed(name)
	if s.twin == nil || q.valueOf(keyOfSide) != sideB || v != nil && v.both {
		return s, v
	}
	return s.twin, s.twin.viewNamed(name)
}

func (s *Site) sideLetter() string {
	if s.isB {
		return sideB
	}
	return sideA
}

func (s *Site) titleSuffix() string {
	if s.isB {
		return " (B)"
	}
	return ""
}

type linksOfSide struct {
	linker
	side string // sideB, or "" for A
}

func (l linksOfSide) pageAddress(name string, q query) (string, bool) {
	side := cmp.Or(q.valueOf(keyOfSide), l.side)
	if side != sideB || name == nameOfDiff || name == nameOfStackPair || name == nameOfPair {
		side = ""
	}
	return l.linker.pageAddress(name, q.withValues(keyOfSide, side))
}

type sideTemplates struct{ a, b *template.Template }

func newSideTemplates(links linker, d layout.Domain) (t sideTemplates, err error) {
	t.a, err = templates(linksOfSide{links, ""}, d)
	if err == nil {
		t.b, err = templates(linksOfSide{links, sideB}, d)
	}
	return t, err
}

func (t sideTemplates) templatesOf(s *Site) *template.Template {
	if s.isB {
		return t.b
	}
	return t.a
}

type sideLink struct {
	Letter, File string
	Current      bool
	Link         link // has no view if there is no such page
}

// sideLinks returns the archive of a page and the link to the other one. It is empty if the site has one archive or the
// page shows both.
func (r *request) sideLinks() (list []sideLink) {
	if r.site.Other == nil || r.view.both {
		return nil
	}
	sites := []*Site{r.site, r.site.twin}
	if r.site.isB {
		slices.Reverse(sites)
	}
	for _, s := range sites {
		file := filepath.Base(s.Archive.Mapping().Name())
		shown := sideLink{Letter: strings.ToUpper(s.sideLetter()), File: file, Current: s == r.site}
		if l, ok := r.linkToOther(shown.File); ok && !shown.Current {
			shown.Link = l.toArchiveOf(s)
		}
		list = append(list, shown)
	}
	return list
}

// linkToOther returns a link to the same page of the other archive. For a method it leads to the method with the same
// key. For other records, and for views that the other archive does not offer, it leads to the overview.
func (r *request) linkToOther(text string) (l link, ok bool) {
	switch {
	case !r.view.linked && r.site.twin.viewNamed(r.view.name) != nil:
		return linkToPage(text, r.view.name, r.query.ofTables()), true
	case r.view.name != nameOfMethod:
		return linkToPage(text, nameOfOverview, query{}), true
	}
	m, err := r.askedMethod()
	if err != nil {
		return link{}, false
	}
	other, err := counterpart(m, r.site.Other)
	return linkToPage(text, nameOfMethod, methodQuery(other)), err == nil
}

func (q query) ofTables() (kept query) {
	for _, key := range q.sortedKeys() {
		if strings.HasSuffix(key, ".sort") || key == keyOfFind {
			kept = kept.withValues(key, q.valueOf(key))
		}
	}
	return kept
}

func counterpart(m reader.Method, s *reader.Store) (reader.Method, error) {
	k, err := m.Key()
	if err != nil {
		return reader.Method{}, err
	}
	return s.Find(k)
}

func (r *request) besideLink() *link {
	if r.site.Other == nil || r.view.name != nameOfMethod {
		return nil
	}
	a, err := r.askedMethod()
	if err != nil {
		return nil
	}
	b, _ := counterpart(a, r.site.Other) // the zero Method if only A has it
	if r.site.isB {
		a, b = b, a
	}
	q, _ := pairQuery(a, b)
	return linkToPage(titleOfPair, nameOfPair, q).optional()
}
