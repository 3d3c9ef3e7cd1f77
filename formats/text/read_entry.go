package text

import (
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A form is how entries of a tag stand in the text, behind their point and tag.
// HotSpot's entries are read cell by cell, into the open entry.
type form struct {
	write func(w *writer, e disk.Entry)
	read  func(p *parser)
}

// forms are the forms of the tags.
var forms = [layout.TagCount + 1]form{
	layout.TagBit:             {(*writer).bit, (*parser).bitEntry},
	layout.TagCounter:         {(*writer).counter, (*parser).counter},
	layout.TagJump:            {(*writer).jump, (*parser).jump},
	layout.TagReceiverType:    {(*writer).receiverType, (*parser).receiverType},
	layout.TagVirtualCall:     {(*writer).virtualCall, (*parser).virtualCall},
	layout.TagRet:             {(*writer).ret, (*parser).ret},
	layout.TagBranch:          {(*writer).branch, (*parser).branch},
	layout.TagMultiBranch:     {(*writer).multiBranch, (*parser).multiBranch},
	layout.TagArgInfo:         {(*writer).argInfo, (*parser).argInfo},
	layout.TagCallType:        {(*writer).callType, (*parser).callType},
	layout.TagVirtualCallType: {(*writer).virtualCallType, (*parser).virtualCallType},
	layout.TagParametersType:  {(*writer).parametersType, (*parser).parametersType},
	layout.TagSpeculativeTrap: {(*writer).speculativeTrap, (*parser).speculativeTrap},
	layout.TagCounters:        {(*writer).counters, (*parser).counters},
	layout.TagValueSite:       {(*writer).valueSite, (*parser).valueSite},
	layout.TagBitmap:          {(*writer).bitmap, (*parser).bitmap},
	layout.TagSuccessors:      {(*writer).successors, (*parser).successors},
	layout.TagReceivers:       {(*writer).receivers, (*parser).receivers},
	layout.TagCallees:         {(*writer).callees, (*parser).callees},
	layout.TagCount:           {(*writer).count, (*parser).count},
}

// An openEntry is the entry whose line is being read.
type openEntry struct {
	section layout.BlockSection
	point   int32
	tag     layout.Tag
	flags   uint8
	traps   uint64
	cells   []uint64 // of a HotSpot entry
	refs    []uint64 // for each of cells, the reference in the builder
	raw     []byte   // scratch
}

// entryLine reads an entry, whose point stands here, into a section.
func (p *parser) entryLine(start int, section layout.BlockSection) {
	if p.profile.Profile == nil {
		p.MissAt(start, p.possible())
		return
	}
	p.Expect("@")
	at := p.At
	e := &p.entry
	e.section, e.flags, e.traps, e.cells, e.refs = section, 0, 0, e.cells[:0], e.refs[:0]
	e.point = p.point()
	e.tag = p.tagWord()
	switch of := domainsOf(e.tag); {
	case !p.OK():
	case !of.hold(p.head.domain):
		p.MissAt(start, "an entry that domain "+p.head.domain.String()+" has: this one is of "+of.String())
	case e.tag.Wide():
		p.wide(start)
	case e.point < 0 || e.point > math.MaxUint16:
		p.MissAt(at, "a bci: a number of 16 bits")
	default:
		p.hotspot()
	}
	p.report.Entries++
}

func (p *parser) tagWord() layout.Tag {
	p.nextToken()
	start := p.At
	tag, ok := tagNumbers[string(p.takeWord("the kind of the entry"))]
	if !ok {
		p.MissAt(start, "the kind of the entry: Branch, VirtualCall, Counters or the like")
	}
	return tag
}

// tagNumbers are the tags by their words.
var tagNumbers = func() map[string]layout.Tag {
	m := map[string]layout.Tag{}
	for tag, word := range tagWords {
		if word != "" {
			m[word] = layout.Tag(tag)
		}
	}
	return m
}()

// wide reads an entry that has no place but among the data entries.
func (p *parser) wide(start int) {
	if p.entry.section != layout.SectionData {
		p.MissAt(start, "@: entries of this kind stand among the data entries")
		return
	}
	forms[p.entry.tag].read(p)
}

// hotspot reads an entry of HotSpot's and gives it to the profile cell for cell.
func (p *parser) hotspot() {
	e := &p.entry
	p.seen(math.MaxUint32)
	forms[e.tag].read(p)
	if !p.OK() {
		return
	}
	var raw disk.Entry
	e.raw, raw = disk.NewEntry(e.raw[:0], e.tag, e.flags, uint16(e.point), uint32(e.traps), len(e.cells))
	for i, v := range e.cells {
		raw.SetCell(i, v)
	}
	p.profile.Raw(e.section, raw, p.refOf)
}

// cellRef is the reference of a pointer cell of the open entry.
func (p *parser) cellRef(cell int, _ disk.CellKind) uint64 { return p.entry.refs[cell] }

// cell adds a cell to the open entry.
func (p *parser) cell(v uint64) { p.pointer(v, 0) }

// pointer adds a cell that is a reference with tags.
func (p *parser) pointer(tags, ref uint64) {
	p.entry.cells = append(p.entry.cells, tags)
	p.entry.refs = append(p.entry.refs, ref)
}

// seen takes the flags and traps of the open entry, if there are any.
func (p *parser) seen(limit uint64) {
	if !p.skipToken("[") {
		return
	}
	for first := true; p.OK() && !p.Skip("]"); first = false {
		if !first && !p.nextToken() {
			p.Expect("]")
		}
		p.seenWord(limit)
	}
}

func (p *parser) seenWord(limit uint64) {
	e := &p.entry
	switch {
	case p.Skip("recompiled"):
		e.traps |= trapRecompiled
	case p.Skip("trap=many"):
		e.traps |= trapMany
	case p.Skip("trap="):
		e.traps |= p.number(limit)
	default:
		bits := p.bit(entryFlags(e.tag), math.MaxUint8)
		e.flags |= uint8(bits)
	}
}

// builderRow takes a row of a type and its count.
func (p *parser) builderRow() (r builder.Row) {
	p.nextToken()
	r.Type = p.typeRef()
	r.Count = p.rowCount(r.Type == 0)
	return r
}

// rowCount takes the count of a row; an empty row need not have one.
func (p *parser) rowCount(empty bool) uint64 {
	if p.Skip("=") {
		return p.uint64()
	}
	if !empty {
		p.Expect("=")
	}
	return 0
}
