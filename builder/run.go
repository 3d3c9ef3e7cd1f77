package builder

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A Run is one training run of which profiles are given.
type Run struct {
	// Weight is what its counts are multiplied by, 0 for 1. Traps, flags and the
	// history of compilations are not counts.
	Weight Weight
	// AsLLVM merges as llvm-profdata does where it differs: a value that the
	// builder has not seen at a site is taken without the weight, and a function
	// with another number of counters is left out. The order of the runs matters
	// then. If all runs are merged so, the archive has an order table: the
	// profiles of LLVM's in the order in which they first came.
	AsLLVM bool
	// FileOrder keeps the order of the profiles in the order table, if all runs
	// have it: those of a single file.
	FileOrder bool
}

// NextRun says that what is given from here on is of another run: a profile
// that the builder has of the runs before is merged with the new one, where
// one run that gives it twice is refused with ErrDuplicate.
func (b *Builder) NextRun(r Run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mixed = b.mixed || b.profiles.len() > 0 || len(b.tables) > 0
	b.ordered = b.nextOrder(r)
	b.run = b.newRun(r)
}

// nextOrder is which order of profiles is kept when another run begins.
func (b *Builder) nextOrder(r Run) keptOrder {
	switch first := b.profiles.len() == 0; {
	case r.AsLLVM && (first || b.ordered == mergeOrder):
		return mergeOrder
	case r.FileOrder && (first || b.ordered == fileOrder):
		return fileOrder
	}
	return noOrder
}

// A keptOrder says what the order of a builder's references is kept for.
type keptOrder uint8

const (
	noOrder    keptOrder = iota
	fileOrder            // it is that of the only file
	mergeOrder           // it is that in which llvm-profdata saw them
)

// listFirstOrder makes the order table of LLVM's profiles, if their order is
// kept. The caller holds mu.
func (b *Builder) listFirstOrder() {
	if b.ordered == noOrder || !b.domain.LLVM() {
		return
	}
	t := &Table{b: b, kind: layout.TableOrder, columns: []layout.ColumnKind{layout.ColumnProfile}}
	if b.ordered == fileOrder {
		t.flags = disk.OrderOfFile
	}
	for i := range b.profiles.len() {
		t.cells = append(t.cells, uint64(i+1)) // references count up
	}
	b.tables[layout.TableOrder] = t
}

// A runData is a run, numbered so that what it gives twice is noticed.
type runData struct {
	Run
	number uint32
	time   int64 // of its dump, in nanoseconds since 1970, 0 if not known
}

func (b *Builder) newRun(r Run) runData {
	b.runs++
	return runData{Run: r, number: b.runs}
}
