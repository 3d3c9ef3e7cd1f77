package main

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

// section prints the heading of a section unless it is empty, and returns its end.
func (d *dumper) section(name string) (end int64) {
	if s := d.header.sections[name]; s.size > 0 {
		d.heading("ro, %s: %s", name, plural(s.size, "byte"))
	}
	return d.header.sections[name].end()
}

func (d *dumper) printRecords(span) {
	d.records("symbols", d.printSymbol)
	d.records("types", d.printType)
	d.records("methods", d.printMethod)
	d.printUnexecuted(d.section("unexecuted"))
	d.records("contexts", d.printContext)
}

// records prints the records of a section.
func (d *dumper) records(name string, print func()) {
	for end := d.section(name); d.at < end; {
		print()
	}
}

func (d *dumper) printType() {
	d.number(8, "type: id", hash)
	d.number(4, "name", d.reference(d.symbol))
	d.number(4, "loader", d.reference(d.symbol))
	d.number(4, "alias", d.reference(d.symbol))
	d.number(4, "flags", hex)
}

func (d *dumper) printContext() {
	d.number(4, "context: parent", d.reference(d.recordKind))
	d.number(4, "caller", d.reference(d.methodName))
	d.number(4, "point", signed32)
	d.number(4, "profiles", d.reference(d.blockName))
}

func (d *dumper) printSymbol() {
	const list = 1 << 31
	n := d.u32(d.at)
	if n&list != 0 {
		d.number(4, "symbol: parts", func(v uint64) string { return decimal(v &^ list) })
		parts := int64(n &^ list)
		for i := range parts {
			d.number(4, fmt.Sprintf("part %d", i), d.reference(d.symbol))
		}
	} else {
		text := d.symbol(d.at)
		d.number(4, "symbol: length", decimal)
		d.bytes(int64(n), text)
	}
	d.padUnit()
}

func (d *dumper) printMethod() {
	start := d.at
	units := d.u16(start + 4)
	flags := d.u16(start + 6)
	if flags&methodNamed != 0 {
		d.number(4, "method: profiles", d.reference(d.blockName))
	} else {
		d.number(4, "method: name", d.reference(d.symbol))
	}
	d.number(2, "units", decimal)
	d.number(2, "flags", hex)
	if flags&methodHasID != 0 {
		d.number(8, "id", hash)
	}
	if flags&methodNamed != 0 {
		name := d.recordName(start)
		d.bytes(int64(len(name)), "name: "+quoted([]byte(name)))
		d.padTo(start + 8*int64(units))
	}
	if flags&methodDeclared != 0 {
		d.number(4, "holder", d.reference(d.typeName))
		d.number(4, "signature", d.reference(d.symbol))
	}
	if flags&methodProfiled != 0 {
		d.number(4, "profiles", d.reference(d.blockName))
		d.number(4, "access", hex)
	}
	if flags&methodInContext != 0 {
		d.number(4, "contexts", d.reference(contextName))
		d.number(4, "number", decimal)
	}
}

func (d *dumper) printUnexecuted(end int64) {
	if d.at >= end {
		return
	}
	classes := int64(d.number(4, "classes", decimal))
	d.bytes(4, "zero")
	for range classes {
		d.number(4, "class row: holder", d.reference(d.typeName))
		d.number(4, "end", decimal)
	}
	for d.at < end {
		d.number(4, "row: name", d.reference(d.symbol))
		d.number(4, "signature", d.reference(d.symbol))
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
	end := d.at + 8*int64(d.u32(d.at))
	if end <= d.at {
		panic("a block without a size")
	}
	d.heading("rw, %s: %s", d.blockName(d.at), plural(end-d.at, "byte"))
	d.number(4, "units", decimal)
	d.number(4, "method", d.reference(d.methodName))
	presence := d.number(4, "presence", func(v uint64) string { return fmt.Sprintf("%#b", v) })
	data := d.number(4, "data units", decimal)
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
		d.number(4, "directory: point", signed32)
		d.number(4, "entry", func(v uint64) string { return decimal(v) + " units" })
	}
	d.padTo(end)
}

