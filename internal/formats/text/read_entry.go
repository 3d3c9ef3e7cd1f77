package text

import (
	"encoding/binary"
	"math"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// An openEntry is the entry whose line is being read.
type openEntry struct {
	section     disk.BlockSection
	point       int32
	tag         layout.Tag
	schema      *disk.Schema
	flags       layout.EntryFlags
	sub         layout.Sub
	traps       uint64
	rows        int      // number of rows of a wide entry
	length      int      // index in cells of the CellLength, or -1
	hasTypeList bool     // the word of its type list was read
	cells       []uint64 // cells in the order of the archive format
	refs        []uint64 // builder references of pointer cells, otherwise 0
	raw         []byte   // scratch
}

func (p *parser) readEntryLine(start int, section disk.BlockSection) {
	if p.profile.Profile == nil {
		p.MissAt(start, p.describeValidLines())
		return
	}
	p.Expect("@")
	at := p.At
	p.entry = openEntry{section: section, length: -1, cells: p.entry.cells[:0], refs: p.entry.refs[:0], raw: p.entry.raw}
	e := &p.entry
	e.point = p.takePoint()
	e.tag = p.takeTagWord()
	switch of := domainsOfTag(e.tag); {
	case !p.OK():
	case !of.contains(p.head.domain):
		p.MissAt(start, "an entry that domain "+p.head.domain.String()+" has: this one is of "+of.String())
	case disk.IsWide(e.tag) && section != disk.SectionData:
		p.MissAt(start, "@: entries of this kind belong among the data entries")
	case !disk.IsWide(e.tag) && (e.point < 0 || e.point > math.MaxUint16):
		p.MissAt(at, "a bci: a number of 16 bits")
	default:
		p.readEntryCells()
	}
	p.report.Entries++
}

func (p *parser) takeTagWord() layout.Tag {
	p.nextToken()
	start := p.At
	tag, ok := p.tagByName(p.takeWord("the kind of the entry"))
	if !ok {
		p.MissAt(start, "the kind of the entry: Branch, VirtualCall, Counters or the like")
	}
	return tag
}

// readEntryCells reads the rest of the line after the tag, and adds the entry to the profile.
func (p *parser) readEntryCells() {
	e := &p.entry
	e.schema, _ = p.shape.Schema(e.tag)
	p.takeSubAndSeen(e.schema)
	for i := range e.schema.Groups {
		p.takeCellGroup(&e.schema.Groups[i])
	}
	if e.length >= 0 {
		e.cells[e.length] = uint64(len(e.cells) - e.length - 1)
	}
	if !p.OK() {
		return
	}
	var raw disk.Entry
	if disk.IsWide(e.tag) {
		e.raw, raw = disk.NewWide(e.raw[:0], e.tag, e.flags, e.sub, e.point, len(e.cells), e.rows)
	} else {
		e.raw, raw = disk.NewEntry(e.raw[:0], e.tag, e.flags, uint16(e.point), layout.EntryTraps(e.traps), len(e.cells))
	}
	for i, v := range e.cells {
		raw.SetCell(i, v)
	}
	if e.section == disk.SectionData {
		p.counts.AddEntry(raw)
	}
	p.profile.Profile.Internal().Copy(e.section, raw, p.refOf)
}

// cellRef returns the builder reference of a pointer cell of the open entry.
func (p *parser) cellRef(cell int, _ disk.CellKind) uint64 { return p.entry.refs[cell] }

// takeSubAndSeen consumes the words between the tag and the cells.
func (p *parser) takeSubAndSeen(schema *disk.Schema) {
	e := &p.entry
	if !disk.IsWide(e.tag) {
		p.takeSeen(math.MaxUint32)
		return
	}
	custom := p.head.domain == layout.DomainCustom
	if len(schema.Subs) > 0 {
		p.nextToken()
		e.sub = layout.Sub(p.takeListedWord(subWords(schema), math.MaxUint16, "what the entry is of"))
	} else if custom && p.skipToken("sub=") {
		e.sub = layout.Sub(p.takeUint(math.MaxUint16))
	}
	if _, ok := findTrapsCell(schema); ok {
		p.takeSeen(math.MaxUint64)
	} else if len(schema.Flags) > 0 {
		p.takeSeen(0)
	} else if custom && p.skipToken("flags=") {
		e.flags = layout.EntryFlags(p.takeUint(math.MaxUint8))
	}
}

// takeSeen consumes optional flags and traps in brackets. The reason of a trap is at most limit.
func (p *parser) takeSeen(limit uint64) {
	if !p.skipToken("[") {
		return
	}
	for first := true; p.OK() && !p.Skip("]"); first = false {
		if !first && !p.nextToken() {
			p.Expect("]")
		}
		p.takeSeenWord(limit)
	}
}

func (p *parser) takeSeenWord(limit uint64) {
	e := &p.entry
	switch {
	case p.Skip("recompiled"):
		e.traps |= uint64(layout.EntryTrapRecompiled)
	case p.Skip("trap=many"):
		e.traps |= uint64(disk.EntryTrapMany)
	case p.Skip("trap="):
		e.traps |= p.takeUint(limit)
	default:
		e.flags |= layout.EntryFlags(p.takeBit(flagWords(e.tag), math.MaxUint8))
	}
}

func (p *parser) takeCellGroup(g *disk.CellGroup) {
	switch {
	case g.Repeat == disk.PerGap:
		p.takeGapCells()
	case g.Repeat == disk.PerEight:
		p.takeBitmap()
	case g.Repeat == disk.PerType:
		p.takeFixedRows(g, p.shape.TypeRows)
	case g.Repeat == disk.PerBci:
		p.takeFixedRows(g, p.shape.BciRows)
	case g.Repeat == disk.Once && g.Name == "":
		p.takeKeyedCells(g)
	case g.Repeat == disk.Once:
		p.expectToken(cachedKey(g.Name))
		p.takeRow(g)
	case g.Repeat == disk.IfOdd:
		if p.entry.hasTypeList && p.skipToken(cachedKey(g.Name)) {
			p.takeRow(g)
		}
	case isTypeList(g):
		p.entry.hasTypeList = p.skipWord(g.Name)
		if p.entry.hasTypeList {
			p.takeTypeList(g)
		}
	default:
		for p.nextToken() {
			p.takeRow(g)
			p.entry.rows++
		}
	}
}

func (p *parser) addPointerCell(tags, ref uint64) {
	p.entry.cells = append(p.entry.cells, tags)
	p.entry.refs = append(p.entry.refs, ref)
}

func (p *parser) addCell(v uint64) { p.addPointerCell(v, 0) }

func (p *parser) addZeros(n int) {
	for range n {
		p.addCell(0)
	}
}

// takeKeyedCells consumes the cells of a group that does not repeat, each with its key. Displacements come last.
func (p *parser) takeKeyedCells(g *disk.CellGroup) {
	e := &p.entry
	first := len(e.cells)
	p.addZeros(len(g.Cells))
	for _, displacements := range []bool{false, true} {
		for i, c := range g.Cells {
			at := first + i
			switch {
			case c.Kind == disk.CellLength:
				e.length = at
			case c.Kind == disk.CellTraps:
				e.cells[at] = e.traps
			case (c.Kind == disk.CellDisplacement) == displacements:
				p.takeKeyedCell(at, c)
			}
		}
	}
}

// takeKeyedCell consumes a cell with its key, and stores it at index at.
func (p *parser) takeKeyedCell(at int, c disk.CellSpec) {
	e := &p.entry
	if key := cellKey(e.schema, c); key != "" {
		p.expectToken(key)
	} else {
		p.nextToken()
	}
	p.takeCell(c, hasSignedCount(e.schema) && at == 0)
	last := len(e.cells) - 1
	e.cells[at], e.refs[at] = e.cells[last], e.refs[last]
	e.cells = e.cells[:last]
	e.refs = e.refs[:last]
}

// takeGapCells consumes the cells between the count and the rows of receivers. Omitted cells are zero.
func (p *parser) takeGapCells() {
	n := 0
	for ; n < p.shape.Gap && p.Skip(","); n++ {
		p.addCell(p.takeUint64())
	}
	p.addZeros(p.shape.Gap - n)
}

func (p *parser) takeBitmap() {
	p.bytes = p.bytes[:0]
	if p.nextToken() {
		p.bytes = p.takeHexBytes(p.bytes)
	}
	p.entry.rows = len(p.bytes)
	for rest := append(p.bytes, make([]byte, disk.CellSize)...); len(rest) > disk.CellSize; rest = rest[disk.CellSize:] {
		p.addCell(binary.LittleEndian.Uint64(rest))
	}
}

// typeListWord begins the list of argument types, and so ends the rows before.
const typeListWord = "args"

// takeFixedRows consumes at most n rows, and adds empty rows up to n.
func (p *parser) takeFixedRows(g *disk.CellGroup, n int) {
	for ; p.hasToken() && !p.nextIs(typeListWord); n-- {
		if p.nextToken(); n <= 0 {
			p.Miss("no more rows: the settings of the archive do not allow them")
		}
		if p.takeRow(g); !p.OK() {
			return
		}
	}
	p.addZeros(n * len(g.Cells))
}

// nextIs reports whether the next token equals word.
func (p *parser) nextIs(word string) bool {
	ahead := p.cursor
	return ahead.skipWord(word)
}

// takeTypeList consumes the types of arguments, up to the return type.
func (p *parser) takeTypeList(g *disk.CellGroup) {
	for p.nextToken() {
		if c := p.Cursor; c.Skip("return=") {
			return
		}
		p.takeRow(g)
	}
}

// takeRow consumes the cells of a row. In a row with - as type or method, the other cells are optional.
func (p *parser) takeRow(g *disk.CellGroup) {
	first := g.Cells[0].Kind
	for i, c := range g.Cells {
		if i > 0 && !p.Skip(separatorBefore(g.Cells, i)) {
			if (first == disk.CellType || first == disk.CellMethod) && p.entry.refs[len(p.entry.refs)-i] == 0 {
				p.addCell(0)
				continue
			}
			p.Expect(separatorBefore(g.Cells, i))
		}
		p.takeCell(c, false)
	}
}

func (p *parser) takeCell(c disk.CellSpec, signed bool) {
	switch kind := c.Kind; {
	case len(c.Bits) > 0:
		p.addCell(p.takeBitNames(c.Bits))
	case kind == disk.CellDisplacement:
		p.addCell(uint64(p.takeInt(math.MaxInt64)))
	case kind == disk.CellType:
		p.addPointerCell(0, uint64(p.takeTypeRef()))
	case kind == disk.CellTypeWord:
		p.takeTypeWord()
	case kind == disk.CellMethod:
		p.addPointerCell(0, uint64(p.takeMethodRef()))
	case kind == disk.CellSuccessor:
		point := p.takePoint()
		p.Expect(":")
		p.addCell(disk.PackSuccessor(point, uint32(p.takeUint(math.MaxUint32))))
	case kind == disk.CellValue:
		p.addCell(p.takeValue())
	case kind == disk.CellFlags || signed:
		p.addCell(p.takeCount())
	default:
		p.addCell(p.takeUint64())
	}
}

// takeCount consumes a number in [-1<<63, 1<<64-1], modulo 1<<64.
func (p *parser) takeCount() uint64 {
	if p.Skip("-") {
		return -p.takeUint(1 << 63)
	}
	return p.takeUint64()
}

// takeValue consumes a number, or the name of a function instead of its id.
func (p *parser) takeValue() uint64 {
	if p.atDigit() {
		return p.takeUint64()
	}
	token := p.takeReference("a number or the name of a function")
	if v, ok := p.refs.values[string(token)]; ok || !p.OK() {
		return v
	}
	p.At -= len(token)
	name := string(token)
	v := disk.NameRef(string(p.takeName()))
	cacheRef(&p.refs.values, name, v)
	return v
}

func (p *parser) takeTypeWord() {
	ref := p.takeTypeRef()
	tags := uint64(0)
	if p.Skip("+null") {
		tags |= disk.TypeNullSeen
	}
	if p.Skip("+unknown") {
		tags |= disk.TypeUnknown
	}
	p.addPointerCell(tags, uint64(ref))
}
