package hexdump

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
)

// Flags of a method record.
const (
	methodDeclared  = 1 << 0
	methodProfiled  = 1 << 1
	methodInContext = 1 << 2
	methodNamed     = 1 << 6
	methodHasID     = 1 << 7
)

// beginSection prints the heading of a section unless it is empty, and returns its end.
func (d *dumper) beginSection(name string) (end int64) {
	if s := d.header.sections[name]; s.size > 0 {
		d.printHeading("ro, %s: %s", name, formatPlural(s.size, "byte"))
	}
	return d.header.sections[name].end()
}

func (d *dumper) printRecords(span) {
	d.printSection("symbols", d.printSymbol)
	d.printSection("types", d.printType)
	d.printSection("methods", d.printMethod)
	d.printUnexecuted(d.beginSection("unexecuted"))
	d.printSection("contexts", d.printContext)
}

func (d *dumper) printSection(name string, print func()) {
	for end := d.beginSection(name); d.at < end; {
		print()
	}
}

func (d *dumper) printType() {
	d.printNumber(8, "type: id", formatHash)
	d.printNumber(4, "name", d.referenceFormatter(d.symbolText))
	d.printNumber(4, "loader", d.referenceFormatter(d.symbolText))
	d.printNumber(4, "alias", d.referenceFormatter(d.symbolText))
	d.printNumber(4, "flags", formatHex)
}

func (d *dumper) printContext() {
	d.printNumber(4, "context: parent", d.referenceFormatter(d.recordKind))
	d.printNumber(4, "caller", d.referenceFormatter(d.methodName))
	d.printNumber(4, "point", formatSigned32)
	d.printNumber(4, "profiles", d.referenceFormatter(d.blockName))
}

func (d *dumper) printSymbol() {
	const list = 1 << 31
	n := d.readU32(d.at)
	if n&list != 0 {
		d.printNumber(4, "symbol: parts", func(v uint64) string { return formatDecimal(v &^ list) })
		parts := int64(n &^ list)
		for i := range parts {
			d.printNumber(4, fmt.Sprintf("part %d", i), d.referenceFormatter(d.symbolText))
		}
	} else {
		text := d.symbolText(d.at)
		d.printNumber(4, "symbol: length", formatDecimal)
		d.printBytes(int64(n), text)
	}
	d.printUnitPadding()
}

func (d *dumper) printMethod() {
	start := d.at
	units := d.readU16(start + 4)
	flags := d.readU16(start + 6)
	if flags&methodNamed != 0 {
		d.printNumber(4, "method: profiles", d.referenceFormatter(d.blockName))
	} else {
		d.printNumber(4, "method: name", d.referenceFormatter(d.symbolText))
	}
	d.printNumber(2, "units", formatDecimal)
	d.printNumber(2, "flags", formatHex)
	if flags&methodHasID != 0 {
		d.printNumber(8, "id", formatHash)
	}
	if flags&methodNamed != 0 {
		name := d.recordName(start)
		d.printBytes(int64(len(name)), "name: "+quotePrefix([]byte(name)))
		d.printPaddingTo(start + 8*int64(units))
	}
	if flags&methodDeclared != 0 {
		d.printNumber(4, "holder", d.referenceFormatter(d.typeName))
		d.printNumber(4, "signature", d.referenceFormatter(d.symbolText))
	}
	if flags&methodProfiled != 0 {
		d.printNumber(4, "profiles", d.referenceFormatter(d.blockName))
		d.printNumber(4, "access", formatHex)
	}
	if flags&methodInContext != 0 {
		d.printNumber(4, "contexts", d.referenceFormatter(contextName))
		d.printNumber(4, "number", formatDecimal)
	}
}

func (d *dumper) printUnexecuted(end int64) {
	if d.at >= end {
		return
	}
	classes := int64(d.printNumber(4, "classes", formatDecimal))
	d.printBytes(4, "zero")
	for range classes {
		d.printNumber(4, "class row: holder", d.referenceFormatter(d.typeName))
		d.printNumber(4, "end", formatDecimal)
	}
	for d.at < end {
		d.printNumber(4, "row: name", d.referenceFormatter(d.symbolText))
		d.printNumber(4, "signature", d.referenceFormatter(d.symbolText))
	}
}

func (d *dumper) printBlocks(rw span) {
	for d.at < rw.end() {
		d.printBlock()
	}
}

// sections has the sizes of a block's sections in units, and the number of rows of its directory.
type sections struct{ extra, parameters, handlers, directory uint64 }

