package formats

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/reader"
)

// Export writes the profiles of an archive in the format of an exporter, whose fields are the options of the format:
//
//	lost, err := formats.Export(ctx, w, store, &formats.ProfdataExporter{Version: 12})
//
// It returns the information that the format cannot express, as a list that is never nil. The error is an
// [*OptionError] if an option is invalid. Errors of the archive match the errors of package layout.
func Export(ctx context.Context, w io.Writer, s *reader.Store, e codec.Exporter) (codec.Losses, error) {
	if err := checkOptions(e.Format().Options); err != nil {
		return nil, err
	}
	lost := codec.Losses{}
	err := s.Mapping().Guard(func() error {
		report, err := e.Export(ctxWriter{ctx, w}, s)
		if err != nil {
			return err
		}
		lost = append(lost, report.Lost...)
		return addDifference(&lost, s, e.Format(), report.Totals)
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}

// addDifference adds the counts of the archive that were neither written nor reported as lost. Those in a unit that the
// format does not hold are a loss by themselves. Others are unaccounted.
func addDifference(lost *codec.Losses, s *reader.Store, f codec.Format, written ledger.Totals) error {
	if written == nil {
		return fmt.Errorf("%s: the exporter's report has no totals", f.Name)
	}
	have, err := archived.Totals(s)
	if err != nil {
		return err
	}
	a := ledger.Account{Inputs: []ledger.Input{{Totals: have}}}
	for _, l := range *lost {
		a.Losses = append(a.Losses, ledger.Loss{Unit: l.Unit, Amount: l.Amount})
	}
	for _, d := range a.Residual(written) {
		what := codec.LossKind(ledger.ReasonUnaccounted)
		if f.Units != nil && !slices.Contains(f.Units, d.Unit) {
			what = codec.LossKind("counts that " + f.Name + " does not hold")
		}
		lost.AddLoss(codec.Loss{What: what, Unit: d.Unit, Amount: d.Amount})
	}
	return nil
}

// A ctxWriter fails writes after ctx has ended.
type ctxWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w ctxWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(b)
}
