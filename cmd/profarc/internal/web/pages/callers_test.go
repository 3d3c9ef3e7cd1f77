package pages

import (
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// A method that is called from everywhere has a tree of some of its callers, the most frequent
// first, and a link to more.
func TestTreeOfCallersHasLimits(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainGraal, builder.Config{})
	method := func(name string) builder.MethodRef {
		return b.Method(layout.Key{Class: "A", Name: name, Signature: "void()"})
	}
	count := func(c builder.ContextRef, n uint64) {
		p := b.ProfileIn(method("f"), 0, c)
		p.Successors(3, layout.SubConditional, builder.Successor{Point: 9, Count: n})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range int32(40) {
		count(b.Context(method("f"), builder.Frame{Caller: method("g"), Point: i}), uint64(1000+i))
	}
	var deep []builder.Frame
	for i := range int32(200) {
		deep = append(deep, builder.Frame{Caller: method("f"), Point: 100 + i})
	}
	count(b.Context(method("f"), deep...), 500_000)
	site := NewSite(t.Context(), Options{Archive: memstore.Open(t, b)})
	m, err := site.Archive.Find(layout.Key{Class: "A", Name: "f", Signature: "void()"})
	if err != nil {
		t.Fatal(err)
	}
	some := shownPageOf(t, site, "method", methodQuery(m))
	more := shownPageOf(t, site, "method", methodQuery(m).withValues("contexts", "more"))
	for _, c := range []struct {
		page              string
		deep, flat, links int
	}{{some, someContexts.depth, someContexts.callers - 1, 1}, {more, moreContexts.depth, 40, 0}} {
		tree := c.page[strings.Index(c.page, "<h2>Calling contexts"):strings.Index(c.page, `<section class="profile"`)]
		for form, want := range map[string]int{` 500,000 \(`: c.deep, `by (<a [^>]*>)?A\.g\(\)(</a>)? at`: c.flat,
			"Show more contexts": c.links, `by (<a [^>]*>)?A\.f\(\)(</a>)? at`: c.deep} {
			if n := len(regexp.MustCompile(form).FindAllString(tree, -1)); n != want {
				t.Errorf("the tree has %d of %q, want %d", n, form, want)
			}
		}
	}
}
