package archivewriter

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

func (p *plan) writeRO(s *sheets) {
	var b []byte
	next := func() {
		if len(b) >= disk.PageSize {
			s.writeRegion(disk.RegionRO, b)
			b = b[:0]
		}
	}
	for i, ref := range p.symbolRefs {
		p.fetchSymbols(i)
		b = p.appendSymbol(b, ref)
		next()
	}
	for _, ref := range p.o.types {
		t := p.b.Types.At(uint32(ref))
		b = disk.TypeRecord{ID: t.ID, Name: p.symbolAt(t.Name), Loader: p.symbolAt(t.Loader), Alias: p.symbolAt(t.Alias),
			Flags: t.Flags}.Append(b)
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
	s.writeRegion(disk.RegionRO, b)
}

func (p *plan) appendMethod(b []byte, i int) []byte {
	plan := &p.records[i]
	r := disk.MethodRecord{ID: plan.id, Flags: plan.flags, Units: plan.units, Profiles: p.firstBlock(plan.first)}
	if plan.flags&disk.MethodNamed != 0 {
		start := len(b)
		b = append(r.Append(b), p.b.Symbols.Texts.Memory(plan.name)...)
		return append(b, zeroPage[:int(plan.units)*disk.Unit-(len(b)-start)]...)
	}
	m := p.b.Methods.At(uint32(p.o.methods[i]))
	r.Name, r.Holder, r.Signature, r.Access = p.symbolAt(m.Name), p.typeAt(m.Holder), p.symbolAt(m.Signature), m.Access
	if contexts := p.contextsOf(i); len(contexts) > 0 {
		r.Contexts = p.contextAt(contexts[0])
		r.NumContexts = uint32(len(contexts))
	}
	return r.Append(b)
}

func (p *plan) appendContext(b []byte, ref profileset.ContextRef) []byte {
	c := p.b.Contexts.At(uint32(ref))
	parent := p.contextAt(c.Parent)
	if c.Parent == profileset.NoContext {
		parent = p.methodAt(c.Method)
	}
	return disk.ContextRecord{Parent: parent, Caller: p.methodAt(c.Caller), Point: c.Point,
		Profiles: p.firstBlock(p.contextFirst[ref-1])}.Append(b)
}

func (p *plan) encodeEX() []byte {
	tables := p.b.SortedTables()
	le := binary.LittleEndian
	b := make([]byte, 0, p.sizeOf(disk.RegionEX))
	b = le.AppendUint64(b, uint64(len(tables)))
	at := p.regionStart(disk.RegionEX) + disk.TablesHeaderSize + int64(len(tables))*disk.TableRowSize
	for _, t := range tables {
		size := disk.TableSize(t.Columns, int64(t.Rows()))
		b = le.AppendUint64(b, uint64(t.Kind))
		b = le.AppendUint64(b, uint64(at))
		b = le.AppendUint64(b, uint64(size))
		at += size
	}
	for _, t := range tables {
		b = disk.AppendTable(b, t.Kind, t.Flags, t.Columns, t.Rows(), func(column, row int) uint64 {
			return p.cell(t.Columns[column], t.Cells[row*len(t.Columns)+column])
		})
	}
	return b
}

// cell converts a table cell for the file. References of the set become references of the file; numbers stay.
func (p *plan) cell(kind disk.ColumnKind, v uint64) uint64 {
	switch kind {
	case disk.ColumnSymbol:
		return uint64(p.symbolAt(intern.SymbolRef(v)))
	case disk.ColumnType:
		return uint64(p.typeAt(profileset.TypeRef(v)))
	case disk.ColumnMethod:
		return uint64(p.methodAt(profileset.MethodRef(v)))
	case disk.ColumnProfile:
		return uint64(p.blockAt(profileset.ProfileRef(v)))
	case disk.ColumnContext:
		return uint64(p.contextAt(profileset.ContextRef(v)))
	}
	return v
}

// appendBlock appends the MethodData block of the profile with rank i. It adds the ID, the key and the links, and
// replaces references by pointers.
func (p *plan) appendBlock(b []byte, i int) []byte {
	d := &p.profiles[i]
	stored := disk.Block(p.view.At(d.block))
	at := len(b)
	b = append(b, stored[:disk.BlockHeaderSize]...)
	presence := stored.Presence()
	le := binary.LittleEndian
	if d.head {
		presence |= disk.HasID
		b = le.AppendUint64(b, p.records[d.method].id)
	}
	front, _ := stored.FieldOffset(disk.HasKey)
	b = append(b, stored[disk.BlockHeaderSize:front]...)
	if p.keyed(d) {
		presence |= disk.HasKey
		b = p.keyOf(d.method).Append(b)
	}
	if d.linked() {
		presence |= disk.HasLinks
		next := layout.Ref(0)
		if d.followed {
			next = p.profiles[i+1].at
		}
		b = le.AppendUint32(b, uint32(p.contextAt(d.context)))
		b = le.AppendUint32(b, uint32(next))
	}
	b = append(b, stored[front:]...)
	b = append(b, zeroPage[:d.padding]...)
	block := b[at:]
	le.PutUint32(block, uint32(len(block)/disk.Unit))
	le.PutUint32(block[4:], uint32(p.methods[d.method]))
	le.PutUint32(block[8:], uint32(presence))
	p.resolve(block, d.slots, int(p.addedSize(d)))
	return b
}

func (p *plan) keyOf(method uint32) disk.BlockKey {
	m := p.b.Methods.At(uint32(p.o.methods[method]))
	k := disk.BlockKey{Name: p.symbolAt(m.Name), Signature: p.symbolAt(m.Signature)}
	if m.Holder != 0 {
		t := p.b.Types.At(uint32(m.Holder))
		k.Class, k.Loader = p.symbolAt(t.Name), p.symbolAt(t.Loader)
	}
	return k
}

// resolve replaces the references in the pointer slots of a block by pointers. added is the number of bytes that
// appendBlock inserted before the block's entries.
func (p *plan) resolve(block disk.Block, slots uint32, added int) {
	p.slots.each(slots, func(word uint32, method bool) {
		cell := block[added+int(word)*disk.Unit:][:disk.CellSize]
		v := binary.LittleEndian.Uint64(cell)
		if to := p.referent(v>>methoddata.RefShift, method); to != 0 {
			binary.LittleEndian.PutUint64(cell, disk.Pointer(p.header.Base, to.Offset())|v&disk.TypeTags)
		}
	})
}

func (p *plan) referent(ref uint64, method bool) layout.Ref {
	if method {
		return p.methodAt(profileset.MethodRef(ref))
	}
	return p.typeAt(profileset.TypeRef(ref))
}

// Names and blocks are written in sorted order but stored in order of arrival. While one group is being written, the
// memory of the next is prefetched.
const (
	fetchGroup = 16
	fetchLines = 4 // lines per item; the processor prefetches the lines that follow
)

func (p *plan) fetchNames(i int) {
	fetchAhead(i, len(p.records), func(k int) []byte { return p.b.Symbols.Texts.Memory(p.records[k].name) })
}

func (p *plan) fetchSymbols(i int) {
	fetchAhead(i, len(p.symbolRefs), func(k int) []byte {
		s := p.symbolRefs[k]
		if len(p.lists.listOf(s)) > 0 {
			return nil
		}
		return p.b.Symbols.Texts.Memory(p.b.Symbols.Place(s))
	})
}

func (p *plan) fetchBlocks(i int) {
	fetchAhead(i, len(p.profiles), func(k int) []byte { return p.view.At(p.profiles[k].block) })
}

// fetchAhead prefetches the next group of items if i begins a group. bytes returns the memory of the k-th of n items.
func fetchAhead(i, n int, bytes func(k int) []byte) {
	if i%fetchGroup != 0 {
		return
	}
	var lines [fetchGroup * fetchLines]uintptr
	asked := lines[:0]
	for k := i + fetchGroup; k < min(i+2*fetchGroup, n); k++ {
		b := bytes(k)
		from := words.AddressOfBytes(b)
		to := from + uintptr(min(len(b), fetchLines*disk.LineSize))
		for at := from; at < to; at += disk.LineSize - at%disk.LineSize {
			asked = append(asked, at)
		}
	}
	fastmem.PrefetchLines(asked)
}
