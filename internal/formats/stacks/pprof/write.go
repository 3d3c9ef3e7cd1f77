package pprof

import (
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ErrNothing means that the archive has neither sampled stacks nor counters.
var ErrNothing = errors.New("no counters above 0 and no sampled stacks: import profiles of a run that counted; " +
	"invocations are in archives of the domain hotspot, calls and sampled stacks in graal, sampled stacks in sampled, " +
	"bytecodes and cycles in jamaica, block counts in llvm-ir and llvm-frontend")

// Losses of the export.
const (
	LossClamped codec.LossKind = "values above 2^63-1: pprof holds no higher ones"
	LossMarks   codec.LossKind = "counters at which LLVM saturates, or marks a function as hot or warm"
)

// addClamped returns a + b, limited to math.MaxInt64, and adds the written part of b to the totals of a report.
func addClamped(r *codec.Report, a, b uint64, unit ledger.Unit) int64 {
	written := min(b, math.MaxInt64-a)
	ledger.Totals(r.Totals).Add(unit, written)
	if written < b {
		r.Lost.AddLoss(codec.Loss{What: LossClamped, Count: 1, Unit: unit, Amount: b - written})
	}
	return int64(a + written)
}

// Export writes the stacks and counters of an archive. The error matches ErrNothing if there is nothing to write.
func (*Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	if s.Header().Domain == layout.DomainSampled {
		return writeSampled(w, s)
	}
	p := newConverter(s)
	p.addStacks()
	p.addCounters()
	if p.Err != nil {
		return nil, p.Err
	}
	if len(p.out.Sample) == 0 {
		return nil, fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, ErrNothing)
	}
	if err := stacks.LosePoints(s, &p.report.Lost); err != nil {
		return nil, err
	}
	p.dropUnusedTypes()
	p.out.DefaultSampleType = p.out.SampleType[0].Type
	return &p.report, p.out.WritePacked(w)
}

// An Assembly is a profile under construction. It numbers the functions and locations.
type Assembly struct{ profile.Profile }

// AddFunction adds a function.
func (a *Assembly) AddFunction(f profile.Function) *profile.Function {
	f.ID = uint64(len(a.Function) + 1)
	a.Function = append(a.Function, &f)
	return &f
}

// AddLocation adds a location with lines, the innermost first. Each has a different address, because readers merge
// locations with equal address and line.
func (a *Assembly) AddLocation(lines ...profile.Line) *profile.Location {
	return a.addLocationAt(nil, uint64(len(a.Location)+1), lines)
}

// addLocationAt adds a location of code. It omits the only line if that has no function.
func (a *Assembly) addLocationAt(m *profile.Mapping, address uint64, lines []profile.Line) *profile.Location {
	l := &profile.Location{ID: uint64(len(a.Location) + 1), Mapping: m, Address: address, Line: lines}
	if len(lines) == 1 && lines[0].Function == nil {
		l.Line = nil
	}
	a.Location = append(a.Location, l)
	return l
}

// AddSample adds a sample at locations, leaf first.
func (a *Assembly) AddSample(locations []*profile.Location, values ...int64) *profile.Sample {
	s := &profile.Sample{Location: locations, Value: values}
	a.Sample = append(a.Sample, s)
	return s
}

// WritePacked writes the profile, compressed by gzip.
func (a *Assembly) WritePacked(w io.Writer) error {
	packed, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // the level is valid
	return cmp.Or(a.WriteUncompressed(packed), packed.Close())
}

// A converter converts an archive of a domain other than sampled.
type converter struct {
	s         *reader.Store
	named     *stacks.Named
	counts    []stacks.Counter
	out       *Assembly
	locations map[layout.Ref]*profile.Location
	stacks    map[string]*profile.Sample // keyed by the method references of the frames
	report    codec.Report
	parse.FirstError
}

