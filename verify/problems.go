package verify

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/extent"
)

// A phase is a kind of problems. They are listed in the order of phases: a problem is often the cause of some
// of a later phase.
type phase uint8

const (
	inPages phase = iota
	inSymbols
	inLists // what lists are made of
	inTypes
	inPlaces // where methods begin
	inMethods
	inClasses // of unexecuted methods
	inBlocks
	inChains // of blocks
	inLines
	ofMethods // in the index
	ofTypes
	inSlots
	inTables
	inTotals
)

// A problem is something wrong with the record at a place, which need not be where its error points.
type problem struct {
	phase phase
	place int64
	text  string
	err   error
}

func (p *problem) compare(q *problem) int {
	return cmp.Or(cmp.Compare(p.phase, q.phase), cmp.Compare(p.place, q.place))
}

// problems are the first that were found, in their order, each text once.
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

// noteError notes that err is wrong with the record at a place. A walk that does not name problems stops.
func (w *walk) noteError(in phase, place int64, err error) {
	w.stopped.Store(true)
	if w.naming {
		err = disk.WithFileName(err, w.m.Name())
		w.problems.addProblem(problem{in, place, err.Error(), err})
	}
}

// wrong notes that something at an offset of the file is wrong with the record at a place.
func (w *walk) wrong(in phase, place int64, r extent.Region, offset int64, format string, args ...any) {
	w.noteError(in, place, disk.Corrupt(r, offset, "%s", fmt.Sprintf(format, args...)))
}

// refusal returns the error with which the reader refused a record at an offset.
func (w *walk) refusal(at int64, err error) error {
	if err == nil {
		err = disk.Corrupt(disk.RegionAt(w.h, at), at, "a record that was changed while it was checked")
	}
	return err
}

// refused notes the error with which the reader refused a record. The walk cannot go on behind it, so that not
// everything is counted.
func (w *walk) refused(in phase, place int64, err error) {
	w.partial.Store(true)
	w.noteError(in, place, w.refusal(place, err))
}

// doubt stops a walk that does not name problems. The walk that names them follows.
func (w *walk) doubt() { w.stopped.Store(true) }
