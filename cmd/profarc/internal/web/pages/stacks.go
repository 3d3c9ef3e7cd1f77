package pages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/web/flame"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/origins"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Limits and sizes of a page of stacks.
const (
	boxesOnPage    = 1200
	boxesInReport  = 150
	levelsOnPage   = 48
	leastWidth     = 0.0012 // about one pixel of a screen
	labelledWidth  = 0.015  // minimum width of boxes with a label
	levelHeight    = 20     // pixels
	framesListed   = 5_000
	framesInReport = 20
	pathShown      = 12 // frames above the current one
)

const noMethod = 1<<32 - 1

type stackSource struct {
	name, what string // value in the query, and a name for people
	unit       string
	read       func(ctx context.Context, s *reader.Store, p *Progress) (*flame.Tree, error)
}

func stackSources(s *reader.Store) (list []stackSource) {
	h := s.Header()
	samples := stackSource{"samples", "Sampled stacks", "sample", sampleTree}
	if h.Domain == layout.DomainSampled {
		if unit, err := facts.UnitOfSamples(s); err == nil {
			samples.unit = strings.TrimSuffix(string(unit), "s")
		}
		return []stackSource{samples}
	}
	if t, err := s.TableOrEmpty(schema.TableSamples); err == nil && t.Rows > 0 {
		list = append(list, samples)
	}
	if h.Counts.Contexts > 0 {
		list = append(list, stackSource{"contexts", "Calling contexts of profiles",
			strings.TrimSuffix(contextMeasure(s).Name, "s"), contextTree})
	}
	return list
}

func sampleTree(ctx context.Context, s *reader.Store, _ *Progress) (*flame.Tree, error) {
	unit, err := facts.UnitOfSamples(s)
	if err != nil {
		return nil, err
	}
	t := flame.New()
	steps := poll.New(ctx)
	var frames []uint32
	for stack, err := range stacks.Sampled(s) {
		if err = errors.Join(err, steps.Err()); err != nil {
			return nil, err
		}
		frames = frames[:0]
		for _, f := range slices.Backward(stack.Frames) {
			frames = append(frames, frameOfMethod(f.Method))
		}
		t.Add(frames, unit.Choose(stack.Count, stack.Time))
	}
	t.Sum()
	return t, nil
}

func frameOfMethod(m reader.Method) uint32 {
	if !m.Valid() {
		return noMethod
	}
	return uint32(m.Ref())
}

// contextTree returns the tree of the calling contexts of all profiles. A context need not begin at the start of the
// program, and can be empty.
func contextTree(ctx context.Context, s *reader.Store, p *Progress) (*flame.Tree, error) {
	t := flame.New()
	by := contextMeasure(s)
	err := eachMethod(ctx, s, p, func(m reader.Method) (err error) {
		for q := range poll.Values(m.Profiles(), &err) {
			err = addContext(t, m, q, by.Of(q))
		}
		return err
	})
	t.Sum()
	return t, err
}

func addContext(t *flame.Tree, m reader.Method, q reader.Profile, n uint64) error {
	if n == 0 {
		return nil
	}
	var stack []uint32
	frames, err := framesOf(q)
	for _, f := range slices.Backward(frames) {
		stack = append(stack, frameOfMethod(f.Caller))
	}
	t.Add(append(stack, frameOfMethod(m)), n)
	return err
}

type flamePage struct {
	What     string
	Unit     string
	Total    uint64 // count of the current node
	Whole    uint64 // count of all stacks
	Cut      uint64
	Zoomed   []link // links from all stacks to the current node, which is the last one
	Others   []link // the same page for another kind of stacks, or upside down
	Up       bool
	Find     string
	Found    uint64
	Focus    string
	Ignore   string
	Passed   uint64 // count of the stacks that pass Focus and Ignore
	Filters  []link // links to pages with other filters
	Code     []menuItem
	Callers  *flamePage // callers of the method whose callees the page has, or nil
	Search   bool       // the page can be searched
	Packages bool       // boxes have colours of packages
	Boxes    []stackBox
	Height   int // pixels
	Methods  *table
	Left     int
}

// askedSource returns the source that the query names, or the first one.
func (r *request) askedSource(sources []stackSource) stackSource {
	named := func(s stackSource) bool { return s.name == r.query.valueOf("of") }
	return sources[max(0, slices.IndexFunc(sources, named))]
}

func stacksOf(r *request) (stackSource, *flame.Tree, error) {
	source := r.askedSource(stackSources(r.archive()))
	t, err := resultOf(r, source.what, func(ctx context.Context, s *Site, p *Progress) (*flame.Tree, error) {
		return source.read(ctx, s.Archive, p)
	})
	return source, t, err
}

