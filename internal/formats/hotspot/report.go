package hotspot

import (
	"errors"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/layout"
)

// Losses of reading a text.
const (
	LossBytecodes     codec.LossKind = "bytecode lines: an archive keeps profiles, not code"
	LossUnknownLine   codec.LossKind = "lines inside methods that are neither bytecodes nor profile entries"
	LossUnknownKind   codec.LossKind = "entries of an unknown kind"
	LossUnknownReason codec.LossKind = "unknown trap reasons"
	LossOffset        codec.LossKind = "entries whose printed offset differs from their position"
	LossLoader        codec.LossKind = "methods printed more than once: their class loaders are unknown"
	LossFront         codec.LossKind = "bytes of method data that the VM counted and the text lacks: its beginning may " +
		"be missing"
	LossMixed codec.LossKind = "bytes of method data in excess of what the VM counted: the text joins a truncated " +
		"dump and another one"
	LossLaterDump codec.LossKind = "lines of further dumps after the first, which ends with \"Total MDO size\""
)

// Losses of writing a text.
const (
	LossContext      codec.LossKind = "calling contexts of profiles: a profile in a context is printed like one without"
	LossCode         codec.LossKind = "code ids of profiles"
	LossUnexecuted   codec.LossKind = "unexecuted methods"
	LossNoClass      codec.LossKind = "methods without a class"
	LossArgInfo      codec.LossKind = "ArgInfo entries: PrintMethodData does not show them"
	LossHandlers     codec.LossKind = "exception handler entries: PrintMethodData does not show them"
	LossHeader       codec.LossKind = "profiles with trap, compile or escape history: PrintMethodData does not show it"
	LossLoaderName   codec.LossKind = "class loaders of methods: only the methods' names are printed"
	LossHiddenTrap   codec.LossKind = "extra entries at a bci for which no data entry, or another entry, is printed"
	LossWide         codec.LossKind = "entries of kinds that HotSpot lacks"
	LossUndecoded    codec.LossKind = "raw words of entries that the dump did not know: what comes before them is printed"
	LossWideRows     codec.LossKind = "entries with more rows than HotSpot has: all rows are printed"
	LossTypeWithMore codec.LossKind = "types of values that another type made unknown later"
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
	ErrNoMethodData = errors.New("no PrintMethodData text in it")
	// ErrTextCut: the text ends before its last line, "Total MDO size".
	ErrTextCut = errors.New("method data is cut off")
	// ErrTextSyntax: a line is not what a VM prints there.
	ErrTextSyntax = errors.New("not what PrintMethodData prints here")
)

// A TextError describes a fault of a text and its place: Name, Line, Column, the
// Kind that it matches, what was Expected and what was Found.
type TextError = parse.Error
