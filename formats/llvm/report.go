package llvm

import (
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
)

// Dropped begins what is said of whole functions that are lost; the reason
// follows.
const Dropped = "functions dropped because "

// What reading a file loses.
const (
	LossUnnamed codec.LossKind = Dropped + "the file does not have their name"
	LossMemProf codec.LossKind = "sections of memory profiles (memprof): an archive keeps counts and values"
	LossUniform codec.LossKind = "uniform counters of a GPU"
)

// A Report says what was read.
type Report struct {
	Kind    Kind
	Version int // of the file, 0 of text
	// Params are the settings of the file, united with those of what the
	// builder had before.
	Params    layout.Params
	Modules   int // raw: programs and libraries; else 1
	Functions int // records: a name with a FuncHash
	Entries   int // profile entries
	Traces    int // temporal traces
	Lost      codec.Losses
}
