package hexdump

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

var le = binary.LittleEndian

const bytesPerLine = 8

// longestText is the maximum number of printed bytes of a name.
const longestText = 500

// A line is a range of the file and its description, or a heading.
type line struct {
	Offset int64
	Bytes  []byte // bytesPerLine bytes or less, more if Zeros is set, none for a heading
	Zeros  bool   // all Bytes are zero
	Text   string // description, or "" for the continuation of a range
}

// A dumper yields the ranges of an archive in file order.
type dumper struct {
	yield  func(line)
	data   []byte
	at     int64 // end of the last yielded range
	header header
}

type span struct{ offset, size int64 }

func (s span) end() int64 { return s.offset + s.size }

type header struct {
	base     uint64
	shape    disk.Shape
	regions  map[string]span
	sections map[string]span
	contexts int64
}

var (
	regionNames  = []string{"ps", "ix", "ro", "bm", "ex", "rw"}
	sectionNames = []string{"symbols", "types", "methods", "unexecuted", "contexts"}
)

// annotate yields the lines of an archive. It returns an error if the archive is damaged.
func annotate(data []byte, yield func(line)) (err error) {
	defer func() {
		if p := recover(); p != nil { // an offset is outside the file, or an entry is malformed
			err = fmt.Errorf("not a sound archive: %v", p)
		}
	}()
	d := &dumper{yield: yield, data: data}
	d.readHeader()
	d.printHeader()
	for _, r := range []struct {
		name  string
		print func(span)
	}{{"ps", d.printSums}, {"ix", d.printIndex}, {"ro", d.printRecords}, {"bm", d.printBitmaps}, {"ex", d.printTables},
		{"rw", d.printBlocks}} {
		s := d.header.regions[r.name]
		d.beginRegion(r.name, s)
		r.print(s)
	}
	return nil
}

func (d *dumper) readHeader() {
	at := func(i, row, size int) span {
		row += i * size
		return span{int64(le.Uint64(d.data[row:])), int64(le.Uint64(d.data[row+8:]))}
	}
	d.header = header{base: d.readU64(72), regions: map[string]span{}, sections: map[string]span{},
		contexts: int64(d.readU64(512 + 24))}
	d.header.shape = disk.Shape{TypeRows: int(d.readU32(160)), BciRows: int(d.readU32(164)), Gap: int(d.readU32(168))}
	if h, err := disk.ParseHeader(d.data, int64(len(d.data))); err == nil && h.Domain == layout.DomainCustom {
		d.header.shape.Declared, _ = disk.ReadDeclared(h, func(_ layout.Region, offset, size int64) ([]byte, error) {
			return d.data[offset : offset+size], nil
		})
	}
	for i, name := range regionNames {
		d.header.regions[name] = at(i, 288, 24)
	}
	for i, name := range sectionNames {
		d.header.sections[name] = at(i, 432, 16)
	}
}

func (d *dumper) readU16(at int64) uint16 { return le.Uint16(d.data[at:]) }
func (d *dumper) readU32(at int64) uint32 { return le.Uint32(d.data[at:]) }
func (d *dumper) readU64(at int64) uint64 { return le.Uint64(d.data[at:]) }

// beginRegion prints the padding before a region and its heading. In ro, each section has a heading instead.
func (d *dumper) beginRegion(name string, s span) {
	d.printPaddingTo(s.offset)
	if s.size > 0 && name != "ro" {
		d.printHeading("%s: %s at %#x", name, formatPlural(s.size, "byte"), s.offset)
	}
}

func formatPlural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func (d *dumper) printHeading(format string, args ...any) {
	d.yield(line{Offset: d.at, Text: fmt.Sprintf(format, args...)})
}

func (d *dumper) printPaddingTo(end int64) {
	if end > d.at {
		d.printBytes(end-d.at, "padding")
	}
}

// printUnitPadding prints the bytes up to the next multiple of 8 as padding.
func (d *dumper) printUnitPadding() { d.printPaddingTo((d.at + 7) &^ 7) }

