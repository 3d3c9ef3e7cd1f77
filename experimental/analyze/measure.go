package analyze

import (
	"errors"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Measure is a quantity by which methods are ranked.
type Measure struct {
	Name, About string
	Noun        string // names the counted things, if Name cannot follow a number
	of          func(shape disk.Shape, p reader.Profile) uint64
	// sub is the kind of the Count entries that are summed, 0 if the measure sums others too. A run of a
	// JamaicaVM has one such entry for each method, except of arrays.
	sub layout.Sub
	// recorded is the property with the total of the run, for measures whose values the
	// archive may lack for some methods.
	recorded string
}

// Measures are all measures, in the order in which help lists them.
var Measures = []Measure{
	{Name: "weight", About: "its invocations and counts: what profiles are chosen by when few are to be kept",
		Noun: "invocations and counts", of: sumWeight},
	{Name: "invocations", About: "calls of the method; of HotSpot's those before C2 took over, see below",
		of: func(_ disk.Shape, p reader.Profile) uint64 { return trained(p.Invocations()) }},
	{Name: "backedges", About: "times round its loops",
		of: func(_ disk.Shape, p reader.Profile) uint64 { return trained(p.Backedges()) }},
	{Name: "counts", About: "sum of the counts at its profile points: calls, branches, types", of: sumCounts},
	{Name: "calls", About: "calls that it makes, over its call sites", of: sumCalls},
	{Name: "size", About: "bytes of its profiles in the archive", Noun: "bytes of profiles",
		of: func(_ disk.Shape, p reader.Profile) uint64 { return uint64(len(disk.Block(p.Bytes()))) }},
	{Name: "function-count", About: "LLVM: the counter of the function's entry", Noun: "entries of functions",
		of: functionCount},
	countMeasure("JamaicaVM: bytecodes executed", layout.SubBytecodes, disk.PropertyJamaicaBytecodes),
	countMeasure("JamaicaVM: processor cycles, those of called methods included", layout.SubCycles, ""),
	countMeasure("JamaicaVM: calls of a native method", layout.SubNativeCalls, disk.PropertyJamaicaNative),
	countMeasure("JamaicaVM: arrays created", layout.SubNewArrays, ""),
	countMeasure("processor time of the samples in the method itself, of sampled programs", layout.SubNanoseconds, ""),
}

// ownSamples is the usual measure of sampled programs: the samples in the method itself.
var ownSamples = countMeasure("samples taken in the method itself", layout.SubSamples, "")

// countMeasure returns the measure that sums one kind of Count entries. Its name is the
// kind's in texts and in show.
func countMeasure(about string, sub layout.Sub, recorded string) Measure {
	schema, _ := disk.SchemaOf(layout.TagCount)
	name := schema.Subs[sub]
	return Measure{Name: name, About: about, Noun: strings.ReplaceAll(name, "-", " "), of: sumOf(sub), sub: sub,
		recorded: recorded}
}

// inclusive reports whether the value of a method is contained in the values of its callers.
func (by *Measure) inclusive() bool { return by.sub == layout.SubCycles }

// MeasureNamed returns the measure with a name.
func MeasureNamed(name string) (*Measure, bool) {
	for i := range Measures {
		if Measures[i].Name == name {
			return &Measures[i], true
		}
	}
	return nil, false
}

// CallsMeasure returns the measure of how often methods of a domain were called.
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

// MayHave reports whether archives of a domain may have any of the measure.
func (by *Measure) MayHave(d layout.Domain) bool {
	switch {
	case by.sub == layout.SubSamples, by.sub == layout.SubNanoseconds:
		return d == layout.DomainSampled
	case d == layout.DomainSampled: // its counts at calls are samples, too, and contain each other
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

// UsualMeasure returns the measure that Hottest uses for an archive by default: the one that
// says best how much work was seen.
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
	case h.Domain.LLVM():
		name = "function-count"
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

// sum returns the sum over the profiles of a method.
func (by *Measure) sum(s *reader.Store, m reader.Method) (n uint64, err error) {
	shape := (*mapped.Mapping)(s.Mapping()).Shape()
	for p, err := range m.Profiles() {
		if err != nil {
			return n, err
		}
		n = disk.SaturatingAdd(n, by.of(shape, p))
	}
	return n, nil
}

// Values returns the values of a method. There is one, except where the producer cut names off: then one name
// may stand for several methods, whose values are not added up.
func (by *Measure) Values(s *reader.Store, m reader.Method) (list []uint64, err error) {
	if by.sub == 0 || by.sub == layout.SubNewArrays || !cutOff(s, m) {
		n, err := by.sum(s, m)
		return []uint64{n}, err
	}
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		for e := range p.Entries() {
			if e.Tag() == layout.TagCount && e.Sub() == by.sub {
				list = append(list, e.Cell(0).Trained())
			}
		}
	}
	return list, nil
}

// Sums returns the sums of a method's values by several measures. It reads the profiles once.
func Sums(measures []*Measure, s *reader.Store, m reader.Method) ([]uint64, error) {
	sums := make([]uint64, len(measures))
	shape := (*mapped.Mapping)(s.Mapping()).Shape()
	cut := cutOff(s, m)
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		for i, by := range measures {
			if !cut {
				sums[i] = disk.SaturatingAdd(sums[i], by.of(shape, p))
			}
		}
	}
	for i := 0; cut && i < len(measures); i++ {
		values, err := measures[i].Values(s, m)
		if err != nil {
			return nil, err
		}
		for _, n := range values {
			sums[i] = disk.SaturatingAdd(sums[i], n)
		}
	}
	return sums, nil
}

// cutOff reports whether the producer cut the name of a method off.
func cutOff(s *reader.Store, m reader.Method) bool {
	return s.Header().Domain == layout.DomainJamaica && m.Flags()&layout.MethodNotMatchable != 0
}

// trained returns the trained value of an optional counter, 0 if there is none.
func trained(c reader.Counter, ok bool) uint64 {
	if !ok {
		return 0
	}
	return c.Trained()
}

// sumCounts returns the sum of all data counts in the unit of executions. A
// count of failed type checks is negative and counts as 0.
func sumCounts(shape disk.Shape, p reader.Profile) uint64 {
	return sumEntries(shape, p, func(e reader.Entry) bool { return shape.CountUnit(e.Bytes()) == layout.UnitExecutions })
}

// sumWeight returns the sum of a profile's invocations and counts: its weight in package weigh.
func sumWeight(shape disk.Shape, p reader.Profile) uint64 {
	return disk.SaturatingAdd(trained(p.Invocations()), sumCounts(shape, p))
}

// functionCount returns the first of LLVM's counters: how often the function, or
// a block near its entry, was entered.
func functionCount(_ disk.Shape, p reader.Profile) uint64 {
	for e := range p.Entries() {
		if e.Tag() == layout.TagCounters && e.Cells() > 0 {
			return e.Cell(0).Trained()
		}
	}
	return 0
}

// sumOf returns the sum of the Count entries of one kind.
func sumOf(sub layout.Sub) func(disk.Shape, reader.Profile) uint64 {
	return func(shape disk.Shape, p reader.Profile) uint64 {
		return sumEntries(shape, p, func(e reader.Entry) bool { return e.Tag() == layout.TagCount && e.Sub() == sub })
	}
}

// sumCalls returns the sum of the counts of call sites.
func sumCalls(shape disk.Shape, p reader.Profile) uint64 { return sumEntries(shape, p, isCall) }

// sumEntries returns the sum of the counts of all wanted entries.
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

// sums are the total and the highest value over all methods of an archive.
type sums struct{ total, highest uint64 }

// add adds the values of a method, and returns their sum.
func (t *sums) add(values []uint64) (sum uint64) {
	for _, n := range values {
		sum = disk.SaturatingAdd(sum, n)
		t.highest = max(t.highest, n)
	}
	t.total = disk.SaturatingAdd(t.total, sum)
	return sum
}

// The totals that shares refer to: see TopReport.ShareOf.
const (
	shareOfSum     = "sum"
	shareOfRun     = "run"
	shareOfThreads = "threads"
	shareOfHighest = "highest"
)

// total returns the total that shares refer to, and which one it is.
func (by *Measure) total(s *reader.Store, sum sums) (uint64, string, error) {
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

// threadCycles returns the cycles of all threads of a JamaicaVM, 0 if they were not recorded.
func threadCycles(s *reader.Store) (sum uint64, err error) {
	t, err := s.TableOrEmpty(disk.TableThreads)
	for row := range t.Rows {
		sum = disk.SaturatingAdd(sum, t.Cell(1, row))
	}
	return sum, err
}

// numberProperty returns the sum of the numeric properties with a key.
func numberProperty(s *reader.Store, key string) (sum uint64, err error) {
	t, err := s.TableOrEmpty(disk.TableProperties)
	for row := range t.Rows {
		name, nameErr := t.Text(0, row)
		value, valueErr := t.Text(1, row)
		if err = errors.Join(nameErr, valueErr); err != nil {
			return 0, err
		}
		if n, notNumber := strconv.ParseUint(value, 10, 64); name == key && notNumber == nil {
			sum = disk.SaturatingAdd(sum, n)
		}
	}
	return sum, err
}

// share returns part as a share of whole, 0 if whole is 0.
func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
