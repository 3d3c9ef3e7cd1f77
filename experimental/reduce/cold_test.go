package reduce_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// coldProfiles returns the number of profiles that counted nothing.
func coldProfiles(s *reader.Store) (n int) {
	for m := range s.Methods() {
		for p := range m.Profiles() {
			sum := uint64(0)
			for _, get := range []func() (reader.Counter, bool){p.Invocations, p.Backedges, p.Interpreted} {
				if c, ok := get(); ok {
					sum |= c.Load()
				}
			}
			shape := (*mapped.Mapping)(s.Mapping()).Shape()
			for e := range p.Entries() {
				for cell := range shape.Counts(disk.Entry(e.Bytes())) {
					if n := e.Cell(cell).Load(); !disk.Entry(e.Bytes()).SignedCount() || int64(n) > 0 {
						sum |= n
					}
				}
			}
			if sum == 0 {
				n++
			}
		}
	}
	return n
}

// checkCold checks that DropCold drops cold profiles and nothing else.
func checkCold(t testarchive.TB, s *reader.Store) {
	t.Helper()
	out, report := reduced(t, s, reduce.Options{DropCold: true})
	if n := coldProfiles(out.Store); n > 0 {
		t.Errorf("%d cold profiles stay", n)
	}
	before, after := s.Header(), out.Header()
	if int(before.Counts.Profiles-after.Counts.Profiles) != coldProfiles(s) {
		t.Errorf("%d profiles became %d; %d are cold", before.Counts.Profiles, after.Counts.Profiles, coldProfiles(s))
	}
	if before.Summary != after.Summary {
		t.Errorf("the sums changed from %+v to %+v", before.Summary, after.Summary)
	}
	if share := report.Share; share != 1 {
		t.Errorf("a share of %v stays, want all", share)
	}
}

func TestDropCold(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) { checkCold(t, s.Store) })
	b := testarchive.New(layout.DomainHotSpot)
	key := func(name string) layout.Key { return layout.Key{Class: "A", Name: name, Signature: "()V"} }
	called, never := b.Method(key("called")), b.Method(key("never"))
	b.Seen(never)
	cold := b.Profile(key("cold"), 0)
	cold.Branch(builder.At{Bci: 1}, builder.Branch{Displacement: 8})
	warm := b.ProfileIn(b.Method(key("warm")), 0, b.Context(b.Method(key("warm")),
		builder.Frame{Caller: b.Method(key("caller")), Point: 7}))
	warm.Backedges(1)
	warm.Internal().AddSpeculativeTrap(profileset.Narrow{Bci: 2}, called)
	testarchive.MustDone(t, cold, warm)
	out, _ := reduced(t, testarchive.Build(t, b).Store, reduce.Options{DropCold: true})
	for name, stays := range map[string]bool{"warm": true, "called": true, "caller": true, "cold": false, "never": false} {
		if _, err := out.Find(key(name)); (err == nil) != stays {
			t.Errorf("%s: %v, want it to stay: %v", name, err, stays)
		}
	}
}

func TestDropColdOfRandomArchives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		checkCold(rt, testarchive.DrawRun(rt, rapid.SampledFrom(testarchive.Domains).Draw(rt, "domain"), "run").Store)
		checkCold(rt, testarchive.DrawRun(rt, layout.DomainHotSpot, "HotSpot").Store)
	})
}

// TestReductionIsIdempotent: reducing a reduced archive again changes nothing. So no
// method stays without a need, and methods that others refer to stay as long as these.
func TestReductionIsIdempotent(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := testarchive.DrawRun(rt, rapid.SampledFrom(testarchive.Domains).Draw(rt, "domain"), "run")
		for _, r := range []reduce.Options{
			{DropCold: true},
			{Hot: layout.WeightOne},
			{Methods: func(k layout.Key) bool { return strings.HasSuffix(k.Name, "1") }},
			{Hot: layout.WeightOne, DropCold: true, Methods: func(k layout.Key) bool { return k.Name > "m1" }},
		} {
			once, _ := reduced(rt, s.Store, r)
			again, _ := reduced(rt, once.Store, r)
			if !bytes.Equal(once.Bytes, again.Bytes) {
				rt.Errorf("%+v: counts %+v, then %+v", r, once.Header().Counts, again.Header().Counts)
			}
			if r.Methods == nil {
				continue
			}
			for m := range once.Methods() {
				if k, err := m.Key(); err != nil || numProfiles(m) > 0 && !r.Methods(k) {
					rt.Errorf("the profile of %+v stays: %v", k, err)
				}
			}
		}
	})
}

func TestSamplesAndTracesGoWithTheirMethods(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		none := reduce.Options{Methods: func(layout.Key) bool { return false }}
		out, report := reduced(t, s.Store, none)
		if report.Methods+report.Profiles+report.Entries != 0 {
			t.Errorf("the report says that %+v stays, want nothing", report)
		}
		if n := out.Header().Counts.Profiles; n != 0 {
			t.Errorf("%d profiles stay", n)
		}
		for table := range s.Tables() {
			if table.Kind != disk.TableSamples && table.Kind != disk.TableTraces {
				continue
			}
			if _, err := out.Table(table.Kind); err == nil {
				t.Errorf("table %d stays", table.Kind)
			}
			if dropped := report.Rows[table.Kind]; dropped != table.Rows {
				t.Errorf("table %d: the report says that %d of %d rows were dropped", table.Kind, dropped, table.Rows)
			}
		}
	})
}
