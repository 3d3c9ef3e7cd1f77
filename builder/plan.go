package builder

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/relocate"
)

// A plan says where everything will lie. It is made before a byte is written,
// so that a file can be written from front to back.
type plan struct {
	b      *Builder
	o      *order
	header layout.Header

	symbols    []layout.Ref // by SymbolRef-1; 0 if the symbol is not in the symbol section
	symbolRefs []SymbolRef  // of the symbol section, in order
	lists      lists        // those of them that are lists
	methods    []layout.Ref // in their order, as the records
	blocks     []layout.Ref // by ProfileRef-1, for tables; see blockAt

	records      []methodPlan   // in the order of methods
	contexts     []contextRange // of each method, in the order of methods; nil if there is no context
	profiles     []profilePlan  // in their order
	contextFirst []uint32       // of each context, by ContextRef-1: 1 + place of its first profile in the order
	neverRan     uint64         // number of such methods
	rows         neverRanRows   // of most of these
	hashed       []sortKey      // see hashRecords; until the index is made

	entries     uint64 // of all profiles
	summary     layout.Summary
	hasPointers []bool // by ProfileRef-1
	met         []bool // by MethodRef-1, see meet; nil if there is none

	pointers *relocate.Collector
	size     [disk.NumRegions]int64 // of each region, by Region-1
	section  [disk.NumParts]int64
}

// plan lays the archive out. The error is that of what cannot be laid out, or of
// ctx. The caller holds mu.
func (b *Builder) plan(ctx context.Context) (*plan, error) {
	if b.err != nil {
		return nil, b.err
	}
	if err := cmp.Or(b.withoutBatch(), b.unfinished()); err != nil {
		return nil, err
	}
	if b.mixed {
		b.uniteTables()
	}
	b.listFirstOrder()
	b.sortCode()
	p := &plan{b: b}
	for _, step := range []func() error{p.sort(ctx), p.decide, p.measure, p.place, p.checkKeyText, p.locate, p.describe} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// sort puts everything into its order, as far as ctx lets it.
func (p *plan) sort(ctx context.Context) func() error {
	return func() error {
		p.beside(func() { p.o = p.b.order(ctx) }, func() {
			p.splitSignatures()
			p.measureProfiles()
		})
		return ctx.Err()
	}
}

// decide decides what records there are, and what they hold.
func (p *plan) decide() error {
	p.planRecords()
	needed := p.neededSymbols()
	p.beside(func() { p.planSymbols(needed) }, func() {
		p.hashed = p.hashRecords(0)
		p.markSharedIDs()
		p.planNeverRan()
	})
	return nil
}

// beside does two things that do not depend on each other.
func (p *plan) beside(one, other func()) {
	if p.workers() == 1 {
		one()
		other()
		return
	}
	var wait sync.WaitGroup
	wait.Go(other)
	one()
	wait.Wait()
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

// measure computes the size of every region but ps.
func (p *plan) measure() error {
	b := p.b
	p.section[disk.PartTypes] = int64(b.types.len()) * disk.TypeSize
	for _, r := range p.records {
		p.section[disk.PartMethods] += int64(r.units) * disk.Unit
	}
	p.section[disk.PartContexts] = int64(b.contexts.len()) * disk.ContextSize
	p.section[disk.PartUnexecuted] = disk.UnexecutedSize(len(p.rows.classes), len(p.rows.methods))
	p.set(layout.RegionIX, disk.BucketsFor(int64(b.types.len()+b.methods.len()-len(p.rows.methods)))*disk.LineSize)
	var ro int64
	for _, n := range p.section {
		ro += n
	}
	p.set(layout.RegionRO, ro)
	p.set(layout.RegionEX, b.tablesSize())
	p.set(layout.RegionRW, p.placeBlocks())
	p.pointers = relocate.NewCollector(p.sizeOf(layout.RegionRW))
	p.collectPointers()
	p.set(layout.RegionBM, p.pointers.Size())
	return nil
}

func (p *plan) set(r layout.Region, size int64)   { p.size[r-1] = size }
func (p *plan) sizeOf(r layout.Region) int64      { return p.size[r-1] }
func (p *plan) regionStart(r layout.Region) int64 { return p.header.Region(r).Offset }
func (p *plan) sectionStart(s disk.Part) int64    { return p.header.Parts[s].Offset }

// neededSymbols says of each symbol, by SymbolRef-1, whether something other than
// a signature needs it in the symbol section. Names of methods that lie behind
// their records do not.
func (p *plan) neededSymbols() []bool {
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
	for i, ref := range p.o.methods {
		if p.records[i].flags&disk.MethodNamed == 0 {
			need(b.methods.at(uint32(ref)).name)
		}
	}
	b.eachSymbolCell(need)
	return needed
}

// planSymbols places the symbols that lie in the symbol section, relative to its
// start: those that are needed, and signatures.
func (p *plan) planSymbols(needed []bool) {
	p.planSignatures(needed)
	p.symbols = make([]layout.Ref, len(needed))
	for _, ref := range p.o.symbols {
		if needed[ref-1] {
			p.symbolRefs = append(p.symbolRefs, ref)
		}
	}
	size := int64(0)
	for _, ref := range p.symbolRefs {
		p.symbols[ref-1] = disk.RefOf(size + disk.Unit) // moved by locate; never 0
		size += p.symbolSize(ref)
	}
	p.section[disk.PartSymbols] = size
}

// describe fills in the header but for the index and the sums.
func (p *plan) describe() error {
	b, h := p.b, &p.header
	h.Domain, h.Params, h.Producer = b.domain, b.config.Params, b.config.Producer
	h.Fingerprint, h.DumpID, h.Flags = b.config.Fingerprint, b.config.DumpID, b.config.Flags
	if !b.config.DumpTime.IsZero() {
		h.DumpTime = b.config.DumpTime.UnixNano()
	}
	h.Base = disk.RequestedBase(p.keysHash())
	h.Counts = layout.Counts{
		Methods: uint64(b.methods.len()), Profiles: uint64(b.profiles.len()), Contexts: uint64(b.contexts.len()),
		Types: uint64(b.types.len()), Pointers: p.pointers.Count(),
	}
	h.Counts.Symbols = uint64(len(p.symbolRefs))
	h.Counts.Unexecuted = p.neverRan
	h.Counts.Entries, h.Summary = p.entries, p.summary
	return nil
}

// keysHash is the hash of the fingerprint and the set of keys: what the
// requested base is chosen by. Counts do not go into it, so that archives of
// one program from several runs ask for one base.
func (p *plan) keysHash() uint64 {
	var d xxhash.Digest
	d.Reset()
	d.Write(p.b.config.Fingerprint[:])
	ids := make([]byte, 0, disk.PageSize)
	for i := range p.records {
		if ids = binary.LittleEndian.AppendUint64(ids, p.records[i].id); len(ids) == cap(ids) {
			d.Write(ids)
			ids = ids[:0]
		}
	}
	d.Write(ids)
	return d.Sum64()
}
