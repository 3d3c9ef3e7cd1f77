package compare_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// release returns the settings of a JVM release. Releases up to 21 count failed type checks.
func release(n uint32) (p layout.Params) {
	p.TypeProfileWidth, p.VMRelease = 2, n
	return p
}

// oneProfile returns an archive with one profile of one method. Its code id is 7.
func oneProfile(t testing.TB, params layout.Params, fill func(b *builder.Builder, p *builder.Profile)) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: params})
	p := b.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 7)
	fill(b, p)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, b)
}

// A check is a type check or call, with the count outside its rows and the rows.
type check struct {
	other int64
	rows  map[string]uint64
	null  bool
}

func (c check) store(t testing.TB, params layout.Params) *reader.Store {
	return oneProfile(t, params, func(b *builder.Builder, p *builder.Profile) {
		at := builder.At{Bci: 3}
		if c.null {
			at.Flags = layout.EntryNullSeen
		}
		p.ReceiverType(at, builder.Others{Count: uint64(c.other)}, typeRows(b, c.rows)...)
	})
}

func typeRows(b *builder.Builder, types map[string]uint64) (rows []builder.Row) {
	for name, n := range types {
		rows = append(rows, builder.Row{Type: b.Type(builder.TypeKey{Name: name}), Count: n})
	}
	return rows
}

func squares(n uint64) map[string]uint64 { return map[string]uint64{"Square": n} }

func TestChecksThatAreNoLongerCertain(t *testing.T) {
	t.Parallel()
	jdk17, jdk25 := release(17), release(25)
	for _, c := range []struct {
		name     string
		a, b     check
		ofA, ofB layout.Params
		outcome  string
		listed   int // number of sites that are no longer certain
		result   string
		others   uint64
	}{
		{name: "succeeded, now fails", a: check{rows: squares(100)}, b: check{rows: squares(90), other: -10}, ofA: jdk17,
			ofB: jdk17, outcome: "checks", listed: 1, result: "succeeds", others: 10},
		{name: "too few to be certain", a: check{rows: squares(39)}, b: check{rows: squares(90), other: -10}, ofA: jdk17,
			ofB: jdk17},
		{name: "failed, now succeeds", a: check{other: -100}, b: check{rows: squares(30), other: -10}, ofA: jdk17, ofB: jdk17,
			outcome: "checks", listed: 1, result: "fails", others: 20},
		{name: "failed, and the rows are of checks that fail", a: check{other: -100}, b: check{rows: squares(10), other: -10},
			ofA: jdk17, ofB: jdk17},
		{name: "the VM counts no failures", a: check{rows: squares(100)}, b: check{rows: squares(90), other: -10}, ofA: jdk25,
			ofB: jdk17},
		{name: "the VM is not known", a: check{rows: squares(100)}, b: check{rows: squares(90), other: -10}, ofA: release(0),
			ofB: jdk17},
		{name: "never null, now null", a: check{rows: squares(100)}, b: check{rows: squares(90), null: true}, ofA: jdk25,
			ofB: jdk17, outcome: "nulls", listed: 1, result: "no null"},
		{name: "null in both", a: check{rows: squares(100), null: true}, b: check{rows: squares(90), null: true}, ofA: jdk25,
			ofB: jdk17},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := c.a.store(t, c.ofA), c.b.store(t, c.ofB)
			r := stores(t, a, b, compare.Options{Top: 9})
			if r.NoLongerCertain.Total != c.listed || r.NowCertain.Total != 0 {
				t.Fatalf("no longer %+v, now %+v", r.NoLongerCertain, r.NowCertain)
			}
			mirrored := stores(t, b, a, compare.Options{Top: 9})
			if mirrored.NowCertain.Total != c.listed || mirrored.NoLongerCertain.Total != 0 {
				t.Errorf("the other way round: no longer %+v, now %+v", mirrored.NoLongerCertain, mirrored.NowCertain)
			}
			if c.listed == 0 {
				return
			}
			got := r.NoLongerCertain.List[0]
			testarchive.CheckEqual(t, "outcome", got.Outcome, c.outcome)
			testarchive.CheckEqual(t, "what always happened", got.Always, c.result)
			testarchive.CheckEqual(t, "count of what always happened", got.Times, 100)
			if got.Others == nil != (c.outcome == "nulls") || got.Others != nil && *got.Others != c.others {
				t.Errorf("number of others %v, want %d", got.Others, c.others)
			}
			testarchive.CheckEqual(t, "weight", got.Weight, 1)
			if got := mirrored.NowCertain.List[0]; got.Times != 100 || got.Weight != 1 {
				t.Errorf("the other way round: %+v", got)
			}
		})
	}
}

