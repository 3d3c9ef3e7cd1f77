package pages

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/listing"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/naming"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A pointReader makes what pages show of profile points. It keeps the first error.
type pointReader struct {
	request *request
	ids     map[int32]bool // points that have an element
	bcis    map[int]bool   // bytecodes that have one

	lastLine int // of the source that is shown; 0 if none is
	err      error
}

// A point is what a page shows of a profile point.
type point struct {
	ID       string // of its element; empty if another has it
	Word     string // what the number is: bci or point
	Number   int32
	Kind     string
	About    string // what the kind means
	Notes    []string
	Executed bool
	Count    uint64
	Outcomes []outcome
	Left     int // outcomes that are not shown
	Types    []typeFact
	Cells    []fact
}

// An outcome is one of the things that a point counts.
type outcome struct {
	What   link
	Then   *link // where control goes on
	Note   string
	Count  uint64
	Share  float64
	Shared bool // Share is known
	Silent bool // there is no count
	ranked bool // it is listed by its count
}

// A typeFact is the type of an argument or of a result.
type typeFact struct {
	Where string
	Type  link
	Note  string
}

// kindsAbout says what kinds of points are.
var kindsAbout = map[layout.Tag]string{
	layout.TagBit:             "a bytecode that only notes traps and whether it saw null",
	layout.TagCounter:         "a call whose target is known",
	layout.TagJump:            "a jump that is always taken",
	layout.TagReceiverType:    "a type check, or a store into an array of objects",
	layout.TagVirtualCall:     "a call whose target the receiver decides",
	layout.TagRet:             "the return from a subroutine",
	layout.TagBranch:          "a conditional branch",
	layout.TagMultiBranch:     "a switch",
	layout.TagArgInfo:         "how arguments are changed",
	layout.TagCallType:        "a call whose target is known, with the types of arguments and result",
	layout.TagVirtualCallType: "a call whose target the receiver decides, with the types of arguments and result",
	layout.TagParametersType:  "the types of the method's parameters",
	layout.TagSpeculativeTrap: "compiled code was left here because a guess about a method was wrong",
	layout.TagCounters:        "counters of blocks",
	layout.TagValueSite:       "values seen at a site",
	layout.TagBitmap:          "combinations of conditions that were tested",
	layout.TagSuccessors:      "where control went on",
	layout.TagReceivers:       "types seen at a call or check",
	layout.TagCallees:         "called methods",
	layout.TagCount:           "a count",
	layout.TagUndecoded:       "words of the VM that were not known when it was dumped",
}

// pointElement is the name of the element of a point.
func pointElement(n int32) string { return fmt.Sprintf("point-%d", n) }

// bytecode returns a link to a bytecode, without an address if it is not on the page.
func (b *pointReader) bytecode(bci int) link {
	l := link{Text: fmt.Sprint(bci)}
	if b.bcis[bci] {
		l = b.request.here(l.Text, bciElement(bci))
	}
	return l
}

// element returns the id of the element of a point, empty if another has it.
func (b *pointReader) element(n int32) string {
	if b.ids[n] {
		return ""
	}
	b.ids[n] = true
	return b.request.element(pointElement(n))
}

// point returns a point as the page shows it. Called names the callee of the bytecode at the point,
// nil if that is not known.
func (b *pointReader) point(p *analyze.Point, called *listing.Ref) *point {
	q := &point{ID: b.element(p.Point), Word: naming.PointWord(b.request.archive().Header().Domain), Number: p.Point,
		Kind: p.Kind, About: kindsAbout[p.Entry().Tag()], Executed: p.Executed, Count: p.Count}
	if p.Sub != "" && p.Entry().Tag() != layout.TagCount {
		q.Kind += ", " + p.Sub
	}
	q.Notes = pointNotes(p)
	names := b.countNames(p)
	for i := range p.Outcomes[:min(len(p.Outcomes), outcomesOnPage)] {
		q.Outcomes = append(q.Outcomes, b.outcome(p, i, names, called))
	}
	q.Left = len(p.Outcomes) - len(q.Outcomes)
	for _, t := range p.Types {
		q.Types = append(q.Types, b.valueType(t))
	}
	q.Cells = b.cells(p.Entry())
	return q
}

