package compare_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func stores(t testing.TB, a, b *reader.Store, o compare.Options) *compare.Report {
	t.Helper()
	r, err := compare.Stores(t.Context(), a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// scoreOf returns the score of a report, if it has one.
func scoreOf(r *compare.Report) (score float64, ok bool) {
	if r.Score == nil {
		return 0, false
	}
	return *r.Score, true
}

func TestEverythingAgreesWithItself(t *testing.T) {
	t.Parallel()
	for _, s := range specimen.All() {
		a, b := memstore.Open(t, s.Build()), memstore.Open(t, s.Build())
		r := stores(t, a, b, compare.Options{Top: 10})
		score, ok := scoreOf(r)
		if ok && math.Abs(score-1) > 1e-9 || ok != (a.Header().Summary != layout.Summary{}) {
			t.Errorf("%s: score %v, %v", s.Name, score, ok)
		}
		for _, k := range r.Kinds {
			if math.Abs(k.Overlap-1) > 1e-9 || k.SumA != k.SumB || k.SumA == 0 {
				t.Errorf("%s: %+v", s.Name, k)
			}
		}
		if n := len(r.Changed.List) + r.Came.Total + r.Went.Total + r.Flips.Total + r.Sites.Total; n > 0 {
			t.Errorf("%s: %d differences", s.Name, n)
		}
		if r.Methods.Matched != int(a.Header().Counts.Methods) || r.Profiles.Mismatch+r.Profiles.OnlyA+r.Profiles.OnlyB > 0 {
			t.Errorf("%s: %+v %+v", s.Name, r.Methods, r.Profiles)
		}
	}
}

func TestDomainsAreNotMixed(t *testing.T) {
	t.Parallel()
	all := specimen.All()
	_, err := compare.Stores(t.Context(), memstore.Open(t, all[0].Build()), memstore.Open(t, all[2].Build()),
		compare.Options{})
	if !errors.Is(err, compare.ErrDomains) {
		t.Error(err)
	}
	produced := func(id byte) *reader.Store {
		return memstore.Open(t, builder.New(layout.DomainCustom, builder.Config{ProducerID: [16]byte{id}}))
	}
	if _, err := compare.Stores(t.Context(), produced(1), produced(2), compare.Options{}); !errors.Is(err,
		compare.ErrDomains) {
		t.Errorf("two producers: %v", err)
	}
	if _, err := compare.Stores(t.Context(), produced(1), produced(1), compare.Options{}); err != nil {
		t.Error(err)
	}
}

// A plan describes an archive. Each method has the counts of a branch, of a call by type, and of a second context.
type plan map[int]planned

type planned struct {
	code            uint64
	taken, notTaken uint64
	types           map[string]uint64
	inContext       uint64 // count in a context; no context if 0
	caller          int
}

func (p plan) build() *builder.Builder {
	var params layout.Params
	params.TypeProfileWidth = 2
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: params})
	method := func(i int) builder.MethodRef {
		return b.Method(layout.Key{Class: fmt.Sprint("C", i%3), Name: fmt.Sprint("m", i), Signature: "()V", Loader: "app"})
	}
	for i, m := range p {
		q := b.ProfileIn(method(i), m.code, profileset.NoContext)
		q.Branch(builder.At{Bci: 3}, builder.Branch{Taken: m.taken, Displacement: 8, NotTaken: m.notTaken})
		var rows []builder.Row
		for name, n := range m.types {
			rows = append(rows, builder.Row{Type: b.Type(builder.TypeKey{Name: name}), Count: n})
		}
		if len(rows) <= 2 { // a fixed entry where it fits, otherwise a wide one
			q.VirtualCall(builder.At{Bci: 9}, builder.Others{}, rows...)
		} else {
			q.Receivers(builder.Receivers{Point: 9, Sub: layout.SubVirtualCall}, rows...)
		}
		_ = q.Done()
		if m.inContext > 0 {
			c := b.ProfileIn(method(i), m.code, b.Context(method(i), builder.Frame{Caller: method(m.caller), Point: 4}))
			c.Counter(builder.At{Bci: 1}, m.inContext)
			_ = c.Done()
		}
	}
	return b
}

func drawPlan(t *rapid.T, name string) plan {
	p := plan{}
	count := rapid.Uint64Range(0, 1000)
	for i := range 8 {
		if rapid.Bool().Draw(t, name) {
			types := map[string]uint64{}
			for _, n := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"A", "B", "Z", "b/Q"}), 0, 4,
				rapid.ID).Draw(t, "types") {
				types[n] = count.Draw(t, "n")
			}
			p[i] = planned{uint64(rapid.IntRange(0, 2).Draw(t, "code")), count.Draw(t, "taken"), count.Draw(t, "not taken"),
				types, rapid.Uint64Range(0, 3).Draw(t, "in context"), rapid.IntRange(0, 9).Draw(t, "caller")}
		}
	}
	return p
}

