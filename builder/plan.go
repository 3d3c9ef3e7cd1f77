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

	inline     bool            // method names lie behind their records
	symbols    []layout.Narrow // by SymbolRef-1; 0 if the symbol is not in the symbol section
	symbolRefs []SymbolRef     // of the symbol section, in order
	methods    []layout.Narrow // by MethodRef-1
	blocks     []layout.Narrow // by ProfileRef-1

	firstProfile  []ProfileRef // of each method without a context, by MethodRef-1
	contextFirst  []ProfileRef // of each context, by ContextRef-1
	next          []ProfileRef // of the same method and context, by ProfileRef-1
	methodContext []ctxRange   // by MethodRef-1
	sharedID      []bool       // by MethodRef-1

	entries     uint64 // of all profiles
	summary     layout.Summary
	hasPointers []bool // by ProfileRef-1

	pointers *relocate.Collector
	size     [layout.NumRegions]int64 // of each region, by Region-1
	section  [layout.NumSections]int64
}

type ctxRange struct{ first, count uint32 } // in order.contexts

// plan lays the archive out. The caller holds mu.
func (b *Builder) plan() (*plan, error) {
	if b.err != nil {
		return nil, b.err
	}
	for i := range b.profiles {
		if b.profiles[i].block.slab == 0 {
			m := b.methods.at(uint32(b.profiles[i].method))
			return nil, fmt.Errorf("builder: the profile of %s was begun and Done was not called", b.text(m.name))
		}
	}
	if b.mixed {
		b.uniteTables()
	}
	p := &plan{b: b, o: b.order(), inline: b.domain.LLVM()}
	p.chain()
	p.findSharedIDs()
	p.measure()
	if err := p.place(); err != nil {
		return nil, err
	}
	p.locate()
	p.describe()
	return p, nil
}

// chain links the profiles of one method and context, by code id.
func (p *plan) chain() {
	b := p.b
	p.firstProfile = make([]ProfileRef, b.methods.len())
	p.contextFirst = make([]ProfileRef, b.contexts.len())
	p.next = make([]ProfileRef, len(b.profiles))
	for i, ref := range p.o.profiles {
		d := &b.profiles[ref-1]
		if i > 0 {
			before := &b.profiles[p.o.profiles[i-1]-1]
			if before.method == d.method && before.context == d.context {
				p.next[p.o.profiles[i-1]-1] = ref
				continue
			}
		}
		if d.context == NoContext {
			p.firstProfile[d.method-1] = ref
		} else {
			p.contextFirst[d.context-1] = ref
		}
	}
	p.methodContext = make([]ctxRange, b.methods.len())
	for i, ref := range p.o.contexts {
		r := &p.methodContext[b.contexts.at(uint32(ref)).method-1]
		if r.count == 0 {
			r.first = uint32(i)
		}
		r.count++
	}
}

// findSharedIDs marks methods whose id another method has too.
func (p *plan) findSharedIDs() {
	methods := p.b.methods.values
	p.sharedID = make([]bool, len(methods))
	byID := make([]sortKey, len(methods))
	for i := range methods {
		byID[i] = sortKey{methods[i].id, uint32(i + 1)}
	}
	sortKeys(byID)
	eachEqual(byID, func(group []sortKey) {
		for _, k := range group {
			p.sharedID[k.ref-1] = true
		}
	})
}

// measure computes the size of every region but ps.
func (p *plan) measure() {
	b := p.b
	p.section[layout.SectionSymbols] = p.measureSymbols()
	p.section[layout.SectionTypes] = int64(b.types.len()) * layout.TypeSize
	for i := range b.methods.values {
		p.section[layout.SectionMethods] += p.methodSize(MethodRef(i + 1))
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
	for _, t := range b.types.values {
		need(t.name)
		need(t.loader)
		need(t.alias)
	}
	for _, m := range b.methods.values {
		need(m.signature)
		if !p.nameInline(&m) {
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

// nameInline reports whether a method's name lies in the tail of its record:
// that is one memory access less for a look-up by name where names are unique.
func (p *plan) nameInline(m *methodData) bool {
	return p.inline && layout.SymbolSize(len(p.b.text(m.name))) < 1<<18
}

// record is the method's record, without places.
func (p *plan) record(ref MethodRef) layout.MethodRecord {
	m := p.b.methods.at(uint32(ref))
	r := layout.MethodRecord{ID: m.id, Flags: m.flags | p.fields(ref), Access: m.access, NumContexts: p.methodContext[ref-1].count}
	if p.neverRan(ref) {
		r.Flags |= layout.MethodNeverRan
	}
	if p.sharedID[ref-1] {
		r.Flags |= layout.MethodSharedID
	}
	r.Units = uint16(p.methodSize(ref) / layout.Unit)
	return r
}

// fields are the flags of the optional fields that a method's record has.
func (p *plan) fields(ref MethodRef) (f layout.MethodFlags) {
	m := p.b.methods.at(uint32(ref))
	if m.holder != 0 || m.signature != 0 {
		f |= layout.MethodDeclared
	}
	if p.firstProfile[ref-1] != 0 || m.access != 0 {
		f |= layout.MethodProfiled
	}
	if p.methodContext[ref-1].count > 0 {
		f |= layout.MethodInContext
	}
	return f
}

// neverRan reports whether the method was seen and has no profile.
func (p *plan) neverRan(ref MethodRef) bool { return p.b.methods.at(uint32(ref)).seen && !p.ran(ref) }

// ran reports whether the method has a profile in any context.
func (p *plan) ran(ref MethodRef) bool {
	if p.firstProfile[ref-1] != 0 {
		return true
	}
	r := p.methodContext[ref-1]
	for _, c := range p.o.contexts[r.first : r.first+r.count] {
		if p.contextFirst[c-1] != 0 {
			return true
		}
	}
	return false
}

func (p *plan) methodSize(ref MethodRef) int64 {
	m := p.b.methods.at(uint32(ref))
	size := (&layout.MethodRecord{Flags: p.fields(ref)}).Size()
	if p.nameInline(m) {
		size += layout.SymbolSize(len(p.b.text(m.name)))
	}
	return size
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
		Methods: uint64(b.methods.len()), Profiles: uint64(len(b.profiles)), Contexts: uint64(b.contexts.len()),
		Types: uint64(b.types.len()), Pointers: p.pointers.Count(),
	}
	h.Counts.Symbols = uint64(len(p.symbolRefs))
	for i := range b.methods.values {
		if p.neverRan(MethodRef(i + 1)) {
			h.Counts.NeverRan++
		}
	}
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
