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

func (c *comparison) finishReport() (*Report, error) {
	r := &c.report
	r.A, r.B, r.DumpedA, r.DumpedB = c.a.Mapping().Name(), c.b.Mapping().Name(), dumpTimeText(c.a), dumpTimeText(c.b)
	r.Domain, r.Primary = c.a.Header().Domain.String(), c.primary.String()
	eachKind(&c.sumA, &c.sumB, func(k kind) {
		r.Kinds = append(r.Kinds, Overlap{k.String(), c.overlap[k], c.mismatch[k], c.onlyB[k], c.sumA[k], c.sumB[k],
			c.of[0].untyped[k], c.of[1].untyped[k]})
		if k == c.primary {
			r.Score = &c.overlap[k]
			r.ScoredBy = &r.Primary
		}
	})
	n := &rowMaker{a: c.a, b: c.b}
	r.Changed, r.Came, r.Went = makeRanking(
		&c.changed,
		n.methodRow,
	), makeRanking(
		&c.came,
		n.methodRow,
	), makeRanking(
		&c.went,
		n.methodRow,
	)
	r.Renumbered = makeRanking(&c.renumbered, n.renumberedRow)
	r.Flips, r.Sites = makeRanking(&c.flips, n.flipRow), makeRanking(&c.sites, n.siteChangeRow)
	r.NoLongerCertain, r.NowCertain = makeRanking(&c.doubts, n.certaintyRow), makeRanking(&c.certainties, n.certaintyRow)
	return r, cmp.Or(n.err, c.compareLoaders())
}

func dumpTimeText(s *reader.Store) string {
	if t := s.Header().Time(); !t.IsZero() {
		return t.UTC().Format(time.RFC3339)
	}
	return ""
}

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
	inA, errA := loaders.ListIdentities(c.a)
	inB, errB := loaders.ListIdentities(c.b)
	r.Loaders = loaders.FindDoubts(inA, inB)
	return errors.Join(errA, errB)
}

// rowMaker converts results to rows of the report. It keeps the first error.
type rowMaker struct {
	a, b *reader.Store
	err  error
}

func (n *rowMaker) keepError(err error) { n.err = cmp.Or(n.err, err) }

func (n *rowMaker) methodName(s *reader.Store, m reader.Method) analyze.MethodName {
	name, err := analyze.NameOf(s, m)
	n.keepError(err)
	return name
}

func (n *rowMaker) methodRow(m *method) Method {
	s := n.a
	named := m.a
	if !named.Valid() {
		s = n.b
		named = m.b
	}
	return Method{MethodName: n.methodName(s, named), Overlap: m.overlap, ShareA: m.shareA, ShareB: m.shareB,
		Difference: m.difference, Mismatch: m.mismatch, Hidden: m.hidden, A: m.a, B: m.b}
}

func (n *rowMaker) renumberedRow(m *method) Method {
	shown := n.methodRow(m)
	inB := n.methodName(n.b, m.b)
	shown.NameB = &inB
	return shown
}

func (n *rowMaker) placeRow(p *pointPair) Place {
	m, err := p.a.Method()
	n.keepError(err)
	shown := Place{MethodName: n.methodName(n.a, m), Point: p.point, A: p.a, B: p.b}
	context, ok, err := p.a.Context()
	n.keepError(err)
	if !ok {
		return shown
	}
	frames, err := context.Frames()
	n.keepError(err)
	for _, f := range frames {
		shown.Context = append(shown.Context, fmt.Sprintf("%s:%d", n.methodName(n.a, f.Caller), f.Point))
	}
	return shown
}

func (n *rowMaker) flipRow(f *flip) Flip {
	return Flip{n.placeRow(&f.pointPair), f.tag.String(), f.a.wayRow(), f.b.wayRow(), f.weight}
}

func (w *way) wayRow() Way { return Way{w.describeWay(), w.share, w.count} }

func (w *way) describeWay() string {
	if w.outcome.Kind == analyze.To {
		return fmt.Sprintf("to %d, index %d", *w.outcome.Target, w.outcome.Index)
	}
	return w.outcome.What()
}

func (n *rowMaker) certaintyRow(c *certainty) Certainty {
	shown := Certainty{Place: n.placeRow(&c.pointPair), Entry: c.tag.String(), Outcome: c.outcome, Always: c.result,
		Times: c.always.count, Count: c.count, Weight: c.weight}
	if c.outcome == outcomeWays {
		shown.Always = c.always.describeWay()
	}
	if c.outcome != outcomeNulls {
		shown.Others = &c.others
	}
	return shown
}

func (n *rowMaker) siteChangeRow(s *siteChange) SiteChange {
	return SiteChange{
		n.placeRow(&s.pointPair),
		s.kind.String(),
		s.change,
		n.summaryRow(n.a, s.kind, &s.a),
		n.summaryRow(n.b, s.kind, &s.b),
		n.targetRows(n.a, s.kind, s.gone),
		n.targetRows(n.b, s.kind, s.new),
		s.weight,
	}
}

func (n *rowMaker) summaryRow(s *reader.Store, k kind, of *targetSummary) Seen {
	top := n.targetRow(s, k, &of.top)
	return Seen{Targets: of.targets, Top: top.Target, Share: top.Share, Count: of.count, Untyped: of.untyped,
		Type: top.Type}
}

func (n *rowMaker) targetRows(s *reader.Store, k kind, list []target) []Target {
	shown := []Target{}
	for i := range list {
		shown = append(shown, n.targetRow(s, k, &list[i]))
	}
	return shown
}

func (n *rowMaker) targetRow(s *reader.Store, k kind, t *target) Target {
	shown := Target{"other types", t.share, t.of}
	switch {
	case k == kindIndirectCalls:
		shown.Target = n.functionName(s, t.value)
	case t.of.Valid():
		name, err := t.of.Name()
		n.keepError(err)
		shown.Target = name.String()
		if s.Header().Domain == layout.DomainHotSpot {
			shown.Target = strings.ReplaceAll(shown.Target, "/", ".")
		}
	}
	return shown
}

// functionName returns the name of the function with an id, or the id if the archive lacks it.
func (n *rowMaker) functionName(s *reader.Store, id uint64) string {
	if m, err := s.FindID(id); err == nil {
		return n.methodName(s, m).String()
	}
	return display.IDText(id)
}
