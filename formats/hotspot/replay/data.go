package replay

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The bytes after "orig" are, in JDK 17 to 25, the 80 bytes of
// MethodData::CompilerCounters:
//
//	 0 u32 decompiles
//	 4 u32 overflow recompiles
//	 8 u32 overflow traps
//	12 u32 undefined
//	16 64 x u8 traps by reason
//
// jhsdb of JDK 17 writes the whole MethodData, 312 bytes, in which they begin
// at byte 128.
const (
	countersSize   = 80
	countersReason = 16

	wholeSize     = 312
	wholeCounters = 128
)

// compilerCounters returns the counters in the bytes; ok is false if the layout is
// unknown.
func compilerCounters(header []byte) (counters []byte, ok bool) {
	switch len(header) {
	case countersSize:
		return header, true
	case wholeSize:
		return header[wholeCounters:][:countersSize], true
	}
	return nil, false
}

// readHistory sets the history of a profile from the counters, unless all are zero.
func readHistory(p *builder.Profile, counters []byte) {
	le := binary.LittleEndian
	h := builder.History{Decompiles: le.Uint32(counters), OverflowRecompiles: le.Uint32(counters[4:]), OverflowTraps: le.Uint32(counters[8:])}
	if h != (builder.History{}) {
		p.History(h)
	}
	if traps := counters[countersReason:]; len(bytes.Trim(traps, "\x00")) > 0 {
		p.TrapHistory(traps)
	}
}

// writeHistory returns the inverse of readHistory. lost is whether the VM has no room for the
// whole history.
func writeHistory(p reader.Profile) (counters []byte, lost bool) {
	h, _ := p.History()
	le := binary.LittleEndian
	counters = le.AppendUint32(counters, h.Decompiles)
	counters = le.AppendUint32(counters, h.OverflowRecompiles)
	counters = le.AppendUint32(counters, h.OverflowTraps)
	counters = le.AppendUint32(counters, 0)
	traps := p.TrapHistory()
	room := make([]byte, countersSize-countersReason)
	n := copy(room, traps)
	return append(counters, room...), h.TenureTraps != 0 || len(bytes.Trim(traps[n:], "\x00")) > 0
}

// The words of a MethodData are, in this order:
//
//	data entries          in the order of their bytecodes
//	extra entries         Bit and SpeculativeTrap, for traps at other bytecodes
//	free words            room for more of them, all zero
//	ArgInfo
//	ParametersType        where the VM profiles parameters
//	Bit entries           exception handlers, from JDK 22 on
//
// The ends of the parts follow from the tags and the order of the entries. jhsdb writes
// the data entries alone.

// A dataWalk has the entries of one MethodData.
type dataWalk struct {
	sections [layout.SectionDirectory][]placed
	free     int // words
}

// A placed is an entry with the index of its header word.
type placed struct {
	disk.Entry
	at int
}

// A walker parses the words of one MethodData.
type walker struct {
	shape disk.Shape
	dataWalk
	bits []placed // Bit entries that may be extra or data
	part part
}

// A part is a part of the words.
type part int

const (
	partData part = iota
	partExtra
	partFree
	partParameters
	partHandlers
)

// walkWords parses the words of a VM of that shape, which must end with the last entry.
// at is the index of the word of an error.
func walkWords(words []uint64, shape disk.Shape) (w dataWalk, at int, err error) {
	bytes := make([]byte, 0, len(words)*disk.CellSize)
	for _, v := range words {
		bytes = binary.LittleEndian.AppendUint64(bytes, v)
	}
	k := walker{shape: shape}
	for rest := bytes; len(rest) > 0; {
		at = (len(bytes) - len(rest)) / disk.CellSize
		if binary.LittleEndian.Uint64(rest) == 0 {
			if err := k.freeWord(); err != nil {
				return dataWalk{}, at, err
			}
			rest = rest[disk.CellSize:]
			continue
		}
		var e disk.Entry
		if e, rest, err = shape.Next(rest); err == nil {
			err = k.entry(placed{e, at})
		}
		if err != nil {
			return dataWalk{}, at, err
		}
	}
	k.settle(layout.SectionExtra)
	return k.dataWalk, 0, nil
}

func (k *walker) freeWord() error {
	if k.part > partFree {
		return fmt.Errorf("a free word after ArgInfo")
	}
	k.part = partFree
	k.free++
	return nil
}

// entry adds an entry to the section that follows from its tag and the current part.
func (k *walker) entry(e placed) error {
	tag := e.Tag()
	switch {
	case tag == layout.TagBit && k.part == partData:
		k.bits = append(k.bits, e)
	case tag == layout.TagBit && k.part == partExtra:
		k.addEntry(layout.SectionExtra, e)
	case tag == layout.TagBit && k.part >= partParameters:
		k.part = partHandlers
		k.addEntry(layout.SectionHandlers, e)
	case tag == layout.TagSpeculativeTrap && k.part <= partExtra:
		k.settle(layout.SectionExtra)
		k.part = partExtra
		k.addEntry(layout.SectionExtra, e)
	case tag == layout.TagArgInfo && k.part <= partFree:
		k.settle(layout.SectionExtra)
		k.part = partParameters
		k.addEntry(layout.SectionExtra, e)
	case tag == layout.TagParametersType && k.part == partParameters:
		k.part = partHandlers
		k.addEntry(layout.SectionParameters, e)
	case isData(tag) && k.part == partData:
		k.settle(layout.SectionData)
		k.addEntry(layout.SectionData, e)
	default:
		return fmt.Errorf("no %s entry can follow here", tag)
	}
	return nil
}