// pointNotes names the peculiarities of a point.
func pointNotes(p *analyze.Point) (notes []string) {
	if p.Mark != nil {
		notes = append(notes, p.Mark.String())
	}
	if p.Traps != "" {
		notes = append(notes, "trap: "+p.Traps)
	}
	if p.NullSeen {
		notes = append(notes, "null seen")
	}
	if e := p.Entry(); e.Tag() == layout.TagCount && e.Flags()&layout.EntryInterpreted != 0 {
		notes = append(notes, "interpreted")
	}
	if e := p.Entry(); e.Tag() == layout.TagUndecoded {
		notes = append(notes, fmt.Sprintf("%s from an entry of HotSpot's tag %d on: not adopted",
			plural(uint64(e.Cells()), "raw word"), disk.UndecodedTag(disk.Entry(e.Bytes()))))
	}
	return notes
}

// outcome returns outcome i of a point as the page shows it.
func (b *pointReader) outcome(p *analyze.Point, i int, names []string, called *listing.Ref) outcome {
	o := &p.Outcomes[i]
	shown := outcome{Count: o.Count, Share: o.Share,
		Shared: o.Kind != analyze.Failed && p.Count > 0 && len(p.Outcomes) > 1}
	if o.Target != nil {
		l := b.bytecode(*o.Target)
		shown.Then = &l
	}
	shown.What, shown.ranked = link{Text: string(o.Kind)}, ranked(o.Kind)
	switch o.Kind {
	case analyze.Case:
		shown.What.Text = fmt.Sprintf("case index %d", o.Index)
		if o.Label != nil {
			shown.What.Text = fmt.Sprintf("label %d", *o.Label)
		}
	case analyze.To:
		shown.What.Text = "went on"
		if o.Index > 0 {
			shown.Note = fmt.Sprintf("successor %d", o.Index)
		}
	case analyze.OfType:
		shown.What = b.typeLink(o.Type, o.Loader, called)
	case analyze.Others:
		shown.What.Text = facts.OthersText(analyze.SiteReceivers)
	case analyze.Untyped:
		shown.What.Text = facts.UntypedText
	case analyze.Unlooked:
		shown.What.Text = "not profiled"
	case analyze.Failed:
		shown.What.Text = "checks that failed"
	case analyze.Call:
		shown.What = b.callee(p, o, called)
	case analyze.Value:
		shown.What = b.value(p, o)
		shown.Silent = p.Entry().Tag() == layout.TagSpeculativeTrap
	case analyze.Events:
		shown.What.Text = names[min(o.Index, len(names)-1)]
	}
	return shown
}

// callee returns a link to a called method.
func (b *pointReader) callee(p *analyze.Point, o *analyze.Outcome, called *listing.Ref) link {
	if o.Method == nil {
		if l, ok := b.called(called, ""); ok {
			return l
		}
		return link{Text: "calls"}
	}
	rows, _ := p.Entry().Rows()
	m, err := rows.Method(o.Index)
	b.err = cmp.Or(b.err, err)
	return linkTo(o.Method.Spelled(), nameOfMethod, methodQuery(m))
}

// value returns a link to the function or method that a value stands for, or its text.
func (b *pointReader) value(p *analyze.Point, o *analyze.Outcome) link {
	e := p.Entry()
	switch {
	case e.Tag() == layout.TagSpeculativeTrap && o.Method != nil:
		m, err := e.Trap()
		b.err = cmp.Or(b.err, err)
		return linkTo("in "+o.Method.Spelled(), nameOfMethod, methodQuery(m))
	case e.Tag() == layout.TagValueSite && e.Sub() == layout.SubIndirectCall:
		rows, _ := e.Rows()
		if m, err := b.request.archive().FindID(rows.Cell(o.Index, 0).Load()); err == nil {
			return linkTo(o.Text, nameOfMethod, methodQuery(m))
		}
	}
	return link{Text: o.Text}
}

// called returns a link to the method that a bytecode calls, in a class, or in the one that
// the bytecode names if that is empty; ok is false if the archive lacks the method.
func (b *pointReader) called(ref *listing.Ref, class string, loaders ...string) (l link, ok bool) {
	if ref == nil || ref.Name == "" {
		return link{}, false
	}
	k := layout.Key{Class: cmp.Or(class, ref.Class), Name: ref.Name, Signature: ref.Descriptor}
	for _, k.Loader = range append(loaders, "") {
		if m, err := b.request.archive().Find(k); err == nil {
			l, err = methodLink(b.request.archive(), m)
			return l, err == nil
		}
	}
	return link{}, false
}

