package archivewriter

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/extent"
	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/relocate"
)

// A plan says where everything will lie. It is made before a byte is written,
// so that a file can be written from front to back.
type plan struct {
	b      *profileset.Set
	o      *order
	view   *spill.View // of the blocks
	mu     sync.Mutex
	pieces []*mmap.Piece // see scratch
	header layout.Header

	symbols    []layout.Ref       // by SymbolRef-1; 0 if the symbol is not in the symbol section
	symbolRefs []intern.SymbolRef // of the symbol section, in order
	lists      lists              // the symbols that are lists
	methods    []layout.Ref       // in their order, as the records
	blocks     []layout.Ref       // by ProfileRef-1, for tables; see blockAt

	records      []methodPlan     // in the order of methods
	contexts     []contextRange   // of each method, in the order of methods; nil if there is no context
	profiles     []profilePlan    // in their order
	contextFirst []uint32         // of each context, by ContextRef-1: 1 + place of its first profile in the order
	neverRan     uint64           // number of such methods
	rows         neverRanRows     // of most of these
	hashed       []intern.SortKey // see hashRecords; until the index is made

	entries uint64 // of all profiles
	summary layout.Summary
	slots   slots    // of all blocks
	ix      []byte   // the index
	slotsOf []uint32 // by ProfileRef-1: its slots; until gatherProfiles
	met     []bool   // by MethodRef-1, see meet; nil if there is none

	pointers *relocate.Collector
	size     [disk.NumRegions]int64 // of each region, by Region-1
	section  [disk.NumParts]int64
}

// newPlan lays an archive out. The error says which record cannot be laid out, or
// is ctx's. The caller holds the set's lock, and closes the plan.
func newPlan(ctx context.Context, b *profileset.Set) (_ *plan, err error) {
	if err := b.Prepare(); err != nil {
		return nil, err
	}
	p := &plan{b: b}
	p.view, err = b.Blocks.View()
	if err != nil {
		return nil, fmt.Errorf("builder: %w", err)
	}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	p.collect()
	for _, step := range []func() error{p.sort(ctx), p.decide, p.measure, p.placeRegions, p.checkKeyText, p.locate,
		p.describe} {
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
		var err error
		p.beside(func() { p.o = newOrder(ctx, p.b) }, func() {
			p.splitSignatures()
			err = p.guard(p.measureProfiles)
		})
		return cmp.Or(err, ctx.Err())
	}
}

