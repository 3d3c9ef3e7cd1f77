package text

import (
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
)

// Wide entries.

func (p *parser) counters() {
	p.entry.cells = p.entry.cells[:0]
	for p.nextToken() {
		p.entry.cells = append(p.entry.cells, p.uint64())
	}
	p.profile.Counters(p.entry.point, p.entry.cells...)
}

// sub takes what refines the tag.
func (p *parser) sub(words wordList) uint16 {
	p.nextToken()
	return uint16(p.listed(words, math.MaxUint16, "what the entry is of"))
}

func (p *parser) valueSite() {
	kind := p.sub(valueSubs)
	p.values = p.values[:0]
	for p.nextToken() {
		var v builder.Value
		v.Value = p.value()
		p.Expect("=")
		v.Count = p.uint64()
		p.values = append(p.values, v)
	}
	p.profile.ValueSite(kind, p.entry.point, p.values...)
}

// value takes a number, or the name of a function that stands for its id.
func (p *parser) value() uint64 {
	if p.At < len(p.Line) && p.Line[p.At]-'0' <= 9 {
		return p.uint64()
	}
	token := p.reference("a number or the name of a function")
	if v, ok := p.refs.values[string(token)]; ok || !p.OK() {
		return v
	}
	p.At -= len(token)
	name := string(token)
	v := disk.NameRef(string(p.name()))
	remember(&p.refs.values, name, v)
	return v
}

func (p *parser) bitmap() {
	p.bytes = p.bytes[:0]
	if p.nextToken() {
		p.bytes = p.hexBytes(p.bytes)
	}
	p.profile.Bitmap(p.entry.point, p.bytes)
}

func (p *parser) successors() {
	sub := p.sub(successorSubs)
	p.next = p.next[:0]
	for p.nextToken() {
		var s builder.Successor
		s.Point = p.point()
		p.Expect(":")
		s.Index = uint32(p.number(math.MaxUint32))
		p.Expect("=")
		s.Count = p.uint64()
		p.next = append(p.next, s)
	}
	p.profile.Successors(p.entry.point, sub, p.next...)
}

func (p *parser) receivers() {
	sub := p.sub(receiverSubs)
	p.seen(math.MaxUint64)
	other := p.key("other=", math.MaxUint64)
	p.rows = p.rows[:0]
	for p.nextToken() {
		p.rows = append(p.rows, p.builderRow())
	}
	p.profile.Receivers(p.entry.point, sub, p.entry.flags, other, p.entry.traps, p.rows...)
}

func (p *parser) callees() {
	p.callee = p.callee[:0]
	for p.nextToken() {
		var c builder.Callee
		c.Method = p.methodRef()
		c.Count = p.rowCount(c.Method == 0)
		p.callee = append(p.callee, c)
	}
	p.profile.Callees(p.entry.point, p.callee...)
}

func (p *parser) count() {
	sub := p.sub(countSubs)
	p.seen(0)
	p.nextToken()
	p.profile.Count(p.entry.point, sub, p.entry.flags, p.uint64())
}
