// Package verify checks everything in an archive.
//
// Opening and reading an archive check only the bytes that they use. [Store] verifies the checksum of every page, and
// compares the redundant parts of the archive. IDs must match keys, records must be sorted, and the index must lead to
// each record. The relocation bitmaps must match the entries, every reference must lead to the start of a record, and
// the header's counts must match the records. The reader and all commands accept an archive without problems.
//
// Several goroutines share one pass over the bytes, which stops at the first problem. If there is one, a single
// goroutine then checks the archive from end to end and collects problems in a [Report]. If a record is malformed, the
// report has the reader's error for it. A damaged page can cause several problems.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const maxProblems = 20

// A Report has the counts of an archive and its problems.
type Report struct {
	Bytes   int64          // size of the file
	Pages   int64          // number of pages whose checksums were verified
	Lines   int64          // number of index lines
	Tables  int            // number of tables in region ex
	Counts  layout.Counts  // counts computed from the records
	Summary layout.Summary // totals and maxima computed from the records
	// Problems are the first 20 problems, ordered by phase of the check and by offset. Each names file, region and
	// offset, and matches an error of package layout.
	Problems []error
	More     bool // there may be further problems
}

// Sound reports whether the check found no problem.
func (r *Report) Sound() bool { return len(r.Problems) == 0 }

// Pages verifies only the checksums. It returns an error only if ctx ends; problems of the archive are in the report.
// progress may be nil.
func Pages(ctx context.Context, s *reader.Store, progress func(done, total int64)) (Report, error) {
	r := Report{Bytes: s.Header().FileSize}
	err := s.Mapping().Verify(ctx, progress)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	r.Pages = disk.SumTreeOf(s.Header()).Pages()
	if err != nil {
		r.Problems = []error{err}
	}
	return r, nil
}

// Store checks everything. It returns an error only if ctx ends; problems of the archive are in the report. progress
// gets the number of bytes of verified pages and the size of the file. It may be nil.
func Store(ctx context.Context, s *reader.Store, progress func(done, total int64)) (Report, error) {
	if m := (*mapped.Mapping)(s.Mapping()); m.Closed() || m.InRanges() { // the walk needs all bytes
		if r, err := Pages(ctx, s, nil); err != nil || !r.Sound() {
			return r, err
		}
	}
	r, sound := walkOver(ctx, s, progress, false)
	if !sound && ctx.Err() == nil {
		r, _ = walkOver(ctx, s, progress, true)
	}
	if ctx.Err() != nil {
		return Report{Bytes: s.Header().FileSize}, ctx.Err()
	}
	return r, nil
}

// walkOver checks an archive once, and reports whether it is sound. If naming is set, the report has the problems.
func walkOver(ctx context.Context, s *reader.Store, progress func(done, total int64), naming bool) (Report, bool) {
	w := newWalk(ctx, s, progress)
	w.naming = naming
	w.runSteps()
	return w.report(), !w.stopped.Load() && ctx.Err() == nil
}

// A phase is the part of the check that found a problem. Earlier phases come first, as they often cause later ones.
type phase uint8

const (
	inPages phase = iota
	inSymbols
	inLists // parts of list symbols
	inTypes
	inPlaces // start of method records
	inMethods
	inClasses // classes of unexecuted methods
	inBlocks
	inChains // links between blocks
	inLines
	ofMethods // index slots of methods
	ofTypes
	inSlots
	inTables
	inTotals
)

// A problem is a defect of a record. Its field place is the record's offset; the offset in its error can differ.
type problem struct {
	phase phase
	place int64
	text  string
	err   error
}

func (p *problem) compare(q *problem) int {
	return cmp.Or(cmp.Compare(p.phase, q.phase), cmp.Compare(p.place, q.place))
}

// problems has the first problems in order, without repeated texts.
type problems struct {
	mu   sync.Mutex
	list []problem
	more bool
}

func (l *problems) addProblem(p problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.IndexFunc(l.list, func(q problem) bool { return q.text == p.text }); i >= 0 {
		if l.list[i].compare(&p) <= 0 {
			return
		}
		l.list = slices.Delete(l.list, i, i+1)
	}
	at, _ := slices.BinarySearchFunc(l.list, p, func(q, p problem) int { return cmp.Or(q.compare(&p), -1) })
	l.list = slices.Insert(l.list, at, p)
	if len(l.list) > maxProblems {
		l.list = l.list[:maxProblems]
		l.more = true
	}
}

