package jsondump

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

func (p *printer) printProfile(q reader.Profile) {
	c, inContext, err := q.Context()
	if p.Fail(err) {
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

// printEntry prints the header of an entry, and its cells in the order of its schema.
func (p *printer) printEntry(e reader.Entry) {
	raw := disk.Entry(e.Bytes())
	p.printRaw(`{"tag":`)
	p.printQuoted(p.shape.TagName(e.Tag()))
	p.printIntField("point", int64(e.Point()))
	p.printNonzeroField("flags", uint64(raw.Flags()))
	p.printNonzeroField("traps", uint64(raw.Traps()))
	p.printNonzeroField("sub", uint64(raw.Sub()))
	for rows := range p.shape.Groups(raw) {
		p.printCellGroup(e, rows)
	}
	p.printRaw("}")
}

// printCellGroup prints the cells of a group as keys and values or as a list of rows.
func (p *printer) printCellGroup(e reader.Entry, rows disk.Rows) {
	switch {
	case rows.Name == "" && rows.Cells[0].Kind == disk.CellLength:
		return
	case rows.Name == "":
		p.printRaw(",")
		p.printKeyedCells(e, rows, 0)
	case rows.Repeat == disk.PerEight:
		b, _ := e.Bitmap()
		p.printBytesField(rows.Name, b)
	case rows.Repeat == disk.Once:
		p.printFieldKey(rows.Name)
		p.printTuple(e, rows, 0)
	case rows.Repeat == disk.IfOdd:
		if rows.N > 0 {
			p.printFieldKey(rows.Name)
			p.printEntryCell(e, rows.Cell(0, 0), rows.Cells[0].Kind)
		}
	default:
		p.printRows(e, rows)
	}
}

// printRows prints a list of rows. A row with a reference is an object, a row of several numbers a list.
func (p *printer) printRows(e reader.Entry, rows disk.Rows) {
	p.printFieldKey(rows.Name)
	p.printList(rows.N, func(row int) {
		switch {
		case rows.HasPointers():
			p.printRaw("{")
			p.printKeyedCells(e, rows, row)
			p.printRaw("}")
		case len(rows.Cells) == 1:
			p.printEntryCell(e, rows.Cell(row, 0), rows.Cells[0].Kind)
		default:
			p.printTuple(e, rows, row)
		}
	})
}

// printKeyedCells prints the cells of a row with their keys. It omits lengths, which equal the length of the next list.
func (p *printer) printKeyedCells(e reader.Entry, rows disk.Rows, row int) {
	for i, c := range rows.Cells {
		if c.Kind == disk.CellLength {
			continue
		}
		p.printComma(i)
		p.printQuoted(c.Name)
		p.printRaw(":")
		p.printEntryCell(e, rows.Cell(row, i), c.Kind)
	}
}

func (p *printer) printTuple(e reader.Entry, rows disk.Rows, row int) {
	p.printList(len(rows.Cells), func(i int) { p.printEntryCell(e, rows.Cell(row, i), rows.Cells[i].Kind) })
}

func (p *printer) printEntryCell(e reader.Entry, cell int, kind disk.CellKind) {
	v := disk.Entry(e.Bytes()).Cell(cell)
	switch kind {
	case disk.CellType:
		p.printTypeRef(e.TypeCell(cell).Type)
	case disk.CellTypeWord:
		p.printTypeWord(e.TypeCell(cell))
	case disk.CellMethod:
		m, err := e.MethodCell(cell)
		if !p.Fail(err) {
			p.printMethodRef(m)
		}
	case disk.CellSuccessor:
		point, index := disk.UnpackSuccessor(v)
		p.printInt(int64(point))
		p.printRaw(",")
		p.printUint(uint64(index))
	case disk.CellDisplacement, disk.CellFlags:
		p.printInt(int64(v))
	default:
		if cell == 0 && !disk.IsWide(e.Tag()) && disk.Entry(e.Bytes()).SignedCount() {
			p.printInt(int64(v)) // failed checks count down
		} else {
			p.printUint(v)
		}
	}
}

func (p *printer) printTypeWord(w reader.TypeWord) {
	p.printRaw(`{"type":`)
	p.printTypeRef(w.Type)
	if w.NullSeen {
		p.printRaw(`,"null_seen":true`)
	}
	if w.Unknown {
		p.printRaw(`,"unknown":true`)
	}
	p.printRaw("}")
}
