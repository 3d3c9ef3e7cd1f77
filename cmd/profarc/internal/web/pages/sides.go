package pages

import (
	"cmp"
	"html/template"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Of two archives each is a side, A or B, which has a site of its own: the views of one archive
// show the data of the site that is asked. The query says which, and the links of a page lead to
// pages of its side. Views of both are asked of side A.
const (
	keyOfSide = "archive"
	sideA     = "a"
	sideB     = "b"
)

func (s *Site) newSides() {
	if s.Other == nil {
		return
	}
	o := s.Options
	o.Archive, o.Other = s.Other, s.Archive
	s.twin = &Site{Options: o, work: newBackgroundJobs(s.work.ctx), isB: true, twin: s}
}

// sitesOfArchives returns the sites of the archives of a site that NewSite has returned, A's first.
func (s *Site) sitesOfArchives() []*Site {
	if s.twin == nil {
		return []*Site{s}
	}
	return []*Site{s, s.twin}
}

// askedView returns the site that a query asks, and its view of a name; nil if it has none.
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

// titleSuffix returns which of the archives a site shows, for titles of documents; empty for A.
func (s *Site) titleSuffix() string {
	if s.isB {
		return " (B)"
	}
	return ""
}

func (s *Site) firstViewName() string { return s.offeredViews()[0].name }

// linksOfSide are the links of the pages of one side.
type linksOfSide struct {
	linker
	side string // sideB, or empty for A
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

// templatesOf returns the templates of the pages of a site.
func (t sideTemplates) templatesOf(s *Site) *template.Template {
	if s.isB {
		return t.b
	}
	return t.a
}

// A sideLink leads to the page of the other archive that shows the same.
type sideLink struct {
	Letter, File string
	Current      bool
	Link         link // without a view if there is no such page
}

// sideLinks returns which archive a page is of, and the way to the other one; none if the site has no other, or if the
// page is of both.
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

// linkToOther returns a link to what the page shows, in the other archive. What belongs to a method leads to that
// method, what belongs to another record to the overview, as a view that the other archive does not offer.
func (r *request) linkToOther(text string) (l link, ok bool) {
	switch {
	case !r.view.linked && r.site.twin.viewNamed(r.view.name) != nil:
		return linkToPage(text, r.view.name, r.query.ofTables()), true
	case r.view.name != nameOfMethod:
		return linkToPage(text, overviewView.name, query{}), true
	}
	m, err := r.askedMethod()
	if err != nil {
		return link{}, false
	}
	other, err := counterpart(m, r.site.Other)
	return linkToPage(text, nameOfMethod, methodQuery(other)), err == nil
}

// ofTables returns how the tables of a page are sorted and searched.
func (q query) ofTables() (kept query) {
	for _, key := range q.sortedKeys() {
		if strings.HasSuffix(key, ".sort") || strings.HasSuffix(key, ".find") {
			kept = kept.withValues(key, q.valueOf(key))
		}
	}
	return kept
}

// counterpart returns the method with the same key in another archive.
func counterpart(m reader.Method, s *reader.Store) (reader.Method, error) {
	k, err := m.Key()
	if err != nil {
		return reader.Method{}, err
	}
	return s.Find(k)
}

// besideLink returns the link from the page of a method to the comparison of both archives; nil on other pages.
func (r *request) besideLink() *link {
	if r.site.Other == nil || r.view.name != nameOfMethod {
		return nil
	}
	a, err := r.askedMethod()
	if err != nil {
		return nil
	}
	b, _ := counterpart(a, r.site.Other) // or none, where A alone has it
	if r.site.isB {
		a, b = b, a
	}
	q, _ := pairQuery(a, b)
	return linkToPage(pairView.title, nameOfPair, q).optional()
}
