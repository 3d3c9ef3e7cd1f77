// Package annotate names every range of an archive: what docs/format.md describes, of the bytes
// of a file. It is for people who learn the format.
//
// The ranges follow each other without a gap, so that the bytes of a file can be had back
// from them. A Window chooses some of them: a page of a large archive costs about as much as
// one of a small one, once FindStarts has found where records begin.
//
// An archive need not be sound. What cannot be read is an error, after the lines before it;
// names are cut where they are long, and no more is read than the window and what its records
// refer to. No sums are checked.
package annotate

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/format/disk"
)

var le = binary.LittleEndian

// bytesPerLine is the number of bytes of a line.
const bytesPerLine = 8

// longestText is how much of a name is shown, in bytes.
const longestText = 500

// A Line is a range of the file and what it is, or a heading.
type Line struct {
	Offset int64
	// Bytes are at most eight, or a run of more zeros. None for a heading.
	Bytes []byte
	Zeros bool // Bytes are a run of zeros
	// Text says what begins here: empty where a range goes on.
	Text string
}

// A Window chooses which lines of a file are wanted.
type Window struct {
	From, To int64 // in bytes
	// Starts, if not nil, knows where records begin. Otherwise those before the window are
	// read.
	Starts *Starts
}

// A dumper yields the ranges of an archive in file order. at is the end of what has been
// yielded.
type dumper struct {
	yield  func(Line)
	data   []byte
	at     int64
	window Window
	header header
}

// done is the panic that ends a dump behind its window.
type done struct{}

// A span is a range of the file, in bytes.
type span struct{ offset, size int64 }

func (s span) end() int64 { return s.offset + s.size }

// A header has the fields of the header that the other regions depend on.
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

// All yields the lines of a whole archive.
func All(data []byte, yield func(Line)) error {
	return Part(data, Window{To: int64(len(data))}, yield)
}

// Part yields the lines of an archive that have bytes in a window, and the headings among
// them. The error says that the archive is not sound.
func Part(data []byte, w Window, yield func(Line)) (err error) {
	defer func() { err = recovered(recover()) }()
	d := &dumper{yield: yield, data: data, window: w}
	d.readHeader()
	d.within(0, int64(d.u32(16)), d.printHeader)
	for _, r := range []struct {
		name  string
		print func(span)
	}{{"ps", d.printSums}, {"ix", d.printIndex}, {"ro", d.printRecords}, {"bm", d.printBitmaps}, {"ex", d.printTables},
		{"rw", d.printBlocks}} {
		s := d.header.regions[r.name]
		d.within(s.offset, s.end(), func() { d.region(r.name, s); r.print(s) })
	}
	return nil
}

// recovered returns the error of a panic, which is that of an index beyond the file or of
// an entry that is none.
func recovered(p any) error {
	if _, end := p.(done); p == nil || end {
		return nil
	}
	return fmt.Errorf("not a sound archive: %v", p)
}

// within prints a part of the file, unless all of it is before the window.
func (d *dumper) within(from, end int64, print func()) {
	if end <= d.window.From && end >= d.at {
		d.at = end
		return
	}
	print()
}

// skip passes over rows of a size that are before the window, at most n, and returns how
// many.
func (d *dumper) skip(n, size int64) int64 {
	if d.at >= d.window.From {
		return 0
	}
	rows := min((d.window.From-d.at)/size, n)
	d.at += rows * size
	return rows
}

// enter passes over the records of a section that are before the window.
func (d *dumper) enter(of span) {
	if d.window.Starts == nil || d.at >= d.window.From {
		return
	}
	if at := d.window.Starts.before(of, d.window.From); at > d.at && at < of.end() {
		d.at = at
	}
}

func (d *dumper) readHeader() {
	at := func(i, row, size int) span {
		row += i * size
		return span{int64(le.Uint64(d.data[row:])), int64(le.Uint64(d.data[row+8:]))}
	}
	d.header = header{base: d.u64(72), regions: map[string]span{}, sections: map[string]span{},
		contexts: int64(d.u64(512 + 24))}
	d.header.shape = disk.Shape{TypeRows: int(d.u32(160)), BciRows: int(d.u32(164)), Gap: int(d.u32(168))}
	if h, err := disk.ParseHeader(d.data, int64(len(d.data))); err == nil {
		d.header.shape.Declared, _ = disk.DeclaredIn(h, d.data)
	}
	for i, name := range regionNames {
		d.header.regions[name] = at(i, 288, 24)
	}
	for i, name := range sectionNames {
		d.header.sections[name] = at(i, 432, 16)
	}
}

func (d *dumper) u16(at int64) uint16 { return le.Uint16(d.data[at:]) }
func (d *dumper) u32(at int64) uint32 { return le.Uint32(d.data[at:]) }
func (d *dumper) u64(at int64) uint64 { return le.Uint64(d.data[at:]) }

