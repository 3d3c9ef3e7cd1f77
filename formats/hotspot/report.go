package hotspot

import (
	"errors"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/parse"
	"github.com/profarc/profarc/layout"
)

// What reading a text loses.
const (
	LossBytecodes     codec.LossKind = "bytecode lines: an archive keeps profiles, not code"
	LossUnknownLine   codec.LossKind = "lines inside methods that are neither bytecodes nor profile entries"
	LossUnknownKind   codec.LossKind = "entries of a kind that is not known"
	LossUnknownReason codec.LossKind = "trap reasons that are not known"
	LossOffset        codec.LossKind = "entries whose printed offset is not the one of their place"
	LossLoader        codec.LossKind = "methods printed more than once: their class loaders are not known"
	LossFront         codec.LossKind = "bytes of the VM's method data are of methods that are not in the text: is its beginning missing?"
	LossMixed         codec.LossKind = "bytes of method data more than the VM counted: behind a dump that was cut off another follows; keep the dumps apart"
	LossLaterDump     codec.LossKind = "lines of further dumps behind the first: split the text at \"Total MDO size\""
)

// What writing a text loses.
const (
	LossContext      codec.LossKind = "profiles of one calling context: printed like any other"
	LossCode         codec.LossKind = "ids of the code that a profile is of"
	LossNeverRan     codec.LossKind = "methods that never ran"
	LossNoClass      codec.LossKind = "methods without a class"
	LossArgInfo      codec.LossKind = "ArgInfo entries: PrintMethodData does not show them"
	LossHandlers     codec.LossKind = "exception handler entries: PrintMethodData does not show them"
	LossHeader       codec.LossKind = "profiles with trap, compile or escape history: PrintMethodData does not show it"
	LossLoaderName   codec.LossKind = "methods with a class loader: only their names are printed"
	LossHiddenTrap   codec.LossKind = "extra entries at a bci that prints no entry, or another one"
	LossWide         codec.LossKind = "entries that no VM has"
	LossWideRows     codec.LossKind = "entries with more rows than the VM has: printed with all of them"
	LossTypeWithMore codec.LossKind = "types of values that are unknown by now"
)

// A TextReport says what was read or written.
type TextReport struct {
	Dialect       Dialect
	XML           bool          // the text was an XML log
	Params        layout.Params // inferred from the text
	Methods       int
	Entries       int // profile entries, parameters and traps included
	OtherLines    int // lines before the method data and after it
	HiddenClasses int
	Lost          codec.Losses
}

// The sentinels that a [*TextError] matches.
var (
	// ErrNoMethodData: the text holds no method data at all.
	ErrNoMethodData = errors.New("no PrintMethodData text in it: run the program with " +
		"java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData (in this order), let it exit by itself, " +
		"and keep all of its standard output")
	// ErrTextCut: the text ends before its last line, "Total MDO size".
	ErrTextCut = errors.New("method data is cut off: let the program exit by itself, SIGKILL or a full disk " +
		"loses the rest, and keep its whole output")
	// ErrTextSyntax: a line is not what a VM prints there.
	ErrTextSyntax = errors.New("not what PrintMethodData prints here")
)

// A TextError says what is wrong with a text, and where: Name, Line, Column, the
// Kind that it matches, what was Expected and what was Found.
type TextError = parse.Error
