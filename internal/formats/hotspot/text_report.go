package hotspot

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/layout"
)

// A Loss is a kind of thing that did not get from one side to the other.
type Loss string

// What reading a text loses.
const (
	LossBytecodes     Loss = "bytecode lines: an archive keeps profiles, not code"
	LossUnknownLine   Loss = "lines inside methods that are neither bytecodes nor profile entries"
	LossUnknownKind   Loss = "entries of a kind that is not known"
	LossUnknownReason Loss = "trap reasons that are not known"
	LossOffset        Loss = "entries whose printed offset is not the one of their place"
	LossLoader        Loss = "methods printed more than once: their class loaders are not known"
	LossLaterDump     Loss = "lines of further dumps behind the first: split the text at \"Total MDO size\""
)

// What writing a text loses.
const (
	LossContext      Loss = "profiles of one calling context: printed like any other"
	LossCode         Loss = "ids of the code that a profile is of"
	LossNeverRan     Loss = "methods that never ran"
	LossNoClass      Loss = "methods without a class"
	LossArgInfo      Loss = "ArgInfo entries: PrintMethodData does not show them"
	LossHandlers     Loss = "exception handler entries: PrintMethodData does not show them"
	LossHeader       Loss = "profiles with trap, compile or escape history: PrintMethodData does not show it"
	LossLoaderName   Loss = "methods with a class loader: only their names are printed"
	LossHiddenTrap   Loss = "extra entries at a bci that prints no entry, or another one"
	LossWide         Loss = "entries that no VM has"
	LossWideRows     Loss = "entries with more rows than the VM has: printed with all of them"
	LossTypeWithMore Loss = "types of values that are unknown by now"
)

// A Lost says how much of something was lost, and where first.
type Lost struct {
	What  Loss
	Count int
	Line  int // of the text, where it happened first; 0 where there is no one place
}

// A TextReport says what was read or written.
type TextReport struct {
	Dialect       Dialect
	XML           bool          // the text was an XML log
	Params        layout.Params // inferred from the text
	Methods       int
	Entries       int // profile entries, parameters and traps included
	OtherLines    int // lines in front of the method data and behind it
	HiddenClasses int
	Lost          []Lost // sorted by What
}

// lose counts a loss.
func (r *TextReport) lose(what Loss, line int) {
	i, ok := slices.BinarySearchFunc(r.Lost, what, func(l Lost, w Loss) int { return cmp.Compare(l.What, w) })
	if !ok {
		r.Lost = slices.Insert(r.Lost, i, Lost{What: what, Line: line})
	}
	r.Lost[i].Count++
}

// Losses is how often something of that kind was lost.
func (r *TextReport) Losses(what Loss) int {
	for _, l := range r.Lost {
		if l.What == what {
			return l.Count
		}
	}
	return 0
}
