package verify

import (
	"context"
	"encoding/binary"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/extent"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/relocate"
)

var le = binary.LittleEndian

// A walk goes over an archive once. Pages are summed and their records checked while they are in the caches.
// Until the end nothing is known of any byte: each offset is checked before it is used.
//
// Several goroutines share a walk that only says whether the archive is sound. They walk spans of the file each
// by itself, which begin where some records say that others begin. A walk that names problems does not rely on
// these: one goroutine goes over each part of the file from its begin, until it meets a record whose end is not
// known.
type walk struct {
	ctx      context.Context
	s        *reader.Store
	m        *mapped.Mapping
	h        *layout.Header
	data     []byte
	shape    disk.Shape
	plans    *plans
	tree     disk.SumTree
	slots    *relocate.Map // nil if it cannot be read
	starts   starts
	naming   bool
	stopped  atomic.Bool // something is wrong
	partial  atomic.Bool // a part of the file could not be walked to its end
	unsummed bool        // the sums of the pages are damaged themselves
	problems problems

	symbolSpans, blockSpans, methodSpans []extent.Span // parts that can be walked each by itself
	methodsEnd                           int64         // up to where their records can be read
	inContext                            []int64       // offsets of the methods that have contexts
	records                              layout.Counts // by the walk over the method records
	profiled                             uint64        // of these, the ones that lead to a first block
	tables                               int

	mu       sync.Mutex
	progress func(done, total int64)
	done     int64
	found    found
}

func newWalk(ctx context.Context, s *reader.Store, progress func(done, total int64)) *walk {
	m := (*mapped.Mapping)(s.Mapping())
	h := s.Header()
	return &walk{ctx: ctx, s: s, m: m, h: h, data: m.Unchecked(), shape: m.Shape(), plans: plansOf(m.Shape()),
		tree: disk.SumTreeOf(h), starts: newStarts(h), progress: progress}
}

// runSteps takes the steps of the walk, each of which relies on the ones before.
func (w *walk) runSteps() {
	defer runtime.KeepAlive(w.s)
	w.m.Sweep()
	for _, step := range []func(){w.frame, w.findMethods, w.pages, w.lists, w.recordsAndBlocks, w.links, w.allTables,
		w.readReferences, w.totals} {
		w.guard(step)
		if w.ctx.Err() != nil || w.stopped.Load() && !w.naming {
			return
		}
	}
}

// guard notes if the file is cut off where a step reads it.
func (w *walk) guard(step func()) {
	if err := w.m.Guard(func() error { step(); return nil }); err != nil {
		w.refused(inPages, math.MaxInt64, err)
	}
}

// found is what the goroutines found, each for itself.
type found struct {
	symbols, entries, pointers, blocks, later, linked uint64 // later blocks are not the first of a method
	used                                              uint64 // slots of the index
	summary                                           layout.Summary
	typeText, methodText, listText                    int64
	chains                                            []chainStart
	lists                                             []int64 // offsets of symbols that are lists
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

// A worker is a goroutine of a walk, with its buffers.
type worker struct {
	*walk
	poll  *poll.Poll
	found found

	keys         []keyed  // methods whose keys are to be hashed
	sought       []sought // records that are to be looked for
	offsets      []int64
	want         []uint64 // a bit for each word of the span that is walked: it is a pointer slot
	list, before []byte   // texts of lists
}

// maxWorkers is how many goroutines the memory bandwidth of an ordinary machine feeds.
const maxWorkers = 4

// share runs n tasks on a few goroutines, in any order, or in theirs if problems are to be named. Once
// something is wrong no more are begun.
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

// goesOn reports whether there is a reason to look at one more record of a long part of the file.
func (w *worker) goesOn() bool { return !w.naming || w.poll.Err() == nil }

// report returns the counts and problems that were found.
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

// totals holds the header's counts and summary, and the index's slots, against what was found.
func (w *walk) totals() {
	f := &w.found
	c := w.counts()
	if w.done != w.h.FileSize || f.later != f.linked || f.blocks != f.later+w.profiled {
		w.doubt()
	}
	if most := disk.MaxKeyText(w.h.FileSize); max(f.typeText, f.methodText, f.listText) > most {
		w.doubt()
	}
	if records := c.Types + c.Methods - uint64(w.rows()); f.used != records && !w.starts.methods.partial {
		w.wrong(inSlots, 0, disk.RegionIX, w.lineOffset(0), "the index has %d slots in use, there are %d records", f.used,
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
