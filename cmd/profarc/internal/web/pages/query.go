package pages

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A query is what a page shows of its view, as the query of an address. It is not changed
// once it is made: with returns another one.
type query struct{ values url.Values }

// newQuery returns a query of keys and values, which alternate. Empty values are left out.
func newQuery(pairs ...string) query { return query{}.with(pairs...) }

// with returns a query with other values of some keys, which alternate with them. Empty
// values remove their keys.
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
