package pages

import (
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A linker makes the addresses of pages.
type linker interface {
	// address returns the address of a page from any other; ok is false if the page
	// cannot be reached, so that its link becomes plain text.
	address(view string, q query) (href string, ok bool)
	// within returns what leads from the address of a page to one of its elements: see request.element.
	within(name string) string
}

// serverLinks are the addresses of a server, whose pages all lie in one folder.
type serverLinks struct{}

func (serverLinks) address(view string, q query) (string, bool) {
	if query := q.encode(); query != "" {
		return view + "?" + query, true
	}
	return view, true
}

func (serverLinks) within(name string) string { return "#" + url.PathEscape(name) }

// reportLinks are the ids of the pages in one file, by the addresses that they have on a server.
type reportLinks map[string]string

func (held reportLinks) address(view string, q query) (string, bool) {
	id, ok := held[pageAddress(view, q)]
	return "#" + url.PathEscape(id), ok
}

func (reportLinks) within(name string) string { return "." + url.PathEscape(name) }

func pageAddress(view string, q query) string {
	address, _ := serverLinks{}.address(view, q)
	return address
}

// addPage sets the id of a page: its view and archive, with a number if its query says more.
func (held reportLinks) addPage(r *request) {
	first := pageAddress(r.view.name, newQuery(keyOfSide, r.query.get(keyOfSide)))
	address := pageAddress(r.view.name, r.query)
	r.page = strings.NewReplacer("?", ".", "=", "-").Replace(first)
	if address != first {
		r.page = fmt.Sprintf("%s-%d", r.view.name[:1], len(held))
	}
	held[address] = r.page
}

// pageElement returns the id of the element of the page, by which links of a report lead there.
func (r *request) pageElement() string {
	if r.inReport {
		return r.page
	}
	return "page"
}

// element returns the id of an element of the page: its name on the page of a server, and
// one that no other page of a report has.
func (r *request) element(name string) string {
	if r.inReport {
		return r.page + "." + name
	}
	return name
}

// A link leads to a page, or to an element of it.
type link struct {
	Text    string
	view    string
	query   query
	element string
}

func linkTo(text, view string, q query) link { return link{Text: text, view: view, query: q} }

// to returns the link to an element of the page, by its name.
func (l link) to(element string) link {
	l.element = element
	return l
}

// optional returns the link for where there may be none.
func (l link) optional() *link { return &l }

// here returns a link to an element of the page.
func (r *request) here(text, element string) link {
	return linkTo(text, r.view.name, r.query).to(element)
}

// anchor returns a link as HTML, or just its text if the page cannot be reached.
func anchor(links linker, l link) template.HTML {
	text := nameElement(l.Text)
	if l.view == "" {
		return text
	}
	if l.Text == "" {
		text = nameElement(nameless)
	}
	href := address(links, l)
	if href == "" {
		return text
	}
	return `<a href="` + template.HTML(template.HTMLEscapeString(string(href))) + `">` + text + `</a>`
}

// A query is what a page shows of its view, as the query of an address. It is not changed
// once it is made: with returns another one.
type query struct{ values url.Values }

// newQuery returns a query of keys and values, which alternate. Empty values are left out.
func newQuery(pairs ...string) query { return query{}.with(pairs...) }

// with returns a query with other values of some keys, which alternate with them. Empty values remove their keys.
func (q query) with(pairs ...string) query {
	changed := url.Values{}
	for key, values := range q.values {
		changed[key] = values
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		changed.Del(pairs[i])
		if pairs[i+1] != "" {
			changed.Set(pairs[i], pairs[i+1])
		}
	}
	return query{changed}
}

// get returns the value of a key, empty if there is none.
func (q query) get(key string) string { return q.values.Get(key) }

// number returns the value of a key as a number of at least 0, other if it is none.
func (q query) number(key string, other int) int {
	if n, err := strconv.Atoi(q.get(key)); err == nil && n >= 0 {
		return n
	}
	return other
}

func (q query) keys() []string { return slices.Sorted(maps.Keys(q.values)) }

// encode returns the query as it stands in an address, sorted by keys.
func (q query) encode() string { return q.values.Encode() }

// refText spells the place of a record in queries.
func refText(n layout.Ref) string { return strconv.FormatUint(uint64(n), 36) }

func methodQuery(m reader.Method) query { return newQuery("at", refText(m.Ref())) }

// method returns the method of a query that methodQuery made.
func (r *request) method() (reader.Method, error) { return r.methodIn(r.archive(), "at") }

// methodIn returns the method of an archive that a key of the query names.
func (r *request) methodIn(s *reader.Store, key string) (reader.Method, error) {
	n, err := strconv.ParseUint(r.query.get(key), 36, 32)
	if err != nil {
		return reader.Method{}, errNoPage
	}
	m, err := s.MethodAt(layout.Ref(n))
	if err != nil {
		return m, fmt.Errorf("%w: %w", errNoPage, err)
	}
	return m, nil
}