// edges returns all counts of edges by their identity.
func (p plan) edges() map[string]uint64 {
	out := map[string]uint64{}
	for i, m := range p {
		out[fmt.Sprint(i, "taken")] = m.taken
		out[fmt.Sprint(i, "not taken")] = m.notTaken
		out[fmt.Sprint(i, "context", m.caller)] = m.inContext
	}
	return out
}

func (p plan) receivers() map[string]uint64 {
	out := map[string]uint64{}
	for i, m := range p {
		for name, n := range m.types {
			out[fmt.Sprint(i, name)] = n
		}
	}
	return out
}

// overlap computes the overlap of plans from its definition.
func overlap(p, q plan, counts func(plan) map[string]uint64) (sum float64) {
	x, y := counts(p), counts(q)
	var sumX, sumY float64
	for _, n := range x {
		sumX += float64(n)
	}
	for _, n := range y {
		sumY += float64(n)
	}
	for key, n := range x {
		if sumX > 0 && sumY > 0 && sameCode(p, q, key) {
			sum += min(float64(n)/sumX, float64(y[key])/sumY)
		}
	}
	return sum
}

// sameCode reports whether the method at the start of a key has the same code in both plans, or unknown code in one.
func sameCode(p, q plan, key string) bool {
	i := int(key[0] - '0')
	return p[i].code == q[i].code || p[i].code == 0 || q[i].code == 0
}

func TestOverlapIsTheDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p, q := drawPlan(rt, "p"), drawPlan(rt, "q")
		a, b := memstore.Open(t, p.build()), memstore.Open(t, q.build())
		r := stores(t, a, b, compare.Options{Top: 100})
		back := stores(t, b, a, compare.Options{})
		for _, k := range r.Kinds {
			want := overlap(p, q, plan.edges)
			if k.Kind == "receivers" {
				want = overlap(p, q, plan.receivers)
			}
			if math.Abs(k.Overlap-want) > 1e-9 {
				rt.Errorf("%s: overlap %v, want %v", k.Kind, k.Overlap, want)
			}
			for _, l := range back.Kinds {
				if l.Kind == k.Kind && math.Abs(l.Overlap-k.Overlap) > 1e-9 {
					rt.Errorf("%s: overlap %v one way, %v the other", k.Kind, k.Overlap, l.Overlap)
				}
			}
		}
		if r.Primary == "edges" && bothCount(r) {
			differencesAddUp(rt, r)
		}
	})
}

func bothCount(r *compare.Report) bool {
	return len(r.Kinds) > 0 && r.Kinds[0].SumA > 0 && r.Kinds[0].SumB > 0
}

// differencesAddUp checks that the differences of methods add up to 1 minus the score.
func differencesAddUp(t *rapid.T, r *compare.Report) {
	sum := 0.0
	for _, l := range [][]compare.Method{r.Changed.List, r.Came.List, r.Went.List} {
		for _, m := range l {
			sum += m.Difference
		}
	}
	score, ok := scoreOf(r)
	if !ok || math.Abs(1-score-sum) > 1e-9 {
		t.Errorf("score %v, %v, differences add up to %v", score, ok, sum)
	}
}

func TestFlipsAndSites(t *testing.T) {
	t.Parallel()
	same := map[string]uint64{"A": 9}
	p := plan{
		0: {code: 1, taken: 90, notTaken: 10, types: map[string]uint64{"A": 100}},
		1: {code: 1, taken: 90, notTaken: 10, types: map[string]uint64{"A": 5, "Z": 5}},
		2: {code: 1, taken: 5, notTaken: 5, types: same},
		3: {code: 1, taken: 9, notTaken: 1, types: map[string]uint64{"A": 1}},
		4: {code: 1, taken: 9, notTaken: 1, types: map[string]uint64{"A": 1}},
	}
	q := plan{
		0: {code: 1, taken: 10, notTaken: 90, types: map[string]uint64{"A": 50, "B": 30, "Z": 20}},
		1: {code: 1, taken: 60, notTaken: 40, types: map[string]uint64{"Z": 5}},
		2: {code: 1, taken: 1, notTaken: 9, types: same},
		3: {code: 1, taken: 1, notTaken: 9, types: map[string]uint64{"B": 1}},
		4: {code: 2, taken: 1, notTaken: 9, types: map[string]uint64{"B": 1}},
	}
	r := stores(t, memstore.Open(t, p.build()), memstore.Open(t, q.build()), compare.Options{Top: 10})
	var flips, sites []string
	for _, f := range r.Flips.List {
		flips = append(flips, fmt.Sprintf("%s %.1f %.1f", methodName(t, f.Place.A), f.A.Share, f.B.Share))
	}
	for _, s := range r.Sites.List {
		sites = append(sites, fmt.Sprintf("%s %s %d %d, gone%s, new%s", methodName(t, s.Place.A), s.Change, s.A.Targets,
			s.B.Targets, targetNames(t, s.Gone), targetNames(t, s.New)))
	}
	if want := []string{"m0 0.9 0.9", "m3 0.9 0.9"}; !slices.Equal(flips, want) {
		t.Errorf("flips %q, want %q", flips, want)
	}
	if want := []string{"m0 polymorphic 1 3, gone, new B 0.3 Z 0.2", "m1 monomorphic 2 1, gone A 0.5, new",
		"m3 retargeted 1 1, gone A 1.0, new B 1.0"}; !slices.Equal(sites, want) {
		t.Errorf("sites %q, want %q", sites, want)
	}
	if r.Profiles.Mismatch != 1 || r.Methods.Mismatch != 1 {
		t.Errorf("%+v", r.Profiles)
	}
}

