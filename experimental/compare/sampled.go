package compare

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/sampling"
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
	Calls float64 // sum of the calls; a sample may have several
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
	return sampleSize(s, k, &c.sumA, true)
}

// Properties of sampled archives. docs/format-tables.md describes them.
const (
	propertyPeriodType = "pprof.period_type"
	propertyPeriod     = "pprof.period"
	propertyEffective  = disk.PropertySampledTotal + "samples"
	propertyDuration   = disk.PropertySampledTotal + "duration"
)

// sampleSize returns the sample size for counts of kind k. Each count of the type samples/count is a sample. Else the
// archive may have the number of samples, or each sample is a period. Of other values, such as objects of a heap, the
// error is not known. all reports whether no method is excluded.
func sampleSize(s *reader.Store, k kind, sum *kindAmounts, all bool) (z SampleSize, err error) {
	properties, err := entries.Properties(s)
	first := func(key string) string { return strings.Join(properties[key][:min(1, len(properties[key]))], "") }
	total := func(key string) (sum float64) {
		for _, text := range properties[key] {
			n, _ := strconv.ParseFloat(text, 64)
			sum += n
		}
		return sum
	}
	z = SampleSize{Unit: disk.UnitPointSamples, Total: sum[k], Calls: sum[kindCalls]}
	unit := first(disk.PropertySamplesType)
	types := strings.Fields(first(disk.PropertySampleTypes))
	if unit == "" && (len(types) == 0 || slices.Contains(types, "samples/count")) {
		unit = "samples/count"
	}
	counted := unit == "samples/count" && sum[kindSamples] > 0
	if k == kindNanoseconds {
		z.Unit = disk.UnitNanoseconds
		unit = cmp.Or(first(disk.PropertyTimeType), disk.TypeCPU)
	}
	period := total(propertyPeriod)
	periods := first(propertyPeriodType) // as space/bytes, the end of inuse_space/bytes
	switch effective := total(propertyEffective); {
	case counted:
		z.Samples = sum[kindSamples]
	case effective > 0 && all:
		z.Samples = effective
	case period > 0 && len(properties[propertyPeriod]) == 1 && periods != "" && strings.HasSuffix(unit, periods):
		z.Samples = sum[k] / period
	}
	if seconds := total(propertyDuration) / 1e9; seconds > 0 && all {
		z.PerSecond = z.Samples / seconds
	}
	return z, err
}

// A sampledPair is the sampling error of two archives.
type sampledPair struct {
	sizes [2]SampleSize
	lines sampling.Pair
	all   sampling.Pair // lines and functions
}

// countSamples sets c.sampled if both archives are samples.
func (c *comparison) countSamples() (err error) {
	k := c.primary
	if c.a.Header().Domain != layout.DomainSampled || !k.countsSamples() || c.sumA[k] == 0 || c.sumB[k] == 0 {
		return nil
	}
	p := &sampledPair{}
	p.sizes[0], err = sampleSize(c.a, k, &c.sumA, c.o.Methods == nil)
	if err == nil {
		p.sizes[1], err = sampleSize(c.b, k, &c.sumB, c.o.Methods == nil)
	}
	p.lines = sampling.Pair{N: p.sizes[0].Samples, M: p.sizes[1].Samples}
	p.all = p.lines
	if p.lines.N > 0 && p.lines.M > 0 {
		c.sampled = p
	}
	return err
}

// addSampledMethod adds the lines of a method.
func (c *comparison) addSampledMethod(m *Method, a, b samples) {
	if c.sampled == nil {
		return
	}
	p := c.sampled
	add := func(at samplePoint, x, y uint64) {
		if at.kind == c.primary {
			share := [2]float64{float64(x) / c.sumA[at.kind], float64(y) / c.sumB[at.kind]}
			p.lines.Add(share[0], share[1])
			p.all.Add(share[0], share[1])
			m.lines = append(m.lines, share)
		}
	}
	for _, at := range a.sortedPoints() {
		add(at, a[at], b[at])
	}
	for _, at := range b.sortedPoints() {
		if _, both := a[at]; !both {
			add(at, 0, b[at])
		}
	}
	p.all.Add(m.ShareA, m.ShareB)
}

// setNoise returns a function that sets the interval of a method's change.
func (c *comparison) setNoise() func(*Method) {
	if c.sampled == nil {
		return func(*Method) {}
	}
	p := c.sampled
	level := p.all.Level()
	return func(m *Method) {
		change := p.all.Change(m.ShareA, m.ShareB, level)
		m.Change = &change
		m.Noise = change.HasZero() && !slices.ContainsFunc(m.lines, func(share [2]float64) bool {
			return !p.all.Change(share[0], share[1], level).HasZero()
		})
	}
}

func (c *comparison) reportSampling() {
	if c.sampled == nil {
		return
	}
	r := &c.report
	found := c.sampled.lines.Overlap().Interval
	found.High = min(found.High, 1-c.sampled.all.CertainChange())
	r.ScoreInterval = &found
	r.SizeA, r.SizeB = c.sampled.sizes[0], c.sampled.sizes[1]
	r.SamplesA, r.SamplesB = r.SizeA.Samples, r.SizeB.Samples
	r.Lines = &c.sampled.lines
}
