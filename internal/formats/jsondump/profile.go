package jsondump

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

func (p *printer) profile(q reader.Profile) {
	c, inContext, err := q.Context()
	if p.failed(err) {
		return
	}
	p.raw("{")
	p.code(q.Code(), c, inContext)
	p.fields(q)
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		p.section(q, s)
	}
	p.raw("}")
}

// fields prints the optional fields of the block, including zeros.
func (p *printer) fields(q reader.Profile) {
	has := disk.Block(q.Bytes()).Presence()
	if has&disk.HasSize != 0 {
		code, host := q.Size()
		list(p, "size", []uint32{code, host})
	}
	p.counter("invocations", q.Invocations)
	p.counter("backedges", q.Backedges)
	p.counter("interpreted", q.Interpreted)
	if h, ok := disk.Block(q.Bytes()).History(); ok {
		list(p, "history", []uint32{h.Decompiles, h.OverflowRecompiles, h.OverflowTraps, h.TenureTraps})
	}
	if c, ok := disk.Block(q.Bytes()).Compile(); ok {
		list(p, "compile", []uint32{uint32(c.Level), uint32(c.State), uint32(c.WouldProfile), uint32(c.Loops),
			uint32(c.Blocks)})
	}
	if e, ok := disk.Block(q.Bytes()).Escape(); ok {
		list(p, "escape", []uint64{e.Flags, e.Local, e.Stack, e.Returned})
	}
	if has&disk.HasTraps != 0 {
		list(p, "traps", q.TrapHistory())
	}
}

func (p *printer) counter(key string, get func() (reader.Counter, bool)) {
	if c, ok := get(); ok {
		p.unsigned(key, c.Trained())
	}
}

// section prints the entries of a section. It omits an empty section except the data section.
func (p *printer) section(q reader.Profile, s disk.BlockSection) {
	if s != disk.SectionData && disk.Block(q.Bytes()).SectionSpan(s).Size == 0 {
		return
	}
	p.field(s.String())
	p.raw("[")
	n := 0
	for e := range q.Section(s) {
		p.comma(n)
		n++
		p.entry(e)
	}
	p.raw("]")
}
