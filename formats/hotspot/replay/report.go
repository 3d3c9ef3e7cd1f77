package replay

import (
	"github.com/profarc/profarc/internal/lost"
	"github.com/profarc/profarc/layout"
)

// What reading a file loses.
const (
	LossHeader  lost.Kind = "headers of method data whose layout is not known"
	LossUnnamed lost.Kind = "types and methods that the file does not name"
	LossOrder   lost.Kind = "methods whose entries are not in the order of their bytecodes"
	LossFree    lost.Kind = "methods whose free words cannot be counted in the size that an archive keeps"
	LossTwice   lost.Kind = "further method data of the same method"
)

// What writing a file loses.
const (
	LossType      lost.Kind = "types that are in no class file: their rows are left out"
	LossCallee    lost.Kind = "called methods that are in no class file: not inlined"
	LossTrap      lost.Kind = "speculative traps of methods that are in no class file"
	LossHistory   lost.Kind = "profiles with a history that a replay file has no room for"
	LossEscape    lost.Kind = "profiles with a result of escape analysis: a replay file does not have it"
	LossDataAlone lost.Kind = "profiles whose size in the VM is not known: their data entries are written alone"
	LossWide      lost.Kind = "entries of the archive's own kinds: written as the VM's where it has a like"
	LossField     lost.Kind = "static fields whose strings a VM cannot read back"
	LossDepth     lost.Kind = "called methods that are nested too deep, or are too many"
)

// A Report says what was read or written.
type Report struct {
	Version int           // of the file
	Params  layout.Params // of the entries
	Methods int           // with method data
	Entries int           // profile entries
	Classes int           // records of classes
	Inlines int           // methods that the compilation inlines, or may
	Lost    lost.List
}
