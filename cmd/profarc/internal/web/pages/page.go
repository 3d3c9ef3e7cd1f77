package pages

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"io/fs"
	"iter"
	"strings"
	"sync"

	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed assets/style.css
var styleText string

//go:embed assets/script.js
var scriptText string

// The style and script elements of all pages. The policy has the hashes of their content, which must not change by a
// byte.
var (
	styleElement  = sync.OnceValue(func() template.HTML { return template.HTML("<style>" + styleText + "</style>") })
	scriptElement = sync.OnceValue(func() template.HTML { return template.HTML("<script>" + scriptText + "</script>") })
)

// contentPolicy returns the content security policy of pages. forms is 'self' or 'none', the target of forms.
func contentPolicy(forms string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"style-src '" + hashSource(styleText) + "'",
		"script-src '" + hashSource(scriptText) + "'",
		"img-src data:",
		"form-action " + forms,
		"base-uri 'none'",
	}, "; ")
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func templates(links linker, d layout.Domain) (*template.Template, error) {
	t := template.New("").Funcs(template.FuncMap{
		"address":   func(l link) template.URL { return linkURL(links, l) },
		"name":      nameElement,
		"printable": escape.Printable, // used in attributes, and where elements are not allowed
		"source":    sourceElement,
		"n":         cli.Grouped,
		"n64":       func(n int) string { return cli.Grouped(uint64(n)) },
		"next":      func(n int) int { return n + 1 },
		"u64":       func(n int) uint64 { return uint64(n) },
		"capital":   capitalized,
		"moment":    momentText,
		"percent":   percentText,
		"kind":      report.KindText,
		"position":  func() string { return display.PointWord(d) }, // kind of number that points have
		"sum":       func(kind string, sum float64) string { return report.SumText(kind, sum, realText) },
		"plural":    func(n uint64, noun string) string { return pluralText(n, display.InTermsOf(d, noun)) },
		"amount":    amountText,
		"part":      cli.Share,
		"share":     func(x float64) float64 { return min(x, 1) }, // of a pointer too
	})
	files, err := fs.Glob(templateFiles, "templates/*.html")
	for _, name := range files {
		text, readErr := templateFiles.ReadFile(name)
		_, parseErr := t.Parse(textOfTemplates().ReplaceAllStringFunc(string(text), func(part string) string {
			if part[0] == '{' || part[0] == '<' {
				return part
			}
			return display.InTermsOf(d, part)
		}))
		err = cmp.Or(err, readErr, parseErr)
	}
	return t, err
}

// textOfTemplates matches actions, tags, and the text between them.
var textOfTemplates = lazyregexp.New(`(?s)\{\{.*?\}\}|<[^>]*>|[^<{]+|\{`)

func linkURL(links linker, l link) template.URL {
	href, ok := links.pageAddress(l.view, l.query)
	if !ok || l.view == "" {
		return ""
	}
	if l.element != "" {
		href += links.elementAddress(l.element)
	}
	return template.URL(href)
}

type document struct {
	Title  string
	Site   string
	Policy string // content security policy of the document; empty if an HTTP header has it
	Menu   []menuItem
	Search searchForm
	Style  template.HTML
	Script template.HTML
}

// A searchForm is the search in the header of a page. Action is the view that displays what it finds.
type searchForm struct {
	Action, Text string
	Kept         []hiddenValue
}

type hiddenValue struct{ Name, Value string }

// searchFormOf returns the search of a view, which searches all methods if the view has no list to search.
func searchFormOf(v *view, q query) searchForm {
	side := []hiddenValue{{keyOfSide, q.valueOf(keyOfSide)}}
	if v == nil || v.name == nameOfOverview || v.name == nameOfMethod || v.name == nameOfPair {
		return searchForm{nameOfMethods, "", side}
	}
	f := searchForm{Action: v.name, Text: q.valueOf(keyOfFind)}
	for _, key := range q.sortedKeys() {
		if key != keyOfFind && !strings.HasSuffix(key, ".page") {
			f.Kept = append(f.Kept, hiddenValue{key, q.valueOf(key)})
		}
	}
	return f
}