func TestBranchesThatAreNoLongerCertain(t *testing.T) {
	t.Parallel()
	branch := func(taken, not uint64) *reader.Store {
		return oneProfile(t, release(17), func(_ *builder.Builder, p *builder.Profile) {
			p.Branch(builder.At{Bci: 5}, builder.Branch{Taken: taken, Displacement: 16, NotTaken: not})
			p.MultiBranch(builder.At{Bci: 9}, builder.SwitchCase{Count: taken}, builder.SwitchCase{},
				builder.SwitchCase{Count: not})
		})
	}
	r := stores(t, branch(0, 500), branch(1, 999), compare.Options{Top: 9})
	if r.NoLongerCertain.Total != 2 || r.NowCertain.Total != 0 || r.Flips.Total != 0 {
		t.Fatalf("%+v", r)
	}
	for _, c := range r.NoLongerCertain.List {
		way := "not taken"
		if c.Entry == layout.TagMultiBranch.String() {
			way = "case index 1"
		}
		testarchive.CheckEqual(t, "what always happened", c.Always, way)
		testarchive.CheckEqual(t, "count of what always happened", c.Times, 500)
		testarchive.CheckEqual(t, "count", c.Count, 1000)
		testarchive.CheckEqual(t, "number of others", *c.Others, 1)
		testarchive.CheckEqual(t, "outcome", c.Outcome, "ways")
	}
	for name, r := range map[string]*compare.Report{
		"too few":            stores(t, branch(0, 39), branch(1, 999), compare.Options{}),
		"uncertain in both":  stores(t, branch(1, 39), branch(1, 999), compare.Options{}),
		"never reached":      stores(t, branch(0, 0), branch(1, 999), compare.Options{}),
		"certain in another": stores(t, branch(0, 500), branch(500, 0), compare.Options{}),
	} {
		if r.NoLongerCertain.Total+r.NowCertain.Total != 0 {
			t.Errorf("%s: %+v %+v", name, r.NoLongerCertain, r.NowCertain)
		}
	}
	if r := stores(t, branch(1, 999), branch(0, 500), compare.Options{}); r.NowCertain.Total != 2 ||
		r.NoLongerCertain.Total != 0 {
		t.Errorf("the other way round: %+v %+v", r.NoLongerCertain, r.NowCertain)
	}
}

func TestUntypedCountsAreNotAType(t *testing.T) {
	t.Parallel()
	call := func(other uint64, types map[string]uint64) *reader.Store {
		return oneProfile(t, release(17), func(b *builder.Builder, p *builder.Profile) {
			p.VirtualCall(builder.At{Bci: 3}, builder.Others{Count: other}, typeRows(b, types)...)
		})
	}
	both := map[string]uint64{"Square": 60, "Circle": 40}
	for name, c := range map[string]struct {
		a, b    *reader.Store
		changes []string
	}{
		"not recorded, one":     {call(100, nil), call(0, squares(100)), nil},
		"not recorded, several": {call(100, nil), call(0, both), nil},
		"in part, several":      {call(10, squares(90)), call(0, both), nil},
		"in part, the same":     {call(10, squares(90)), call(0, squares(90)), nil},
		"in part, mostly another": {call(10, squares(90)), call(0, map[string]uint64{"Circle": 100}),
			[]string{"retargeted"}},
		"hardly any, another":     {call(90, squares(10)), call(0, map[string]uint64{"Circle": 100}), nil},
		"one, several":            {call(0, squares(100)), call(0, both), []string{"polymorphic"}},
		"one, several and no row": {call(0, squares(100)), call(5, both), []string{"polymorphic"}},
		"one, another": {call(0, squares(100)), call(0, map[string]uint64{"Circle": 9}),
			[]string{"retargeted"}},
		"several, one and in part":   {call(0, both), call(1, squares(100)), nil},
		"several, one for certain":   {call(0, both), call(0, squares(100)), []string{"monomorphic"}},
		"two and others, two others": {call(9, both), call(0, both), nil},
	} {
		var got []string
		r := stores(t, c.a, c.b, compare.Options{Top: 9})
		for _, s := range r.Sites.List {
			got = append(got, s.Change)
		}
		if len(got) != len(c.changes) || len(got) > 0 && got[0] != c.changes[0] {
			t.Errorf("%s: %v, want %v", name, got, c.changes)
		}
	}
	r := stores(t, call(100, squares(20)), call(0, squares(7)), compare.Options{})
	k := r.Kinds[len(r.Kinds)-1]
	testarchive.CheckEqual(t, "kind", k.Kind, "receivers")
	testarchive.CheckEqual(t, "overlap without counts of no type", k.Overlap, 1)
	testarchive.CheckEqual(t, "sum of counts with a type", k.SumA, 20)
	testarchive.CheckEqual(t, "sum of counts without a type", k.UntypedA, 100)
	testarchive.CheckEqual(t, "sum of counts without a type in the second", k.UntypedB, 0)
}
