package replay

import (
	"errors"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
)

// What reading a file loses.
const (
	LossHeader  codec.LossKind = "headers of method data whose layout is not known"
	LossUnnamed codec.LossKind = "types and methods that the file does not name"
	LossOrder   codec.LossKind = "methods whose entries are not in the order of their bytecodes"
	LossFree    codec.LossKind = "methods whose free words cannot be counted in the size that an archive keeps"
	LossTwice   codec.LossKind = "further method data of the same method"
)

// What writing a file loses.
const (
	LossType      codec.LossKind = "types that are in no class file: their rows are left out"
	LossCallee    codec.LossKind = "called methods that are in no class file: not inlined"
	LossTrap      codec.LossKind = "speculative traps of methods that are in no class file"
	LossHistory   codec.LossKind = "profiles with a history that a replay file has no room for"
	LossEscape    codec.LossKind = "profiles with a result of escape analysis: a replay file does not have it"
	LossDataAlone codec.LossKind = "profiles whose size in the VM is not known: their data entries are written alone"
	LossWide      codec.LossKind = "entries of the archive's own kinds: written as the VM's where it has a like"
	LossField     codec.LossKind = "static fields whose strings a VM cannot read back"
	LossDepth     codec.LossKind = "called methods that are nested too deep, or are too many"
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
	ErrNoReplay = errors.New("no replay file: write one with java -XX:+UnlockDiagnosticVMOptions " +
		"-XX:CompileCommand=option,Class::method,bool,DumpReplay,true")
	// ErrCut: the file ends before the end of its last line, "compile".
	ErrCut = errors.New("replay file is cut off: its last line must be a whole \"compile\" line; have the VM write it again")
	// ErrSyntax: a line is not what a VM writes there.
	ErrSyntax = errors.New("not what a VM writes here")
	// ErrVersion: a version of replay files that is not known.
	ErrVersion = errors.New("replay file of an unknown version: versions up to 2 are known (JDK 17 to 25)")

	// ErrMethod: the method to be written is not in the archive, or has no
	// profile there.
	ErrMethod = errors.New("no profile of the method to replay")
	// ErrClass: a class is needed and was not found.
	ErrClass = errors.New("class not found: name the folder or jar that holds it in the class path")
	// ErrShape: the entries are not those of the VM that is to replay them.
	ErrShape = errors.New("profile entries are not those of JDK 25: record the profile there")
)
