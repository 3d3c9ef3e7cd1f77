package builder

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/relocate"
)

// A plan says where everything will lie. It is made before a byte is written,
// so that a file can be written from front to back.
type plan struct {
	b      *Builder
	o      *order
	header layout.Header

	symbols    []layout.Narrow // by SymbolRef-1; 0 if the symbol is not in the symbol section
	symbolRefs []SymbolRef     // of the symbol section, in order
	methods    []layout.Narrow // by MethodRef-1
	blocks     []layout.Narrow // by ProfileRef-1

	records      []methodPlan // by MethodRef-1
	contextFirst []ProfileRef // of each context, by ContextRef-1
	next         []ProfileRef // of the same method and context, by ProfileRef-1
	neverRan     uint64       // number of such methods

	entries     uint64 // of all profiles
	summary     layout.Summary
	hasPointers []bool // by ProfileRef-1

	pointers *relocate.Collector
	touched  uint64                   // see touchMethods
	size     [layout.NumRegions]int64 // of each region, by Region-1
	section  [layout.NumSections]int64
}

// A methodPlan is what a method's record will be.
type methodPlan struct {
	first           ProfileRef // without a context
	context, number uint32     // of its contexts: the first, in order.contexts, and how many
	flags           layout.MethodFlags
	units           uint16 // size of the record with its tail
}

// plan lays the archive out. The caller holds mu.
func (b *Builder) plan() (*plan, error) {
	if b.err != nil {
		return nil, b.err
	}
	if err := b.unfinished(); err != nil {
		return nil, err
	}
	if b.mixed {
		b.uniteTables()
	}
	p := &plan{b: b, o: b.order()}
	p.chain()
	p.findSharedIDs()
	p.planRecords()
	p.measure()
	if err := p.place(); err != nil {
		return nil, err
	}
	p.locate()
	p.describe()
	return p, nil
}

// unfinished names a profile that was begun only. The caller holds mu.
func (b *Builder) unfinished() error {
	for _, d := range b.profiles.all {
		if d.block.slab == 0 {
			m := b.methods.at(uint32(d.method))
			return fmt.Errorf("builder: the profile of %s was begun and Done was not called", b.text(m.name))
		}
	}
	return nil
}

// chain links the profiles of one method and context, by code id.
func (p *plan) chain() {
	b := p.b
	p.records = make([]methodPlan, b.methods.len())
	p.contextFirst = make([]ProfileRef, b.contexts.len())
	p.next = make([]ProfileRef, b.profiles.len())
	for i, ref := range p.o.profiles {
		d := b.profiles.at(uint32(ref))
		if i > 0 {
			before := b.profiles.at(uint32(p.o.profiles[i-1]))
			if before.method == d.method && before.context == d.context {
				p.next[p.o.profiles[i-1]-1] = ref
				continue
			}
		}
		if d.context == NoContext {
			p.records[d.method-1].first = ref
		} else {
			p.contextFirst[d.context-1] = ref
		}
	}
	for i, ref := range p.o.contexts {
		r := &p.records[b.contexts.at(uint32(ref)).method-1]
		if r.number == 0 {
			r.context = uint32(i)
		}
		r.number++
	}
}

// findSharedIDs marks methods whose id another method has too.
func (p *plan) findSharedIDs() {
	byID := make([]sortKey, 0, p.b.methods.len())
	for ref, m := range p.b.methods.all {
		byID = append(byID, sortKey{m.id, ref})
	}
	sortKeys(byID)
	eachEqual(byID, func(group []sortKey) {
		for _, k := range group {
			p.records[k.ref-1].flags |= layout.MethodSharedID
		}
	})
}

// measure computes the size of every region but ps.
func (p *plan) measure() {
	b := p.b
	p.section[layout.SectionSymbols] = p.measureSymbols()
	p.section[layout.SectionTypes] = int64(b.types.len()) * layout.TypeSize
	for _, r := range p.records {
		p.section[layout.SectionMethods] += int64(r.units) * layout.Unit
	}
	p.section[layout.SectionContexts] = int64(b.contexts.len()) * layout.ContextSize
	records := int64(b.types.len() + b.methods.len() + b.contexts.len())
	p.set(layout.RegionIX, layout.BucketsFor(records)*layout.LineSize)
	var ro int64
	for _, n := range p.section {
		ro += n
	}
	p.set(layout.RegionRO, ro)
	p.set(layout.RegionEX, b.tablesSize())
	p.measureProfiles()
	p.set(layout.RegionRW, p.placeBlocks())
	p.pointers = relocate.NewCollector(p.sizeOf(layout.RegionRW))
	p.collectPointers()
	p.set(layout.RegionBM, p.pointers.Size())
}

