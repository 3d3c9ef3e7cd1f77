package compare_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// A count of samples/count is a sample; other values need their number or their period.
func TestSampleSizes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		domain     layout.Domain
		samples    uint64
		time       uint64
		properties map[string]string
		want       float64
		perSecond  float64
	}{
		{name: "samples", samples: 300, want: 300},
		{name: "samples and time", samples: 300, time: 3e9, want: 300, perSecond: 150, properties: map[string]string{
			"pprof.sample_types": "samples/count cpu/nanoseconds", "pprof.total.duration": "2000000000"}},
		{name: "time and period", time: 3e9, want: 30, properties: map[string]string{"pprof.sample_types": "cpu/nanoseconds",
			"pprof.period_type": "cpu/nanoseconds", "pprof.period": "100000000"}},
		{name: "time alone", time: 3e9, properties: map[string]string{"pprof.sample_types": "cpu/nanoseconds"}},
		{name: "weights", samples: 1e6, want: 40,
			properties: map[string]string{"pprof.sample_types": "cycles/count", "pprof.total.samples": "40"}},
		{name: "bytes of a heap", samples: 1 << 20, want: 2, properties: map[string]string{
			"pprof.samples": "inuse_space/bytes", "pprof.sample_types": "inuse_objects/count inuse_space/bytes",
			"pprof.period_type": "space/bytes", "pprof.period": "524288"}},
		{name: "objects of a heap", samples: 1 << 20, properties: map[string]string{
			"pprof.samples": "inuse_objects/count", "pprof.sample_types": "inuse_objects/count inuse_space/bytes",
			"pprof.period_type": "space/bytes", "pprof.period": "524288"}},
		{name: "another domain", domain: layout.DomainJamaica, samples: 300},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.domain == 0 {
				test.domain = layout.DomainSampled
			}
			b := builder.New(test.domain, builder.Config{})
			p := b.Profile(layout.Key{Name: "main"}, 0)
			if test.domain == layout.DomainSampled {
				p.Count(builder.Count{Sub: layout.SubSamples, N: test.samples})
				p.Count(builder.Count{Sub: layout.SubNanoseconds, N: test.time})
			}
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
			table := b.Internal().Table(disk.TableProperties, 0, disk.ColumnSymbol, disk.ColumnSymbol)
			for key, value := range test.properties {
				table.Row(uint64(b.Internal().Symbol(key)), uint64(b.Internal().Symbol(value)))
			}
			s := memstore.Open(t, b)
			got, err := compare.SampleSizeOf(t.Context(), s)
			if err != nil || got.Samples != test.want || got.PerSecond != test.perSecond {
				t.Errorf("%+v, %v, want %v samples, %v per second", got, err, test.want, test.perSecond)
			}
			if r := stores(t, s, s, compare.Options{}); (r.ScoreInterval != nil) != (test.want > 0) {
				t.Errorf("interval %v of %v samples", r.ScoreInterval, test.want)
			}
		})
	}
}
