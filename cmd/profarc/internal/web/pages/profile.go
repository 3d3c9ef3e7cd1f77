package pages

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/naming"
	"github.com/profarc/profarc/internal/naming/entries"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Parts of a profile that a page shows at once.
const (
	pointsOnPage   = 400
	outcomesOnPage = 64
	fewestFolded   = 4 // outcomes that never ran
	framesOnPage   = 24
)

// A profilePart is what a page shows of one profile.
type profilePart struct {
	ID       string // of its element
	Link     link   // to the page of this profile alone
	Code     string
	Callers  []frameLink // of its context, the direct caller first
	Outer    int         // further callers
	Facts    []fact      // counts for the method as a whole
	Compiler []fact      // what the compilers noted
	Traps    []trapFact
	Sections []*section
	// Interpreted is how many invocations HotSpot's interpreter counted, which counts no points
	// before there is a profile; 0 in other domains.
	Interpreted uint64
}

type fact struct{ Name, Value string }

// A frameLink is a caller in a context.
type frameLink struct {
	Method link
	At     string // what the point is numbered by
	Point  int32
}

// A trapFact says how often compiled code was left for a reason, and at which points.
type trapFact struct {
	Reason string
	Count  uint64
	Points []link
}

// A section is the points of one section of a profile.
type section struct {
	Title         string
	Points        []*point
	Earlier, Next *link
}

// profile reads a profile. Beside says that its points are shown beside the code.
func (b *pointReader) profile(m reader.Method, q reader.Profile, beside bool) (*profilePart, error) {
	at := methodQuery(m).with("profile", refText(q.Ref()))
	p := &profilePart{ID: b.request.element("profile-" + refText(q.Ref())),
		Link: linkTo("This profile alone", nameOfMethod, at)}
	if q.Code() != layout.CodeUnknown {
		p.Code = codeText(q.Code())
	}
	if err := p.addContext(q); err != nil {
		return nil, err
	}
	p.Facts, p.Compiler = countFacts(q), compilerFacts(b.request.archive().Header().Domain, q)
	if n, ok := q.Interpreted(); ok && m.Store().Header().Domain == layout.DomainHotSpot {
		p.Interpreted = n.Load()
	}
	for s := layout.SectionData; s < layout.SectionDirectory; s++ {
		if beside && s == layout.SectionData {
			continue
		}
		if err := b.section(p, q, s, at); err != nil {
			return nil, err
		}
	}
	return p, b.traps(p, q)
}

// framesOf returns the callers in the context of a profile, the direct one first; none if it has no context.
func framesOf(q reader.Profile) ([]reader.Frame, error) {
	c, ok, err := q.Context()
	if err != nil || !ok {
		return nil, err
	}
	return c.Frames()
}

func (p *profilePart) addContext(q reader.Profile) error {
	frames, err := framesOf(q)
	if err != nil {
		return err
	}
	shown := frames[:min(len(frames), framesOnPage)]
	p.Outer = len(frames) - len(shown)
	for _, f := range shown {
		l, err := methodLink(q.Store(), f.Caller)
		if err != nil {
			return err
		}
		p.Callers = append(p.Callers, frameLink{l, naming.PointWord(q.Store().Header().Domain), f.Point})
	}
	return nil
}

const noFrameMethod = "a frame without a method"

// methodLink returns a link to the page of a method, with its name.
func methodLink(s *reader.Store, m reader.Method) (link, error) {
	if !m.Valid() {
		return link{Text: noFrameMethod}, nil
	}
	name, err := analyze.NameOf(s, m)
	return linkTo(name.Spelled(), nameOfMethod, methodQuery(m)), err
}

// wholeCounts are the counts of a profile that belong to no point.
var wholeCounts = []struct {
	name, noun string
	of         func(reader.Profile) (reader.Counter, bool)
}{{"Invocations", "invocation", reader.Profile.Invocations}, {"Backedges", "backedge", reader.Profile.Backedges},
	{"Invocations by the interpreter", "", reader.Profile.Interpreted}}

