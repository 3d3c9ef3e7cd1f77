package pprof

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/pprof/profile"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/lazyregexp"
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

// Import reads a profile. The error matches ErrNoType, ErrConcatenated, ErrLegacy, ErrDeep, ErrCut, ErrSyntax or
// ErrCallsOnly.
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	report, err := i.convertProfile(data, in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return report, nil
}

func (i *Importer) convertProfile(data []byte, in *codec.Input) (*codec.Report, error) {
	config := in.Config
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
	if in.Several && r.hasOnlyCalls() {
		return nil, ErrCallsOnly
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

// ErrCallsOnly means that one of several profiles is an export for go build, such as default.pgo.
var ErrCallsOnly = errors.New("it has only the calls that go build reads, as the format gopgo writes them, and the " +
	"profiles that it was made from count them already: leave it out, or import it by itself")

// hasOnlyCalls reports whether a profile is the export of an archive in the format gopgo. Profilers know the address
// range, the period or the time of their samples.
func (r *decodedProfile) hasOnlyCalls() bool {
	if len(r.types) != 1 || len(r.mappings) > 0 || r.periodType != (sampleType{}) || r.numbers[profileTime] != 0 {
		return false
	}
	for _, f := range r.functions {
		if f.startLine != 1 || f.file != 0 {
			return false
		}
	}
	samples := 0
	err := r.eachSample(func(s *sample) error {
		if len(s.locations) != 2 {
			return ErrCallsOnly // ends the search
		}
		samples++
		return nil
	})
	return err == nil && samples > 0
}

// An Exporter writes profiles for go tool pprof. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "pprof", About: "sampled stacks, and counters of methods, for go tool pprof", Binary: true,
		Units: []string{ledger.Invocations, ledger.Backedges, ledger.Calls, ledger.Bytecodes, ledger.Cycles,
			ledger.NativeCalls, ledger.NewArrays, ledger.BlockCounts, ledger.Samples, ledger.Nanoseconds}}
}

// legacyText matches the start of pprof's older text formats.
var legacyText = lazyregexp.New(`^(?:heap profile: |heapz v2 |goroutine profile: total |threadcreate profile: total |` +
	`--- (?:contentionz|contention|mutex|threadz|symbol|heapz|growthz|Memory map)\b|MAPPED_LIBRARIES:)`)

// isLegacy reports whether an input has one of pprof's older formats.
func isLegacy(head []byte) bool { return legacyText().Match(head) || legacyWords(head) != nil }

// legacyHeader is the number of words before the samples of a binary profile of gperftools.
const legacyHeader = 5

// legacyWords returns the words of a binary profile of gperftools, which begins with 0, 3, 0 (1 in Java's profiles),
// period and 0, or nil. Words have 32 or 64 bits and either byte order. The text after the samples is not words.
func legacyWords(data []byte) []uint64 {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, size := range []int{4, 8} {
			words := make([]uint64, len(data)/size)
			for i := range words {
				if size == 4 {
					words[i] = uint64(order.Uint32(data[4*i:]))
				} else {
					words[i] = order.Uint64(data[8*i:])
				}
				if i == 1 && words[1] != 3 {
					words = nil
					break
				}
			}
			if len(words) >= legacyHeader && words[0] == 0 && words[2] <= 1 && words[3] != 0 && words[4] == 0 {
				return words
			}
		}
	}
	return nil
}

// isWholeCPU reports whether the samples { count, depth, addresses } end with the trailer, a sample of address 0.
func isWholeCPU(words []uint64) bool {
	for at := uint64(legacyHeader); at+2 < uint64(len(words)); {
		depth := words[at+1]
		if depth == 1 && words[at+2] == 0 {
			return true
		}
		if depth > uint64(len(words)) {
			break
		}
		at += 2 + depth
	}
	return false
}

// convertLegacy converts a profile of an older format to profile.proto, without compression. The error matches ErrCut
// or ErrLegacy.
func convertLegacy(data []byte) (converted []byte, err error) {
	kind := ErrLegacy
	if words := legacyWords(data); words != nil {
		kind = ErrCut
		if !isWholeCPU(words) {
			return nil, ErrCut
		}
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", kind, p)
		}
	}()
	p, err := profile.ParseData(data)
	if err == nil && len(p.Sample) == 0 {
		err = errors.New("it has no samples")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v", kind, err)
	}
	var out bytes.Buffer
	err = p.WriteUncompressed(&out)
	return out.Bytes(), err
}
