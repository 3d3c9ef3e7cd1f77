package pages

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Limits of the tree of a method's contexts. A forged archive has contexts of any number and depth.
const (
	contextsRead      = 50_000
	profilesOfContext = 12
)

// A treeLimit is how much of the tree of contexts a page shows.
type treeLimit struct{ contexts, depth, callers int }

// The limits of a page at first, and of the one that it leads to for more.
var (
	someContexts = treeLimit{300, 20, 12}
	moreContexts = treeLimit{3000, 100, 1000}
)

// A caller is a node of the tree of a method's calling contexts. The root is the method itself.
type caller struct {
	Method   link   // empty for the root
	At       string // what the point is numbered by
	Point    int32
	Sum      string // of all contexts that go through this call
	Share    float64
	Own      []link // the profiles of just this context
	Callers  []*caller
	Left     int // callers that are not shown
	IsRoot   bool
	Contexts int  // of the root: all there are
	Cut      bool // of the root: only the first contexts were read
}

// contextMeasure returns how the profiles of an archive are weighed against each other.
func contextMeasure(s *reader.Store) *analyze.Measure {
	by := analyze.UsualMeasure(s.Header())
	if unit, err := facts.UnitOfSamples(s); err == nil && unit == facts.Nanoseconds {
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

func (p *methodPage) addCallers(r *request, m reader.Method, all []reader.Profile) error {
	by := contextMeasure(r.archive())
	root, read, cut, err := readContexts(m, all, by)
	if err != nil || read == 0 {
		return err
	}
	b := &callerTree{request: r, m: m, limit: someContexts, whole: root.total, by: by}
	if r.query.valueOf("contexts") != "" {
		b.limit = moreContexts
	}
	b.left = b.limit.contexts
	p.Measure = by.Name
	p.Callers, err = b.buildCaller(root, 0)
	if err != nil {
		return err
	}
	if b.cut && b.limit == someContexts {
		p.MoreCallers = linkToPage("Show more contexts", nameOfMethod, r.query.withValues("contexts", "more")).optional()
	}
	p.Callers.IsRoot, p.Callers.Contexts, p.Callers.Cut = true, read, cut
	return nil
}

// readContexts reads the contexts of a method as a tree, of which it returns the root and how
// many nodes are below it.
func readContexts(m reader.Method, all []reader.Profile, by *analyze.Measure) (root *contextNode, read int, cut bool,
	err error) {
	root = &contextNode{}
	nodes := map[layout.Ref]*contextNode{0: root}
	order := []*contextNode{root}
	for c, err := range m.Contexts() {
		if err != nil {
			return nil, 0, false, err
		}
		if len(order) > contextsRead {
			cut = true
			break
		}
		n := &contextNode{at: c}
		nodes[c.Ref()] = n
		order = append(order, n)
	}
	for _, q := range all {
		c, _, err := q.Context()
		if err != nil {
			return nil, 0, false, err
		}
		if n := nodes[c.Ref()]; n != nil {
			n.own, n.total = append(n.own, q), disk.SaturatingAdd(n.total, by.Of(q))
		}
	}
	for _, n := range slices.Backward(order[1:]) {
		if inner := nodes[n.at.Inner()]; inner != nil && inner != n {
			inner.total = disk.SaturatingAdd(inner.total, n.total)
			inner.children = append(inner.children, n)
		}
	}
	return root, len(order) - 1, cut, nil
}

// A callerTree makes the tree of contexts on a page, of which so many are left.
type callerTree struct {
	request *request
	m       reader.Method
	limit   treeLimit
	left    int  // contexts that may still be shown
	cut     bool // some are not shown
	whole   uint64
	by      *analyze.Measure
}

func (b *callerTree) buildCaller(n *contextNode, depth int) (*caller, error) {
	c := &caller{Sum: amountCell(n.total, b.by.Name).Link.Text, Share: shareOf(n.total, b.whole)}
	if depth > 0 {
		f, err := n.at.Caller()
		if err != nil {
			return nil, err
		}
		c.Method, err = methodLink(b.request.archive(), f.Caller)
		if err != nil {
			return nil, err
		}
		c.At = display.PointWord(b.request.archive().Header().Domain)
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
		shown, err := b.buildCaller(child, depth+1)
		if err != nil {
			return nil, err
		}
		c.Callers = append(c.Callers, shown)
	}
	return c, nil
}