func countFacts(q reader.Profile) (list []fact) {
	for _, c := range wholeCounts {
		if n, ok := c.of(q); ok {
			list = append(list, fact{c.name, cli.Grouped(n.Load())})
		}
	}
	code, host := q.Size()
	if code > 0 {
		list = append(list, fact{"Size of the code", plural(uint64(code), "byte")})
	}
	list = append(list, fact{"Size in the archive", plural(uint64(len(disk.Block(q.Bytes()))), "byte")})
	if host > 0 {
		list = append(list, fact{"Size in the VM", plural(uint64(host), "byte")})
	}
	return list
}

func compilerFacts(d layout.Domain, q reader.Profile) (list []fact) {
	add := func(name string, n uint64) { list = append(list, fact{name, cli.Grouped(n)}) }
	if c, ok := q.Compile(); ok {
		list = append(list, fact{"Highest level", tierText(d, int(c.Level))})
		add("Loops", uint64(c.Loops))
		add("Basic blocks", uint64(c.Blocks))
	}
	if h, ok := q.History(); ok {
		add("Decompiles", uint64(h.Decompiles))
		if h.OverflowRecompiles > 0 || h.OverflowTraps > 0 || h.TenureTraps > 0 {
			add("Overflow recompiles", uint64(h.OverflowRecompiles))
			add("Overflow traps", uint64(h.OverflowTraps))
			add("Tenure traps", uint64(h.TenureTraps))
		}
	}
	if e, ok := q.Escape(); ok {
		list = append(list, fact{"Escape analysis", capital(entries.EscapeText(e))})
	}
	return list
}

// section adds the points of a section, from the one that the query of a single profile says.
func (b *pointReader) section(p *profilePart, q reader.Profile, s layout.BlockSection, at query) error {
	all, err := b.points.Section(q, s)
	if err != nil || len(all) == 0 {
		return err
	}
	key := s.String()
	from := 0
	if b.request.query.get("profile") != "" {
		from = min(b.request.query.number(key, 0), len(all)-1)
	}
	to := min(from+pointsOnPage, len(all))
	part := &section{Title: sectionTitle(s)}
	turn := func(text string, from int) *link {
		l := linkTo(text, nameOfMethod, at.with(key, strconv.Itoa(max(from, 0))))
		return &l
	}
	if from > 0 {
		part.Earlier = turn("Earlier points", from-pointsOnPage)
	}
	if to < len(all) {
		part.Next = turn(fmt.Sprintf("%s more", plural(uint64(len(all)-to), "point")), to)
	}
	for i := from; i < to; i++ {
		part.Points = append(part.Points, b.point(&all[i], nil))
	}
	p.Sections = append(p.Sections, part)
	return nil
}

// traps adds how often compiled code was left, by reason, and where.
func (b *pointReader) traps(p *profilePart, q reader.Profile) error {
	points, err := b.points.Points(q)
	if err != nil {
		return err
	}
	where := map[string][]link{}
	var order []string
	for _, at := range points {
		reason := strings.TrimSuffix(at.Traps, " recompiled")
		if reason == "" {
			continue
		}
		if where[reason] == nil {
			order = append(order, reason)
		}
		l := link{Text: fmt.Sprint(at.Point)}
		if b.ids[at.Point] {
			l = b.request.here(l.Text, pointElement(at.Point))
		}
		where[reason] = append(where[reason], l)
	}
	reasons, err := entries.TrapReasonsOf(q.Store())
	if err != nil {
		return err
	}
	for reason, n := range q.TrapHistory() {
		if n > 0 {
			text := reasons.Name(reason)
			p.Traps = append(p.Traps, trapFact{text, uint64(n), where[text]})
			delete(where, text)
		}
	}
	for _, reason := range order {
		if points := where[reason]; points != nil {
			p.Traps = append(p.Traps, trapFact{Reason: reason, Points: points})
		}
	}
	return nil
}