// targetNames returns the types with their shares.
func targetNames(t *testing.T, list []compare.Target) (text string) {
	t.Helper()
	for _, target := range list {
		name, err := target.Type.Name()
		if err != nil || name.String() != target.Target {
			t.Fatalf("%s is named %s, %v", name, target.Target, err)
		}
		text += fmt.Sprintf(" %s %.1f", name, target.Share)
	}
	return text
}

func methodName(t *testing.T, p reader.Profile) string {
	t.Helper()
	m, err := p.Method()
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Key()
	if err != nil {
		t.Fatal(err)
	}
	return k.Name
}

func TestTopIsTheHeaviest(t *testing.T) {
	t.Parallel()
	p, q := plan{}, plan{}
	for i := range 60 {
		p[i] = planned{taken: uint64(i), notTaken: 1000}
		q[i] = planned{taken: 1000, notTaken: uint64(i)}
	}
	a, b := memstore.Open(t, p.build()), memstore.Open(t, q.build())
	all, few := stores(t, a, b, compare.Options{Top: 100}), stores(t, a, b, compare.Options{Top: 7})
	if len(all.Flips.List) != 60 || few.Flips.Total != 60 ||
		!slices.EqualFunc(few.Flips.List, all.Flips.List[:7], sameFlip) {
		t.Errorf("%d flips, %d of %d", len(all.Flips.List), len(few.Flips.List), few.Flips.Total)
	}
	if !slices.IsSortedFunc(all.Flips.List, func(x, y compare.Flip) int {
		return int(math.Copysign(1, y.Weight-x.Weight))
	}) {
		t.Error("not sorted")
	}
}

func sameFlip(x, y compare.Flip) bool {
	return x.Place.A.Ref() == y.Place.A.Ref() && x.Point == y.Point && x.Weight == y.Weight
}

func BenchmarkStores(b *testing.B) {
	p := plan{}
	for i := range 100_000 {
		p[i] = planned{code: 7, taken: uint64(i), notTaken: 3, types: map[string]uint64{"A": 5, fmt.Sprint("T", i%5000): 6}}
	}
	x, y := memstore.Open(b, p.build()), memstore.Open(b, p.build())
	b.ReportAllocs()
	for b.Loop() {
		stores(b, x, y, compare.Options{Top: 10})
	}
}

// TestNewMethodsAreNotMismatches checks that a profile of a method or context that a lacks is new. It mismatches only
// if a has other code for it.
func TestNewMethodsAreNotMismatches(t *testing.T) {
	t.Parallel()
	key := layout.Key{Class: "A", Name: "run"}
	profile := func(b *builder.Builder, code uint64, frames ...builder.Frame) {
		method := b.Method(key)
		p := b.ProfileIn(method, code, b.Context(method, frames...))
		p.Invocations(5)
		p.Counter(builder.At{Bci: 1}, 7)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	inCaller := func(b *builder.Builder, code uint64) {
		profile(b, code, builder.Frame{Caller: b.Method(layout.Key{Class: "A", Name: "caller"}), Point: 3})
	}
	for name, c := range map[string]struct {
		a, b            func(b *builder.Builder)
		onlyB, mismatch int
	}{
		"unexecuted in a": {func(b *builder.Builder) { b.Seen(b.Method(key)) },
			func(b *builder.Builder) { profile(b, 1) }, 1, 0},
		"in another context": {func(b *builder.Builder) { profile(b, 1) }, func(b *builder.Builder) { inCaller(b, 1) }, 1, 0},
		"of another version": {func(b *builder.Builder) { profile(b, 1) }, func(b *builder.Builder) { profile(b, 2) }, 0, 1},
		"of another version there": {func(b *builder.Builder) { inCaller(b, 1) },
			func(b *builder.Builder) { inCaller(b, 2) }, 0, 1},
		"of no known version": {func(b *builder.Builder) { profile(b, 1) }, func(b *builder.Builder) { profile(b, 0) }, 0, 0},
	} {
		a, b := builder.New(layout.DomainHotSpot, builder.Config{}), builder.New(layout.DomainHotSpot, builder.Config{})
		c.a(a)
		c.b(b)
		r := stores(t, memstore.Open(t, a), memstore.Open(t, b), compare.Options{Top: 3})
		if r.Profiles.OnlyB != c.onlyB || r.Profiles.Mismatch != c.mismatch || r.Methods.Mismatch != c.mismatch {
			t.Errorf("%s: %+v, %+v", name, r.Profiles, r.Methods)
		}
	}
}
