package compare_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// sampled returns an archive with samples, monitors and a count; 0 leaves a part out.
func sampled(stacks, monitors, count uint64) *builder.Builder {
	b := builder.New(layout.DomainGraal, builder.Config{})
	m := b.Method(layout.Key{Class: "A", Name: "run"})
	for i := range stacks {
		b.Internal().Table(disk.TableSamples, 0, disk.ColumnWord, disk.ColumnMethod, disk.ColumnWord, disk.ColumnWord).Row(i,
			uint64(m), 0, 9)
	}
	for i := range monitors {
		b.Internal().Table(disk.TableMonitors, 0, disk.ColumnType, disk.ColumnWord).Row(0, i)
	}
	if count > 0 {
		p := b.ProfileIn(m, 0, profileset.NoContext)
		p.Count(builder.Count{Sub: layout.SubCalls, N: count})
		_ = p.Done()
	}
	b.Internal().
		Table(disk.TableProperties, 0, disk.ColumnSymbol, disk.ColumnSymbol).
		Row(uint64(b.Internal().Symbol("host")), 0)
	return b
}

func TestScoreIgnoresWhatIsNotCompared(t *testing.T) {
	t.Parallel()
	samples := compare.Uncompared{What: "rows of samples", Table: disk.TableSamples, A: 2, B: 3}
	monitors := compare.Uncompared{What: "rows of monitors", Table: disk.TableMonitors, B: 1}
	for _, c := range []struct {
		a, b *builder.Builder
		want []compare.Uncompared
		has  bool
		is   float64
	}{
		{a: sampled(2, 0, 0), b: sampled(3, 0, 0), want: []compare.Uncompared{samples}},
		{a: sampled(2, 0, 7), b: sampled(3, 1, 9), want: []compare.Uncompared{monitors, samples}, has: true, is: 1},
		{a: sampled(2, 0, 7), b: sampled(3, 0, 0), want: []compare.Uncompared{samples}, has: true},
		{a: sampled(0, 0, 0), b: sampled(0, 0, 0), want: []compare.Uncompared{}},
	} {
		r := stores(t, memstore.Open(t, c.a), memstore.Open(t, c.b), compare.Options{})
		if d := cmp.Diff(c.want, r.NotCompared); d != "" {
			t.Error(d)
		}
		if score, ok := scoreOf(r); ok != c.has || score != c.is {
			t.Errorf("score %v, %v, want %v, %v", score, ok, c.is, c.has)
		}
	}
}
