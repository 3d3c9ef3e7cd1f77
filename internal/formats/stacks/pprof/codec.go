package pprof

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
)

// An Importer reads CPU profiles.
type Importer struct {
	// EdgesOnly keeps the edges, which go build needs, and the samples of functions. It drops the calling contexts.
	EdgesOnly bool
	// SampleType is the type of values that are kept, as "inuse_space" or "inuse_space/bytes". The default is the
	// profile's default type, else samples/count or cpu/nanoseconds, else the last type. A count keeps the time beside
	// it, and a time the count.
	SampleType string
	// SplitBy is the key of a label. Samples with it get an outermost frame key=value.
	SplitBy string
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "pprof", About: "a profile of pprof's, as runtime/pprof and net/http/pprof write it, or a CPU profile of gperftools",
		Binary: true,
		Options: []codec.Option{codec.NewOption("edges-only", &i.EdgesOnly,
			"keep the calls that go build reads and the samples of functions, without the stacks"),
			codec.NewOption("sample-type", &i.SampleType, "type of values that is kept, such as inuse_space (default the "+
				"profile's default type, else samples and cpu, else its last type)"),
			codec.NewOption("split-by", &i.SplitBy, "key of a label; its value becomes the outermost frame, as endpoint=/a")}}
}

// Detect implements [codec.Importer]. It also detects formats before profile.proto.
func (*Importer) Detect(head []byte, whole bool) bool {
	return isLegacy(head) || detectProfile(head, whole)
}

// Import reads a profile. The error matches ErrNoType, ErrConcatenated, ErrLegacy, ErrDeep, ErrCut or ErrSyntax.
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
		converted, err := convertLegacy(data)
		if err != nil {
			return nil, err
		}
		data = converted
	}
	r, err := decodeProfile(data)
	if err != nil {
		return nil, err
	}
	if start := r.numbers[profileTime]; config.DumpTime.IsZero() && start != 0 {
		config.DumpTime = time.Unix(0, int64(start))
	}
	b := builder.New(layout.DomainSampled, config)
	report := &codec.Report{Dumps: []*builder.Builder{b}}
	k, err := newBuild(r, b, &report.Lost, i)
	if err != nil {
		return nil, err
	}
	if err := k.recordProfile(); err != nil {
		return nil, err
	}
	report.Totals = k.totals()
	report.Methods, report.Entries = k.countProfiles()
	report.Facts = map[string]any{"samples": k.samplesRead, "edges": len(k.weights), "types": strings.Join(k.names, " ")}
	if k.samplesRead == 0 {
		report.Notes = append(report.Notes, "the profile has no samples: the program was idle while it was taken")
	}
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
