package main

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/llvm"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// countNames say what a Count entry counts.
var countNames = map[uint16]string{
	layout.SubCalls: "calls", layout.SubBytecodes: "bytecodes", layout.SubCycles: "cycles",
	layout.SubNativeCalls: "native calls", layout.SubNewArrays: "new arrays", layout.SubSamples: "samples",
}

// siteNames say what the values of a ValueSite entry are.
var siteNames = map[uint16]string{
	layout.SubIndirectCall: "indirect call", layout.SubMemOpSize: "memory operation size", layout.SubVTable: "vtable",
}

// named is the name of a number, or the number.
func named(names map[uint16]string, n uint16) string {
	if name, ok := names[n]; ok {
		return name
	}
	return fmt.Sprintf("kind %d", n)
}

// wide prints the data of an entry of this format's tags.
func (p *profilePrinter) wide(e reader.Entry) {
	switch e.Tag() {
	case layout.TagCounters:
		p.counters(e)
	case layout.TagValueSite:
		p.valueSite(e)
	case layout.TagBitmap:
		p.bitmap(e)
	case layout.TagSuccessors:
		p.successors(e)
	case layout.TagReceivers:
		p.receivers(e)
	case layout.TagCallees:
		p.callees(e)
	case layout.TagCount:
		by := ""
		if e.Flags()&layout.WideInterpreted != 0 {
			by = ", interpreted"
		}
		p.line("%s %d%s", named(countNames, e.Sub()), e.Cell(0).Load(), by)
	}
}

// countersPerLine is how many counters stand in a line.
const countersPerLine = 8

func (p *profilePrinter) counters(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%d counters", rows.Len())
	p.counterRows(rows)
}

func (p *profilePrinter) counterRows(rows reader.Rows) {
	for first := 0; first < rows.Len(); first += countersPerLine {
		line := fmt.Sprintf("%4d:", first)
		for i := first; i < min(first+countersPerLine, rows.Len()); i++ {
			line += fmt.Sprintf(" %d", rows.Cell(i, 0).Load())
		}
		p.row("%s", line)
	}
}

// whole is the sum of the second cells of the rows.
func whole(rows reader.Rows) (sum uint64) {
	for i := range rows.Len() {
		sum = disk.SaturatingAdd(sum, rows.Cell(i, 1).Load())
	}
	return sum
}

func (p *profilePrinter) valueSite(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%s", named(siteNames, e.Sub()))
	p.siteValues(e, rows)
}

func (p *profilePrinter) siteValues(e reader.Entry, rows reader.Rows) {
	sum := whole(rows)
	for i := range rows.Len() {
		v := rows.Cell(i, 0).Load()
		text := fmt.Sprintf("%d bytes", v)
		if e.Sub() != layout.SubMemOpSize {
			text = p.target(e.Sub(), v)
		}
		p.shareRow(rows.Cell(i, 1).Load(), sum, text)
	}
}

// target names the function or vtable whose id is a value, if the archive has
// it.
func (p *profilePrinter) target(sub uint16, id uint64) string {
	if p.targets == nil {
		var err error
		if p.targets, err = llvm.NewValueNames(p.s); err != nil {
			p.err = errors.Join(p.err, err)
			return app.FormatID(id)
		}
	}
	if sub == layout.SubVTable {
		if name, ok := p.targets.VTable(id); ok {
			return escape.Printable(name)
		}
	} else if name, ok, _ := p.targets.Function(id); ok {
		return escape.Printable(name.String())
	}
	if id == 0 {
		return "not known"
	}
	return "id " + app.FormatID(id)
}

func (p *profilePrinter) bitmap(e reader.Entry) {
	b, _ := e.Bitmap()
	set := 0
	for _, v := range b {
		set += bits.OnesCount8(v)
	}
	p.line("%d of %d bits set: %x", set, 8*len(b), b)
}

func (p *profilePrinter) successors(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%d successors", rows.Len())
	for i := range rows.Len() {
		point, index := disk.UnpackSuccessor(rows.Cell(i, 0).Load())
		p.shareRow(rows.Cell(i, 1).Load(), whole(rows), fmt.Sprintf("to %d (%d)", point, index))
	}
}

func (p *profilePrinter) callees(e reader.Entry) {
	rows, _ := e.Rows()
	p.line("%d callees", rows.Len())
	for i := range rows.Len() {
		m, err := rows.Method(i)
		if err != nil && p.err == nil {
			p.err = err
		}
		p.shareRow(rows.Cell(i, 1).Load(), whole(rows), p.methodName(m))
	}
}
