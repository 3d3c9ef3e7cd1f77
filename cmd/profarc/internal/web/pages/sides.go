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

func (s *Site) firstViewName() string { return s.offeredViews()[0].name }

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
		return linkToPage(text, overviewView.name, query{}), true
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
	return linkToPage(pairView.title, nameOfPair, q).optional()
}
