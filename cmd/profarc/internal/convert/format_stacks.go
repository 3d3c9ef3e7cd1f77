package convert

import (
	"io"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/stacks"
	"github.com/profarc/profarc/formats/stacks/lcov"
	"github.com/profarc/profarc/formats/stacks/pprof"
	"github.com/profarc/profarc/reader"
)

func writeFolded(w io.Writer, s *reader.Store, _ exportOptions) ([]app.Loss, error) {
	return []app.Loss{}, stacks.WriteFolded(w, s)
}

func writePprof(w io.Writer, s *reader.Store, _ exportOptions) ([]app.Loss, error) {
	r, err := pprof.Write(w, s)
	if err != nil {
		return nil, err
	}
	return countedLoss("values above 2^63-1: pprof holds no higher ones", r.Clamped), nil
}

// lcovExportOptions are what a user says of a tracefile to be written.
type lcovExportOptions struct{ lines bool }

func (o *lcovExportOptions) addTo(f *pflag.FlagSet) {
	f.BoolVar(&o.lines, "function-lines", false, "lcov: give every function one line; lcov and genhtml drop files without lines")
}

func writeLcov(w io.Writer, s *reader.Store, o exportOptions) ([]app.Loss, error) {
	r, err := lcov.Write(w, s, lcov.WriteOptions{Lines: o.lcov.lines})
	if err != nil {
		return nil, err
	}
	return countedLoss("methods of which it is not known whether they ran", r.Unknown), nil
}

// countedLoss is a loss, if there is one.
func countedLoss(what string, n int) []app.Loss {
	if n == 0 {
		return []app.Loss{}
	}
	return []app.Loss{{What: what, Count: n}}
}
