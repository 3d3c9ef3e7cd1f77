package hotspot

import (
	"github.com/profarc/profarc/internal/lost"
	"github.com/profarc/profarc/layout"
)

// What reading a text loses.
const (
	LossBytecodes     lost.Kind = "bytecode lines: an archive keeps profiles, not code"
	LossUnknownLine   lost.Kind = "lines inside methods that are neither bytecodes nor profile entries"
	LossUnknownKind   lost.Kind = "entries of a kind that is not known"
	LossUnknownReason lost.Kind = "trap reasons that are not known"
	LossOffset        lost.Kind = "entries whose printed offset is not the one of their place"
	LossLoader        lost.Kind = "methods printed more than once: their class loaders are not known"
	LossFront         lost.Kind = "bytes of the VM's method data are of methods that are not in the text: is its beginning missing?"
	LossMixed         lost.Kind = "bytes of method data more than the VM counted: behind a dump that was cut off another follows; keep the dumps apart"
	LossLaterDump     lost.Kind = "lines of further dumps behind the first: split the text at \"Total MDO size\""
)

// What writing a text loses.
const (
	LossContext      lost.Kind = "profiles of one calling context: printed like any other"
	LossCode         lost.Kind = "ids of the code that a profile is of"
	LossNeverRan     lost.Kind = "methods that never ran"
	LossNoClass      lost.Kind = "methods without a class"
	LossArgInfo      lost.Kind = "ArgInfo entries: PrintMethodData does not show them"
	LossHandlers     lost.Kind = "exception handler entries: PrintMethodData does not show them"
	LossHeader       lost.Kind = "profiles with trap, compile or escape history: PrintMethodData does not show it"
	LossLoaderName   lost.Kind = "methods with a class loader: only their names are printed"
	LossHiddenTrap   lost.Kind = "extra entries at a bci that prints no entry, or another one"
	LossWide         lost.Kind = "entries that no VM has"
	LossWideRows     lost.Kind = "entries with more rows than the VM has: printed with all of them"
	LossTypeWithMore lost.Kind = "types of values that are unknown by now"
)

// A TextReport says what was read or written.
type TextReport struct {
	Dialect       Dialect
	XML           bool          // the text was an XML log
	Params        layout.Params // inferred from the text
	Methods       int
	Entries       int // profile entries, parameters and traps included
	OtherLines    int // lines in front of the method data and behind it
	HiddenClasses int
	Lost          lost.List
}