func buildFlame(r *request) (any, error) {
	source, t, err := stacksOf(r)
	if err != nil {
		return nil, err
	}
	p := &flamePage{What: source.what, Unit: source.unit, Whole: t.Nodes[flame.Root].Total, Cut: t.Cut,
		Up: r.query.valueOf("up") != "", Find: r.query.valueOf(keyOfFind), Focus: r.query.valueOf(keyOfFocus),
		Ignore: r.query.valueOf(keyOfIgnore), Search: !r.inReport, Packages: true, Code: r.codeChoices()}
	b := newFlameGraph(r, t, flame.Root, p)
	b.foldOtherCode()
	b.at, err = nodeAsked(r, b.tree)
	if err != nil {
		return nil, err
	}
	b.filterStacks()
	p.Passed = b.tree.Nodes[flame.Root].Total
	callers, err := b.turnAroundMethod()
	if err != nil {
		return nil, err
	}
	p.Total = b.tree.Nodes[b.at].Total
	p.addLinks(b)
	p.addFilters(b)
	b.found = b.nameMatcher(keyOfFind)
	if b.found != nil {
		p.Found = b.tree.Matched(b.at, b.found)
	}
	b.drawBoxes()
	if callers != nil {
		p.Callers = b.drawCallers(callers)
	}
	p.addTable(b)
	return p, nil
}

func nodeAsked(r *request, t *flame.Tree) (int, error) {
	text := r.query.valueOf("at")
	if text == "" {
		return flame.Root, nil
	}
	at, err := strconv.ParseUint(text, 36, 31)
	if err != nil || at >= uint64(len(t.Nodes)) || t.Nodes[at].Total == 0 {
		return 0, errNoPage
	}
	return int(at), nil
}

func nodeText(at int) string {
	if at == flame.Root {
		return ""
	}
	return strconv.FormatUint(uint64(at), 36)
}

func (p *flamePage) addLinks(b *flameGraph) {
	p.Zoomed = b.zoomPath()
	q := b.request.query
	turned := linkToPage("Callers at the bottom", nameOfFlame, q.withValues("up", "1"))
	if p.Up {
		turned = linkToPage("Callers on top", nameOfFlame, q.withValues("up", ""))
	}
	p.Others = append(p.Others, turned)
	for _, s := range stackSources(b.request.archive()) {
		if s.what != p.What {
			p.Others = append(p.Others, linkToPage(s.what, nameOfFlame,
				newQuery("of", s.name, keyOfFocus, p.Focus, keyOfIgnore, p.Ignore)))
		}
	}
}

func (b *flameGraph) zoomPath() (list []link) {
	path := b.tree.Path(b.at)
	for i, at := range path {
		if i == 0 || i >= len(path)-pathShown {
			name := b.labelOfNode(at)
			list = append(list, b.linkToNode(name.Head+name.Tail, at))
		}
	}
	return list
}

func (p *flamePage) addTable(b *flameGraph) {
	p.Methods = newTable(b.request, "frames", "Methods in these stacks", textColumn("method", "Method"),
		amountColumn("self", "Self", p.Unit), numberColumn("share", "Share"), amountColumn("total", "Total", p.Unit))
	if b.request.inReport {
		p.Methods.rows = framesInReport
	}
	frames := b.tree.Frames(b.at)
	p.Left = max(len(frames)-framesListed, 0)
	for _, c := range frames[:len(frames)-p.Left] {
		p.Methods.addTableRow(linkCell(b.linkToFrame(c.Frame)), amountCell(c.Self, p.Unit+"s"),
			shareCell(cli.Share(c.Self, p.Total)), amountCell(c.Total, p.Unit+"s"))
	}
	p.Methods.finishRows()
}

// stacksInReport returns one page for each kind of stacks. A script zooms in it.
func stacksInReport(r *request) (list []query, err error) {
	list = append(list, query{})
	for _, s := range stackSources(r.archive())[1:] {
		list = append(list, newQuery("of", s.name))
	}
	return list, nil
}

type frameName struct {
	full, raw string    // raw is the name in the archive
	label     nameLabel // without the package
	in        string    // package
}

type flameGraph struct {
	request *request
	tree    *flame.Tree
	at      int
	page    *flamePage
	names   map[uint32]frameName
	methods func(frame uint32) (reader.Method, error)
	told    func(at flame.Box) (class, title string) // returns the CSS class and the tooltip of a box
	found   func(frame uint32) bool                  // reports whether a frame is marked; nil if none is
}

func newFlameGraph(r *request, t *flame.Tree, at int, p *flamePage) *flameGraph {
	b := &flameGraph{request: r, tree: t, at: at, page: p, names: map[uint32]frameName{}}
	b.methods = func(frame uint32) (reader.Method, error) { return r.archive().MethodAt(layout.Ref(frame)) }
	b.told = b.ownCounts
	return b
}

func (b *flameGraph) nameOfFrame(frame uint32) frameName {
	if known, ok := b.names[frame]; ok {
		return known
	}
	name := frameName{full: noFrameMethod, label: nameLabel{Tail: "?"}}
	if frame != noMethod && frame != 0 {
		m, err := b.methods(frame)
		b.request.noteError(err)
		if m.Valid() {
			full := b.request.nameOf(m)
			label := labelOf(escape.Printable(shortenLine(withoutPackage(full))))
			in, _ := splitName(m.Store().Header().Domain, full.Spelled())
			name = frameName{full.Spelled(), full.String(), label, in}
		}
	}
	b.names[frame] = name
	return name
}

