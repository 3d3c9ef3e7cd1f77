package verify

import (
	"context"
	"encoding/binary"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/relocate"
)

var le = binary.LittleEndian

// A proof shows that an archive is sound, in one pass over its bytes that several
// goroutines share, or gives up and says nothing: then the check goes over the archive
// again, slowly, and names the defects. What the check would object to, the proof must
// never accept. It may give up on a sound archive with a layout that no writer produces.
//
// Pages are summed and their records checked while they are in the caches. Until
// the end nothing is known of any byte: each offset is checked before it is used.
type proof struct {
	ctx    context.Context
	s      *reader.Store
	m      *archive.Mapping
	h      *layout.Header
	data   []byte
	shape  disk.Shape
	plans  *plans
	tree   disk.SumTree
	slots  *relocate.Map
	starts starts
	gaveUp atomic.Bool

	symbolSpans, blockSpans, methodSpans []layout.Span // parts that can be walked each by itself
	inContext                            []int64       // offsets of the methods that have contexts
	records                              layout.Counts // by the walk over the method records
	profiled                             uint64        // of these, the ones that lead to a first block

	mu       sync.Mutex
	progress func(done, total int64)
	done     int64
	found    found
}

// found is what the goroutines found, each for itself.
type found struct {
	symbols, entries, pointers, blocks, later, linked uint64 // later blocks are not the first of a method
	used                                              uint64 // slots of the index
	invocations, counts                               wide
	maxInvocations, maxCount                          uint64
	typeText, methodText, listText                    int64
	chains                                            []chainStart
	lists                                             []int64 // offsets of symbols that are lists
}

// A wide is a sum of 128 bits.
type wide struct{ high, low uint64 }

func (w *wide) add(n uint64) {
	var carry uint64
	w.low, carry = bits.Add64(w.low, n, 0)
	w.high += carry
}

// saturated returns the sum as the header has it.
func (w *wide) saturated() uint64 {
	if w.high != 0 {
		return 1<<64 - 1
	}
	return w.low
}

func (f *found) add(g *found) {
	f.symbols += g.symbols
	f.entries += g.entries
	f.pointers += g.pointers
	f.blocks += g.blocks
	f.later += g.later
	f.linked += g.linked
	f.used += g.used
	for _, sum := range [...][2]*wide{{&f.invocations, &g.invocations}, {&f.counts, &g.counts}} {
		sum[0].add(sum[1].low)
		sum[0].high += sum[1].high
	}
	f.maxInvocations, f.maxCount = max(f.maxInvocations, g.maxInvocations), max(f.maxCount, g.maxCount)
	f.typeText += g.typeText
	f.methodText += g.methodText
	f.listText += g.listText
	f.chains = append(f.chains, g.chains...)
	f.lists = append(f.lists, g.lists...)
}

// prove reports whether the archive is shown to be sound.
func prove(ctx context.Context, s *reader.Store, progress func(done, total int64)) bool {
	h := s.Header()
	shape := s.Mapping().Shape()
	p := &proof{ctx: ctx, s: s, m: s.Mapping(), h: h, data: s.Mapping().Unchecked(), shape: shape, plans: plansOf(shape),
		tree: disk.SumTreeOf(h), starts: newStarts(h), progress: progress}
	if s.Mapping().Closed() {
		return false
	}
	defer runtime.KeepAlive(s)
	p.m.Sweep()
	for _, step := range []func() bool{p.frame, p.findMethods, p.pages, p.lists, p.recordsAndBlocks, p.links, p.tables,
		p.totals} {
		sound := false
		err := p.m.Guard(func() error { sound = step(); return nil })
		if err != nil || !sound || p.gaveUp.Load() || ctx.Err() != nil {
			return false
		}
	}
	return true
}

// A worker is a goroutine of a proof, with its buffers.
type worker struct {
	*proof
	found found

	keys         []keyed  // methods whose keys are to be hashed
	sought       []sought // records that are to be looked for
	places       []int64
	want         []uint64 // a bit for each word of the span that is walked: it is a pointer slot
	list, before []byte   // texts of lists
}

// maxWorkers is how many goroutines the memory bandwidth of an ordinary machine feeds.
const maxWorkers = 4

