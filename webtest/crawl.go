package webtest

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// A Crawl finds the pages of a site that are looked at: some of every kind of link, so that
// new views and new links of them are found.
type Crawl struct {
	next   []string
	first  map[string]bool
	seen   map[string]bool
	ofKind map[string]int
}

// NewCrawl returns a crawl that begins at an address.
func NewCrawl(address string) *Crawl {
	c := &Crawl{first: map[string]bool{}, seen: map[string]bool{}, ofKind: map[string]int{}}
	c.Add(address)
	return c
}

// Add adds the addresses that a page leads to. The part after "#" does not count.
func (c *Crawl) Add(addresses ...string) {
	for _, a := range addresses {
		a, _, _ = strings.Cut(a, "#")
		kind, wanted := Kind(a)
		if c.seen[a] || !wanted || c.ofKind[kind] >= limitOf(kind) {
			continue
		}
		c.seen[a] = true
		c.first[a] = c.ofKind[kind] == 0
		c.ofKind[kind]++
		c.next = append(c.next, a)
	}
}

// limitOf returns how many pages of a kind are looked at. Pages of methods differ most.
func limitOf(kind string) int {
	if view, keys, _ := strings.Cut(kind, "?"); view == "method" && !strings.Contains(keys, ".") {
		return 3
	}
	return 1
}

// First reports whether an address is the first of its kind.
func (c *Crawl) First(address string) bool { return c.first[address] }

// Next returns the next address, empty at the end.
func (c *Crawl) Next() string {
	if len(c.next) == 0 {
		return ""
	}
	a := c.next[0]
	c.next = c.next[1:]
	return a
}

// Kind returns the kind of a page: its view and the keys of its query, keys of tables without the name of the
// table. A page that combines several states of tables is not wanted: there are too many.
func Kind(address string) (kind string, wanted bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	var keys []string
	states := 0
	for key := range u.Query() {
		if _, state, ofTable := strings.Cut(key, "."); ofTable {
			key = "." + state
			states++
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return path.Base(u.Path) + "?" + strings.Join(keys, "&"), states <= 1
}