func withoutPackage(m analyze.MethodName) string {
	if m.Class != "" {
		return m.Class[strings.LastIndexAny(m.Class, "./")+1:] + "." + m.Name
	}
	end := strings.IndexAny(m.Name, "[(<")
	if end < 0 {
		end = len(m.Name)
	}
	return m.Name[strings.LastIndex(m.Name[:end], "/")+1:]
}

func (b *flameGraph) labelOfNode(at int) nameLabel {
	if at == flame.Root {
		return nameLabel{Tail: "all"}
	}
	return b.nameOfFrame(b.tree.Nodes[at].Frame).label
}

func (b *flameGraph) linkToNode(text string, at int) link {
	return linkToPage(text, b.request.view.name, b.request.query.withValues("at", nodeText(at), "frames.page", ""))
}

func (b *flameGraph) linkToFrame(frame uint32) link {
	name := b.nameOfFrame(frame).full
	if frame == noMethod {
		return link{Text: name}
	}
	return linkToPage(name, nameOfMethod, newQuery("at", recordRefText(layout.Ref(frame))))
}

// A stackBox is a rectangle of the graph. X and Width are percentages of the graph's width, Y and Height are pixels.
type stackBox struct {
	Link   link // zooms to the box
	Around link // callers and callees of the method, or the zero link
	Label  nameLabel
	Title  string // tooltip
	Class  string
	In     string // package
	X      string
	Width  string
	Y      int
	Height int
	Narrow bool // it has no label and cannot get the keyboard focus
}

// drawBoxes adds the boxes of the graph to its page. Each becomes an SVG element, which clips long text and keeps its
// size on screens of any width.
func (b *flameGraph) drawBoxes() {
	limit := flame.Limit{Boxes: boxesOnPage, Depth: levelsOnPage, Width: leastWidth}
	if b.request.inReport {
		limit.Boxes = boxesInReport
	}
	boxes := b.tree.Layout(b.at, limit)
	levels := 0
	for _, at := range boxes {
		levels = max(levels, at.Depth+1)
	}
	b.page.Height = levels * levelHeight
	for _, at := range boxes {
		level := at.Depth
		if b.page.Up {
			level = levels - 1 - level
		}
		shown := b.buildStackBox(at)
		shown.Y = level * levelHeight
		b.page.Boxes = append(b.page.Boxes, shown)
	}
}

// buildStackBox returns a box as displayed, without its level. Narrow boxes cannot get the keyboard focus, since the
// table links to their methods and wider boxes zoom.
func (b *flameGraph) buildStackBox(at flame.Box) stackBox {
	class, counted := b.told(at)
	shown := stackBox{X: fmt.Sprintf("%.3f%%", 100*at.X), Width: fmt.Sprintf("%.3f%%", 100*at.Width),
		Height: levelHeight - 1, Narrow: at.Width < labelledWidth}
	if at.Merged > 0 {
		shown.Label.Tail = fmt.Sprintf("%d more", at.Merged)
		shown.Class = "merged"
		shown.Title = fmt.Sprintf("%d more methods\n%s", at.Merged, counted)
		return shown
	}
	frame := b.tree.Nodes[at.Node].Frame
	shown.Link, shown.Around = b.linkToNode("", at.Node), b.linkAround(frame)
	if shown.Around.view != "" && b.request.query.valueOf(keyOfAround) != "" {
		shown.Link = shown.Around
	}
	shown.Label, shown.In = b.labelOfNode(at.Node), escape.Printable(b.nameOfFrame(frame).in)
	shown.Class = class
	shown.Title = counted
	if at.Node != flame.Root {
		shown.Title = escape.Printable(shortenLine(b.nameOfFrame(frame).full)) + "\n" + counted
	}
	if at.Closed {
		shown.Title += "\nmore below: zoom in"
		shown.Class += " closed"
	}
	if b.found != nil && at.Node != flame.Root && b.found(frame) {
		shown.Class += " found"
	}
	return shown
}

func (b *flameGraph) ownCounts(at flame.Box) (class, title string) {
	part := func(n uint64) string {
		return fmt.Sprintf("%s, %s of all", amountText(n, b.page.Unit), percentText(cli.Share(n, b.page.Whole)))
	}
	title = "total " + part(at.Total)
	if b.page.Total != b.page.Whole {
		title += fmt.Sprintf(", %s of these", percentText(cli.Share(at.Total, b.page.Total)))
	}
	if at.Merged > 0 || at.Node == flame.Root {
		return "", title
	}
	own := b.tree.Nodes[at.Node].Self
	title += "\nself " + part(own)
	from := origins.Of(b.request.archive().Header().Domain, b.nameOfFrame(b.tree.Nodes[at.Node].Frame).in)
	return heatClass(cli.Share(own, b.page.Total)) + " " + string(from), title
}
