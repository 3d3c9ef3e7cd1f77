package verify

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
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

// wrong records a corruption at offset as a problem of a record, which may begin elsewhere.
func (w *walk) wrong(in phase, place int64, r layout.Region, offset int64, format string, args ...any) {
	w.noteError(in, place, disk.Corrupt(r, offset, "%s", fmt.Sprintf(format, args...)))
}

// refusal returns err, the reader's error for the record at offset at. If err is nil, the record was changed meanwhile.
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

// doubt stops a walk that does not name problems. A walk with naming follows and finds the problem.
func (w *walk) doubt() { w.stopped.Store(true) }
