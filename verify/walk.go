package verify

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/relocate"
)

var le = binary.LittleEndian

// A walk checks an archive once. It verifies checksums of pages, and checks their records while they are in the CPU
// caches. It trusts no byte, and checks each offset before using it.
//
// If naming is false, several goroutines share the walk. Each checks spans of the file, whose bounds come from the
// offsets in sampled method records. If naming is true, the walk does not trust these offsets. One goroutine then walks
// each part of the file from its start to the first record whose end is not known.
type walk struct {
	ctx      context.Context
	s        *reader.Store
	m        *mapped.Mapping
	h        *layout.Header
	data     []byte
	shape    disk.Shape
	masks    *disk.Masks
	wide     *disk.WideMasks
	tree     disk.SumTree
	slots    *relocate.Map // nil if the bitmaps cannot be read
	starts   starts
	naming   bool
	stopped  atomic.Bool // there is a problem
	partial  atomic.Bool // a part of the file could not be walked to its end
	crowded  disk.Table  // TableCrowded; without rows if the archive is not crowded, or the table cannot be read
	unsummed bool        // the checksums of the pages are damaged themselves
	problems problems

	symbolSpans, blockSpans, methodSpans []layout.Span // independent parts of the file
	methodsEnd                           int64         // end offset of the readable method records
	inContext                            []int64       // offsets of methods with contexts
	records                              layout.Counts // counts of methods, unexecuted methods and contexts
	profiled                             uint64        // number of methods with a first block
	tables                               int

	mu       sync.Mutex
	progress func(done, total int64)
	done     int64
	found    found
}

func newWalk(ctx context.Context, s *reader.Store, progress func(done, total int64)) *walk {
	m := (*mapped.Mapping)(s.Mapping())
	h := s.Header()
	return &walk{ctx: ctx, s: s, m: m, h: h, data: m.Unchecked(), shape: m.Shape(), masks: m.Shape().Masks(),
		wide: m.Shape().WideMasks(), tree: disk.SumTreeOf(h), starts: newStarts(h), progress: progress}
}

// runSteps runs the steps of the walk in order. Each relies on the earlier ones.
func (w *walk) runSteps() {
	defer runtime.KeepAlive(w.s)
	w.m.Sweep()
	for _, step := range []func(){w.frame, w.findMethods, w.pages, w.lists, w.crowd, w.recordsAndBlocks, w.links,
		w.allTables, w.readReferences, w.totals} {
		w.guard(step)
		if w.ctx.Err() != nil || w.stopped.Load() && !w.naming {
			return
		}
	}
}

func (w *walk) guard(step func()) {
	if err := w.m.Guard(func() error { step(); return nil }); err != nil {
		w.refused(inPages, math.MaxInt64, err)
	}
}

type found struct {
	symbols, entries, pointers, blocks, later, linked uint64 // later counts blocks that are not a method's first
	used                                              uint64 // number of index slots in use
	summary                                           layout.Summary
	typeText, methodText, listText                    int64
	chains                                            []chainStart
	lists                                             []int64 // offsets of list symbols
}

func (f *found) addFound(g *found) {
	f.symbols += g.symbols
	f.entries += g.entries
	f.pointers += g.pointers
	f.blocks += g.blocks
	f.later += g.later
	f.linked += g.linked
	f.used += g.used
	x := &f.summary
	y := &g.summary
	x.TotalInvocations = disk.SaturatingAdd(x.TotalInvocations, y.TotalInvocations)
	x.MaxInvocations = max(x.MaxInvocations, y.MaxInvocations)
	x.TotalCount = disk.SaturatingAdd(x.TotalCount, y.TotalCount)
	x.MaxCount = max(x.MaxCount, y.MaxCount)
	f.typeText += g.typeText
	f.methodText += g.methodText
	f.listText += g.listText
	f.chains = append(f.chains, g.chains...)
	f.lists = append(f.lists, g.lists...)
}

type worker struct {
	*walk
	poll  *poll.Poll
	found found

	keys         []keyed  // methods to hash
	sought       []sought // records to look up in the index
	offsets      []int64
	want         []uint64 // a bit for each word of the span, set for pointers
	list, before []byte   // texts of list symbols
}