func (k *walker) addEntry(s layout.BlockSection, e placed) { k.sections[s] = append(k.sections[s], e) }

// settle adds the Bit entries of undecided section to a section.
func (k *walker) settle(s layout.BlockSection) {
	k.sections[s] = append(k.sections[s], k.bits...)
	k.bits = nil
}

// isData reports whether entries of the tag are always data entries.
func isData(t layout.Tag) bool {
	switch t {
	case layout.TagBit, layout.TagArgInfo, layout.TagParametersType, layout.TagSpeculativeTrap:
		return false
	}
	return !t.Wide()
}

// A file does not show how wide the entries of its VM are. Only with the right widths
// every walk ends exactly, and every reference in the file is to a pointer cell.

// defaultRows is HotSpot's default of TypeProfileWidth and BciProfileWidth.
const defaultRows = 2

// maxRows is the most rows that an archive's settings can have.
const maxRows = 64

// shape infers the shape of a file's entries. VMs name every type that they write. Only
// with the default widths may a file leave some out.
func (r *recording) shape() (disk.Shape, error) {
	var first error
	shapes := r.shapes()
	for _, named := range []bool{true, false} {
		for _, s := range shapes {
			err := r.fits(s, named)
			if err == nil {
				return s, nil
			}
			first = cmp.Or(first, err)
		}
		shapes = shapes[:2]
	}
	return disk.Shape{}, first
}

// shapes returns the shapes to try, the likely ones first. Files without a version come
// from VMs with a cell between count and rows.
func (r *recording) shapes() []disk.Shape {
	gap := 0
	if r.version == 0 {
		gap = 1
	}
	var shapes []disk.Shape
	for _, g := range []int{gap, 1 - gap} {
		shapes = append(shapes, disk.Shape{TypeRows: defaultRows, BciRows: defaultRows, Gap: g})
	}
	for rows := range maxRows + 1 {
		for _, g := range []int{gap, 1 - gap} {
			shapes = append(shapes, disk.Shape{TypeRows: rows, BciRows: defaultRows, Gap: g},
				disk.Shape{TypeRows: defaultRows, BciRows: rows, Gap: g})
		}
	}
	return shapes
}

// fits returns an error if the file does not fit a shape. named is whether all types must
// have names.
func (r *recording) fits(s disk.Shape, named bool) error {
	for i := range r.data {
		w, err := r.data[i].walkData(s)
		if err != nil {
			return err
		}
		if at, ok := r.data[i].unnamed(&w, s); ok && named {
			return r.data[i].wrong(at, errors.New("a pointer without a name"))
		}
	}
	return nil
}

// walkData parses the words and checks the references to them.
func (d *methodData) walkData(s disk.Shape) (dataWalk, error) {
	w, at, err := walkWords(d.words, s)
	if err != nil {
		return w, d.wrong(at, err)
	}
	left := len(d.klasses) + len(d.methods)
	w.pointers(s, func(at int, kind disk.CellKind) {
		_, klass := d.klasses[at]
		_, method := d.methods[at]
		if (method && kind == disk.CellMethod || klass && kind != disk.CellMethod) && isPointer(d.words[at], kind) {
			left--
		}
	})
	if left != 0 {
		return w, d.wrong(0, errors.New("a name for a word that is no pointer"))
	}
	return w, nil
}

// isPointer reports whether a word can be a pointer: they are aligned.
func isPointer(word uint64, kind disk.CellKind) bool {
	p := pointerOf(word, kind)
	return p != 0 && p%disk.CellSize == 0
}

// pointerOf returns a word without its tags.
func pointerOf(word uint64, kind disk.CellKind) uint64 {
	if kind == disk.CellTypeWord {
		return word &^ disk.TypeTags
	}
	return word
}

// unnamed returns the first pointer without a name.
func (d *methodData) unnamed(w *dataWalk, s disk.Shape) (at int, ok bool) {
	w.pointers(s, func(i int, kind disk.CellKind) {
		_, klass := d.klasses[i]
		_, method := d.methods[i]
		if pointerOf(d.words[i], kind) != 0 && !klass && !method && !ok {
			at, ok = i, true
		}
	})
	return at, ok
}

// pointers calls yield with the word of every pointer cell.
func (w *dataWalk) pointers(s disk.Shape, yield func(at int, kind disk.CellKind)) {
	for _, section := range w.sections {
		for _, e := range section {
			for cell, kind := range s.Pointers(e.Entry) {
				yield(e.at+1+cell, kind)
			}
		}
	}
}

// wrong returns the error of a word.
func (d *methodData) wrong(word int, err error) error {
	e := d.place.Fail(ErrSyntax)
	e.Expected = fmt.Sprintf("profile entries; word %d of %s.%s%s: %v", word, d.class, d.name, d.signature, err)
	return e
}
