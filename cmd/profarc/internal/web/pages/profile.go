package pages

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Limits of the displayed parts of a profile.
const (
	pointsOnPage   = 400
	outcomesOnPage = 64
	fewestFolded   = 4 // minimum number of outcomes that never occurred
	framesOnPage   = 24
)

type profilePart struct {
	ID       string // id of its element
	Link     link   // page of this profile alone
	Code     string
	Callers  []frameLink    // callers in its context, the direct caller first
	Outer    int            // number of further callers
	Facts    []listing.Fact // counts of the whole method
	Compiler []listing.Fact // data recorded by the compilers
	Traps    []trapFact
	Sections []*section
	// Interpreted is the number of invocations that HotSpot's interpreter counted before there was a profile. It is 0 in
	// other domains.
	Interpreted uint64
}

type frameLink struct {
	Method link
	Point  int32
}

type trapFact struct {
	facts.Deoptimised
	Links []link
}

type section struct {
	Title         string
	Points        []*point
	Earlier, Next *link
}

func (b *pointBuilder) buildProfilePart(m reader.Method, q reader.Profile, withCode bool) *profilePart {
	at := methodQuery(m).withValues("profile", recordRefText(q.Ref()))
	p := &profilePart{ID: b.request.elementID("profile-" + recordRefText(q.Ref())),
		Link: linkToPage("This profile alone", nameOfMethod, at)}
	if q.Code() != layout.CodeUnknown {
		p.Code = codeText(q.Code())
	}
	p.addContext(b.request, q)
	p.Facts = append(listing.ProfileFacts(q, cli.Grouped), listing.Fact{Name: "size in the archive",
		Value: pluralText(uint64(len(q.Bytes())), "byte")})
	p.Compiler = listing.CompilerFacts(q, cli.Grouped)
	if n, ok := q.Interpreted(); ok && m.Store().Header().Domain == layout.DomainHotSpot {
		p.Interpreted = n.Load()
	}
	for s := schema.SectionData; s < schema.SectionDirectory; s++ {
		if withCode && s == schema.SectionData {
			continue
		}
		points, err := b.points.Section(q, s)
		b.request.noteError(err)
		b.addSection(p, points, s, at)
	}
	traps, err := facts.DeoptimisedIn(q, &b.points)
	b.request.noteError(err)
	b.addTraps(p, traps)
	return p
}

func (p *profilePart) addContext(r *request, q reader.Profile) {
	frames := r.framesOf(q)
	shown := frames[:min(len(frames), framesOnPage)]
	p.Outer = len(frames) - len(shown)
	for _, f := range shown {
		p.Callers = append(p.Callers, frameLink{r.linkToMethod(f.Caller), f.Point})
	}
}

// addSection adds the points of a section, beginning with the point that the query of a single profile names.
func (b *pointBuilder) addSection(p *profilePart, all []analyze.Point, s schema.BlockSection, at query) {
	if len(all) == 0 {
		return
	}
	key := s.String()
	from := 0
	if b.request.query.valueOf("profile") != "" {
		from = min(b.request.query.numberOf(key, 0), len(all)-1)
	}
	to := min(from+pointsOnPage, len(all))
	part := &section{Title: cmp.Or(sectionTitles[s], "Section "+s.String())}
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
}

func (b *pointBuilder) addTraps(p *profilePart, found []facts.Deoptimised) {
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
}