func newConverter(s *reader.Store) *converter {
	h := s.Header()
	p := &converter{
		s: s, named: stacks.NewNamed(s), counts: stacks.Counters(),
		locations: map[layout.Ref]*profile.Location{}, stacks: map[string]*profile.Sample{},
		report: codec.Report{Totals: ledger.Totals{}},
		// HasFunctions prevents readers from looking for symbols.
		out: &Assembly{profile.Profile{TimeNanos: h.DumpTime, Mapping: []*profile.Mapping{{ID: 1, File: s.Mapping().Name(),
			HasFunctions: true}}}},
	}
	p.out.Comments = []string{"domain " + h.Domain.String(), "values are counts, none is a time"}
	if h.Producer != "" {
		p.out.Comments = append(p.out.Comments, "producer "+h.Producer)
	}
	if h.Domain == layout.DomainJamaica {
		p.out.Comments = append(p.out.Comments, "cycles of a method include those of the methods that it calls")
	}
	p.out.SampleType = []*profile.ValueType{{Type: "samples", Unit: unitCount}}
	for _, c := range p.counts {
		p.out.SampleType = append(p.out.SampleType, &profile.ValueType{Type: c.Name, Unit: unitCount})
	}
	return p
}

// addStacks adds the sampled stacks and merges equal stacks.
func (p *converter) addStacks() {
	var key []byte
	for stack := range poll.Values(stacks.Sampled(p.s), &p.Err) {
		key = key[:0]
		for _, f := range stack.Frames {
			key = binary.LittleEndian.AppendUint32(key, uint32(f.Method.Ref()))
		}
		sample := p.stacks[string(key)]
		if sample == nil {
			sample = p.newSample(stack.Frames)
			p.stacks[string(key)] = sample
		}
		sample.Value[0] = addClamped(&p.report, uint64(sample.Value[0]), stack.Count, ledger.Samples)
	}
}

func (p *converter) newSample(frames []stacks.Frame) *profile.Sample {
	at := lists.Map(frames, func(f stacks.Frame) *profile.Location { return p.locationOf(f.Method) })
	return p.out.AddSample(at, make([]int64, len(p.out.SampleType))...)
}

func (p *converter) addCounters() {
	values := make([]int64, len(p.counts))
	for m := range poll.Values(p.s.Methods(), &p.Err) {
		clear(values)
		for i := range p.counts {
			err := p.counts[i].Each(m, func(n uint64) {
				if p.counts[i].Unit == ledger.BlockCounts && ledger.IsMark(n) {
					p.report.Lost.AddLoss(codec.Loss{What: LossMarks, Count: 1, Unit: ledger.BlockCounts, Amount: n})
					return
				}
				values[i] = addClamped(&p.report, uint64(values[i]), n, p.counts[i].Unit)
			})
			p.Fail(err)
		}
		if slices.ContainsFunc(values, func(n int64) bool { return n != 0 }) {
			copy(p.newSample([]stacks.Frame{{Method: m}}).Value[1:], values)
		}
	}
}

// locationOf returns the location of a method without a line.
func (p *converter) locationOf(m reader.Method) *profile.Location {
	if l := p.locations[m.Ref()]; l != nil {
		return l
	}
	name, err := p.named.Of(m)
	p.Fail(err)
	f := p.out.AddFunction(profile.Function{Name: name.Full(), Filename: name.Class})
	if p.s.Header().Domain.LLVM() { // readers demangle a name that equals SystemName
		f.SystemName = f.Name
		f.Filename = name.File
	}
	l := p.out.addLocationAt(p.out.Mapping[0], 0, []profile.Line{{Function: f}})
	p.locations[m.Ref()] = l
	return l
}

// dropUnusedTypes removes types with only zero values.
func (p *converter) dropUnusedTypes() {
	var used []int
	for i := range p.out.SampleType {
		if slices.ContainsFunc(p.out.Sample, func(s *profile.Sample) bool { return s.Value[i] != 0 }) {
			used = append(used, i)
		}
	}
	if len(used) == 0 { // all stacks have 0 samples
		used = []int{0}
	}
	p.out.SampleType = lists.Map(used, func(i int) *profile.ValueType { return p.out.SampleType[i] })
	for _, s := range p.out.Sample {
		s.Value = lists.Map(used, func(i int) int64 { return s.Value[i] })
	}
}
