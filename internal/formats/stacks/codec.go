package stacks

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/reader"
)

// An Exporter writes sampled stacks in collapsed form.
type Exporter struct {
	// Value is the value of lines, "samples" or "nanoseconds". The default is samples, or nanoseconds if the archive has
	// no samples.
	Value string
}

// Format implements [codec.Exporter].
func (e *Exporter) Format() codec.Format {
	value := codec.NewOption("folded-value", &e.Value,
		"samples or nanoseconds: the value of lines (default samples, if the archive has them)")
	value.Check = func() error {
		if e.Value != "" && e.Value != ledger.Samples && e.Value != ledger.Nanoseconds {
			return fmt.Errorf("use %s or %s", ledger.Samples, ledger.Nanoseconds)
		}
		return nil
	}
	return codec.Format{Name: "folded",
		About:   "sampled stacks for flame graphs, a line each, root first (domains graal and sampled)",
		Options: []codec.Option{value}, Units: []string{ledger.Samples, ledger.Nanoseconds}}
}

// Export writes the sampled stacks of an archive in collapsed form with a line per stack.
//
//	root;caller;leaf samples
//
// A frame is Class.method, without signature and point. Export merges equal stacks and sorts the lines. It replaces
// semicolons in names by commas and line breaks by spaces. The error matches ErrNoSamples if there are no stacks.
func (e *Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	report := &codec.Report{Totals: ledger.Totals{}}
	f := &folding{lines: map[string]uint64{}, named: NewNamed(s), names: map[string]string{}, report: report,
		times: e.Value == ledger.Nanoseconds}
	if e.Value == "" {
		counts, err := hasCounts(s)
		if err != nil {
			return nil, err
		}
		f.times = !counts
	}
	f.dropped = codec.Loss{What: LossOtherValue, Unit: ledger.Nanoseconds}
	if f.times {
		f.dropped.Unit = ledger.Samples
	}
	if err := f.foldStacks(s); err != nil {
		return nil, err
	}
	if len(f.lines) == 0 {
		return nil, fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, ErrNoSamples)
	}
	report.Lost.AddLoss(f.dropped)
	if err := LosePoints(s, &report.Lost); err != nil {
		return nil, err
	}
	return report, f.writeLines(w)
}
