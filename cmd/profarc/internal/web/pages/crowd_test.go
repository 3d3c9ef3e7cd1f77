package pages

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// calledKey is the method of a crowd that all others have called.
var calledKey = layout.Key{Class: "a/Called", Name: "from", Signature: "void()"}

// crowdSite returns a site that compares two archives of so many methods, and of one that each
// of them has called.
func crowdSite(t *testing.T, methods int) *Site {
	b := builder.New(layout.DomainGraal, builder.Config{})
	called := b.Method(calledKey)
	for i := range methods {
		m := b.Method(layout.Key{Class: "a/B", Name: fmt.Sprint("m", i), Signature: "void()"})
		for _, p := range []*builder.Profile{b.ProfileIn(m, 0, profileset.NoContext),
			b.ProfileIn(called, 0, b.Context(called, builder.Frame{Caller: m, Point: 3}))} {
			p.Successors(3, layout.SubConditional, builder.Successor{Point: 9, Count: uint64(i + 1)})
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
		}
	}
	archive := memstore.Open(t, b)
	return NewSite(t.Context(), Options{Archive: archive, Other: archive})
}

// pairOfCalled returns the query for the method that all have called, in both archives.
func pairOfCalled(t *testing.T, s *Site) query {
	m, err := s.Archive.Find(calledKey)
	if err != nil {
		t.Fatal(err)
	}
	return newQuery("a", recordRefText(m.Ref()), "b", recordRefText(m.Ref()))
}

// A client that goes away ends the work on a long page.
func TestLongPagesEndWithTheirClients(t *testing.T) {
	t.Parallel()
	site := crowdSite(t, 2000)
	for _, c := range []struct {
		view  string
		query query
	}{
		{nameOfMethods, newQuery("find", "m1")},
		{whereName, newQuery("at", "p0")},
		{whereName, newQuery("at", "c0")},
		{nameOfPair, pairOfCalled(t, site)},
	} {
		r := requestOf(t, site, c.view)
		r.query = c.query
		if _, err := r.view.build(r); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r.ctx = ctx
		if _, err := r.view.build(r); !errors.Is(err, context.Canceled) {
			t.Errorf("%s %v: %v", c.view, c.query, err)
		}
	}
}

// Of a method in very many contexts the first are compared, and the page says how many not.
func TestPairsHaveLimits(t *testing.T) {
	t.Parallel()
	const contexts = profilesPaired + 100
	site := crowdSite(t, contexts)
	r := requestOf(t, site, nameOfPair)
	r.query = pairOfCalled(t, site)
	p := built[*pairPage](t, r)
	if len(p.Profiles) != profilesOnPage || p.Left != profilesPaired-profilesOnPage+2*100 {
		t.Errorf("%d profiles are shown, %d left out", len(p.Profiles), p.Left)
	}
	for _, pair := range p.Profiles {
		if !pair.A || !pair.B {
			t.Errorf("%s is in A %v, in B %v", pair.Callers, pair.A, pair.B)
		}
	}
}
