package jsondump

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (p *printer) printTable(t reader.Table) {
	p.printRaw("\n{\"kind\":")
	p.printUint(uint64(t.Kind))
	p.printNonzeroField("flags", uint64(t.Flags))
	p.printFieldKey("columns")
	p.printList(t.Columns(), func(i int) { p.printQuoted(t.Column(i).String()) })
	p.printFieldKey("rows")
	p.printList(t.Rows, func(r int) {
		p.printList(t.Columns(), func(i int) { p.printTableCell(t.Column(i), t.Cell(i, r)) })
	})
	p.printRaw("}")
}

func (p *printer) printTableCell(kind disk.ColumnKind, v uint64) {
	n := layout.Ref(v)
	switch {
	case kind == disk.ColumnWord:
		p.printUint(v)
	case n == 0:
		p.printRaw("null")
	case kind == disk.ColumnSymbol:
		if name, err := p.s.SymbolAt(n); !p.recordError(err) {
			p.printName(name)
		}
	case kind == disk.ColumnType:
		if t, err := p.s.TypeAt(n); !p.recordError(err) {
			p.printTypeRef(t)
		}
	case kind == disk.ColumnMethod:
		if m, err := p.s.MethodAt(n); !p.recordError(err) {
			p.printMethodRef(m)
		}
	case kind == disk.ColumnProfile:
		if q, err := p.s.ProfileAt(n); !p.recordError(err) {
			p.printProfileRef(q)
		}
	case kind == disk.ColumnContext:
		p.printContextRef(n)
	}
}