// typeLink returns a type with a link: to the method that is called on its objects if that is
// known, or to the methods of its class.
func (b *pointReader) typeLink(name, loader string, called *listing.Ref) link {
	text := cmp.Or(typeText(b.request.archive(), name, loader), "no type")
	if l, ok := b.called(called, name, loader); ok {
		l.Text = text
		return l
	}
	if name == "" || name[0] == '[' {
		return link{Text: text}
	}
	if !b.request.hasMethods(name) {
		return link{Text: text}
	}
	return linkTo(text, nameOfMethods, newQuery("methods.find", name+"::"))
}

// valueType returns the type of an argument or result as the page shows it.
func (b *pointReader) valueType(t analyze.ValueType) typeFact {
	f := typeFact{Where: fmt.Sprintf("slot %d", t.Slot), Type: b.typeLink(t.Type, t.Loader, nil)}
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

// countNames returns the names of the counts of an entry, in their order, at least one.
func (b *pointReader) countNames(p *analyze.Point) (names []string) {
	e, shape := p.Entry(), b.shape()
	if e.Tag() == layout.TagCount {
		return []string{cmp.Or(strings.ReplaceAll(p.Sub, "-", " "), fmt.Sprintf("kind %d", e.Sub()))}
	}
	counts := map[int]bool{}
	for cell := range shape.Counts(disk.Entry(e.Bytes())) {
		counts[cell] = true
	}
	for group := range shape.Groups(disk.Entry(e.Bytes())) {
		for row := range group.N {
			for i, c := range group.Cells {
				switch name := c.Name; {
				case !counts[group.Cell(row, i)]:
				case group.Repeat == disk.Once:
					names = append(names, name)
				default:
					names = append(names, fmt.Sprintf("%s %d", name, row))
				}
			}
		}
	}
	return append(names, "count")
}

func (b *pointReader) shape() disk.Shape { return b.request.archive().Mapping().Shape() }

// cells returns the cells of an entry that are in no outcome: cells of entries that a
// producer defines, and the arguments of ArgInfo.
func (b *pointReader) cells(e reader.Entry) (list []fact) {
	if !e.Tag().ByProducer() && e.Tag() != layout.TagArgInfo {
		return nil
	}
	shape := b.shape()
	counts := map[int]bool{}
	for cell := range shape.Counts(disk.Entry(e.Bytes())) {
		counts[cell] = true
	}
	for group := range shape.Groups(disk.Entry(e.Bytes())) {
		for row := range min(group.N, outcomesOnPage) {
			for i, c := range group.Cells {
				cell := group.Cell(row, i)
				if counts[cell] || c.Kind == disk.CellLength || c.Kind == disk.CellDisplacement {
					continue
				}
				name := c.Name
				if group.Repeat != disk.Once {
					name = fmt.Sprintf("%s %d", name, row)
				}
				if e.Tag() == layout.TagArgInfo {
					name = fmt.Sprintf("argument %d", row)
				}
				list = append(list, fact{name, b.cellText(e, cell, c)})
			}
		}
	}
	return list
}

// cellText returns the value of a cell.
func (b *pointReader) cellText(e reader.Entry, cell int, c disk.CellSpec) string {
	v := e.Cell(cell).Load()
	switch {
	case c.Kind == disk.CellType || c.Kind == disk.CellTypeWord:
		return b.typeText(e.TypeCell(cell))
	case c.Kind == disk.CellMethod:
		m, err := e.MethodCell(cell)
		b.err = cmp.Or(b.err, err)
		l, err := methodLink(b.request.archive(), m)
		b.err = cmp.Or(b.err, err)
		return l.Text
	case len(c.Bits) > 0:
		return c.BitNames(v)
	case c.Kind == disk.CellSuccessor:
		at, index := disk.UnpackSuccessor(v)
		return fmt.Sprintf("%d (%d)", at, index)
	case e.Tag() == layout.TagArgInfo:
		return modifiedText(int64(v))
	case c.Kind == disk.CellFlags:
		return fmt.Sprint(int64(v))
	}
	return grouped(v)
}

// typeText returns the type in a cell.
func (b *pointReader) typeText(w reader.TypeWord) string {
	text := "none"
	if w.Type.Valid() {
		var err error
		text, err = typeOf(b.request.archive(), w.Type)
		b.err = cmp.Or(b.err, err)
	}
	if w.Unknown {
		text = "several types"
	}
	if w.NullSeen {
		text += ", null seen"
	}
	return text
}
