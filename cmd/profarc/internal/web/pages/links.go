package pages

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type linker interface {
	// pageAddress returns the address of a page, relative to any other page. ok is false if the page is unreachable, and
	// its link becomes plain text.
	pageAddress(view string, q query) (href string, ok bool)
	// elementAddress returns the suffix that leads from the address of a page to an element, see request.elementID.
	elementAddress(name string) string
}

type serverLinks struct{}

func (serverLinks) pageAddress(view string, q query) (string, bool) {
	if query := q.encodeQuery(); query != "" {
		return view + "?" + query, true
	}
	return view, true
}

func (serverLinks) elementAddress(name string) string { return "#" + url.PathEscape(name) }

// reportLinks are the ids of the pages in a report, keyed by their address on a server.
type reportLinks map[string]string

func (held reportLinks) pageAddress(view string, q query) (string, bool) {
	id, ok := held[pageAddress(view, q)]
	return "#" + url.PathEscape(id), ok
}

func (reportLinks) elementAddress(name string) string { return "." + url.PathEscape(name) }

func pageAddress(view string, q query) string {
	address, _ := serverLinks{}.pageAddress(view, q)
	return address
}

// assignPageID sets the id of a page from its view and archive. A number distinguishes pages with further values in the
// query.
func (held reportLinks) assignPageID(r *request) {
	first := pageAddress(r.view.name, newQuery(keyOfSide, r.query.valueOf(keyOfSide)))
	address := pageAddress(r.view.name, r.query)
	r.page = strings.NewReplacer("?", ".", "=", "-").Replace(first)
	if address != first {
		r.page = fmt.Sprintf("%s-%d", r.view.name[:1], len(held))
	}
	held[address] = r.page
}

func (r *request) pageElement() string {
	if r.inReport {
		return r.page
	}
	return "page"
}

func (r *request) elementID(name string) string {
	if r.inReport {
		return r.page + "." + name
	}
	return name
}

type link struct {
	Text    string
	view    string
	query   query
	element string
}

func linkToPage(text, view string, q query) link {
	return link{Text: cmp.Or(text, nameless), view: view, query: q}
}

func (l link) atElement(element string) link {
	l.element = element
	return l
}

func (l link) optional() *link { return &l }

func (r *request) linkToElement(text, element string) link {
	return linkToPage(text, r.view.name, r.query).atElement(element)
}

// A query selects the content of a view, and is encoded in the address. Queries are immutable.
type query struct{ values url.Values }

func newQuery(pairs ...string) query { return query{}.withValues(pairs...) }

// withValues returns a copy of the query with values for alternating keys and values. Empty values remove their keys.
func (q query) withValues(pairs ...string) query {
	changed := url.Values{}
	maps.Copy(changed, q.values)
	for i := 0; i+1 < len(pairs); i += 2 {
		changed.Del(pairs[i])
		if pairs[i+1] != "" {
			changed.Set(pairs[i], pairs[i+1])
		}
	}
	return query{changed}
}

func (q query) valueOf(key string) string { return q.values.Get(key) }

func (q query) numberOf(key string, other int) int {
	if n, err := strconv.Atoi(q.valueOf(key)); err == nil && n >= 0 {
		return n
	}
	return other
}

func (q query) sortedKeys() []string { return slices.Sorted(maps.Keys(q.values)) }
func (q query) encodeQuery() string  { return q.values.Encode() }

func recordRefText(n layout.Ref) string { return strconv.FormatUint(uint64(n), 36) }

func methodQuery(m reader.Method) query { return newQuery("at", recordRefText(m.Ref())) }

// methodAt returns the method of a reference, or the zero Method for 0.
func (r *request) methodAt(n layout.Ref) (m reader.Method) {
	if n != 0 {
		var err error
		m, err = r.archive().MethodAt(n)
		r.noteError(err)
	}
	return m
}

func (r *request) nameOf(m reader.Method) analyze.MethodName {
	name, err := analyze.NameOf(cmp.Or(m.Store(), r.archive()), m)
	r.noteError(err)
	return name
}

const noFrameMethod = "a frame without a method"

// linkToMethod returns a link to the page of a method, and plain text for the zero Method.
func (r *request) linkToMethod(m reader.Method) link {
	if !m.Valid() {
		return link{Text: noFrameMethod}
	}
	return linkToPage(r.nameOf(m).Spelled(), nameOfMethod, methodQuery(m))
}

func (r *request) framesOf(q reader.Profile) []reader.Frame {
	frames, err := framesOf(q)
	r.noteError(err)
	return frames
}

func (r *request) askedMethod() (reader.Method, error) { return r.askedMethodIn(r.archive(), "at") }

func (r *request) askedMethodIn(s *reader.Store, key string) (reader.Method, error) {
	n, err := strconv.ParseUint(r.query.valueOf(key), 36, 32)
	if err != nil {
		return reader.Method{}, errNoPage
	}
	m, err := s.MethodAt(layout.Ref(n))
	if err != nil {
		return m, fmt.Errorf("%w: %w", errNoPage, err)
	}
	return m, nil
}