// share runs n tasks on a few goroutines, in any order. It reports whether all of them
// held; after one that did not, no more are begun.
func (p *proof) share(n int, task func(w *worker, i int) bool) bool {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(maxWorkers, runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			w := &worker{proof: p}
			for i := next.Add(1) - 1; i < int64(n) && p.ctx.Err() == nil && !p.gaveUp.Load(); i = next.Add(1) - 1 {
				w.run(func() bool { return task(w, int(i)) })
			}
			w.run(w.flush)
			p.mu.Lock()
			p.found.add(&w.found)
			p.mu.Unlock()
		})
	}
	wg.Wait()
	return !p.gaveUp.Load()
}

// run ends the proof without a result if a task does not hold, or the file was cut off.
func (w *worker) run(task func() bool) {
	held := false
	err := w.m.Guard(func() error { held = task(); return nil })
	if err != nil || !held {
		w.gaveUp.Store(true)
	}
}

// frame checks the header, and the sums from the top down: what pages does not cover.
func (p *proof) frame() bool {
	h, err := disk.ParseHeader(p.data, p.h.FileSize)
	if err != nil || *h != *p.h {
		return false
	}
	for level := range p.tree.Levels() {
		groups := int64(1)
		if level+1 < p.tree.Levels() {
			groups = p.tree.Count(level + 1)
		}
		for group := range groups {
			want := p.h.SumRoot
			if level+1 < p.tree.Levels() {
				want = p.sum(level+1, group)
			}
			g := p.tree.Group(level, group)
			from := p.h.Region(disk.RegionPS).Offset + g.Offset
			if disk.Sum(p.data[from:from+g.Size]) != want {
				return false
			}
		}
	}
	ps := p.h.Region(disk.RegionPS).Offset
	p.report(disk.Summed(p.h).Offset)
	return zeros(p.data[ps+p.tree.Size() : disk.Summed(p.h).Offset])
}

func zeros(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// sum returns a sum of the tree.
func (p *proof) sum(level int, n int64) uint64 {
	return le.Uint64(p.data[p.h.Region(disk.RegionPS).Offset+p.tree.Slot(level, n):])
}

// A summer computes the sums of some pages, in their order.
type summer struct {
	*proof
	next, end int64 // pages
	size      int64 // of the pages so far
}

// upTo sums the pages that begin before an offset, and reports whether their sums are
// right. Their bytes are in the nearest caches then.
func (s *summer) upTo(offset int64) bool {
	for ; s.next < s.end; s.next++ {
		span := s.tree.PageSpan(s.next)
		if span.Offset >= offset {
			return true
		}
		if disk.Sum(s.data[span.Offset:span.End()]) != s.sum(0, s.next) {
			return false
		}
		s.size += span.Size
	}
	return true
}

// rest sums the pages that are left.
func (s *summer) rest() bool {
	held := s.upTo(s.h.FileSize)
	s.report(s.size)
	return held
}

// pagesOf returns the pages from that of one offset to the one before that of another; a span
// has those that begin in it.
func (p *proof) pagesOf(from, to int64) summer {
	return summer{proof: p, next: p.tree.Page(from), end: p.tree.Page(to)}
}

// report adds to what was read of the file.
func (p *proof) report(size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done += size; p.progress != nil {
		p.progress(p.done, p.h.FileSize)
	}
}

// totals holds the header's counts and summary against what was found.
func (p *proof) totals() bool {
	f, c := &p.found, p.records
	c.Profiles, c.Symbols, c.Entries, c.Pointers = f.blocks, f.symbols, f.entries, f.pointers
	c.Types = uint64(p.h.Parts[disk.PartTypes].Size / disk.TypeSize)
	most := disk.MaxKeyText(p.h.FileSize)
	return p.done == p.h.FileSize && c == p.h.Counts && p.summary() == p.h.Summary &&
		max(f.typeText, f.methodText, f.listText) <= most &&
		f.used == c.Types+c.Methods-uint64(p.rows()) && f.later == f.linked && f.blocks == f.later+p.profiled
}

func (p *proof) summary() (s layout.Summary) {
	f := &p.found
	s.TotalInvocations, s.MaxInvocations = f.invocations.saturated(), f.maxInvocations
	s.TotalCount, s.MaxCount = f.counts.saturated(), f.maxCount
	return s
}
