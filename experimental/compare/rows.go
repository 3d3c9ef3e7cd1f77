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
	n := &namer{a: c.a, b: c.b}
	r.Changed = makeRanking(&c.changed, n.nameMethod)
	r.Came = makeRanking(&c.came, n.nameMethod)
	r.Went = makeRanking(&c.went, n.nameMethod)
	r.Renumbered = makeRanking(&c.renumbered, n.nameRenumbered)
	r.Flips = makeRanking(&c.flips, func(f *Flip) { n.namePlace(&f.Place) })
	r.Sites = makeRanking(&c.sites, n.nameSiteChange)
	r.NoLongerCertain = makeRanking(&c.doubts, func(f *Certainty) { n.namePlace(&f.Place) })
	r.NowCertain = makeRanking(&c.certainties, func(f *Certainty) { n.namePlace(&f.Place) })
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

// A namer sets the names in rows of the report. It keeps the first error.
type namer struct {
	a, b *reader.Store
	err  error
}

func (n *namer) keepError(err error) { n.err = cmp.Or(n.err, err) }

func (n *namer) methodName(s *reader.Store, m reader.Method) analyze.MethodName {
	name, err := analyze.NameOf(s, m)
	n.keepError(err)
	return name
}

func (n *namer) nameMethod(m *Method) {
	if m.A.Valid() {
		m.MethodName = n.methodName(n.a, m.A)
	} else {
		m.MethodName = n.methodName(n.b, m.B)
	}
}

func (n *namer) nameRenumbered(m *Method) {
	n.nameMethod(m)
	inB := n.methodName(n.b, m.B)
	m.NameB = &inB
}

func (n *namer) namePlace(p *Place) {
	m, err := p.A.Method()
	n.keepError(err)
	p.MethodName = n.methodName(n.a, m)
	context, ok, err := p.A.Context()
	n.keepError(err)
	if !ok {
		return
	}
	frames, err := context.Frames()
	n.keepError(err)
	for _, f := range frames {
		p.Context = append(p.Context, fmt.Sprintf("%s:%d", n.methodName(n.a, f.Caller), f.Point))
	}
}

func (n *namer) nameSiteChange(s *SiteChange) {
	n.namePlace(&s.Place)
	name := func(in *reader.Store, of reader.Type, value uint64, text *string) {
		switch {
		case s.Kind == kindIndirectCalls.String():
			*text = n.functionName(in, value)
		case of.Valid():
			*text = n.typeName(of)
		}
	}
	name(n.a, s.A.Type, s.A.value, &s.A.Top)
	name(n.b, s.B.Type, s.B.value, &s.B.Top)
	for i := range s.Gone {
		name(n.a, s.Gone[i].Type, s.Gone[i].value, &s.Gone[i].Target)
	}
	for i := range s.New {
		name(n.b, s.New[i].Type, s.New[i].value, &s.New[i].Target)
	}
}

func (n *namer) typeName(t reader.Type) string {
	name, err := t.Name()
	n.keepError(err)
	if n.a.Header().Domain == layout.DomainHotSpot {
		return strings.ReplaceAll(name.String(), "/", ".")
	}
	return name.String()
}

// functionName returns the name of the function with an id, or the id if the archive lacks it.
func (n *namer) functionName(s *reader.Store, id uint64) string {
	if m, err := s.FindID(id); err == nil {
		return n.methodName(s, m).String()
	}
	return display.IDText(id)
}
