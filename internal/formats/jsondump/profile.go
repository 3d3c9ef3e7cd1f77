package jsondump

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

func (p *printer) printProfile(q reader.Profile) {
	c, inContext, err := q.Context()
	if p.recordError(err) {
		return
	}
	if p.counts.Totals != nil {
		p.counts.AddBlock(disk.Block(q.Bytes()))
	}
	p.printRaw("{")
	p.printCodeAndContext(q.Code(), c, inContext)
	p.printBlockFields(q)
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		p.printSection(q, s)
	}
	p.printRaw("}")
}

// printBlockFields prints the optional fields of the block, including zeros.
func (p *printer) printBlockFields(q reader.Profile) {
	has := disk.Block(q.Bytes()).Presence()
	if has&disk.HasSize != 0 {
		code, host := q.Size()
		printUintList(p, "size", []uint32{code, host})
	}
	p.printCounter("invocations", q.Invocations)
	p.printCounter("backedges", q.Backedges)
	p.printCounter("interpreted", q.Interpreted)
	if h, ok := disk.Block(q.Bytes()).History(); ok {
		printUintList(p, "history", []uint32{h.Decompiles, h.OverflowRecompiles, h.OverflowTraps, h.TenureTraps})
	}
	if c, ok := disk.Block(q.Bytes()).Compile(); ok {
		printUintList(p, "compile", []uint32{uint32(c.Level), uint32(c.State), uint32(c.WouldProfile), uint32(c.Loops),
			uint32(c.Blocks)})
	}
	if e, ok := disk.Block(q.Bytes()).Escape(); ok {
		printUintList(p, "escape", []uint64{e.Flags, e.Local, e.Stack, e.Returned})
	}
	if has&disk.HasTraps != 0 {
		printUintList(p, "traps", q.TrapHistory())
	}
}

func (p *printer) printCounter(key string, get func() (reader.Counter, bool)) {
	if c, ok := get(); ok {
		p.printUintField(key, c.Trained())
	}
}

// printSection prints the entries of a section. It omits an empty section except the data section.
func (p *printer) printSection(q reader.Profile, s disk.BlockSection) {
	if s != disk.SectionData && disk.Block(q.Bytes()).SectionSpan(s).Size == 0 {
		return
	}
	p.printFieldKey(s.String())
	p.printRaw("[")
	n := 0
	for e := range q.Section(s) {
		p.printComma(n)
		n++
		p.printEntry(e)
	}
	p.printRaw("]")
}
