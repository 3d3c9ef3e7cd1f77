package pages

import (
	"cmp"
	"fmt"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/layout"
)

type pointBuilder struct {
	request *request
	points  analyze.PointReader
	ids     map[int32]bool // points with an element on the page
	bcis    map[int]bool   // bytecodes with an element on the page

	unfolded bool // outcomes that never occurred are not folded
	lastLine int  // last displayed source line, or 0
}

func newPointBuilder(r *request) *pointBuilder {
	return &pointBuilder{request: r, ids: map[int32]bool{}}
}

type point struct {
	ID       string // id of its element; empty if another point has it
	Number   int32
	Kind     string
	About    string // meaning of the kind
	Notes    []string
	Count    uint64
	Outcomes []outcome
	Cold     []outcome // outcomes that never occurred, if there are many
	Case     string    // noun for an outcome in Cold
	Left     int       // number of hidden outcomes
	Types    []typeFact
	Cells    []listing.Fact
	Page     link // the point on the page of its method, in a comparison

	extra bool // one of the traps listed after the points of the code
}

type outcome struct {
	What   link
	Then   *link // link to the next bytecode
	Note   string
	Amount string // count with its unit, unless What has the unit
	Count  uint64
	Share  float64
	Shared bool // Share is valid
	Silent bool // there is no count
	ranked bool // it is sorted by its count
}

type typeFact struct {
	Where string
	Type  link
	Note  string
}

func pointElement(n int32) string { return fmt.Sprintf("point-%d", n) }

func (b *pointBuilder) linkToBytecode(bci int) link {
	l := link{Text: fmt.Sprint(bci)}
	if b.bcis[bci] {
		l = b.request.linkToElement(l.Text, bciElement(bci))
	}
	return l
}

func (b *pointBuilder) pointID(n int32) string {
	if b.ids[n] {
		return ""
	}
	b.ids[n] = true
	return b.request.elementID(pointElement(n))
}

// buildPoint returns a point as displayed. called is the callee in the bytecode at the point, or nil.
func (b *pointBuilder) buildPoint(p *analyze.Point, called *listing.Ref) *point {
	q := &point{ID: b.pointID(p.Point), Number: p.Point, Kind: p.Title,
		About: p.About, Count: p.Count, Notes: b.pointNotes(p), extra: p.Extra}
	if b.request.inReport {
		q.About = "" // would repeat for thousands of points
	}
	b.addOutcomes(q, p, called)
	for _, t := range p.Types {
		q.Types = append(q.Types, b.buildTypeFact(t))
	}
	if p.BySchema && p.Undecoded == 0 {
		q.Cells = b.cellFacts(p)
	}
	return q
}

var caseWords = map[string]string{"MultiBranch": "case", "Counters": "counter"}

// addOutcomes adds the outcomes of a point. If many never occurred, they come last.
func (b *pointBuilder) addOutcomes(q *point, p *analyze.Point, called *listing.Ref) {
	cold := 0
	for _, o := range p.Outcomes {
		if o.Count == 0 && o.Kind != analyze.Value {
			cold++
		}
	}
	q.Case = cmp.Or(caseWords[p.Title], "outcome")
	for i, o := range p.Outcomes {
		list := &q.Outcomes
		if !b.unfolded && cold >= fewestFolded && o.Count == 0 && o.Kind != analyze.Value {
			list = &q.Cold
		}
		if len(*list) == outcomesOnPage {
			q.Left++
			continue
		}
		*list = append(*list, b.buildOutcome(p, i, called))
	}
}

func (b *pointBuilder) pointNotes(p *analyze.Point) (notes []string) {
	if p.Mark != nil {
		notes = append(notes, p.Mark.String())
	}
	if p.Traps != "" {
		notes = append(notes, "trap: "+p.Traps)
	}
	if p.NullSeen {
		notes = append(notes, "null seen")
	}
	if p.Interpreted {
		notes = append(notes, "interpreted")
	}
	if p.Undecoded != 0 {
		notes = append(notes, fmt.Sprintf("%s from an entry of HotSpot's tag %d on: not adopted",
			pluralText(uint64(len(b.cellsBySchema(p)[0].Rows)), "raw word"), p.Undecoded))
	}
	return notes
}