// decide decides what records there are, and what they hold.
func (p *plan) decide() error {
	p.planRecords()
	needed := p.neededSymbols()
	p.beside(func() { p.planSymbols(needed) }, func() {
		p.hashed = p.hashRecords(0)
		p.o.sorter.Done()
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

// scratch returns memory for n values until the plan is closed. Large ones are not of the heap.
func scratch[V any](p *plan, n int) []V {
	if n < largeScratch {
		return make([]V, n)
	}
	piece, values := mmap.NewPieceOf[V](n)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pieces = append(p.pieces, piece)
	return values
}

const largeScratch = 1 << 16

// close unmaps the view and frees the memory.
func (p *plan) close() {
	p.view.Close()
	for _, piece := range p.pieces {
		piece.Release()
	}
	if p.o != nil {
		p.o.sorter.Close()
	}
}

// manyRecords are so many that what the garbage collector leaves would show.
const manyRecords = 1 << 19

// collect collects the garbage of a large builder's callers, or of a step. The collector by
// itself would wait until there is as much garbage as there are records.
func (p *plan) collect() {
	if p.b.Methods.Len()+p.b.Profiles.Len() >= manyRecords {
		runtime.GC()
	}
}

// guard calls f, which reads blocks.
func (p *plan) guard(f func() error) error {
	if err := p.view.Guard(f); err != nil {
		return fmt.Errorf("builder: %w", err)
	}
	return nil
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
	p.setSize(disk.RegionIX, disk.BucketsFor(int64(b.Types.Len()+b.Methods.Len()-len(p.rows.methods)))*disk.LineSize)
	var ro int64
	for _, n := range p.section {
		ro += n
	}
	p.setSize(disk.RegionRO, ro)
	p.setSize(disk.RegionEX, b.TablesSize())
	p.setSize(disk.RegionRW, p.placeBlocks())
	p.pointers = relocate.NewCollector(p.sizeOf(disk.RegionRW))
	p.collectPointers()
	p.setSize(disk.RegionBM, p.pointers.Size())
	return nil
}

func (p *plan) setSize(r extent.Region, size int64) { p.size[r-1] = size }
func (p *plan) sizeOf(r extent.Region) int64        { return p.size[r-1] }
func (p *plan) regionStart(r extent.Region) int64   { return p.header.Region(r).Offset }
func (p *plan) sectionStart(s disk.Part) int64      { return p.header.Parts[s].Offset }

// neededSymbols reports of each symbol, by SymbolRef-1, whether something other than a signature needs it in
// the symbol section. Names of methods that lie behind their records do not.
func (p *plan) neededSymbols() []bool {
	b := p.b
	needed := fastmem.AllocateLarge[bool](b.Symbols.Len())
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
	p.symbols = fastmem.AllocateLarge[layout.Ref](len(needed))
	p.symbolRefs = make([]intern.SymbolRef, 0, len(p.o.symbols))
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
	b := p.b
	h := &p.header
	h.Domain = b.Domain
	h.Params = b.Heading.Params
	h.Producer = b.Heading.Producer
	h.ProducerID = b.Heading.ProducerID
	h.Fingerprint = b.Heading.Fingerprint
	h.DumpID = b.Heading.DumpID
	h.Flags = b.Heading.Flags
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
	h.Counts.Entries = p.entries
	h.Summary = p.summary
	return nil
}

// keysHash returns the hash of the fingerprint and the set of keys: what the requested base is chosen by.
// Counts do not go into it, so that archives of one program from several runs ask for one base.
func (p *plan) keysHash() uint64 {
	var d xxhash.Digest
	d.Reset()
	d.Write(p.b.Heading.Fingerprint[:])
	ids := make([]byte, 0, disk.PageSize)
	for i := range p.records {
		ids = binary.LittleEndian.AppendUint64(ids, p.records[i].id)
		if len(ids) == cap(ids) {
			d.Write(ids)
			ids = ids[:0]
		}
	}
	d.Write(ids)
	return d.Sum64()
}

// A methodPlan is what a method's record will be. Records are planned in the order in which they will lie, so
// that all that is done with them afterwards goes through memory from front to back.
type methodPlan struct {
	id    uint64
	name  intern.Place // text of the method's name
	first uint32       // 1 + place in the order of its first profile without a context
	flags layout.MethodFlags
	units uint16 // size of the record with its tail; 0 if the method has a row instead
}

// A contextRange is a method's contexts: the first, in order.contexts, and how many.
type contextRange struct{ first, number uint32 }

// A profilePlan is what a profile's block will be.
type profilePlan struct {
	method   uint32 // place in the order
	context  profileset.ContextRef
	block    spill.Place
	at       layout.Ref
	slots    uint32 // its pointer slots; see slots
	head     bool   // the first of its method without a context, to which the index leads
	followed bool   // by one of the same method and context
	padding  uint8  // zero bytes after the block
}

// planRecords decides what the methods' records hold, and their sizes.
func (p *plan) planRecords() {
	p.beside(p.gatherMethods, func() {
		p.gatherProfiles()
		p.rangeContexts()
		p.meetCallers()
	})
	p.chain()
	for i := range p.records {
		p.planRecord(i)
	}
}

// gatherProfiles copies the plan's fields of each profile to the place of the profile's rank. It goes
// through the profiles in the order of their arrival: of millions hardly any is in a cache, and to
// store in another order takes less time than to load in it.
func (p *plan) gatherProfiles() {
	p.profiles = scratch[profilePlan](p, len(p.o.profiles))
	rank := ranks(p.o.profiles)
	for ref, d := range p.b.Profiles.All {
		p.profiles[rank[ref-1]] = profilePlan{method: p.o.methodRank[d.Method-1], context: d.Context, block: d.Block,
			slots: p.slotsOf[ref-1]}
	}
	p.slotsOf = nil
}

// gatherMethods does so with the methods. Of the flags of their records those are set that they have by
// themselves; MethodProfiled is for their access flags, and MethodUnexecuted for those that were seen.
func (p *plan) gatherMethods() {
	p.records = scratch[methodPlan](p, len(p.o.methods))
	for ref, m := range p.b.Methods.All {
		r := methodPlan{id: m.ID, name: p.b.Symbols.Place(m.Name), flags: m.Flags}
		if m.Holder != 0 || m.Signature != 0 {
			r.flags |= disk.MethodDeclared
		}
		if m.Access != 0 {
			r.flags |= disk.MethodProfiled
		}
		if m.Seen {
			r.flags |= disk.MethodUnexecuted
		}
		p.records[p.o.methodRank[ref-1]] = r
	}
}

// chain links the profiles of one method and context, by code id.
func (p *plan) chain() {
	p.contextFirst = make([]uint32, p.b.Contexts.Len())
	for i := range p.profiles {
		d := &p.profiles[i]
		switch {
		case i > 0 && p.profiles[i-1].method == d.method && p.profiles[i-1].context == d.context:
			p.profiles[i-1].followed = true
		case d.context == profileset.NoContext:
			d.head = true
			p.records[d.method].first = uint32(i + 1)
		default:
			p.contextFirst[d.context-1] = uint32(i + 1)
		}
	}
}

// rangeContexts notes which contexts each method has.
func (p *plan) rangeContexts() {
	if len(p.o.contexts) == 0 {
		return
	}
	p.contexts = make([]contextRange, len(p.o.methods))
	for i, ref := range p.o.contexts {
		r := &p.contexts[p.o.methodRank[p.b.Contexts.At(uint32(ref)).Method-1]]
		if r.number == 0 {
			r.first = uint32(i)
		}
		r.number++
	}
}

// contextsOf returns the contexts of a method by its place in the order.
func (p *plan) contextsOf(method int) []profileset.ContextRef {
	if p.contexts == nil {
		return nil
	}
	r := p.contexts[method]
	return p.o.contexts[r.first : r.first+r.number]
}

// planRecord completes the flags of a record that gatherMethods has begun, and decides where the method's
// name is: in the record, where no other method can have it, since it is all of the key; that is one memory
// access less for a lookup by name.
func (p *plan) planRecord(i int) {
	r := &p.records[i]
	if len(p.contextsOf(i)) > 0 {
		r.flags |= disk.MethodInContext
	}
	if r.flags&disk.MethodUnexecuted != 0 {
		if p.ran(i) {
			r.flags &^= disk.MethodUnexecuted
		} else {
			p.neverRan++
		}
	}
	if r.first == 0 {
		r.flags |= disk.MethodHasID
	}
	if r.flags&(disk.MethodDeclared|disk.MethodInContext|disk.MethodProfiled) == 0 && r.name.Size <= disk.MaxNamed {
		r.flags |= disk.MethodNamed
		r.units = disk.NamedUnits(r.flags, int(r.name.Size))
		return
	}
	if r.first != 0 {
		r.flags |= disk.MethodProfiled
	}
	r.units = uint16((&disk.MethodRecord{Flags: r.flags}).Size() / disk.Unit)
}

// markSharedIDs marks methods whose id another method has too. For one kind of
// record, hashes are alike where ids are.
func (p *plan) markSharedIDs() {
	intern.EachEqual(p.hashed, func(group []intern.SortKey) {
		var methods []*methodPlan
		for _, k := range group {
			if i := int(k.Ref) - len(p.o.types); i >= 0 && i < len(p.records) {
				methods = append(methods, &p.records[i])
			}
		}
		if len(methods) > 1 {
			for _, r := range methods {
				r.flags |= disk.MethodSharedID
			}
		}
	})
}
