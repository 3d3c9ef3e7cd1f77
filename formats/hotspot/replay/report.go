package replay

import (
	"errors"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
)

// Losses of reading a file.
const (
	LossHeader  codec.LossKind = "headers of method data whose layout is unknown"
	LossUnnamed codec.LossKind = "types and methods that the file does not name"
	LossOrder   codec.LossKind = "methods whose entries are not in the order of their bytecodes"
	LossFree    codec.LossKind = "methods whose free words cannot be counted in the size that an archive keeps"
	LossTwice   codec.LossKind = "further method data of the same method"
)

// Losses of writing a file.
const (
	LossType      codec.LossKind = "types that are in no class file: their rows are left out"
	LossCallee    codec.LossKind = "called methods that are in no class file: not inlined"
	LossTrap      codec.LossKind = "speculative traps of methods that are in no class file"
	LossHistory   codec.LossKind = "histories of profiles: a replay file has no room for them"
	LossEscape    codec.LossKind = "results of escape analysis: a replay file has no room for them"
	LossDataAlone codec.LossKind = "profiles whose size in the VM is unknown: only their data entries are written"
	LossWide      codec.LossKind = "entries of kinds that HotSpot lacks: written as the most similar kind it has, or left out"
	LossUndecoded codec.LossKind = "profiles with raw words of entries that the dump did not know: a VM would take their addresses for its own"
	LossField     codec.LossKind = "static fields with strings that the VM cannot read back"
	LossDepth     codec.LossKind = "called methods that are too many or nested too deep"
)

// A Report says what was read or written.
type Report struct {
	Version int           // of the file
	Params  layout.Params // of the entries
	Methods int           // with method data
	Entries int           // profile entries
	Classes int           // records of classes
	Inlines int           // methods that the compilation inlines, or may
	Lost    codec.Losses
}

// The sentinels of this package. What is wrong with a file comes as a
// [*hotspot.TextError] that matches one of the first four.
var (
	// ErrNoReplay: the text is no replay file at all.
	ErrNoReplay = errors.New("no replay file")
	// ErrCut: the file ends before the end of its last line, "compile".
	ErrCut = errors.New("replay file is cut off: its last line must be a whole \"compile\" line")
	// ErrSyntax: a line is not what a VM writes there.
	ErrSyntax = errors.New("not what a VM writes here")
	// ErrVersion: a version of replay files that is not known.
	ErrVersion = errors.New("replay file of an unknown version: versions 1 and 2 are known (JDK 17 to 25)")

	// ErrMethod: the method to be written is not in the archive, or has no
	// profile there.
	ErrMethod = errors.New("no profile of the method to replay")
	// ErrClass: a class is needed and was not found.
	ErrClass = errors.New("class not found")
	// ErrShape: the entries are not those of the VM that is to replay them.
	ErrShape = errors.New("profile entries are not those of JDK 25")
)