// maxWorkers is the number of goroutines that saturate the memory bandwidth of an ordinary machine.
const maxWorkers = 4

// share runs n tasks on several goroutines. If naming is set, one goroutine runs them in order. After a problem, a walk
// without naming starts no further task.
func (w *walk) share(n int, task func(w *worker, i int)) {
	workers := min(maxWorkers, runtime.GOMAXPROCS(0), n)
	if w.naming {
		workers = min(n, 1)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			w := &worker{walk: w, poll: poll.New(w.ctx)}
			for w.ctx.Err() == nil && (w.naming || !w.stopped.Load()) {
				i := next.Add(1) - 1
				if i >= int64(n) {
					break
				}
				w.guard(func() { task(w, int(i)) })
			}
			w.guard(w.flush)
			w.mu.Lock()
			w.walk.found.addFound(&w.found)
			w.mu.Unlock()
		})
	}
	wg.Wait()
}

// goesOn reports whether to check one more record of a long part of the file. It is false after ctx ends.
func (w *worker) goesOn() bool { return !w.naming || w.poll.Err() == nil }

func (w *walk) report() Report {
	r := Report{Bytes: w.h.FileSize, Pages: w.tree.Pages(), Lines: int64(w.h.Buckets), Tables: w.tables,
		Counts: w.counts(), Summary: w.found.summary, More: w.problems.more}
	for _, p := range w.problems.list {
		r.Problems = append(r.Problems, p.err)
	}
	return r
}

func (w *walk) counts() layout.Counts {
	f := &w.found
	c := w.records
	c.Profiles = f.blocks
	c.Symbols = f.symbols
	c.Entries = f.entries
	c.Pointers = f.pointers
	c.Types = uint64(w.h.Parts[disk.PartTypes].Size / disk.TypeSize)
	return c
}

func (w *walk) totals() {
	f := &w.found
	c := w.counts()
	if w.done != w.h.FileSize || f.later != f.linked || f.blocks != f.later+w.profiled {
		w.doubt()
	}
	if most := disk.MaxKeyText(w.h.FileSize); max(f.typeText, f.methodText, f.listText) > most {
		w.doubt()
	}
	records := c.Types + c.Methods - uint64(w.rows()) - uint64(w.crowded.Rows)
	if f.used != records && !w.starts.methods.partial {
		w.wrong(inSlots, 0, disk.RegionIX, w.lineOffset(0), "the index has %d slots in use, %d records need one", f.used,
			records)
	}
	if w.partial.Load() {
		return
	}
	if c != w.h.Counts {
		w.wrong(inTotals, 0, disk.RegionHeader, 0, "counts are %+v, recorded are %+v", c, w.h.Counts)
	}
	if f.summary != w.h.Summary {
		w.wrong(inTotals, 0, disk.RegionHeader, 0, "the summary is %+v, recorded is %+v", f.summary, w.h.Summary)
	}
}

type places struct {
	span    layout.Span
	bits    []uint64
	partial bool // the walk that fills the set ended early
}

func newPlaces(span layout.Span) places {
	return places{span: span, bits: make([]uint64, (span.Size/disk.Unit+63)/64)}
}

func (p *places) has(n layout.Ref) bool {
	if !p.span.Holds(n.Offset(), disk.Unit) {
		return false
	}
	word, bit := p.bit(n)
	return *word&bit != 0
}

// mayHave is like has, but also returns true if the set is incomplete.
func (p *places) mayHave(n layout.Ref) bool { return p.partial || p.has(n) }

func (p *places) remove(n layout.Ref) bool {
	if !p.has(n) {
		return false
	}
	word, bit := p.bit(n)
	*word &^= bit
	return true
}

func (p *places) bit(n layout.Ref) (word *uint64, bit uint64) {
	unit := (n.Offset() - p.span.Offset) / disk.Unit
	return &p.bits[unit/64], 1 << (unit % 64)
}

// first returns the lowest element of the set and the number of elements.
func (p *places) first() (first layout.Ref, count int) {
	for i, word := range p.bits {
		if word != 0 && count == 0 {
			first = disk.RefOf(p.span.Offset + int64(64*i+bits.TrailingZeros64(word))*disk.Unit)
		}
		count += bits.OnesCount64(word)
	}
	return first, count
}

