package analyze

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Measure is a quantity by which methods are ranked.
type Measure struct {
	Name, About string
	Noun        string // plural noun of the counted things; "" if Name can follow a number
	of          func(shape disk.Shape, p reader.Profile) uint64
	// sub is the kind of Count entries that the measure adds up, 0 if it adds others too. A run of a JamaicaVM has one
	// such entry per method, and several for arrays.
	sub layout.Sub
	// recorded is the key of the property with the run's total, for measures that methods may lack.
	recorded string
}

// Measures lists all measures in the order of the help text.
var Measures = []Measure{
	{Name: "weight", About: "invocations of the method and all counts in its profiles, added up",
		Noun: "invocations and counts", of: sumWeight},
	{Name: "invocations", About: "calls of the method; of HotSpot's those before C2 took over, see below",
		of: func(_ disk.Shape, p reader.Profile) uint64 { return trainedValue(p.Invocations()) }},
	{Name: "backedges", About: "times round its loops",
		of: func(_ disk.Shape, p reader.Profile) uint64 { return trainedValue(p.Backedges()) }},
	{Name: "counts", About: "sum of the counts at its profile points: calls, branches, types", of: sumCounts},
	{Name: "calls", About: "calls that it makes, over its call sites",
		of: func(shape disk.Shape, p reader.Profile) uint64 { return sumEntries(shape, p, isCallSite) }},
	{Name: "size", About: "bytes of its profiles in the archive", Noun: "bytes of profiles",
		of: func(_ disk.Shape, p reader.Profile) uint64 { return uint64(len(disk.Block(p.Bytes()))) }},
	{Name: "function-count", About: "LLVM: the first counter, which counts entries by the front end or with entry_first",
		Noun: "function counts", of: functionCount},
	countMeasure("JamaicaVM: bytecodes executed", layout.SubBytecodes, disk.PropertyJamaicaBytecodes),
	countMeasure("JamaicaVM: processor cycles, those of called methods included", layout.SubCycles, ""),
	countMeasure("JamaicaVM: calls of a native method", layout.SubNativeCalls, disk.PropertyJamaicaNative),
	countMeasure("JamaicaVM: arrays created", layout.SubNewArrays, ""),
	countMeasure("processor time of the samples in the method itself, of sampled programs", layout.SubNanoseconds, ""),
}

var ownSamples = countMeasure("samples taken in the method itself", layout.SubSamples, "")

// countMeasure returns the measure that sums the Count entries with this sub. The measure has the schema's name of the
// sub.
func countMeasure(about string, sub layout.Sub, recorded string) Measure {
	schema, _ := disk.SchemaOf(layout.TagCount)
	name := schema.Subs[sub]
	return Measure{Name: name, About: about, Noun: strings.ReplaceAll(name, "-", " "), of: sumOfCountKind(sub), sub: sub,
		recorded: recorded}
}

func (by *Measure) inclusive() bool { return by.sub == layout.SubCycles }

// MeasureNamed returns the measure with a name, and false if there is no such measure.
func MeasureNamed(name string) (*Measure, bool) {
	for i := range Measures {
		if Measures[i].Name == name {
			return &Measures[i], true
		}
	}
	return nil, false
}

// CallsMeasure returns the measure that counts calls of methods in a domain.
func CallsMeasure(d layout.Domain) *Measure {
	if d == layout.DomainSampled {
		return &ownSamples
	}
	name := "invocations"
	if d.LLVM() {
		name = "function-count"
	}
	m, _ := MeasureNamed(name)
	return m
}

// MayHave reports whether archives of a domain can have nonzero values of the measure.
func (by *Measure) MayHave(d layout.Domain) bool {
	switch {
	case by.sub == layout.SubSamples, by.sub == layout.SubNanoseconds:
		return d == layout.DomainSampled
	case d == layout.DomainSampled: // counts at calls are samples, and a caller's samples include its callees' samples
		return by.Name == "size"
	case by.sub != 0:
		return d == layout.DomainJamaica
	case by.Name == "function-count":
		return d.LLVM()
	case by.Name == "weight":
		return d == layout.DomainHotSpot || d == layout.DomainCustom
	}
	return true
}

// UsualMeasure returns the measure that [Hottest] and [ByHeat] use if they get none. It is the best available estimate
// of the work that the run did. LLVM has function counts if these count entries, else counts.
// A JamaicaVM has bytecodes, a sampled program samples. Other domains have weight, which falls back to counts or
// invocations if the archive has only one of them.
func UsualMeasure(h *layout.Header) *Measure {
	if h.Domain == layout.DomainSampled {
		return &ownSamples
	}
	name := "weight"
	switch {
	case h.Summary.TotalInvocations == 0:
		name = "counts"
	case h.Summary.TotalCount == 0:
		name = "invocations"
	}
	switch {
	case disk.LLVMCountsEntries(h):
		name = "function-count"
	case h.Domain.LLVM():
		name = "counts"
	case h.Domain == layout.DomainJamaica:
		name = "bytecodes"
	}
	m, _ := MeasureNamed(name)
	return m
}

// Of returns the value of one profile.
func (by *Measure) Of(p reader.Profile) uint64 {
	return by.of((*mapped.Mapping)(p.Store().Mapping()).Shape(), p)
}

func (by *Measure) sumOverProfiles(s *reader.Store, m reader.Method) (n uint64, err error) {
	shape := (*mapped.Mapping)(s.Mapping()).Shape()
	for p := range poll.Values(m.Profiles(), &err) {
		n = disk.SaturatingAdd(n, by.of(shape, p))
	}
	return n, err
}

