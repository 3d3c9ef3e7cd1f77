package archivewriter

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/internal/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/relocate"
)

// A plan says where everything will lie. It is made before a byte is written,
// so that a file can be written from front to back.
type plan struct {
	b       *profileset.Set
	options Options
	o       *order
	header  layout.Header

	symbols    []layout.Ref       // by SymbolRef-1; 0 if the symbol is not in the symbol section
	symbolRefs []intern.SymbolRef // of the symbol section, in order
	lists      lists              // those of them that are lists
	methods    []layout.Ref       // in their order, as the records
	blocks     []layout.Ref       // by ProfileRef-1, for tables; see blockAt

	records      []methodPlan     // in the order of methods
	contexts     []contextRange   // of each method, in the order of methods; nil if there is no context
	profiles     []profilePlan    // in their order
	contextFirst []uint32         // of each context, by ContextRef-1: 1 + place of its first profile in the order
	neverRan     uint64           // number of such methods
	rows         neverRanRows     // of most of these
	hashed       []intern.SortKey // see hashRecords; until the index is made

	entries     uint64 // of all profiles
	summary     layout.Summary
	hasPointers []bool // by ProfileRef-1
	met         []bool // by MethodRef-1, see meet; nil if there is none

	pointers *relocate.Collector
	size     [disk.NumRegions]int64 // of each region, by Region-1
	section  [disk.NumParts]int64
}

// newPlan lays an archive out. The error is that of what cannot be laid out, or
// of ctx. The caller holds the set's lock.
func newPlan(ctx context.Context, b *profileset.Set, o Options) (*plan, error) {
	if err := b.Prepare(); err != nil {
		return nil, err
	}
	p := &plan{b: b, options: o}
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
		p.beside(func() { p.o = newOrder(ctx, p.b) }, func() {
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

// measure computes the size of every region but ps.
func (p *plan) measure() error {
	b := p.b
	p.section[disk.PartTypes] = int64(b.Types.Len()) * disk.TypeSize
	for _, r := range p.records {
		p.section[disk.PartMethods] += int64(r.units) * disk.Unit
	}
	p.section[disk.PartContexts] = int64(b.Contexts.Len()) * disk.ContextSize
	p.section[disk.PartUnexecuted] = disk.UnexecutedSize(len(p.rows.classes), len(p.rows.methods))
	p.set(layout.RegionIX, disk.BucketsFor(int64(b.Types.Len()+b.Methods.Len()-len(p.rows.methods)))*disk.LineSize)
	var ro int64
	for _, n := range p.section {
		ro += n
	}
	p.set(layout.RegionRO, ro)
	p.set(layout.RegionEX, b.TablesSize())
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
	needed := make([]bool, b.Symbols.Len())
	need := func(s intern.SymbolRef) {
		if s != 0 {
			needed[s-1] = true
		}
	}
	for _, t := range b.Types.All {
		need(t.Name)
		need(t.Loader)
		need(t.Alias)
	}
	for i, ref := range p.o.methods {
		if p.records[i].flags&disk.MethodNamed == 0 {
			need(b.Methods.At(uint32(ref)).Name)
		}
	}
	b.EachSymbolCell(need)
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
	h.Domain, h.Params, h.Producer = b.Domain, b.Heading.Params, b.Heading.Producer
	h.Fingerprint, h.DumpID, h.Flags = b.Heading.Fingerprint, b.Heading.DumpID, b.Heading.Flags
	if !b.Heading.DumpTime.IsZero() {
		h.DumpTime = b.Heading.DumpTime.UnixNano()
	}
	h.Base = disk.RequestedBase(p.keysHash())
	h.Counts = layout.Counts{
		Methods: uint64(b.Methods.Len()), Profiles: uint64(b.Profiles.Len()), Contexts: uint64(b.Contexts.Len()),
		Types: uint64(b.Types.Len()), Pointers: p.pointers.Count(),
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
	d.Write(p.b.Heading.Fingerprint[:])
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