// starts has the offsets at which records begin. A reference to another offset is a problem, whatever the bytes there.
type starts struct {
	symbols places
	names   places // texts that can be part of a key
	methods places // method records
	blocks  places
}

func newStarts(h *layout.Header) starts {
	symbols := h.Parts[disk.PartSymbols]
	return starts{symbols: newPlaces(symbols), names: newPlaces(symbols), methods: newPlaces(h.Parts[disk.PartMethods]),
		blocks: newPlaces(disk.RegionOf(h, disk.RegionRW))}
}

func (w *walk) isType(n layout.Ref) bool {
	types := w.h.Parts[disk.PartTypes]
	return types.Holds(n.Offset(), disk.TypeSize) && (n.Offset()-types.Offset)%disk.TypeSize == 0
}

// A marker adds offsets to a set that several goroutines fill. It writes whole words.
type marker struct {
	places *places
	word   int64
	bits   uint64
}

func (k *marker) markRecord(at int64) {
	unit := (at - k.places.span.Offset) / disk.Unit
	if unit>>6 != k.word {
		k.flush()
		k.word = unit >> 6
	}
	k.bits |= 1 << (unit & 63)
}

func (k *marker) flush() {
	if k.bits != 0 {
		atomic.OrUint64(&k.places.bits[k.word], k.bits)
	}
	k.bits = 0
}

func (w *walk) frame() {
	if err := w.m.VerifyFrame(); err != nil {
		w.unsummed = true
		w.refused(inPages, 0, err)
	}
	w.advance(disk.ChecksummedSpan(w.h).Offset)
}

func (w *walk) advance(size int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done += size; w.progress != nil {
		w.progress(w.done, w.h.FileSize)
	}
}

func (w *walk) pages() {
	symbols := w.h.Parts[disk.PartSymbols]
	rw := disk.RegionOf(w.h, disk.RegionRW)
	before := w.pagesOf(disk.ChecksummedSpan(w.h).Offset, symbols.Offset)
	behind := w.pagesOf(symbols.End(), rw.Offset)
	if rw.Size == 0 {
		behind.end = w.tree.Pages()
	}
	tasks := append(before.split(), behind.split()...)
	spans := w.symbolSpans
	w.share(len(spans)+len(tasks), func(w *worker, i int) {
		if i >= len(spans) {
			tasks[i-len(spans)].rest()
			return
		}
		pages := w.pagesOf(spans[i].Offset, spans[i].End())
		w.symbols(spans[i], &pages)
		pages.rest()
	})
}

type summer struct {
	*walk
	next, end int64 // page numbers
	size      int64 // size of the verified pages in bytes
}

// pagesOf returns the pages of the span [from, to). A page that crosses a bound belongs to the span that begins in it.
func (w *walk) pagesOf(from, to int64) summer {
	return summer{walk: w, next: w.tree.Page(from), end: w.tree.Page(to)}
}

func (s *summer) split() (tasks []summer) {
	const few = 512
	for at := s.next; at < s.end; at += few {
		tasks = append(tasks, summer{walk: s.walk, next: at, end: min(at+few, s.end)})
	}
	return tasks
}

// upTo verifies the pages that begin before offset, whose bytes are in the CPU caches afterwards.
func (s *summer) upTo(offset int64) {
	for ; s.next < s.end; s.next++ {
		span := s.tree.PageSpan(s.next)
		if span.Offset >= offset {
			return
		}
		got := disk.Checksum(s.data[span.Offset:span.End()])
		want := le.Uint64(s.data[disk.RegionOf(s.h, disk.RegionPS).Offset+s.tree.SlotOffset(0, s.next):])
		if got != want && !s.unsummed {
			s.noteError(inPages, span.Offset, disk.ChecksumError(disk.RegionAt(s.h, span.Offset), span, got, want))
		}
		s.size += span.Size
	}
}

func (s *summer) rest() {
	s.upTo(s.h.FileSize)
	s.advance(s.size)
}