// Values returns the values of a method. There is exactly one, unless the producer truncated the name. One truncated
// name may stand for several methods, and each of their values is returned.
func (by *Measure) Values(s *reader.Store, m reader.Method) (list []uint64, err error) {
	if by.sub == 0 || by.sub == layout.SubNewArrays || !hasTruncatedName(s, m) {
		n, err := by.sumOverProfiles(s, m)
		return []uint64{n}, err
	}
	for p := range poll.Values(m.Profiles(), &err) {
		for e := range p.Entries() {
			if e.Tag() == layout.TagCount && e.Sub() == by.sub {
				list = append(list, e.Cell(0).Trained())
			}
		}
	}
	return list, err
}

// Sums returns a method's values by several measures in one pass over its profiles. It adds up the values of methods
// that share a truncated name.
func Sums(measures []*Measure, s *reader.Store, m reader.Method) (sums []uint64, err error) {
	sums = make([]uint64, len(measures))
	shape := (*mapped.Mapping)(s.Mapping()).Shape()
	cut := hasTruncatedName(s, m)
	for p := range poll.Values(m.Profiles(), &err) {
		for i, by := range measures {
			if !cut {
				sums[i] = disk.SaturatingAdd(sums[i], by.of(shape, p))
			}
		}
	}
	for i := 0; cut && i < len(measures); i++ {
		values, errOf := measures[i].Values(s, m)
		for _, n := range values {
			sums[i] = disk.SaturatingAdd(sums[i], n)
		}
		err = cmp.Or(err, errOf)
	}
	return sums, err
}

func hasTruncatedName(s *reader.Store, m reader.Method) bool {
	return s.Header().Domain == layout.DomainJamaica && m.Flags()&layout.MethodNotMatchable != 0
}

func trainedValue(c reader.Counter, ok bool) uint64 {
	if !ok {
		return 0
	}
	return c.Trained()
}

// sumCounts adds up all counts of executions in a profile. The negative count of failed type checks counts as 0.
func sumCounts(shape disk.Shape, p reader.Profile) uint64 {
	return sumEntries(shape, p, func(e reader.Entry) bool { return shape.CountUnit(e.Bytes()) == disk.UnitExecutions })
}

// sumWeight adds the invocations of a profile to its counts. It equals the weight in package weigh.
func sumWeight(shape disk.Shape, p reader.Profile) uint64 {
	return disk.SaturatingAdd(trainedValue(p.Invocations()), sumCounts(shape, p))
}

// functionCount returns LLVM's first counter, which disk.LLVMCountsEntries explains.
func functionCount(_ disk.Shape, p reader.Profile) uint64 {
	for e := range p.Entries() {
		if e.Tag() == layout.TagCounters && e.Cells() > 0 {
			return e.Cell(0).Trained()
		}
	}
	return 0
}

func sumOfCountKind(sub layout.Sub) func(disk.Shape, reader.Profile) uint64 {
	return func(shape disk.Shape, p reader.Profile) uint64 {
		return sumEntries(shape, p, func(e reader.Entry) bool { return e.Tag() == layout.TagCount && e.Sub() == sub })
	}
}

func sumEntries(shape disk.Shape, p reader.Profile, wanted func(reader.Entry) bool) (sum uint64) {
	for e := range p.Entries() {
		if !wanted(e) {
			continue
		}
		raw := disk.Entry(e.Bytes())
		for cell := range shape.Counts(raw) {
			n := raw.Cell(cell)
			if !raw.SignedCount() || int64(n) > 0 {
				sum = disk.SaturatingAdd(sum, n)
			}
		}
	}
	return sum
}

type measureTotals struct {
	total, highest uint64
	exact          float64 // sum of the values, which does not saturate
}

func (t *measureTotals) addMethod(values []uint64) (sum uint64) {
	for _, n := range values {
		sum = disk.SaturatingAdd(sum, n)
		t.highest = max(t.highest, n)
		t.exact += float64(n)
	}
	t.total = disk.SaturatingAdd(t.total, sum)
	return sum
}

// Values of TopReport.ShareOf.
const (
	shareOfSum     = "sum"
	shareOfRun     = "run"
	shareOfThreads = "threads"
	shareOfHighest = "highest"
)

func (by *Measure) shareTotal(s *reader.Store, sum measureTotals) (uint64, string, error) {
	if by.inclusive() {
		cycles, err := threadCycles(s)
		if err == nil && cycles >= sum.highest && cycles > 0 {
			return cycles, shareOfThreads, nil
		}
		return sum.highest, shareOfHighest, err
	}
	if by.recorded == "" {
		return sum.total, shareOfSum, nil
	}
	recorded, err := numberProperty(s, by.recorded)
	if recorded > sum.total {
		return recorded, shareOfRun, err
	}
	return sum.total, shareOfSum, err
}

func threadCycles(s *reader.Store) (sum uint64, err error) {
	t, err := s.TableOrEmpty(disk.TableThreads)
	for row := range t.Rows {
		sum = disk.SaturatingAdd(sum, t.Cell(1, row))
	}
	return sum, err
}

func numberProperty(s *reader.Store, key string) (sum uint64, err error) {
	properties, err := entries.Properties(s)
	for _, value := range properties[key] {
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			sum = disk.SaturatingAdd(sum, n)
		}
	}
	return sum, err
}

// wholeOf returns the whole that shares of a total relate to. A saturated total is less than the sum of its parts.
func (t *measureTotals) wholeOf(total uint64) float64 {
	if total == t.total {
		return t.exact
	}
	return float64(total)
}