func (d *dumper) printBlock() {
	end := d.at + 8*int64(d.readU32(d.at))
	if end <= d.at {
		panic("a block without a size")
	}
	d.printHeading("rw, %s: %s", d.blockName(d.at), formatPlural(end-d.at, "byte"))
	d.printNumber(4, "units", formatDecimal)
	d.printNumber(4, "method", d.referenceFormatter(d.methodName))
	presence := d.printNumber(4, "presence", func(v uint64) string { return fmt.Sprintf("%#b", v) })
	data := d.printNumber(4, "data units", formatDecimal)
	var s sections
	for bit := range blockFields {
		if presence&(1<<bit) != 0 {
			blockFields[bit](d, &s)
		}
	}
	for _, section := range []struct {
		name  string
		units uint64
	}{{"entry", data}, {"extra entry", s.extra}, {"parameters entry", s.parameters}, {"handler entry", s.handlers}} {
		for end := d.at + 8*int64(section.units); d.at < end; {
			d.printEntry(section.name, end)
		}
	}
	for range int64(s.directory) {
		d.printNumber(4, "directory: point", formatSigned32)
		d.printNumber(4, "entry", func(v uint64) string { return formatDecimal(v) + " units" })
	}
	d.printPaddingTo(end)
}

// blockFields has a function for each optional field of a block, indexed by presence bit.
var blockFields = []func(*dumper, *sections){
	func(d *dumper, _ *sections) { d.printNumber(8, "id: of the method", formatHash) },
	func(d *dumper, _ *sections) { d.printNumber(8, "invocations", formatDecimal) },
	func(d *dumper, _ *sections) {
		for _, part := range []string{"key: class", "name", "signature", "loader"} {
			d.printNumber(4, part, d.referenceFormatter(d.symbolText))
		}
	},
	func(d *dumper, _ *sections) {
		d.printNumber(4, "links: context", d.referenceFormatter(contextName))
		d.printNumber(4, "next", d.referenceFormatter(d.blockName))
	},
	func(d *dumper, _ *sections) { d.printNumber(8, "code: code id", formatHash) },
	func(d *dumper, _ *sections) { d.printNumbers(4, "size: of the code", "of the producer's record") },
	func(d *dumper, _ *sections) { d.printNumber(8, "backedges", formatDecimal) },
	func(d *dumper, _ *sections) { d.printNumber(8, "interpreted", formatDecimal) },
	func(d *dumper, _ *sections) {
		d.printNumbers(4, "history: decompiles", "overflow recompiles", "overflow traps", "tenure traps")
	},
	func(d *dumper, _ *sections) {
		d.printNumbers(1, "compile: highest level", "state", "would profile")
		d.printBytes(1, "zero")
		d.printNumbers(2, "loops", "blocks")
	},
	func(d *dumper, _ *sections) { d.printNumbers(8, "escape: flags", "local", "on stack", "returned") },
	func(d *dumper, _ *sections) {
		n := d.printNumber(4, "traps: reasons", formatDecimal)
		d.printBytes(4, "zero")
		d.printBytes(int64(n), "traps by reason")
		d.printUnitPadding()
	},
	func(d *dumper, s *sections) {
		s.extra = d.printNumber(4, "sections: units of extra entries", formatDecimal)
		s.parameters = d.printNumber(4, "of parameters", formatDecimal)
		s.handlers = d.printNumber(4, "of handlers", formatDecimal)
		d.printBytes(4, "zero")
	},
	func(d *dumper, s *sections) {
		s.directory = d.printNumber(4, "directory: rows", formatDecimal)
		d.printBytes(4, "zero")
	},
}

func (d *dumper) printNumbers(size int64, names ...string) {
	for _, name := range names {
		d.printNumber(size, name, formatDecimal)
	}
}

// printEntry prints an entry of a section that ends at end.
func (d *dumper) printEntry(section string, end int64) {
	entry, _, err := d.header.shape.NextEntry(d.data[d.at:end])
	if err != nil {
		panic(err)
	}
	tag := entry.Tag()
	d.printNumber(1, section+": tag", func(v uint64) string { return formatDecimal(v) + ", " + tag.String() })
	d.printNumber(1, "flags", formatHex)
	if disk.IsWide(tag) {
		d.printNumber(2, "sub", formatDecimal)
		d.printNumber(4, "point", formatSigned32)
		d.printNumber(4, "cells", formatDecimal)
		d.printNumber(4, "rows", formatDecimal)
	} else {
		d.printNumber(2, "bci", formatDecimal)
		d.printNumber(4, "traps", formatHex)
	}
	for rows := range d.header.shape.Groups(entry) {
		for row := range rows.N {
			for _, c := range rows.Cells {
				name := c.Name
				if rows.Name != "" {
					name = fmt.Sprintf("row %d, %s", row, name)
				}
				d.printNumber(8, name, d.cellFormatter(c.Kind))
			}
		}
	}
}

func (d *dumper) cellFormatter(kind disk.CellKind) formatter {
	const typeWordTags = 3
	switch kind {
	case disk.CellType:
		return d.pointerFormatter(0, d.typeName)
	case disk.CellTypeWord:
		return d.pointerFormatter(typeWordTags, d.typeName)
	case disk.CellMethod:
		return d.pointerFormatter(0, d.methodName)
	case disk.CellDisplacement, disk.CellFlags:
		return formatSigned
	case disk.CellSuccessor, disk.CellTraps, disk.CellBits:
		return formatHex
	}
	return formatDecimal
}
