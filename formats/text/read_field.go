package text

import (
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// profileLine reads a line of the open profile. It gives false for any other.
func (p *parser) profileLine(start int, word []byte) bool {
	if p.profile.Profile == nil {
		return false
	}
	if section, ok := sectionWords.number(word); ok {
		p.nextToken()
		p.entryLine(start, layout.BlockSection(section))
		return true
	}
	for i := range fieldForms {
		if string(word) == fieldForms[i].word {
			p.field(start, i)
			return true
		}
	}
	return false
}

// field reads an optional field, which stands once.
func (p *parser) field(start, i int) {
	if p.profile.fields&(1<<i) != 0 {
		p.MissAt(start, "no second "+fieldForms[i].word)
		return
	}
	p.profile.fields |= 1 << i
	fieldForms[i].read(p)
}

// A fieldForm is how an optional field of a block stands in the text.
type fieldForm struct {
	word string
	read func(p *parser)
}

var fieldForms = [...]fieldForm{
	{"size", (*parser).sizeField},
	{"invocations", func(p *parser) { p.nextToken(); p.profile.Invocations(p.uint64()) }},
	{"backedges", func(p *parser) { p.nextToken(); p.profile.Backedges(p.uint64()) }},
	{"interpreted", func(p *parser) { p.nextToken(); p.profile.Interpreted(p.uint64()) }},
	{"history", (*parser).historyField},
	{"compile", (*parser).compileField},
	{"escape", (*parser).escapeField},
	{"traps", (*parser).trapsField},
}

// key takes a number of at most limit behind the text of its key.
func (p *parser) key(text string, limit uint64) uint64 {
	p.expectToken(text)
	return p.number(limit)
}

func (p *parser) key32(text string) uint32 { return uint32(p.key(text, math.MaxUint32)) }

func (p *parser) sizeField() {
	code := p.key32("code=")
	p.profile.Size(code, p.key32("producer="))
}

func (p *parser) historyField() {
	var h builder.History
	h.Decompiles = p.key32("decompiles=")
	h.OverflowRecompiles = p.key32("overflow-recompiles=")
	h.OverflowTraps = p.key32("overflow-traps=")
	h.TenureTraps = p.key32("tenure-traps=")
	p.profile.History(h)
}

func (p *parser) compileField() {
	var c builder.Compile
	c.Level = uint8(p.key("level=", math.MaxUint8))
	c.State = uint8(p.key("state=", math.MaxUint8))
	c.WouldProfile = uint8(p.key("would-profile=", math.MaxUint8))
	c.Loops = uint16(p.key("loops=", math.MaxUint16))
	c.Blocks = uint16(p.key("blocks=", math.MaxUint16))
	p.profile.Compile(c)
}

func (p *parser) escapeField() {
	var e builder.Escape
	e.Flags = p.key("flags=", math.MaxUint64)
	e.Local = p.key("local=", math.MaxUint64)
	e.Stack = p.key("stack=", math.MaxUint64)
	e.Returned = p.key("returned=", math.MaxUint64)
	p.profile.Escape(e)
}

func (p *parser) trapsField() {
	p.bytes = p.bytes[:0]
	for p.nextToken() {
		p.bytes = append(p.bytes, uint8(p.number(math.MaxUint8)))
	}
	p.profile.TrapHistory(p.bytes)
}
