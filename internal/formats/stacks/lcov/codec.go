package lcov

import (
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
)

// An Exporter writes tracefiles.
type Exporter struct {
	// Lines adds a DA record for each function, so that line coverage equals function coverage.
	Lines bool
	// Programs are the programs whose source lines are written in place of functions; see [WriteLines].
	Programs []string
}

// LossUnknown counts omitted methods.
const LossUnknown codec.LossKind = "methods that may or may not have run: not known"

// Format implements [codec.Exporter].
func (e *Exporter) Format() codec.Format {
	return codec.Format{Name: "lcov",
		About: "call counts by class and method or, of LLVM's front ends, counts of source lines, for genhtml and lcov",
		Options: []codec.Option{
			codec.NewOption("function-lines", &e.Lines, "give every function one line; lcov and genhtml drop files without lines"),
			codec.NewOption("binary", &e.Programs,
				"instrumented program or library: import takes functions from it that raw profiles lack "+
					"(-profile-correlate=binary, or salvage), export its coverage mapping for source lines; may be given more than once"),
		}, Units: []string{ledger.Invocations}}
}
