package jsondump

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (p *printer) tables() {
	n := 0
	for t, err := range p.s.Tables() {
		if p.failed(err) {
			return
		}
		p.comma(n)
		n++
		p.table(t)
	}
}

func (p *printer) table(t reader.Table) {
	p.raw("\n{\"kind\":")
	p.number(uint64(t.Kind))
	p.optional("flags", uint64(t.Flags))
	p.raw(`,"columns":[`)
	for i := range t.Columns() {
		p.comma(i)
		p.raw(`"`)
		p.raw(t.Column(i).String())
		p.raw(`"`)
	}
	p.raw(`],"rows":[`)
	for r := range t.Rows {
		p.comma(r)
		p.raw("[")
		for i := range t.Columns() {
			p.comma(i)
			p.cell(t.Column(i), t.Cell(i, r))
		}
		p.raw("]")
		if p.err != nil {
			return
		}
	}
	p.raw("]}")
}

func (p *printer) cell(kind disk.ColumnKind, v uint64) {
	n := layout.Ref(v)
	switch {
	case kind == disk.ColumnWord:
		p.number(v)
	case n == 0:
		p.raw("null")
	case kind == disk.ColumnSymbol:
		if name, err := p.s.SymbolAt(n); !p.failed(err) {
			p.name(name)
		}
	case kind == disk.ColumnType:
		if t, err := p.s.TypeAt(n); !p.failed(err) {
			p.typeRef(t)
		}
	case kind == disk.ColumnMethod:
		if m, err := p.s.MethodAt(n); !p.failed(err) {
			p.methodRef(m)
		}
	case kind == disk.ColumnProfile:
		if q, err := p.s.ProfileAt(n); !p.failed(err) {
			p.profileRef(q)
		}
	case kind == disk.ColumnContext:
		p.contextRef(n)
	}
}
