package builder

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// The regions' bytes, each made from the plan.

// writeRO writes the read-only records.
func (p *plan) writeRO(s *sheets) {
	var b []byte
	next := func() {
		if len(b) >= disk.PageSize {
			s.write(layout.RegionRO, b)
			b = b[:0]
		}
	}
	for i, ref := range p.symbolRefs {
		p.fetchSymbols(i)
		b = p.appendSymbol(b, ref)
		next()
	}
	for _, ref := range p.o.types {
		t := p.b.types.at(uint32(ref))
		b = disk.TypeRecord{ID: t.id, Name: p.symbolAt(t.name), Loader: p.symbolAt(t.loader), Alias: p.symbolAt(t.alias), Flags: t.flags}.Append(b)
		next()
	}
	for i := range p.records {
		p.fetchNames(i)
		if !p.hasRow(i) {
			b = p.appendMethod(b, i)
		}
		next()
	}
	b = p.appendNeverRan(b)
	next()
	for _, ref := range p.o.contexts {
		b = p.appendContext(b, ref)
		next()
	}
	s.write(layout.RegionRO, b)
}

// appendMethod appends the record of the method at a place in the order.
func (p *plan) appendMethod(b []byte, i int) []byte {
	plan := &p.records[i]
	r := disk.MethodRecord{ID: plan.id, Flags: plan.flags, Units: plan.units, Profiles: p.firstBlock(plan.first)}
	if plan.flags&disk.MethodNamed != 0 {
		start := len(b)
		b = append(r.Append(b), p.b.symbols.texts.at(plan.name)...)
		return append(b, zeroPage[:int(plan.units)*disk.Unit-(len(b)-start)]...)
	}
	m := p.b.methods.at(uint32(p.o.methods[i]))
	r.Name, r.Holder, r.Signature, r.Access = p.symbolAt(m.name), p.typeAt(m.holder), p.symbolAt(m.signature), m.access
	if contexts := p.contextsOf(i); len(contexts) > 0 {
		r.Contexts, r.NumContexts = p.contextAt(contexts[0]), uint32(len(contexts))
	}
	return r.Append(b)
}

func (p *plan) appendContext(b []byte, ref ContextRef) []byte {
	c := p.b.contexts.at(uint32(ref))
	parent := p.contextAt(c.parent)
	if c.parent == NoContext {
		parent = p.methodAt(c.method)
	}
	return disk.ContextRecord{Parent: parent, Caller: p.methodAt(c.Caller), Point: c.Point, Profiles: p.firstBlock(p.contextFirst[ref-1])}.Append(b)
}

// encodeEX gives the tables.
func (p *plan) encodeEX() []byte {
	tables := p.b.sortedTables()
	le := binary.LittleEndian
	b := make([]byte, 0, p.sizeOf(layout.RegionEX))
	b = le.AppendUint64(b, uint64(len(tables)))
	at := p.regionStart(layout.RegionEX) + disk.TablesHeaderSize + int64(len(tables))*disk.TableRowSize
	for _, t := range tables {
		size := disk.TableSize(t.columns, int64(t.rows()))
		b = le.AppendUint64(b, uint64(t.kind))
		b = le.AppendUint64(b, uint64(at))
		b = le.AppendUint64(b, uint64(size))
		at += size
	}
	for _, t := range tables {
		b = disk.AppendTable(b, t.kind, t.flags, t.columns, t.rows(), func(column, row int) uint64 {
			return p.cell(t.columns[column], t.cells[row*len(t.columns)+column])
		})
	}
	return b
}

// cell gives the cell of a table: a number, or the place of what a reference
// stands for.
func (p *plan) cell(kind layout.ColumnKind, v uint64) uint64 {
	switch kind {
	case layout.ColumnSymbol:
		return uint64(p.symbolAt(SymbolRef(v)))
	case layout.ColumnType:
		return uint64(p.typeAt(TypeRef(v)))
	case layout.ColumnMethod:
		return uint64(p.methodAt(MethodRef(v)))
	case layout.ColumnProfile:
		return uint64(p.blockAt(ProfileRef(v)))
	case layout.ColumnContext:
		return uint64(p.contextAt(ContextRef(v)))
	}
	return v
}

// appendBlock appends the MethodData block of the profile at a place in the order
// as it lies in the file: with its links, and with pointers in the place of
// references.
func (p *plan) appendBlock(b []byte, i int) []byte {
	d := &p.profiles[i]
	stored := disk.Block(p.b.blocks.at(d.block))
	at := len(b)
	b = append(b, stored[:disk.BlockHeaderSize]...)
	presence := uint32(stored.Presence())
	le := binary.LittleEndian
	if d.linked() {
		presence |= uint32(disk.HasLinks)
		next := layout.Ref(0)
		if d.followed {
			next = p.profiles[i+1].at
		}
		b = le.AppendUint32(b, uint32(p.contextAt(d.context)))
		b = le.AppendUint32(b, uint32(next))
	}
	b = append(b, stored[disk.BlockHeaderSize:]...)
	block := b[at:]
	le.PutUint32(block, uint32(len(block)/disk.Unit))
	le.PutUint32(block[4:], uint32(p.methods[d.method]))
	le.PutUint32(block[8:], presence)
	if d.pointers {
		p.resolve(block)
	}
	return b
}

// resolve puts pointers in the place of references.
func (p *plan) resolve(block disk.Block) {
	eachEntry(p.b.shape, block, func(_ layout.BlockSection, e disk.Entry) {
		for cell, kind := range p.b.shape.Pointers(e) {
			v := e.Cell(cell)
			if to := p.referent(v>>refShift, kind); to != 0 {
				e.SetCell(cell, disk.Pointer(p.header.Base, to.Offset())|v&disk.TypeTags)
			}
		}
	})
}

// referent is the place of what a reference in a pointer cell stands for.
func (p *plan) referent(ref uint64, kind disk.CellKind) layout.Ref {
	if kind == disk.CellMethod {
		return p.methodAt(MethodRef(ref))
	}
	return p.typeAt(TypeRef(ref))
}
