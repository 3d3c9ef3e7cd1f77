package jsondump

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

// entry prints the header of an entry, and its cells in the order of its schema.
func (p *printer) entry(e reader.Entry) {
	raw := disk.Entry(e.Bytes())
	p.raw(`{"tag":"`)
	p.raw(p.shape.TagName(e.Tag()))
	p.raw(`"`)
	p.signed("point", int64(e.Point()))
	p.optional("flags", uint64(raw.Flags()))
	p.optional("traps", uint64(raw.Traps()))
	p.optional("sub", uint64(raw.Sub()))
	for rows := range p.shape.Groups(raw) {
		p.group(e, rows)
	}
	p.raw("}")
}

// group prints the cells of a group as keys and values or as a list of rows.
func (p *printer) group(e reader.Entry, rows disk.Rows) {
	switch {
	case rows.Name == "" && rows.Cells[0].Kind == disk.CellLength:
		return
	case rows.Name == "":
		p.raw(",")
		p.keyedCells(e, rows, 0)
	case rows.Repeat == disk.PerEight:
		b, _ := e.Bitmap()
		p.bytes(rows.Name, b)
	case rows.Repeat == disk.Once:
		p.field(rows.Name)
		p.tuple(e, rows, 0)
	case rows.Repeat == disk.IfOdd:
		if rows.N > 0 {
			p.field(rows.Name)
			p.entryCell(e, rows.Cell(0, 0), rows.Cells[0].Kind)
		}
	default:
		p.rows(e, rows)
	}
}

// rows prints a list of rows. A row with a reference is an object, a row of several numbers a list.
func (p *printer) rows(e reader.Entry, rows disk.Rows) {
	p.field(rows.Name)
	p.raw("[")
	for row := range rows.N {
		p.comma(row)
		switch {
		case rows.HasPointers():
			p.raw("{")
			p.keyedCells(e, rows, row)
			p.raw("}")
		case len(rows.Cells) == 1:
			p.entryCell(e, rows.Cell(row, 0), rows.Cells[0].Kind)
		default:
			p.tuple(e, rows, row)
		}
	}
	p.raw("]")
}

// keyedCells prints the cells of a row with their keys. It omits lengths, which equal the length of the next list.
func (p *printer) keyedCells(e reader.Entry, rows disk.Rows, row int) {
	for i, c := range rows.Cells {
		if c.Kind == disk.CellLength {
			continue
		}
		p.comma(i)
		p.raw(`"`)
		p.raw(c.Name)
		p.raw(`":`)
		p.entryCell(e, rows.Cell(row, i), c.Kind)
	}
}

func (p *printer) tuple(e reader.Entry, rows disk.Rows, row int) {
	p.raw("[")
	for i, c := range rows.Cells {
		p.comma(i)
		p.entryCell(e, rows.Cell(row, i), c.Kind)
	}
	p.raw("]")
}

func (p *printer) entryCell(e reader.Entry, cell int, kind disk.CellKind) {
	v := disk.Entry(e.Bytes()).Cell(cell)
	switch kind {
	case disk.CellType:
		p.typeRef(e.TypeCell(cell).Type)
	case disk.CellTypeWord:
		p.typeWord(e.TypeCell(cell))
	case disk.CellMethod:
		m, err := e.MethodCell(cell)
		if !p.failed(err) {
			p.methodRef(m)
		}
	case disk.CellSuccessor:
		point, index := disk.UnpackSuccessor(v)
		p.signedNumber(int64(point))
		p.raw(",")
		p.number(uint64(index))
	case disk.CellDisplacement, disk.CellFlags:
		p.signedNumber(int64(v))
	default:
		if cell == 0 && !disk.IsWide(e.Tag()) && disk.Entry(e.Bytes()).SignedCount() {
			p.signedNumber(int64(v)) // failed checks count down
		} else {
			p.number(v)
		}
	}
}

func (p *printer) typeWord(w reader.TypeWord) {
	p.raw(`{"type":`)
	p.typeRef(w.Type)
	if w.NullSeen {
		p.raw(`,"null_seen":true`)
	}
	if w.Unknown {
		p.raw(`,"unknown":true`)
	}
	p.raw("}")
}
