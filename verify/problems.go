package verify

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

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
