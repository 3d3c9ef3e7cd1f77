package profileset

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// RunRules say how what one run recorded is put together with the runs before.
type RunRules struct {
	Weight    layout.Weight // of its counts, 0 for 1
	AsLLVM    bool          // as llvm-profdata merges
	FileOrder bool          // the order of the profiles is that of a file
}

// NextRun says that what is given from here on is of another run: a profile
// that the builder has of the runs before is merged with the new one, where
// one run that gives it twice is refused with ErrDuplicate.
func (b *Set) NextRun(r RunRules) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.Mixed = b.Mixed || b.Profiles.Len() > 0 || len(b.Tables) > 0
	b.Ordered = b.nextOrder(r)
	b.Run = b.NewRun(r)
}

// CurrentRun returns the run that profiles belong to now. Entries of the shape
// that the set has will be copied into it.
func (b *Set) CurrentRun() Run {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.Shaped = ShapeUse{Types: true, Returns: true}
	return b.Run
}

// nextOrder is which order of profiles is kept when another run begins.
func (b *Set) nextOrder(r RunRules) keptOrder {
	switch first := b.Profiles.Len() == 0; {
	case r.AsLLVM && (first || b.Ordered == mergeOrder):
		return mergeOrder
	case r.FileOrder && (first || b.Ordered == fileOrder):
		return fileOrder
	}
	return NoOrder
}

// A keptOrder says what the order of a builder's references is kept for.
type keptOrder uint8

const (
	NoOrder    keptOrder = iota
	fileOrder            // it is that of the only file
	mergeOrder           // it is that in which llvm-profdata saw them
)

// listFirstOrder makes the order table of LLVM's profiles, if their order is
// kept. The caller holds mu.
func (b *Set) listFirstOrder() {
	if b.Ordered == NoOrder || !b.Domain.LLVM() {
		return
	}
	t := &Table{b: b, Kind: layout.TableOrder, Columns: []layout.ColumnKind{layout.ColumnProfile}}
	if b.Ordered == fileOrder {
		t.Flags = disk.OrderOfFile
	}
	for i := range b.Profiles.Len() {
		t.Cells = append(t.Cells, uint64(i+1)) // references count up
	}
	b.Tables[layout.TableOrder] = t
}

// A Run is a run, numbered so that what it gives twice is noticed.
type Run struct {
	RunRules
	number uint32
	Time   int64 // of its dump, in nanoseconds since 1970, 0 if not known
}

func (b *Set) NewRun(r RunRules) Run {
	b.runs++
	return Run{RunRules: r, number: b.runs}
}

// A Dump is one training run that went into an archive.
type Dump struct {
	ID     [16]byte
	Time   int64
	Weight layout.Weight
}

// A RunKey is what a process has counted since a moment: each dump of it holds
// what an earlier one holds.
type RunKey struct {
	Process layout.Process
	Since   [16]byte
}

// A ShapeUse says which parts of a shape decide how some entry is laid out.
type ShapeUse struct {
	Types   bool // receiver rows, and the gap before them
	Returns bool // rows of a Ret
}
