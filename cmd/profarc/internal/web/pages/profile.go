package pages

import (
	"fmt"
	"strconv"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/display"
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
	Callers  []frameLink    // of its context, the direct caller first
	Outer    int            // further callers
	Facts    []listing.Fact // counts for the method as a whole
	Compiler []listing.Fact // what the compilers noted
	Traps    []trapFact
	Sections []*section
	// Interpreted is how many invocations HotSpot's interpreter counted, which counts no points
	// before there is a profile; 0 in other domains.
	Interpreted uint64
}

type frameLink struct {
	Method link
	At     string // what the point is numbered by
	Point  int32
}

// A trapFact is a reason for which compiled code was left, with links to the points that note it.
type trapFact struct {
	facts.Deoptimised
	Links []link
}

type section struct {
	Title         string
	Points        []*point
	Earlier, Next *link
}

// buildProfilePart reads a profile. Beside says that its points are shown beside the code.
func (b *pointBuilder) buildProfilePart(m reader.Method, q reader.Profile, beside bool) (*profilePart, error) {
	at := methodQuery(m).withValues("profile", recordRefText(q.Ref()))
	p := &profilePart{ID: b.request.elementID("profile-" + recordRefText(q.Ref())),
		Link: linkToPage("This profile alone", nameOfMethod, at)}
	if q.Code() != layout.CodeUnknown {
		p.Code = codeText(q.Code())
	}
	if err := p.addContext(q); err != nil {
		return nil, err
	}
	p.Facts = append(listing.ProfileFacts(q, cli.Grouped), listing.Fact{Name: "size in the archive",
		Value: pluralText(uint64(len(disk.Block(q.Bytes()))), "byte")})
	p.Compiler = listing.CompilerFacts(q, cli.Grouped)
	if n, ok := q.Interpreted(); ok && m.Store().Header().Domain == layout.DomainHotSpot {
		p.Interpreted = n.Load()
	}
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		if beside && s == disk.SectionData {
			continue
		}
		if err := b.addSection(p, q, s, at); err != nil {
			return nil, err
		}
	}
	return p, b.addTraps(p, q)
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
		p.Callers = append(p.Callers, frameLink{l, display.PointWord(q.Store().Header().Domain), f.Point})
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
	return linkToPage(name.Spelled(), nameOfMethod, methodQuery(m)), err
}

// addSection adds the points of a section, from the one that the query of a single profile says.
func (b *pointBuilder) addSection(p *profilePart, q reader.Profile, s disk.BlockSection, at query) error {
	all, err := b.points.Section(q, s)
	if err != nil || len(all) == 0 {
		return err
	}
	key := s.String()
	from := 0
	if b.request.query.valueOf("profile") != "" {
		from = min(b.request.query.numberOf(key, 0), len(all)-1)
	}
	to := min(from+pointsOnPage, len(all))
	part := &section{Title: sectionTitle(s)}
	turn := func(text string, from int) *link {
		return linkToPage(text, nameOfMethod, at.withValues(key, strconv.Itoa(max(from, 0)))).optional()
	}
	if from > 0 {
		part.Earlier = turn("Earlier points", from-pointsOnPage)
	}
	if to < len(all) {
		part.Next = turn(fmt.Sprintf("%s more", pluralText(uint64(len(all)-to), "point")), to)
	}
	for i := from; i < to; i++ {
		part.Points = append(part.Points, b.buildPoint(&all[i], nil))
	}
	p.Sections = append(p.Sections, part)
	return nil
}

func (b *pointBuilder) addTraps(p *profilePart, q reader.Profile) error {
	found, err := facts.DeoptimisedIn(q, &b.points)
	for _, d := range found {
		t := trapFact{Deoptimised: d}
		for _, at := range d.Points {
			l := link{Text: fmt.Sprint(at.Point)}
			if b.ids[at.Point] {
				l = b.request.linkToElement(l.Text, pointElement(at.Point))
			}
			t.Links = append(t.Links, l)
		}
		p.Traps = append(p.Traps, t)
	}
	return err
}
