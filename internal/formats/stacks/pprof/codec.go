package pprof

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An Importer reads CPU profiles.
type Importer struct {
	// EdgesOnly keeps the edges, which go build needs, and the samples of functions. It drops the calling contexts.
	EdgesOnly bool
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "pprof", About: "a CPU profile of pprof's, as runtime/pprof and net/http/pprof write it",
		Binary: true,
		Options: []codec.Option{codec.NewOption("edges-only", &i.EdgesOnly,
			"keep the calls that go build reads and the samples of functions, without the stacks")}}
}

// Detect implements [codec.Importer]. It also detects legacy formats, for which Import returns a helpful error.
func (*Importer) Detect(head []byte, whole bool) bool {
	return isLegacy(head) || detectProfile(head, whole)
}

// Import reads a profile. The error matches ErrNotCPU, ErrLegacy, ErrDeep, ErrCut or ErrSyntax.
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	report, err := i.convertProfile(data, in.Config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return report, nil
}

func (i *Importer) convertProfile(data []byte, config builder.Config) (*codec.Report, error) {
	if isLegacy(data) {
		return nil, ErrLegacy
	}
	r, err := decodeProfile(data)
	if err != nil {
		return nil, err
	}
	if config.DumpTime.IsZero() {
		config.DumpTime = r.startTime()
	}
	b := builder.New(layout.DomainSampled, config)
	report := &codec.Report{Dumps: []*builder.Builder{b}}
	k, err := newBuild(r, b, &report.Lost)
	if err != nil {
		return nil, err
	}
	k.edgesOnly = i.EdgesOnly
	if err := k.recordProfile(); err != nil {
		return nil, err
	}
	report.Totals = k.totals()
	report.Methods, report.Entries = k.countProfiles()
	report.Facts = map[string]any{"samples": k.samplesRead, "edges": len(k.weights), "types": r.typeNames()}
	return report, nil
}

// An Exporter writes profiles for go tool pprof. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "pprof", About: "sampled stacks, and counters of methods, for go tool pprof", Binary: true,
		Units: []string{ledger.Invocations, ledger.Backedges, ledger.Calls, ledger.Bytecodes, ledger.Cycles,
			ledger.NativeCalls, ledger.NewArrays, ledger.BlockCounts, ledger.Samples, ledger.Nanoseconds}}
}

// Export writes the stacks and counters of an archive. See [Write].
func (*Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	r, err := Write(w, s)
	if err != nil {
		return nil, err
	}
	return &codec.Report{Lost: r.Lost, Totals: r.Totals}, nil
}
