package webtest

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// A Crawl selects the pages of a site to test, some of each kind, so that it finds new views and links.
type Crawl struct {
	next   []string
	first  map[string]bool
	seen   map[string]bool
	ofKind map[string]int
}

// NewCrawl returns a Crawl that begins at an address.
func NewCrawl(address string) *Crawl {
	c := &Crawl{first: map[string]bool{}, seen: map[string]bool{}, ofKind: map[string]int{}}
	c.Add(address)
	return c
}

// Add adds the links of a page. It ignores fragments.
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

// limitOf returns the maximum number of tested pages of a kind. Pages of methods differ most.
func limitOf(kind string) int {
	if view, keys, _ := strings.Cut(kind, "?"); view == "method" && !strings.Contains(keys, ".") {
		return 3
	}
	return 1
}

// First reports whether an address is the first of its kind.
func (c *Crawl) First(address string) bool { return c.first[address] }

// Next returns the next address, or "" at the end.
func (c *Crawl) Next() string {
	if len(c.next) == 0 {
		return ""
	}
	a := c.next[0]
	c.next = c.next[1:]
	return a
}

// Kind returns the view and the query keys of a page, without names of tables. wanted is false for pages that combine
// several table states, because there are too many of them.
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