// blockFields has a function for each optional field of a block, indexed by presence bit.
var blockFields = []func(*dumper, *sections){
	func(d *dumper, _ *sections) { d.number(8, "id: of the method", hash) },
	func(d *dumper, _ *sections) { d.number(8, "invocations", decimal) },
	func(d *dumper, _ *sections) {
		for _, part := range []string{"key: class", "name", "signature", "loader"} {
			d.number(4, part, d.reference(d.symbol))
		}
	},
	func(d *dumper, _ *sections) {
		d.number(4, "links: context", d.reference(contextName))
		d.number(4, "next", d.reference(d.blockName))
	},
	func(d *dumper, _ *sections) { d.number(8, "code: code id", hash) },
	func(d *dumper, _ *sections) { d.numbers(4, "size: of the code", "of the producer's record") },
	func(d *dumper, _ *sections) { d.number(8, "backedges", decimal) },
	func(d *dumper, _ *sections) { d.number(8, "interpreted", decimal) },
	func(d *dumper, _ *sections) {
		d.numbers(4, "history: decompiles", "overflow recompiles", "overflow traps", "tenure traps")
	},
	func(d *dumper, _ *sections) {
		d.numbers(1, "compile: highest level", "state", "would profile")
		d.bytes(1, "zero")
		d.numbers(2, "loops", "blocks")
	},
	func(d *dumper, _ *sections) { d.numbers(8, "escape: flags", "local", "on stack", "returned") },
	func(d *dumper, _ *sections) {
		n := d.number(4, "traps: reasons", decimal)
		d.bytes(4, "zero")
		d.bytes(int64(n), "traps by reason")
		d.padUnit()
	},
	func(d *dumper, s *sections) {
		s.extra = d.number(4, "sections: units of extra entries", decimal)
		s.parameters = d.number(4, "of parameters", decimal)
		s.handlers = d.number(4, "of handlers", decimal)
		d.bytes(4, "zero")
	},
	func(d *dumper, s *sections) {
		s.directory = d.number(4, "directory: rows", decimal)
		d.bytes(4, "zero")
	},
}

// numbers prints a number for each name.
func (d *dumper) numbers(size int64, names ...string) {
	for _, name := range names {
		d.number(size, name, decimal)
	}
}

// printEntry prints an entry of a section that ends at end.
func (d *dumper) printEntry(section string, end int64) {
	entry, _, err := d.header.shape.Next(d.data[d.at:end])
	if err != nil {
		panic(err)
	}
	tag := entry.Tag()
	d.number(1, section+": tag", func(v uint64) string { return decimal(v) + ", " + tag.String() })
	d.number(1, "flags", hex)
	if disk.IsWide(tag) {
		d.number(2, "sub", decimal)
		d.number(4, "point", signed32)
		d.number(4, "cells", decimal)
		d.number(4, "rows", decimal)
	} else {
		d.number(2, "bci", decimal)
		d.number(4, "traps", hex)
	}
	for rows := range d.header.shape.Groups(entry) {
		for row := range rows.N {
			for _, c := range rows.Cells {
				name := c.Name
				if rows.Name != "" {
					name = fmt.Sprintf("row %d, %s", row, name)
				}
				d.number(8, name, d.cellRender(c.Kind))
			}
		}
	}
}

func (d *dumper) cellRender(kind disk.CellKind) render {
	const typeWordTags = 3
	switch kind {
	case disk.CellType:
		return d.pointer(0, d.typeName)
	case disk.CellTypeWord:
		return d.pointer(typeWordTags, d.typeName)
	case disk.CellMethod:
		return d.pointer(0, d.methodName)
	case disk.CellDisplacement, disk.CellFlags:
		return signed
	case disk.CellSuccessor, disk.CellTraps, disk.CellBits:
		return hex
	}
	return decimal
}