// noteError records err as a problem of the record at the given offset. It stops a walk that does not name problems.
func (w *walk) noteError(in phase, place int64, err error) {
	w.stopped.Store(true)
	if w.naming {
		err = disk.WithFileName(err, w.m.Name())
		w.problems.addProblem(problem{in, place, err.Error(), err})
	}
}

func (w *walk) wrong(in phase, place int64, r layout.Region, offset int64, format string, args ...any) {
	w.noteError(in, place, disk.Corrupt(r, offset, "%s", fmt.Sprintf(format, args...)))
}

// refusal returns err, the reader's error for the record at offset at. If err is nil, the record was changed while it
// was checked.
func (w *walk) refusal(at int64, err error) error {
	if err == nil {
		err = disk.Corrupt(disk.RegionAt(w.h, at), at, "a record that was changed while it was checked")
	}
	return err
}

// refused records the reader's error for a record. The walk cannot continue, so its counts are incomplete.
func (w *walk) refused(in phase, place int64, err error) {
	w.partial.Store(true)
	w.noteError(in, place, w.refusal(place, err))
}

func (w *walk) doubt() { w.stopped.Store(true) }

// readReferences follows references with the reader in order to name their problems. It covers names of types and
// methods, contexts, and the profiles of each method. The other steps only detect that one of these is wrong.
func (w *walk) readReferences() {
	if !w.naming {
		return
	}
	for _, err := range w.s.Types() {
		if err != nil {
			w.noteError(inTypes, 0, err)
		}
	}
	unlinked := w.starts.blocks
	unlinked.bits = slices.Clone(unlinked.bits)
	next := w.h.Parts[disk.PartContexts].Offset
	for m, err := range w.s.Methods() {
		if err != nil {
			w.refused(inPlaces, 0, err)
			break
		}
		next = w.readContexts(m, next)
		w.readProfiles(m, &unlinked)
		if w.ctx.Err() != nil {
			return
		}
	}
	w.records.Contexts = uint64(next-w.h.Parts[disk.PartContexts].Offset) / disk.ContextSize
	if w.partial.Load() {
		return
	}
	if first, n := unlinked.first(); n != 0 {
		w.wrong(inChains, w.h.FileSize, disk.RegionRW, first.Offset(),
			"%d blocks to which no method leads, this is the first", n)
	}
}

func (w *walk) readContexts(m reader.Method, next int64) (end int64) {
	at := m.Ref().Offset()
	for node, err := range m.Contexts() {
		var frame reader.Frame
		if err == nil {
			frame, err = node.Caller()
		}
		if err != nil {
			w.refused(inMethods, at, err)
			return next
		}
		here := node.Ref().Offset()
		caller := frame.Caller
		if !w.starts.methods.mayHave(caller.Ref()) {
			w.wrong(inMethods, at, disk.RegionRO, here, "the caller of a context is at 0x%x, where no method begins",
				caller.Ref().Offset())
		}
		if m.Unexecuted() || caller.Unexecuted() {
			w.wrong(inMethods, at, disk.RegionRO, here, "a context of methods of which one never ran")
		}
		if here != next && !w.partial.Load() {
			w.wrong(inMethods, at, disk.RegionRO, here, "a context of method 0x%x, whose contexts should begin at 0x%x", at,
				next)
			return next
		}
		next += disk.ContextSize
	}
	return next
}

// readProfiles reads the profiles of a method and removes their blocks from unlinked. Each block must be linked once.
func (w *walk) readProfiles(m reader.Method, unlinked *places) {
	at := m.Ref().Offset()
	n := 0
	for p, err := range m.Profiles() {
		if err != nil {
			w.refused(inChains, at, err)
			continue
		}
		if n++; !unlinked.partial && !unlinked.remove(p.Ref()) {
			w.wrong(inChains, at, disk.RegionRW, p.Ref().Offset(), "a profile that begins inside a block, or is linked twice")
		}
	}
	if m.Unexecuted() && n > 0 {
		w.wrong(inChains, at, disk.RegionRO, at, "a method that never ran has %d profiles", n)
	}
}
