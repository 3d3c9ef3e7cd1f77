package main

import (
	"fmt"
	"math/bits"
)

func (d *dumper) printHeader() {
	d.heading("header: %s", plural(int64(d.u32(16)), "byte"))
	d.bytes(8, "magic")
	d.number(4, "byte order", func(v uint64) string { return fmt.Sprintf("%#08x", v) })
	d.number(4, "version", hex)
	d.number(4, "header size", decimal)
	d.bytes(4, "zero")
	d.number(8, "file size", decimal)
	d.number(8, "header sum", hash)
	d.number(8, "required features", hex)
	d.number(8, "optional features", hex)
	d.number(8, "read-only features", hex)
	d.number(4, "domain", decimal)
	d.number(4, "page shift", decimal)
	d.number(8, "requested base", hex)
	d.number(4, "rw alignment", decimal)
	d.number(4, "max probe", decimal)
	d.number(8, "seed", decimal)
	d.number(8, "sum root", hash)
	d.number(8, "index lines", decimal)
	d.bytes(16, "fingerprint")
	d.bytes(16, "dump id")
	d.number(8, "dump time", signed)
	d.number(8, "flags", hex)
	d.printSettings()
	d.bytes(64, "producer")
	for i, name := range regionNames {
		d.number(8, fmt.Sprintf("region %d, %s: offset", i+1, name), hex)
		d.number(8, "size", decimal)
		d.number(4, "protection", decimal)
		d.number(4, "kind", decimal)
	}
	for _, name := range sectionNames {
		d.number(8, "section "+name+": offset", hex)
		d.number(8, "size", decimal)
	}
	for _, name := range []string{"methods", "unexecuted methods", "MethodData blocks", "contexts", "types", "symbols",
		"entries", "pointer slots"} {
		d.number(8, "count of "+name, decimal)
	}
	for _, name := range []string{"sum of invocations", "highest invocations", "sum of counts", "highest count"} {
		d.number(8, "summary: "+name, decimal)
	}
	d.bytes(16, "producer id")
	d.bytes(16, "zero")
}

// printSettings prints the settings up to the last nonzero one, and then a run of zeros.
func (d *dumper) printSettings() {
	names := []string{"type rows", "bci rows", "gap", "type profile level", "VM release", "LLVM version", "LLVM variant",
		"profile traps", "LLVM newest version"}
	end := d.at + 64
	for i := 0; d.at < end; i++ {
		if d.zeros(end) > bytesPerLine {
			d.bytes(end-d.at, fmt.Sprintf("settings %d to 15", i))
		} else if i < len(names) {
			d.number(4, fmt.Sprintf("setting %d, %s", i, names[i]), decimal)
		} else {
			d.number(4, fmt.Sprintf("setting %d", i), decimal)
		}
	}
}

// printSums prints the tree of page checksums, the top level first.
func (d *dumper) printSums(ps span) {
	const page, group = 4096, 64
	start := d.header.regions["ix"].offset
	end := int64(len(d.data))
	var levels []int64
	if end > start {
		for n := (end-1)/page - start/page + 1; ; n = (n + group - 1) / group {
			levels = append([]int64{n}, levels...)
			if n <= group {
				break
			}
		}
	}
	for i, n := range levels {
		for j := range n {
			if level := len(levels) - 1 - i; level == 0 {
				d.number(8, fmt.Sprintf("sum of page %d", start/page+j), hash)
			} else {
				d.number(8, fmt.Sprintf("level %d, sum %d", level, j), hash)
			}
		}
	}
	d.padTo(ps.end())
}

func (d *dumper) printIndex(ix span) {
	const slots = 10
	for n := 0; d.at < ix.end(); n++ {
		for i := range slots {
			d.number(2, fmt.Sprintf("line %d, slot %d: fingerprint", n, i), decimal)
		}
		d.number(2, "overflow", hex)
		d.number(1, "multiplier", decimal)
		d.number(1, "spilled", decimal)
		for i := range slots {
			d.number(4, fmt.Sprintf("slot %d: record", i), d.reference(d.recordKind))
		}
	}
}

func (d *dumper) printBitmaps(bm span) {
	if bm.size == 0 {
		return
	}
	chunks := int64(d.number(4, "chunks", decimal))
	d.bytes(4, "zero")
	directory := d.at
	for i := range chunks {
		d.number(4, fmt.Sprintf("chunk %d: bitmap", i), d.reference(func(int64) string { return "bitmap" }))
		d.number(4, "size of the bitmap", decimal)
	}
	for i := range chunks {
		if size := int64(d.u32(directory + 8*i + 4)); size > 0 {
			d.printBitmap(size)
		}
	}
	d.padTo(bm.end())
}

func (d *dumper) printBitmap(size int64) {
	const slotsInArray = 4096
	end := d.at + size
	d.number(4, "cookie", decimal)
	d.number(4, "containers", decimal)
	d.number(2, "key", decimal)
	slots := d.number(2, "last slot", decimal) + 1
	d.number(4, "start", decimal)
	for i := uint64(0); slots <= slotsInArray && i < slots; i++ {
		d.number(2, "pointer slot: word", func(v uint64) string {
			return fmt.Sprintf("%d, at %#x", v, d.header.regions["rw"].offset+int64(v)*8)
		})
	}
	for i := 0; d.at < end; i += 64 {
		d.number(8, fmt.Sprintf("pointer slots %d to %d", i, i+63),
			func(v uint64) string { return decimal(uint64(bits.OnesCount64(v))) + " set" })
	}
	d.padUnit()
}

func (d *dumper) printTables(ex span) {
	if ex.size == 0 {
		return
	}
	tables := int64(d.number(4, "tables", decimal))
	d.bytes(4, "zero")
	for i := range tables {
		d.number(4, fmt.Sprintf("table %d: kind", i), decimal)
		d.bytes(4, "zero")
		d.number(8, "offset", hex)
		d.number(8, "size", decimal)
	}
	for range tables {
		d.printTable()
	}
}

func (d *dumper) printTable() {
	d.number(4, "table: kind", decimal)
	d.number(4, "flags", hex)
	columns := int64(d.number(4, "columns", decimal))
	rows := int64(d.number(4, "rows", decimal))
	kinds := d.at
	for i := range columns {
		d.number(1, fmt.Sprintf("column %d: kind", i), decimal)
	}
	d.padUnit()
	for i := range columns {
		size, as := d.columnCells(d.data[kinds+i])
		for row := range rows {
			d.number(size, fmt.Sprintf("column %d, row %d", i, row), as)
		}
		d.padUnit()
	}
}

// columnCells returns the size in bytes and the format of a column's cells.
func (d *dumper) columnCells(kind byte) (size int64, as render) {
	switch kind {
	case 1:
		return 8, decimal
	case 2:
		return 4, d.reference(d.symbol)
	case 3:
		return 4, d.reference(d.typeName)
	case 4:
		return 4, d.reference(d.methodName)
	case 5:
		return 4, d.reference(d.blockName)
	case 6:
		return 4, d.reference(contextName)
	}
	return 4, decimal
}