func (b *pointBuilder) buildOutcome(p *analyze.Point, i int, called *listing.Ref) outcome {
	o := &p.Outcomes[i]
	shown := outcome{What: link{Text: o.What()}, Count: o.Count, Share: o.Share, ranked: listedByCount(o.Kind),
		Shared: o.Kind != analyze.Failed && p.Count > 0 && len(p.Outcomes) > 1}
	if o.What() == nanosecond+"s" {
		shown.What.Text, shown.Amount = "of time", facts.TimeText(o.Count)
	}
	if o.Target != nil {
		shown.Then = b.linkToBytecode(*o.Target).optional()
	}
	switch o.Kind {
	case analyze.To:
		if o.Index > 0 {
			shown.Note = fmt.Sprintf("successor %d", o.Index)
		}
	case analyze.OfType:
		shown.What = b.linkToType(o.Type, o.Loader, called)
	case analyze.Call:
		shown.What = b.linkToCallee(o, called)
	case analyze.Value:
		shown.What = valueLink(o)
		shown.Silent = o.Method != nil
	}
	return shown
}

func (b *pointBuilder) linkToCallee(o *analyze.Outcome, called *listing.Ref) link {
	if o.Method != nil {
		return linkToPage(o.Method.Spelled(), nameOfMethod, methodQuery(o.Callee))
	}
	if l, ok := b.linkToCalled(called, ""); ok {
		return l
	}
	return link{Text: o.What()}
}

func valueLink(o *analyze.Outcome) link {
	switch {
	case o.Method != nil:
		return linkToPage("in "+o.Method.Spelled(), nameOfMethod, methodQuery(o.Callee))
	case o.Callee.Valid():
		return linkToPage(display.Spelling{}.Function(o.Text), nameOfMethod, methodQuery(o.Callee))
	}
	return link{Text: o.Text}
}

// linkToCalled returns a link to the method that a bytecode calls, looked up in class or, if class is empty, in the
// class that the bytecode names. ok is false if the archive lacks the method.
func (b *pointBuilder) linkToCalled(ref *listing.Ref, class string, loaders ...string) (l link, ok bool) {
	if ref == nil || ref.Name == "" {
		return link{}, false
	}
	k := layout.Key{Class: cmp.Or(class, ref.Class), Name: ref.Name, Signature: ref.Descriptor}
	for _, k.Loader = range append(loaders, "") {
		if m, err := b.request.archive().Find(k); err == nil {
			return b.request.linkToMethod(m), true
		}
	}
	return link{}, false
}

func (b *pointBuilder) linkToType(name, loader string, called *listing.Ref) link {
	text := cmp.Or(typeText(b.request.archive(), name, loader), "no type")
	if l, ok := b.linkToCalled(called, name, loader); ok {
		l.Text = text
		return l
	}
	if name == "" || name[0] == '[' || !b.request.hasMethods(name) {
		return link{Text: text}
	}
	return linkToPage(text, nameOfMethods, newQuery(keyOfFind, name+"::"))
}

func (b *pointBuilder) buildTypeFact(t analyze.ValueType) typeFact {
	f := typeFact{Where: fmt.Sprintf("slot %d", t.Slot), Type: b.linkToType(t.Type, t.Loader, nil)}
	if t.Slot < 0 {
		f.Where = "result"
	}
	if t.Several {
		f.Type = link{Text: "several types"}
	}
	if t.NullSeen {
		f.Note = "null seen"
	}
	return f
}

func (b *pointBuilder) cellsBySchema(p *analyze.Point) []analyze.CellGroup {
	groups, err := p.Cells()
	b.request.noteError(err)
	return groups
}

func (b *pointBuilder) cellFacts(p *analyze.Point) (list []listing.Fact) {
	for _, g := range b.cellsBySchema(p) {
		for _, cells := range g.Rows[:min(len(g.Rows), outcomesOnPage)] {
			for i := range cells {
				if c := &cells[i]; !c.Count {
					list = append(list, listing.Fact{Name: c.Full, Value: b.cellText(c)})
				}
			}
		}
	}
	return list
}

func (b *pointBuilder) cellText(c *analyze.Cell) string {
	switch {
	case c.Type != nil:
		return b.typeText(c.Type)
	case c.Method != nil && c.Method.ID == "":
		return noFrameMethod
	case c.Method != nil:
		return c.Method.Spelled()
	case c.Modified:
		return entries.ModifiedText(int64(c.Value))
	case c.Text != "":
		return c.Text
	}
	return cli.Grouped(c.Value)
}

func (b *pointBuilder) typeText(t *analyze.ValueType) string {
	text := cmp.Or(typeText(b.request.archive(), t.Type, t.Loader), "none")
	if t.Several {
		text = "several types"
	}
	if t.NullSeen {
		text += ", null seen"
	}
	return text
}
