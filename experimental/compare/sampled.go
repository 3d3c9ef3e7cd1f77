package compare

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/experimental/compare/sampling"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A SampleSize is the number of samples of an archive. It is zero for archives without sampling error.
type SampleSize struct {
	Samples   float64 // effective samples, as in package sampling
	PerSecond float64 // rate of Samples, 0 if the profiled time is unknown
	// Unit is the unit of counts that have the error of Samples samples. Total is their sum.
	Unit  layout.CountUnit
	Total float64
}

// SampleSizeOf returns the sample size of an archive.
func SampleSizeOf(ctx context.Context, s *reader.Store) (SampleSize, error) {
	if s.Header().Domain != layout.DomainSampled {
		return SampleSize{}, nil
	}
	c := &comparison{ctx: ctx, a: s}
	if _, err := c.addUpArchive(s, &c.sumA, &c.of[0], &c.report.MarkedA); err != nil {
		return SampleSize{}, err
	}
	k := kindNanoseconds
	if c.sumA[k] == 0 {
		k = kindSamples
	}
	return sampleSize(s, k, &c.sumA, &c.of[0], true)
}

// Properties of sampled archives. docs/format-tables.md describes them.
const (
	propertyTypes      = "pprof.sample_types"
	propertySamples    = "pprof.samples"
	propertyTime       = "pprof.time"
	propertyPeriodType = "pprof.period_type"
	propertyPeriod     = "pprof.period"
	propertyEffective  = disk.PropertySampledTotal + "samples"
	propertyDuration   = disk.PropertySampledTotal + "duration"
)

// sampleSize returns the sample size for counts of kind k. A count of samples/count is a sample. Else the archive may
// have the number of samples, or a sample is a period. Else the weight of a stack is taken for that of one sample,
// which is too few samples. all reports whether no method is excluded.
func sampleSize(s *reader.Store, k kind, sum *kindAmounts, of *archiveTotals, all bool) (z SampleSize, err error) {
	properties, err := entries.Properties(s)
	first := func(key string) string { return strings.Join(properties[key][:min(1, len(properties[key]))], "") }
	total := func(key string) (sum float64) {
		for _, text := range properties[key] {
			n, _ := strconv.ParseFloat(text, 64)
			sum += n
		}
		return sum
	}
	z = SampleSize{Unit: disk.UnitPointSamples, Total: sum[k]}
	unit := first(propertySamples)
	types := strings.Fields(first(propertyTypes))
	if unit == "" && (len(types) == 0 || slices.Contains(types, "samples/count")) {
		unit = "samples/count"
	}
	counted := unit == "samples/count" && sum[kindSamples] > 0
	if k == kindNanoseconds {
		z.Unit = disk.UnitNanoseconds
		unit = first(propertyTime)
		if unit == "" {
			unit = "cpu/nanoseconds"
		}
	}
	period := total(propertyPeriod)
	switch effective := total(propertyEffective); {
	case sum[k] == 0:
	case counted:
		z.Samples = sum[kindSamples]
	case effective > 0 && all:
		z.Samples = effective
	case period > 0 && len(properties[propertyPeriod]) == 1 && first(propertyPeriodType) == unit:
		z.Samples = max(1, sum[k]/period)
	default:
		z.Samples = sum[k] * sum[k] / of.squares[k]
	}
	if seconds := total(propertyDuration) / 1e9; seconds > 0 && all {
		z.PerSecond = z.Samples / seconds
	}
	return z, err
}

// A sampledPair is the sampling error of two archives.
type sampledPair struct {
	sizes     [2]SampleSize
	lines     sampling.Pair
	functions sampling.Pair
}

// countSamples sets c.sampled if both archives are samples.
func (c *comparison) countSamples() (err error) {
	k := c.primary
	if c.a.Header().Domain != layout.DomainSampled || !k.countsSamples() || c.sumA[k] == 0 || c.sumB[k] == 0 {
		return nil
	}
	p := &sampledPair{}
	p.sizes[0], err = sampleSize(c.a, k, &c.sumA, &c.of[0], c.o.Methods == nil)
	if err == nil {
		p.sizes[1], err = sampleSize(c.b, k, &c.sumB, &c.of[1], c.o.Methods == nil)
	}
	p.lines = sampling.Pair{N: p.sizes[0].Samples, M: p.sizes[1].Samples}
	p.functions = p.lines
	c.sampled = p
	return err
}

// addSampledMethod adds the lines of a method.
func (c *comparison) addSampledMethod(m *Method, a, b samples) {
	if c.sampled == nil {
		return
	}
	p := c.sampled
	m.lines = sampling.Pair{N: m.ShareA * p.lines.N, M: m.ShareB * p.lines.M}
	add := func(at samplePoint, x, y uint64) {
		if at.kind != c.primary {
			return
		}
		shareA, shareB := float64(x)/c.sumA[at.kind], float64(y)/c.sumB[at.kind]
		p.lines.Add(shareA, shareB)
		m.lines.Add(shareOfSum(shareA, m.ShareA), shareOfSum(shareB, m.ShareB))
	}
	for _, at := range a.sortedPoints() {
		add(at, a[at], b[at])
	}
	for _, at := range b.sortedPoints() {
		if _, both := a[at]; !both {
			add(at, 0, b[at])
		}
	}
	p.functions.Add(m.ShareA, m.ShareB)
}

// setNoise returns a function that sets the interval of a method's change.
func (c *comparison) setNoise() func(*Method) {
	if c.sampled == nil {
		return func(*Method) {}
	}
	p := c.sampled
	z := p.functions.Deviations()
	return func(m *Method) {
		change := sampling.Change(m.ShareA, p.lines.N, m.ShareB, p.lines.M, z)
		m.Change = &change
		m.Noise = change.HasZero() && !m.lines.DiffersInside(z)
	}
}

func (c *comparison) reportSampling() {
	if c.sampled == nil {
		return
	}
	r := &c.report
	found := c.sampled.lines.Overlap()
	r.ScoreInterval = &found.Interval
	r.SizeA, r.SizeB = c.sampled.sizes[0], c.sampled.sizes[1]
	r.SamplesA, r.SamplesB = r.SizeA.Samples, r.SizeB.Samples
	r.Lines = &c.sampled.lines
}
