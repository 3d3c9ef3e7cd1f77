package hexdump

import (
	"fmt"
	"math/bits"
)

func (d *dumper) printHeader() {
	d.printHeading("header: %s", formatPlural(int64(d.readU32(16)), "byte"))
	d.printBytes(8, "magic")
	d.printNumber(4, "byte order", func(v uint64) string { return fmt.Sprintf("%#08x", v) })
	d.printNumber(4, "version", formatHex)
	d.printNumber(4, "header size", formatDecimal)
	d.printBytes(4, "zero")
	d.printNumber(8, "file size", formatDecimal)
	d.printNumber(8, "header sum", formatHash)
	d.printNumber(8, "required features", formatHex)
	d.printNumber(8, "optional features", formatHex)
	d.printNumber(8, "read-only features", formatHex)
	d.printNumber(4, "domain", formatDecimal)
	d.printNumber(4, "page shift", formatDecimal)
	d.printNumber(8, "requested base", formatHex)
	d.printNumber(4, "rw alignment", formatDecimal)
	d.printNumber(4, "max probe", formatDecimal)
	d.printNumber(8, "seed", formatDecimal)
	d.printNumber(8, "sum root", formatHash)
	d.printNumber(8, "index lines", formatDecimal)
	d.printBytes(16, "fingerprint")
	d.printBytes(16, "dump id")
	d.printNumber(8, "dump time", formatSigned)
	d.printNumber(8, "flags", formatHex)
	d.printSettings()
	d.printBytes(64, "producer")
	for i, name := range regionNames {
		d.printNumber(8, fmt.Sprintf("region %d, %s: offset", i+1, name), formatHex)
		d.printNumber(8, "size", formatDecimal)
		d.printNumber(4, "protection", formatDecimal)
		d.printNumber(4, "kind", formatDecimal)
	}
	for _, name := range sectionNames {
		d.printNumber(8, "section "+name+": offset", formatHex)
		d.printNumber(8, "size", formatDecimal)
	}
	for _, name := range []string{"methods", "unexecuted methods", "MethodData blocks", "contexts", "types", "symbols",
		"entries", "pointer slots"} {
		d.printNumber(8, "count of "+name, formatDecimal)
	}
	for _, name := range []string{"sum of invocations", "highest invocations", "sum of counts", "highest count"} {
		d.printNumber(8, "summary: "+name, formatDecimal)
	}
	d.printBytes(16, "producer id")
	d.printBytes(16, "zero")
}

// printSettings prints the settings up to the last nonzero one, and then a run of zeros.
func (d *dumper) printSettings() {
	names := []string{"type rows", "bci rows", "gap", "type profile level", "VM release", "LLVM version", "LLVM variant",
		"profile traps", "LLVM newest version"}
	end := d.at + 64
	for i := 0; d.at < end; i++ {
		if d.countZeros(end) > bytesPerLine {
			d.printBytes(end-d.at, fmt.Sprintf("settings %d to 15", i))
		} else if i < len(names) {
			d.printNumber(4, fmt.Sprintf("setting %d, %s", i, names[i]), formatDecimal)
		} else {
			d.printNumber(4, fmt.Sprintf("setting %d", i), formatDecimal)
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
				d.printNumber(8, fmt.Sprintf("sum of page %d", start/page+j), formatHash)
			} else {
				d.printNumber(8, fmt.Sprintf("level %d, sum %d", level, j), formatHash)
			}
		}
	}
	d.printPaddingTo(ps.end())
}

func (d *dumper) printIndex(ix span) {
	const slots = 10
	for n := 0; d.at < ix.end(); n++ {
		for i := range slots {
			d.printNumber(2, fmt.Sprintf("line %d, slot %d: fingerprint", n, i), formatDecimal)
		}
		d.printNumber(2, "overflow", formatHex)
		d.printNumber(1, "multiplier", formatDecimal)
		d.printNumber(1, "spilled", formatDecimal)
		for i := range slots {
			d.printNumber(4, fmt.Sprintf("slot %d: record", i), d.referenceFormatter(d.recordKind))
		}
	}
}

func (d *dumper) printBitmaps(bm span) {
	if bm.size == 0 {
		return
	}
	chunks := int64(d.printNumber(4, "chunks", formatDecimal))
	d.printBytes(4, "zero")
	directory := d.at
	for i := range chunks {
		d.printNumber(4, fmt.Sprintf("chunk %d: bitmap", i), d.referenceFormatter(func(int64) string { return "bitmap" }))
		d.printNumber(4, "size of the bitmap", formatDecimal)
	}
	for i := range chunks {
		if size := int64(d.readU32(directory + 8*i + 4)); size > 0 {
			d.printBitmap(size)
		}
	}
	d.printPaddingTo(bm.end())
}

func (d *dumper) printBitmap(size int64) {
	const slotsInArray = 4096
	end := d.at + size
	d.printNumber(4, "cookie", formatDecimal)
	d.printNumber(4, "containers", formatDecimal)
	d.printNumber(2, "key", formatDecimal)
	slots := d.printNumber(2, "last slot", formatDecimal) + 1
	d.printNumber(4, "start", formatDecimal)
	for i := uint64(0); slots <= slotsInArray && i < slots; i++ {
		d.printNumber(2, "pointer slot: word", func(v uint64) string {
			return fmt.Sprintf("%d, at %#x", v, d.header.regions["rw"].offset+int64(v)*8)
		})
	}
	for i := 0; d.at < end; i += 64 {
		d.printNumber(8, fmt.Sprintf("pointer slots %d to %d", i, i+63),
			func(v uint64) string { return formatDecimal(uint64(bits.OnesCount64(v))) + " set" })
	}
	d.printUnitPadding()
}

func (d *dumper) printTables(ex span) {
	if ex.size == 0 {
		return
	}
	tables := int64(d.printNumber(4, "tables", formatDecimal))
	d.printBytes(4, "zero")
	for i := range tables {
		d.printNumber(4, fmt.Sprintf("table %d: kind", i), formatDecimal)
		d.printBytes(4, "zero")
		d.printNumber(8, "offset", formatHex)
		d.printNumber(8, "size", formatDecimal)
	}
	for range tables {
		d.printTable()
	}
}

func (d *dumper) printTable() {
	d.printNumber(4, "table: kind", formatDecimal)
	d.printNumber(4, "flags", formatHex)
	columns := int64(d.printNumber(4, "columns", formatDecimal))
	rows := int64(d.printNumber(4, "rows", formatDecimal))
	kinds := d.at
	for i := range columns {
		d.printNumber(1, fmt.Sprintf("column %d: kind", i), formatDecimal)
	}
	d.printUnitPadding()
	for i := range columns {
		size, as := d.columnCells(d.data[kinds+i])
		for row := range rows {
			d.printNumber(size, fmt.Sprintf("column %d, row %d", i, row), as)
		}
		d.printUnitPadding()
	}
}

// columnCells returns the size in bytes and the format of a column's cells.
func (d *dumper) columnCells(kind byte) (size int64, as formatter) {
	switch kind {
	case 1:
		return 8, formatDecimal
	case 2:
		return 4, d.referenceFormatter(d.symbolText)
	case 3:
		return 4, d.referenceFormatter(d.typeName)
	case 4:
		return 4, d.referenceFormatter(d.methodName)
	case 5:
		return 4, d.referenceFormatter(d.blockName)
	case 6:
		return 4, d.referenceFormatter(contextName)
	}
	return 4, formatDecimal
}