// region prints the padding before a region and the region's heading. The sections of ro
// have headings of their own.
func (d *dumper) region(name string, s span) {
	d.padTo(s.offset)
	if s.size > 0 && name != "ro" {
		d.heading("%s: %s at %#x", name, plural(s.size, "byte"), s.offset)
	}
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func (d *dumper) heading(format string, args ...any) {
	d.yield(Line{Offset: d.at, Text: fmt.Sprintf(format, args...)})
}

// padTo names the bytes up to an offset padding.
func (d *dumper) padTo(end int64) {
	if end > d.at {
		d.bytes(end-d.at, "padding")
	}
}

// padUnit names the bytes up to the next multiple of 8 padding.
func (d *dumper) padUnit() { d.padTo((d.at + 7) &^ 7) }

// bytes yields the next n bytes under a name.
func (d *dumper) bytes(n int64, text string) {
	end := d.at + n
	if d.skip(n/bytesPerLine, bytesPerLine) > 0 {
		text += ", continued"
	}
	for d.at < end {
		line := Line{Offset: d.at, Text: text}
		if zeros := d.zeros(end); zeros > bytesPerLine {
			line.Bytes, line.Zeros = d.data[d.at:][:zeros], true
		} else {
			line.Bytes = d.data[d.at:][:min(bytesPerLine, end-d.at)]
		}
		d.line(line)
		text = ""
	}
}

// zeros returns the number of zeros from here to end, or 0 if other bytes
// follow them.
func (d *dumper) zeros(end int64) int64 {
	for _, b := range d.data[d.at:end] {
		if b != 0 {
			return 0
		}
	}
	return end - d.at
}

// line yields a line if it has bytes in the window, and ends behind that.
func (d *dumper) line(l Line) {
	if l.Offset >= d.window.To {
		panic(done{})
	}
	d.at += int64(len(l.Bytes))
	if d.at > d.window.From {
		d.yield(l)
	}
}

// A render returns a number of the file as text.
type render func(uint64) string

func decimal(v uint64) string  { return strconv.FormatUint(v, 10) }
func signed(v uint64) string   { return strconv.FormatInt(int64(v), 10) }
func signed32(v uint64) string { return strconv.FormatInt(int64(int32(v)), 10) }
func hex(v uint64) string      { return fmt.Sprintf("%#x", v) }
func hash(v uint64) string     { return fmt.Sprintf("%016x", v) }

// number prints the next size bytes as a number with a name.
func (d *dumper) number(size int64, name string, as render) uint64 {
	var word [8]byte
	copy(word[:], d.data[d.at:][:size])
	v := le.Uint64(word[:])
	d.bytes(size, name+": "+as(v))
	return v
}

// reference returns a render of a file reference: its offset, and what is there
// as text says.
func (d *dumper) reference(text func(at int64) string) render {
	return func(v uint64) string {
		if v == 0 {
			return "none"
		}
		return fmt.Sprintf("at %#x, %s", v*8, text(int64(v)*8))
	}
}

// pointer returns a render of a pointer cell. tags is a mask of the bits that
// are no part of the address.
func (d *dumper) pointer(tags uint64, text func(at int64) string) render {
	return func(v uint64) string {
		if v&^tags == 0 {
			return "none"
		}
		at := v&^tags - d.header.base
		return fmt.Sprintf("base + %#x, %s", at, text(int64(at)))
	}
}

// partsShown is how many parts of a list symbol its text has.
const partsShown = 32

// symbol returns the text of a symbol in quotes.
func (d *dumper) symbol(at int64) string {
	n := int64(d.u32(at))
	parts := n &^ (1 << 31)
	if parts == n {
		return quoted(d.data[at+4 : at+4+n])
	}
	var names []string
	for i := range min(parts, partsShown) {
		part := int64(d.u32(at+4+4*i)) * 8
		if d.u32(part)&(1<<31) != 0 {
			panic("a list symbol is part of another") // it could be its own
		}
		names = append(names, d.symbol(part))
	}
	if parts > partsShown {
		names = append(names, "...")
	}
	return "list of " + strings.Join(names, ", ")
}

// quoted returns a text in quotes, or its beginning.
func quoted(text []byte) string {
	if len(text) > longestText {
		return strconv.QuoteToASCII(string(text[:longestText])) + "..."
	}
	return strconv.QuoteToASCII(string(text))
}

func (d *dumper) typeName(at int64) string { return "type " + d.symbol(int64(d.u32(at+8))*8) }

// methodName returns the name of a method record, or of a row of the section
// unexecuted.
func (d *dumper) methodName(at int64) string {
	if at >= d.header.sections["unexecuted"].offset {
		return "method " + d.symbol(int64(d.u32(at))*8)
	}
	if d.u16(at+6)&methodNamed != 0 {
		return "method " + quoted([]byte(d.recordName(at)))
	}
	return "method " + d.symbol(int64(d.u32(at))*8)
}

// recordName returns the name in a record that is named.
func (d *dumper) recordName(at int64) string {
	name := at + 8
	if d.u16(at+6)&methodHasID != 0 {
		name += 8
	}
	return strings.TrimRight(string(d.data[name:at+8*int64(d.u16(at+4))]), "\x00")
}

// recordKind returns what a reference to a record of any kind leads to.
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
	return "MethodData of " + d.methodName(int64(d.u32(at+4))*8)
}

func contextName(int64) string { return "context" }
