package compare

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// finish completes the report and sets the names of all its rows.
func (c *comparison) finish() (*Report, error) {
	r := &c.report
	r.A, r.B, r.DumpedA, r.DumpedB = c.a.Mapping().Name(), c.b.Mapping().Name(), timeText(c.a), timeText(c.b)
	r.Domain, r.Primary = c.a.Header().Domain.String(), c.primary.String()
	eachKind(&c.sumA, &c.sumB, func(k kind) {
		r.Kinds = append(r.Kinds, Overlap{k.String(), c.overlap[k], c.mismatch[k], c.onlyB[k], c.sumA[k], c.sumB[k],
			c.of[0].untyped[k], c.of[1].untyped[k]})
		if k == c.primary {
			r.Score = &c.overlap[k]
			r.ScoredBy = &r.Primary
		}
	})
	n := &names{a: c.a, b: c.b}
	r.Changed, r.Came, r.Went = ranking(&c.changed, n.method), ranking(&c.came, n.method), ranking(&c.went, n.method)
	r.Renumbered = ranking(&c.renumbered, n.renumbered)
	r.Flips, r.Sites = ranking(&c.flips, n.flip), ranking(&c.sites, n.site)
	r.NoLongerCertain, r.NowCertain = ranking(&c.doubts, n.certainty), ranking(&c.certainties, n.certainty)
	return r, cmp.Or(n.err, c.compareLoaders())
}

// timeText returns the dump time of an archive, "" if it is unknown.
func timeText(s *reader.Store) string {
	if t := s.Header().Time(); !t.IsZero() {
		return t.UTC().Format(time.RFC3339)
	}
	return ""
}

// compareLoaders lists the class loaders whose matching is uncertain.
func (c *comparison) compareLoaders() error {
	r := &c.report
	r.Loaders = []loaders.Doubt{}
	if c.counterparts.byName != nil {
		r.NoLoaders = c.counterparts.byName.Unnamed.Mapping().Name()
		return nil
	}
	if c.a.Header().Domain != layout.DomainHotSpot {
		return nil
	}
	inA, errA := loaders.List(c.a)
	inB, errB := loaders.List(c.b)
	r.Loaders = loaders.Doubts(inA, inB)
	return errors.Join(errA, errB)
}

// names converts results to rows of the report. It keeps the first error.
type names struct {
	a, b *reader.Store
	err  error
}

func (n *names) failed(err error) { n.err = cmp.Or(n.err, err) }

func (n *names) of(s *reader.Store, m reader.Method) analyze.MethodName {
	name, err := analyze.NameOf(s, m)
	n.failed(err)
	return name
}

func (n *names) method(m *method) Method {
	s := n.a
	named := m.a
	if !named.Valid() {
		s = n.b
		named = m.b
	}
	return Method{MethodName: n.of(s, named), Overlap: m.overlap, ShareA: m.shareA, ShareB: m.shareB,
		Difference: m.difference, Mismatch: m.mismatch, Hidden: m.hidden, A: m.a, B: m.b}
}

func (n *names) renumbered(m *method) Method {
	shown := n.method(m)
	inB := n.of(n.b, m.b)
	shown.NameB = &inB
	return shown
}

func (n *names) place(p *place) Place {
	m, err := p.a.Method()
	n.failed(err)
	shown := Place{MethodName: n.of(n.a, m), Point: p.point, A: p.a, B: p.b}
	context, ok, err := p.a.Context()
	n.failed(err)
	if !ok {
		return shown
	}
	frames, err := context.Frames()
	n.failed(err)
	for _, f := range frames {
		shown.Context = append(shown.Context, fmt.Sprintf("%s:%d", n.of(n.a, f.Caller), f.Point))
	}
	return shown
}

func (n *names) flip(f *flip) Flip {
	return Flip{n.place(&f.place), f.tag.String(), f.a.named(), f.b.named(), f.weight}
}

// named converts a way to a row of the report.
func (w *way) named() Way { return Way{w.text(), w.share, w.count} }

func (w *way) text() string {
	if w.outcome.Kind == analyze.To {
		return fmt.Sprintf("to %d, index %d", *w.outcome.Target, w.outcome.Index)
	}
	return w.outcome.What()
}

func (n *names) certainty(c *certainty) Certainty {
	shown := Certainty{Place: n.place(&c.place), Entry: c.tag.String(), Outcome: c.outcome, Always: c.result,
		Times: c.always.count, Count: c.count, Weight: c.weight}
	if c.outcome == outcomeWays {
		shown.Always = c.always.text()
	}
	if c.outcome != outcomeNulls {
		shown.Others = &c.others
	}
	return shown
}

func (n *names) site(s *siteChange) SiteChange {
	return SiteChange{n.place(&s.place), s.kind.String(), s.change, n.seen(n.a, s.kind, &s.a), n.seen(n.b, s.kind, &s.b),
		n.targets(n.a, s.kind, s.gone), n.targets(n.b, s.kind, s.new), s.weight}
}

func (n *names) seen(s *reader.Store, k kind, of *seen) Seen {
	top := n.target(s, k, &of.top)
	return Seen{Targets: of.targets, Top: top.Target, Share: top.Share, Count: of.count, Untyped: of.untyped,
		Type: top.Type}
}

func (n *names) targets(s *reader.Store, k kind, list []target) []Target {
	shown := []Target{}
	for i := range list {
		shown = append(shown, n.target(s, k, &list[i]))
	}
	return shown
}

func (n *names) target(s *reader.Store, k kind, t *target) Target {
	shown := Target{"other types", t.share, t.of}
	switch {
	case k == kindIndirectCalls:
		shown.Target = n.function(s, t.value)
	case t.of.Valid():
		name, err := t.of.Name()
		n.failed(err)
		shown.Target = name.String()
		if s.Header().Domain == layout.DomainHotSpot {
			shown.Target = strings.ReplaceAll(shown.Target, "/", ".")
		}
	}
	return shown
}

// function returns the name of the function with an id, or the id if the archive lacks it.
func (n *names) function(s *reader.Store, id uint64) string {
	if m, err := s.FindID(id); err == nil {
		return n.of(s, m).String()
	}
	return display.IDText(id)
}
