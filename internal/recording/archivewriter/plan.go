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
	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/relocate"
)

// A plan is the layout of an archive. It is complete before the first byte is written, so the file can be written from
// front to back.
type plan struct {
	b      *profileset.Set
	o      *order
	view   *spill.View // view of the set's blocks
	mu     sync.Mutex
	pieces []*mmap.Piece // see scratch
	header layout.Header

	symbols    []layout.Ref       // indexed by SymbolRef-1; 0 if not in the symbol section
	symbolRefs []intern.SymbolRef // symbols of the symbol section, in order
	lists      lists              // symbols stored as lists
	methods    []layout.Ref       // references of the methods, by rank
	blocks     []layout.Ref       // indexed by ProfileRef-1; see blockAt

	records      []methodPlan     // indexed by rank of the method
	contexts     []contextRange   // indexed by rank of the method; nil if there are no contexts
	profiles     []profilePlan    // indexed by rank
	contextFirst []uint32         // 1 + rank of the first profile, indexed by ContextRef-1
	neverRan     uint64           // number of methods that never ran
	rows         neverRanRows     // most of these methods
	hashed       []intern.SortKey // see hashRecords; nil after planIndex

	entries     uint64 // number of entries of all profiles
	summary     layout.Summary
	unaccounted []ledger.Difference // differences that the account of the set does not explain
	slots       slots               // pointer slots of all blocks
	ix          []byte              // index, see planIndex
	slotsOf     []uint32            // number of the slot list, indexed by ProfileRef-1; nil after gatherProfiles
	met         []bool              // indexed by MethodRef-1; see meet; nil if no method was met

	pointers *relocate.Collector
	size     [disk.NumRegions]int64 // indexed by Region-1
	section  [disk.NumParts]int64
}

// newPlan lays out an archive. The error names a record that cannot be laid out, or comes from ctx. The caller holds
// the set's lock and must close the plan.
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
	for _, step := range []func() error{p.sort(ctx), p.decide, p.planIndex, p.measure, p.placeRegions, p.checkKeyText,
		p.locate, p.describe} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// sort returns a step that sorts all records and measures the profiles. The step fails if ctx is canceled.
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

// beside runs two independent functions. With several workers they run in parallel.
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

// scratch returns memory for n values, valid until the plan is closed. Large slices are outside the heap.
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

func (p *plan) close() {
	p.view.Close()
	for _, piece := range p.pieces {
		piece.Release()
	}
	if p.o != nil {
		p.o.sorter.Close()
	}
}

const manyRecords = 1 << 19

// collect runs the garbage collector if the set is large. On its own schedule, the collector would wait until the
// garbage is as large as the records.
func (p *plan) collect() {
	if p.b.Methods.Len()+p.b.Profiles.Len() >= manyRecords {
		runtime.GC()
	}
}

// guard calls f, which reads blocks. A failed read of the spill file becomes an error.
func (p *plan) guard(f func() error) error {
	if err := p.view.Guard(f); err != nil {
		return fmt.Errorf("builder: %w", err)
	}
	return nil
}

// measure computes the sizes of all regions except ps.
func (p *plan) measure() error {
	b := p.b
	p.section[disk.PartTypes] = int64(b.Types.Len()) * disk.TypeSize
	for _, r := range p.records {
		p.section[disk.PartMethods] += int64(r.units) * disk.Unit
	}
	p.section[disk.PartContexts] = int64(b.Contexts.Len()) * disk.ContextSize
	p.section[disk.PartUnexecuted] = disk.UnexecutedSize(len(p.rows.classes), len(p.rows.methods))
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

func (p *plan) setSize(r layout.Region, size int64) { p.size[r-1] = size }
func (p *plan) sizeOf(r layout.Region) int64        { return p.size[r-1] }
func (p *plan) regionStart(r layout.Region) int64   { return disk.RegionOf(&p.header, r).Offset }
func (p *plan) sectionStart(s disk.Part) int64      { return p.header.Parts[s].Offset }

// neededSymbols reports for each symbol, by SymbolRef-1, whether something other than a signature needs it in the
// symbol section. Names inside their records do not count.
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
		p.symbols[ref-1] = disk.RefOf(size + disk.Unit) // never 0; locate makes it absolute
		size += p.symbolSize(ref)
	}
	p.section[disk.PartSymbols] = size
}

func (p *plan) describe() error {
	b := p.b
	h := &p.header
	b.DescribeHeader(h)
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

// keysHash returns the hash of the fingerprint and of all method IDs, which selects the requested base. It ignores
// counts, so that archives of one program from several runs request the same base.
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

type methodPlan struct {
	id    uint64
	name  spill.Place // location of the name's text
	first uint32      // 1 + rank of the first profile without a context; 0 if none
	flags layout.MethodFlags
	units uint16 // size with the name; 0 if the method has a row instead
}

type contextRange struct{ first, number uint32 }

type profilePlan struct {
	method   uint32 // rank of the method
	context  profileset.ContextRef
	block    spill.Place
	at       layout.Ref
	slots    uint32 // number of the slot list
	head     bool   // first profile of its method without a context; the index refers to it
	followed bool   // the next profile has the same method and context
	padding  uint8  // zero bytes after the block
}

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

// gatherProfiles stores the plan of each profile at its rank. It reads the profiles in order of arrival. Of millions of
// profiles hardly any is in a cache, and storing out of order is faster than loading out of order.
func (p *plan) gatherProfiles() {
	p.profiles = scratch[profilePlan](p, len(p.o.profiles))
	rank := ranks(p.o.profiles)
	for ref, d := range p.b.Profiles.All {
		p.profiles[rank[ref-1]] = profilePlan{method: p.o.methodRank[d.Method-1], context: d.Context, block: d.Block,
			slots: p.slotsOf[ref-1]}
	}
	p.slotsOf = nil
}

// gatherMethods stores the plan of each method at its rank. It sets the flags that depend on the method alone.
// MethodProfiled marks methods with access flags, and MethodUnexecuted marks methods that were loaded or instrumented.
// planRecord completes both.
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

func (p *plan) contextsOf(method int) []profileset.ContextRef {
	if p.contexts == nil {
		return nil
	}
	r := p.contexts[method]
	return p.o.contexts[r.first : r.first+r.number]
}

// planRecord completes the flags of a record and computes its size. A record holds the name if the name is the whole
// key, since no other method can have it. A lookup by name then needs one memory access less.
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

// markSharedIDs marks methods that share their ID with another method. Records of one kind have equal hashes only if
// they have equal IDs.
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