func (d *dumper) printBytes(n int64, text string) {
	end := d.at + n
	for d.at < end {
		l := line{Offset: d.at, Text: text}
		if zeros := d.countZeros(end); zeros > bytesPerLine {
			l.Bytes = d.data[d.at:][:zeros]
			l.Zeros = true
		} else {
			l.Bytes = d.data[d.at:][:min(bytesPerLine, end-d.at)]
		}
		d.at += int64(len(l.Bytes))
		d.yield(l)
		text = ""
	}
}

// countZeros returns the number of bytes up to end if all of them are zero, otherwise 0.
func (d *dumper) countZeros(end int64) int64 {
	for _, b := range d.data[d.at:end] {
		if b != 0 {
			return 0
		}
	}
	return end - d.at
}

type formatter func(uint64) string

func formatDecimal(v uint64) string  { return strconv.FormatUint(v, 10) }
func formatSigned(v uint64) string   { return strconv.FormatInt(int64(v), 10) }
func formatSigned32(v uint64) string { return strconv.FormatInt(int64(int32(v)), 10) }
func formatHex(v uint64) string      { return fmt.Sprintf("%#x", v) }
func formatHash(v uint64) string     { return fmt.Sprintf("%016x", v) }

func (d *dumper) printNumber(size int64, name string, as formatter) uint64 {
	var word [8]byte
	copy(word[:], d.data[d.at:][:size])
	v := le.Uint64(word[:])
	d.printBytes(size, name+": "+as(v))
	return v
}

// referenceFormatter returns a formatter of a file reference, which prints its offset and a description of its target.
func (d *dumper) referenceFormatter(text func(at int64) string) formatter {
	return func(v uint64) string {
		if v == 0 {
			return "none"
		}
		return fmt.Sprintf("at %#x, %s", v*8, text(int64(v)*8))
	}
}

// pointerFormatter returns a formatter of a pointer cell. tags is a mask of its tag bits.
func (d *dumper) pointerFormatter(tags uint64, text func(at int64) string) formatter {
	return func(v uint64) string {
		if v&^tags == 0 {
			return "none"
		}
		at := v&^tags - d.header.base
		return fmt.Sprintf("base + %#x, %s", at, text(int64(at)))
	}
}

// partsShown is the maximum number of printed parts of a list symbol.
const partsShown = 32

func (d *dumper) symbolText(at int64) string {
	n := int64(d.readU32(at))
	parts := n &^ (1 << 31)
	if parts == n {
		return quotePrefix(d.data[at+4 : at+4+n])
	}
	var names []string
	for i := range min(parts, partsShown) {
		part := int64(d.readU32(at+4+4*i)) * 8
		if d.readU32(part)&(1<<31) != 0 {
			panic("a list symbol is part of another") // prevents infinite recursion
		}
		names = append(names, d.symbolText(part))
	}
	if parts > partsShown {
		names = append(names, "...")
	}
	return "list of " + strings.Join(names, ", ")
}

func quotePrefix(text []byte) string {
	if len(text) > longestText {
		return strconv.QuoteToASCII(string(text[:longestText])) + "..."
	}
	return strconv.QuoteToASCII(string(text))
}

func (d *dumper) typeName(at int64) string { return "type " + d.symbolText(int64(d.readU32(at+8))*8) }

// methodName describes a method record or a row of the section unexecuted.
func (d *dumper) methodName(at int64) string {
	if at >= d.header.sections["unexecuted"].offset {
		return "method " + d.symbolText(int64(d.readU32(at))*8)
	}
	if d.readU16(at+6)&methodNamed != 0 {
		return "method " + quotePrefix([]byte(d.recordName(at)))
	}
	return "method " + d.symbolText(int64(d.readU32(at))*8)
}

func (d *dumper) recordName(at int64) string {
	name := at + 8
	if d.readU16(at+6)&methodHasID != 0 {
		name += 8
	}
	return strings.TrimRight(string(d.data[name:at+8*int64(d.readU16(at+4))]), "\x00")
}

func (d *dumper) recordKind(at int64) string {
	switch s := d.header.sections; {
	case at >= d.header.regions["rw"].offset:
		return d.blockName(at)
	case at >= s["contexts"].offset:
		return "context"
	case at >= s["methods"].offset:
		return d.methodName(at)
	}
	return d.typeName(at)
}

func (d *dumper) blockName(at int64) string {
	return "MethodData of " + d.methodName(int64(d.readU32(at+4))*8)
}

func contextName(int64) string { return "context" }