type menuItem struct {
	Link    link
	Current bool
}

type shownPage struct {
	ID, Title, View string
	Failure         string     // why the page cannot be shown, or ""
	Sides           []sideLink // the archive of the page and the other one; empty if the site has one archive
	Beside          *link      // link to the comparison of both archives, or nil
	Content         template.HTML
}

func (s *Site) menuItems(current *view) (items []menuItem) {
	for _, v := range s.offeredViews() {
		if !v.linked {
			items = append(items, menuItem{linkToPage(display.InTermsOf(s.Archive.Header().Domain, v.title), v.name, query{}),
				v == current})
		}
	}
	return items
}

func renderPage(t *template.Template, r *request) (*shownPage, error) {
	var content any
	p := &shownPage{ID: r.pageElement(), Title: r.inTerms(r.view.title), View: r.view.name}
	r.damage = new(error)
	err := r.site.guardFaults(func() (err error) {
		content, err = r.view.build(r)
		p.Sides, p.Beside = r.sideLinks(), r.besideLink()
		return err
	})
	if err := cmp.Or(err, *r.damage); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, r.view.name, content); err != nil {
		return nil, err
	}
	p.Content = template.HTML(b.String())
	if titled, ok := content.(interface{ title() string }); ok {
		p.Title = cmp.Or(titled.title(), nameless)
	}
	return p, nil
}

func writeDocument(w io.Writer, t *template.Template, d *document, pages iter.Seq2[*shownPage, error]) error {
	d.Style, d.Script = styleElement(), scriptElement()
	if err := t.ExecuteTemplate(w, "document-begin", d); err != nil {
		return err
	}
	for p, err := range pages {
		if err == nil {
			err = t.ExecuteTemplate(w, "page", p)
		}
		if err != nil {
			return err
		}
	}
	return t.ExecuteTemplate(w, "document-end", d)
}

// WriteReport writes a report, which is a self-contained HTML file with pages of the site. The same archives give the
// same bytes. A report has the pages of the menu and of the hottest methods. Links to other pages are plain text.
// methods is the number of the hottest methods. progress, if not nil, is called with the number of pages written and
// the number of all pages.
func (s *Site) WriteReport(ctx context.Context, w io.Writer, methods int, progress func(done, total int)) error {
	requests, err := s.reportRequests(ctx, methods)
	if err != nil {
		return err
	}
	held := reportLinks{}
	for _, r := range requests {
		held.assignPageID(r)
	}
	t, err := newSideTemplates(held, s.Archive.Header().Domain)
	if err != nil {
		return err
	}
	d := &document{Title: s.archiveNames(), Site: s.archiveNames(), Policy: contentPolicy("'none'"),
		Menu: s.menuItems(nil)}
	return writeDocument(w, t.a, d, func(yield func(*shownPage, error) bool) {
		for i, r := range requests { // one by one, to limit memory
			p, err := renderPage(t.templatesOf(r.site), r)
			if progress != nil {
				progress(i+1, len(requests))
			}
			if !yield(p, err) {
				return
			}
		}
	})
}

func (s *Site) reportRequests(ctx context.Context, methods int) (list []*request, err error) {
	for _, side := range s.sitesOfArchives() {
		more, err := side.requestsOfSide(ctx, methods)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, ctx.Err()
}

// requestsOfSide returns the requests for the pages of one archive. The requests of A include the pages of both.
func (s *Site) requestsOfSide(ctx context.Context, methods int) (list []*request, err error) {
	side := ""
	if s.isB {
		side = sideB
	}
	for _, v := range s.offeredViews() {
		if s.isB && v.both {
			continue
		}
		one := request{ctx: ctx, site: s, view: v, patience: -1, inReport: true, methods: methods,
			damage: new(error)}
		queries := []query{{}}
		if v.pages != nil {
			queries, err = v.pages(&one)
			if err != nil {
				return nil, err
			}
		}
		for _, q := range queries {
			r := one
			r.query = q.withValues(keyOfSide, side)
			list = append(list, &r)
		}
	}
	return list, ctx.Err()
}
