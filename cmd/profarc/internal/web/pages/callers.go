package pages

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Limits of the context tree. A forged archive can have contexts of any number and depth.
const (
	contextsRead      = 50_000
	profilesOfContext = 12
)

type treeLimit struct{ contexts, depth, callers int }

// Limits of the first page, and of the page that it links to for more.
var (
	someContexts = treeLimit{300, 20, 12}
	moreContexts = treeLimit{3000, 100, 1000}
)

type caller struct {
	frameLink        // zero for the root
	Sum       string // weight of all contexts through this call
	Share     float64
	Own       []link // profiles of exactly this context
	Callers   []*caller
	Left      int // number of hidden callers
	IsRoot    bool
	Contexts  int  // number of contexts, in the root only
	Cut       bool // only the first contexts were read, in the root only
}

func contextMeasure(s *reader.Store) *analyze.Measure {
	unit, _ := facts.UnitOfSamples(s) // damage is an error of the samples
	return measureInUnit(s, unit)
}

func measureInUnit(s *reader.Store, unit facts.SampleUnit) *analyze.Measure {
	by := analyze.UsualMeasure(s.Header())
	if unit == facts.Nanoseconds {
		by, _ = analyze.MeasureNamed(string(unit))
	}
	return by
}

type contextNode struct {
	at       reader.Context
	total    uint64
	own      []reader.Profile
	children []*contextNode
}

func (p *methodPage) addCallers() {
	r := p.request
	t, err := readContexts(p.method, p.all, p.samples.Unit)
	r.noteError(err)
	if err != nil || t.read == 0 {
		return
	}
	b := &callerTree{request: r, m: p.method, limit: someContexts, whole: t.root.total, by: t.by}
	if r.query.valueOf("contexts") != "" {
		b.limit = moreContexts
	}
	b.left = b.limit.contexts
	p.Measure = t.by.Name
	p.Callers = b.buildCaller(t.root, 0)
	if b.cut && b.limit == someContexts {
		p.MoreCallers = linkToPage("Show more contexts", nameOfMethod, r.query.withValues("contexts", "more")).optional()
	}
	p.Callers.IsRoot, p.Callers.Contexts, p.Callers.Cut = true, t.read, t.cut
}

type methodContexts struct {
	root *contextNode
	read int              // number of nodes below the root
	cut  bool             // only the first contexts were read
	by   *analyze.Measure // measure of the totals
}

func readContexts(m reader.Method, all []reader.Profile, unit facts.SampleUnit) (*methodContexts, error) {
	root := &contextNode{}
	t := &methodContexts{root: root, by: measureInUnit(m.Store(), unit)}
	nodes := map[layout.Ref]*contextNode{0: root}
	order := []*contextNode{root}
	var failed error
	for c := range poll.Values(m.Contexts(), &failed) {
		if len(order) > contextsRead {
			t.cut = true
			break
		}
		n := &contextNode{at: c}
		nodes[c.Ref()] = n
		order = append(order, n)
	}
	for _, q := range all {
		c, _, err := q.Context()
		if err != nil {
			return nil, err
		}
		if n := nodes[c.Ref()]; n != nil {
			n.own, n.total = append(n.own, q), schema.AddCounts(n.total, t.by.Of(q))
		}
	}
	for _, n := range slices.Backward(order[1:]) {
		if inner := nodes[n.at.Inner()]; inner != nil && inner != n {
			inner.total = schema.AddCounts(inner.total, n.total)
			inner.children = append(inner.children, n)
		}
	}
	t.read = len(order) - 1
	return t, failed
}

type callerTree struct {
	request *request
	m       reader.Method
	limit   treeLimit
	left    int  // number of contexts that may still be added
	cut     bool // some contexts are hidden
	whole   uint64
	by      *analyze.Measure
}

func (b *callerTree) buildCaller(n *contextNode, depth int) *caller {
	c := &caller{Sum: amountCell(n.total, b.by.Name).Link.Text, Share: cli.Share(n.total, b.whole)}
	if depth > 0 {
		f, err := n.at.Caller()
		b.request.noteError(err)
		c.Method = b.request.linkToMethod(f.Caller)
		c.Point = f.Point
	}
	for _, q := range n.own[:min(len(n.own), profilesOfContext)] {
		text := "profile"
		if len(n.own) > 1 {
			text = fmt.Sprintf("profile of code %s", codeText(q.Code()))
		}
		c.Own = append(c.Own, linkToPage(text, nameOfMethod, methodQuery(b.m).withValues("profile", recordRefText(q.Ref()))))
	}
	slices.SortStableFunc(n.children, func(x, y *contextNode) int {
		return cmp.Or(cmp.Compare(y.total, x.total), cmp.Compare(x.at.Ref(), y.at.Ref()))
	})
	for i, child := range n.children {
		if i == b.limit.callers || b.left == 0 || depth == b.limit.depth {
			b.cut = true
			c.Left = len(n.children) - i
			break
		}
		b.left--
		c.Callers = append(c.Callers, b.buildCaller(child, depth+1))
	}
	return c
}