func (p *plan) set(r layout.Region, size int64)     { p.size[r-1] = size }
func (p *plan) sizeOf(r layout.Region) int64        { return p.size[r-1] }
func (p *plan) regionStart(r layout.Region) int64   { return p.header.Region(r).Offset }
func (p *plan) sectionStart(s layout.Section) int64 { return p.header.Sections[s].Offset }

// measureSymbols places the symbols that lie in the symbol section, relative
// to its start; names of methods that lie behind their records do not, unless
// something else needs them too.
func (p *plan) measureSymbols() (size int64) {
	b := p.b
	needed := make([]bool, b.symbols.len())
	need := func(s SymbolRef) {
		if s != 0 {
			needed[s-1] = true
		}
	}
	for _, t := range b.types.all {
		need(t.name)
		need(t.loader)
		need(t.alias)
	}
	for ref, m := range b.methods.all {
		need(m.signature)
		if p.records[ref-1].flags&layout.MethodNamed == 0 {
			need(m.name)
		}
	}
	b.eachSymbolCell(need)
	p.symbols = make([]layout.Narrow, b.symbols.len())
	p.symbolRefs = p.symbolOrder(needed)
	for _, ref := range p.symbolRefs {
		p.symbols[ref-1] = layout.NarrowOf(size + layout.Unit) // moved by locate; never 0
		size += layout.SymbolSize(len(b.text(ref)))
	}
	return size
}

// symbolOrder gives the needed symbols, sorted by their bytes.
func (p *plan) symbolOrder(needed []bool) []SymbolRef {
	refs := make([]SymbolRef, len(needed))
	for i, rank := range p.o.text {
		refs[rank] = SymbolRef(i + 1)
	}
	return slices.DeleteFunc(refs, func(s SymbolRef) bool { return !needed[s-1] })
}

// planRecords decides what the methods' records hold, and their sizes.
func (p *plan) planRecords() {
	for ref, m := range p.b.methods.all {
		r := &p.records[ref-1]
		r.flags |= m.flags
		if m.holder != 0 || m.signature != 0 {
			r.flags |= layout.MethodDeclared
		}
		if r.first != 0 || m.access != 0 {
			r.flags |= layout.MethodProfiled
		}
		if r.number > 0 {
			r.flags |= layout.MethodInContext
		}
		if m.seen && !p.ran(r) {
			r.flags |= layout.MethodNeverRan
			p.neverRan++
		}
		p.sizeRecord(m, r)
	}
}

// sizeRecord decides where the method's name lies: in its record, where no other
// method can have it, since it is all of the key; that is one memory access less
// for a look-up by name.
func (p *plan) sizeRecord(m *methodData, r *methodPlan) {
	if r.flags&(layout.MethodDeclared|layout.MethodInContext) == 0 && m.access == 0 {
		if name := p.b.text(m.name); len(name) <= layout.MaxNamed {
			r.flags = r.flags&^layout.MethodProfiled | layout.MethodNamed
			r.units = layout.NamedUnits(len(name))
			return
		}
	}
	r.units = uint16((&layout.MethodRecord{Flags: r.flags}).Size() / layout.Unit)
}

// ran reports whether a method has a profile in any context.
func (p *plan) ran(r *methodPlan) bool {
	if r.first != 0 {
		return true
	}
	return slices.ContainsFunc(p.o.contexts[r.context:r.context+r.number], func(c ContextRef) bool { return p.contextFirst[c-1] != 0 })
}

// describe fills in the header but for the index and the sums.
func (p *plan) describe() {
	b, h := p.b, &p.header
	h.Domain, h.Params, h.Producer = b.domain, b.config.Params, b.config.Producer
	h.Fingerprint, h.DumpID, h.Flags = b.config.Fingerprint, b.config.DumpID, b.config.Flags
	if !b.config.DumpTime.IsZero() {
		h.DumpTime = b.config.DumpTime.UnixNano()
	}
	h.Base = layout.RequestedBase(p.keysHash())
	h.Counts = layout.Counts{
		Methods: uint64(b.methods.len()), Profiles: uint64(b.profiles.len()), Contexts: uint64(b.contexts.len()),
		Types: uint64(b.types.len()), Pointers: p.pointers.Count(),
	}
	h.Counts.Symbols = uint64(len(p.symbolRefs))
	h.Counts.NeverRan = p.neverRan
	h.Counts.Entries, h.Summary = p.entries, p.summary
}

// keysHash is the hash of the fingerprint and the set of keys: what the
// requested base is chosen by. Counts do not go into it, so that archives of
// one program from several runs ask for one base.
func (p *plan) keysHash() uint64 {
	var d xxhash.Digest
	d.Reset()
	d.Write(p.b.config.Fingerprint[:])
	var id [8]byte
	for _, ref := range p.o.methods {
		binary.LittleEndian.PutUint64(id[:], p.b.methods.at(uint32(ref)).id)
		d.Write(id[:])
	}
	return d.Sum64()
}
