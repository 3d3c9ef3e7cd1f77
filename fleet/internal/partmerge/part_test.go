package partmerge_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/partmerge"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

func checkSame(t testarchive.TB, what string, x, y testarchive.Archive) {
	t.Helper()
	if !bytes.Equal(x.Bytes, y.Bytes) {
		t.Errorf("%s makes other bytes", what)
	}
}

func checkEachDomain(t *testing.T, check func(t *rapid.T, domain layout.Domain)) {
	t.Helper()
	for _, domain := range testarchive.Domains {
		t.Run(domain.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { check(t, domain) })
		})
	}
}

// A weighted is an archive and how it is merged.
type weighted struct {
	testarchive.Archive
	run merge.Run
}

// whole merges archives in one go.
func whole(t testarchive.TB, archives []weighted) testarchive.Archive {
	t.Helper()
	h := archives[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	for _, a := range archives {
		if err := merge.Into(t.Context(), b, a.Store, a.run); err != nil {
			t.Fatal(err)
		}
	}
	return testarchive.Build(t, b)
}

// partOf merges a part of archives.
func partOf(t testarchive.TB, part merging.Part, archives []weighted) testarchive.Archive {
	t.Helper()
	h := archives[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	for _, a := range archives {
		o := partmerge.Options{Run: profileset.RunRules{Weight: a.run.Weight}, OneShape: true}
		if err := partmerge.Merge(t.Context(), b.Internal(), a.Store, part, o); err != nil {
			t.Fatal(err)
		}
	}
	return testarchive.Build(t, b)
}

// inParts merges archives in parts, which it joins in the order of a permutation.
func inParts(t testarchive.TB, bounds []merging.Bound, archives []weighted,
	order func(n int) []int) testarchive.Archive {
	t.Helper()
	parts, err := partmerge.Divide(bounds...)
	if err != nil {
		t.Fatal(err)
	}
	stores := make([]*reader.Store, len(parts))
	for at, i := range order(len(parts)) {
		stores[at] = partOf(t, parts[i], archives).Store
	}
	return joined(t, stores)
}

// joined joins parts.
func joined(t testarchive.TB, parts []*reader.Store) testarchive.Archive {
	t.Helper()
	h := parts[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	if err := partmerge.Join(t.Context(), b.Internal(), parts...); err != nil {
		t.Fatal(err)
	}
	return testarchive.Build(t, b)
}

// boundsOf returns places of methods and types of archives, sorted, without that before all.
func boundsOf(t testarchive.TB, archives []weighted) (all []merging.Bound) {
	t.Helper()
	for _, a := range archives {
		for m, err := range a.Methods() {
			k, failed := m.Key()
			if err := errors.Join(err, failed); err != nil {
				t.Fatal(err)
			}
			all = append(all, merging.Bound{Class: k.Class, Name: k.Name})
		}
		for k, err := range a.Types() {
			name, failed := k.Name()
			if err := errors.Join(err, failed); err != nil {
				t.Fatal(err)
			}
			all = append(all, merging.Bound{Class: name.String()})
		}
	}
	slices.SortFunc(all, merging.Bound.Compare)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(b merging.Bound) bool { return b == merging.Bound{} })
}

func TestPartsJoinToTheMerge(t *testing.T) {
	t.Parallel()
	weights := []layout.Weight{0, layout.WeightOne / 3, 5 * layout.WeightOne / 2}
	checkEachDomain(t, func(t *rapid.T, domain layout.Domain) {
		var archives []weighted
		for i := range rapid.IntRange(1, 4).Draw(t, "archives") {
			run := merge.Run{Weight: rapid.SampledFrom(weights).Draw(t, "weight")}
			archives = append(archives, weighted{testarchive.DrawHighRun(t, domain, string(rune('a'+i))), run})
		}
		bounds := slices.DeleteFunc(boundsOf(t, archives), func(merging.Bound) bool { return rapid.Bool().Draw(t, "skip") })
		shuffle := func(n int) []int { return rapid.Permutation(rand.New(rand.NewPCG(1, 2)).Perm(n)).Draw(t, "order") }
		checkSame(t, "a merge in parts", whole(t, archives), inParts(t, bounds, archives, shuffle))
	})
}

func TestPartsInAnotherOrder(t *testing.T) {
	t.Parallel()
	checkEachDomain(t, func(t *rapid.T, domain layout.Domain) {
		var archives []weighted
		for i := range 3 {
			archives = append(archives, weighted{testarchive.DrawHighRun(t, domain, string(rune('a'+i))), merge.Run{}})
		}
		all := whole(t, archives)
		bounds := boundsOf(t, archives)
		parts, err := partmerge.Divide(bounds[len(bounds)/2])
		if err != nil {
			t.Fatal(err)
		}
		first := partOf(t, parts[0], archives)
		slices.Reverse(archives)
		checkSame(t, "each part in another order", all,
			joined(t, []*reader.Store{partOf(t, parts[1], archives).Store, first.Store}))
	})
}

func TestPartsOfSpecimens(t *testing.T) {
	t.Parallel()
	inOrder := func(n int) []int {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		all := []weighted{{s, merge.Run{}}}
		bounds := boundsOf(t, all)
		one := whole(t, all)
		checkSame(t, "a part for every method", one, inParts(t, bounds, all, inOrder))
		checkSame(t, "one part", one, inParts(t, nil, all, inOrder))
		for i, b := range bounds {
			if i%5 == 0 {
				checkSame(t, "two parts", one, inParts(t, []merging.Bound{b}, all, inOrder))
			}
		}
	})
}

// TestPartsOfTablesOfProfiles: a row may name profiles of several parts.
func TestPartsOfTablesOfProfiles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var archives []weighted
		for i := range 2 {
			archives = append(archives, weighted{profilesInRows(t, byte(i+1)), merge.Run{}})
		}
		bounds := slices.DeleteFunc(boundsOf(t, archives), func(merging.Bound) bool { return rapid.Bool().Draw(t, "skip") })
		shuffle := func(n int) []int { return rapid.Permutation(rand.New(rand.NewPCG(1, 2)).Perm(n)).Draw(t, "order") }
		checkSame(t, "a merge in parts", whole(t, archives), inParts(t, bounds, archives, shuffle))
	})
}

// profilesInRows returns an archive with a table of a producer's whose rows name profiles,
// some of them in a context.
func profilesInRows(t *rapid.T, id byte) testarchive.Archive {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	config := testarchive.Config(layout.DomainCustom)
	config.DumpID[0] = id
	b := builder.New(layout.DomainCustom, config)
	var profiles []profileset.ProfileRef
	for i := range 6 {
		m := b.Method(layout.Key{Class: fmt.Sprint("C", i/2), Name: fmt.Sprint("m", i)})
		within := profileset.NoContext
		if r.IntN(2) == 0 {
			within = b.Context(m, builder.Frame{Caller: b.Method(layout.Key{Class: fmt.Sprint("C", r.IntN(4)), Name: "caller"}),
				Point: 1})
		}
		p := b.ProfileIn(m, r.Uint64N(2), within)
		p.Counters(4, r.Uint64N(9), 2)
		testarchive.MustDone(t, p)
		profiles = append(profiles, p.Internal().Ref())
	}
	table := b.Internal().Table(disk.TableProducer, 1<<2, disk.ColumnProfile, disk.ColumnProfile, disk.ColumnWord)
	for range 5 {
		row := []uint64{uint64(profiles[r.IntN(6)]), uint64(profiles[r.IntN(6)]), r.Uint64N(5)}
		if r.IntN(4) == 0 {
			row[0] = 0
		}
		table.Row(row...)
	}
	return testarchive.Build(t, b)
}

// TestPartHasItsMethodsOnly: a part has the profiles of its methods and of no other.
func TestPartHasItsMethodsOnly(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		all := []weighted{{s, merge.Run{}}}
		bounds := boundsOf(t, all)
		if len(bounds) < 2 {
			return // too few methods for parts
		}
		parts, err := partmerge.Divide(bounds[len(bounds)/3], bounds[len(bounds)*2/3])
		if len(bounds) < 3 {
			parts, err = partmerge.Divide(bounds[1])
		}
		if err != nil {
			t.Fatal(err)
		}
		profiles := 0
		for _, part := range parts {
			got := partOf(t, part, all)
			of, ok, err := merging.PartOf(got.Store)
			if err != nil || !ok || of != part {
				t.Errorf("%s says that it has %s: %v, %v", part, of, ok, err)
			}
			for m, err := range got.Methods() {
				k, failed := m.Key()
				if err := errors.Join(err, failed); err != nil {
					t.Fatal(err)
				}
				for range m.Profiles() {
					if profiles++; !part.Holds(merging.Bound{Class: k.Class, Name: k.Name}) {
						t.Errorf("%s has a profile of %v", part, k)
					}
				}
			}
		}
		if want := int(s.Header().Counts.Profiles); profiles != want {
			t.Errorf("%d profiles in all parts, %d in the archive", profiles, want)
		}
	})
}

// A countedBytes counts the bytes read of an archive.
type countedBytes struct {
	*bytes.Reader
	read int64
}

func (c *countedBytes) ReadAt(b []byte, at int64) (int, error) {
	c.read += int64(len(b))
	return c.Reader.ReadAt(b, at)
}

// TestPartReadsItsProfilesOnly: rows of tables that name methods and profiles of other parts
// do not make it read these.
func TestPartReadsItsProfilesOnly(t *testing.T) {
	t.Parallel()
	for domain, note := range map[layout.Domain]func(b *builder.Builder, m builder.MethodRef, p profileset.ProfileRef){
		layout.DomainHotSpot: func(b *builder.Builder, m builder.MethodRef, _ profileset.ProfileRef) {
			b.Internal().Table(disk.TableCode, 0, disk.ColumnMethod, disk.ColumnSymbol).Row(uint64(m),
				uint64(b.Internal().Symbol("sketch")))
		},
		layout.DomainCustom: func(b *builder.Builder, _ builder.MethodRef, p profileset.ProfileRef) {
			b.Internal().Table(disk.TableProducer, 1<<2, disk.ColumnProfile).Row(uint64(p))
		},
	} {
		data := manyProfiles(t, domain, note)
		from := &countedBytes{Reader: bytes.NewReader(data)}
		m, err := archive.OpenRanges("far.parc", from, int64(len(data)), archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		parts, err := partmerge.Divide(merging.Bound{Class: "C400"}, merging.Bound{Class: "C450"})
		if err != nil {
			t.Fatal(err)
		}
		to := testarchive.New(domain)
		o := partmerge.Options{OneShape: true}
		if err := partmerge.Merge(t.Context(), to.Internal(), reader.New(m), parts[1], o); err != nil {
			t.Fatal(err)
		}
		if n := testarchive.Build(t, to).Header().Counts.Profiles; n != 50 {
			t.Errorf("%s: %d profiles, want 50", domain, n)
		}
		before, all := disk.RegionOf(m.Header(), disk.RegionEX).End(), disk.RegionOf(m.Header(), disk.RegionRW).Size
		if most := before + all/20 + 4<<12; from.read > most {
			t.Errorf("%s: %d bytes were read, of %d before the profiles and a twentieth of %d", domain, from.read, before, all)
		}
	}
}

// manyProfiles returns an archive with a profile for each of 1,000 methods, which are all noted.
func manyProfiles(t *testing.T, domain layout.Domain,
	note func(b *builder.Builder, m builder.MethodRef, p profileset.ProfileRef)) []byte {
	b := testarchive.New(domain)
	for i := range 1000 {
		m := b.Method(layout.Key{Class: fmt.Sprintf("C%03d", i), Name: "m", Signature: "()V"})
		p := b.ProfileIn(m, 0, profileset.NoContext)
		if domain == layout.DomainCustom {
			p.Counters(4, make([]uint64, 200)...)
		}
		for bci := range int32(60) {
			if domain == layout.DomainHotSpot {
				p.Counter(builder.At{Bci: bci}, uint64(i))
			}
		}
		testarchive.MustDone(t, p)
		note(b, m, p.Internal().Ref())
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestJoinRefuses(t *testing.T) {
	t.Parallel()
	run := func(id byte, count uint64) weighted {
		b := builder.New(layout.DomainHotSpot, builder.Config{DumpID: [16]byte{id},
			Params: testarchive.Params(layout.DomainHotSpot)})
		for _, class := range []string{"A", "B", "C"} {
			p := b.Profile(layout.Key{Class: class, Name: "m", Signature: "()V"}, 0)
			p.Invocations(count)
			testarchive.MustDone(t, p)
		}
		return weighted{testarchive.Build(t, b), merge.Run{}}
	}
	x, y := []weighted{run(1, 5)}, []weighted{run(1, 5), run(2, 7)}
	heavy := []weighted{{x[0].Archive, merge.Run{Weight: 2 * layout.WeightOne}}}
	parts, err := partmerge.Divide(merging.Bound{Class: "B"}, merging.Bound{Class: "C", Name: "m"})
	if err != nil {
		t.Fatal(err)
	}
	part := func(i int, of []weighted) *reader.Store { return partOf(t, parts[i], of).Store }
	for what, stores := range map[string][]*reader.Store{
		"a part of other archives":     {part(0, x), part(1, y), part(2, x)},
		"a part with another weight":   {part(0, x), part(1, x), part(2, heavy)},
		"the first is missing":         {part(1, x), part(2, x)},
		"one in the middle is missing": {part(0, x), part(2, x)},
		"the last is missing":          {part(0, x), part(1, x)},
		"one comes twice":              {part(0, x), part(1, x), part(1, x), part(2, x)},
		"the last comes twice":         {part(0, x), part(1, x), part(2, x), part(2, x)},
		"an archive that is no part":   {part(0, x), part(1, x), part(2, x), x[0].Store},
		"nothing":                      {},
		"a part of other bounds": {part(0, x), part(1, x),
			partOf(t, merging.Part{From: merging.Bound{Class: "D"}}, x).Store},
		"everything, and a part beside": {partOf(t, merging.Part{}, x).Store, part(2, x)},
	} {
		t.Run(what, func(t *testing.T) {
			b := testarchive.New(layout.DomainHotSpot)
			if err := partmerge.Join(t.Context(), b.Internal(), stores...); !errors.Is(err, merging.ErrPart) {
				t.Errorf("%s: %v, want ErrPart", what, err)
			}
		})
	}
	b := testarchive.New(layout.DomainHotSpot)
	for what, err := range map[string]error{
		"a merge of a part": merge.Into(t.Context(), b, part(1, x), merge.Run{}),
		"a part of a part":  partmerge.Merge(t.Context(), b.Internal(), part(1, x), parts[1], partmerge.Options{}),
		"bounds in other order": func() error {
			_, err := partmerge.Divide(merging.Bound{Class: "B"}, merging.Bound{Class: "A"})
			return err
		}(),
	} {
		t.Run(what, func(t *testing.T) {
			if err == nil || !strings.Contains(err.Error(), "part") {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
}

// TestPartNeedsOneShape: a part of an archive whose shape was promised to be another's is refused.
func TestPartNeedsOneShape(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainHotSpot)
	other := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 4},
		DumpID: [16]byte{1}})
	s := testarchive.Build(t, other).Store
	err := partmerge.Merge(t.Context(), b.Internal(), s, merging.Part{}, partmerge.Options{OneShape: true})
	if !errors.Is(err, builder.ErrMismatch) {
		t.Errorf("another shape: %v, want ErrMismatch", err)
	}
	if err := partmerge.Merge(t.Context(), b.Internal(), s, merging.Part{}, partmerge.Options{}); err != nil {
		t.Errorf("another shape that no entry depends on: %v", err)
	}
}

// TestPartsKeepWhatWasCertain: runs that saw one outcome of a branch, and others that saw both, join as they merge.
func TestPartsKeepWhatWasCertain(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 26))
	bounds := []merging.Bound{{Class: "A", Name: "m1"}, {Class: "A", Name: "m3"}}
	certain := 0
	for range 30 {
		var archives []weighted
		for i := range 5 {
			archives = append(archives, weighted{branchesOf(t, r, byte(i+1)), merge.Run{}})
		}
		once := whole(t, archives)
		table, err := once.TableOrEmpty(disk.TableCertain)
		if err != nil {
			t.Fatal(err)
		}
		for range table.Rows {
			certain++
		}
		checkSame(t, "in parts", inParts(t, bounds, archives, r.Perm), once)
	}
	if certain < 50 {
		t.Errorf("only %d rows of outcomes that were certain", certain)
	}
}

// branchesOf returns the archive of a run whose methods have a branch, often with one outcome.
func branchesOf(t testarchive.TB, r *rand.Rand, id byte) testarchive.Archive {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{DumpID: [16]byte{id},
		Params: layout.Params{TypeProfileWidth: 2, VMRelease: 17}})
	count := func() uint64 { return uint64(max(0, r.IntN(6)-2)) * uint64(1+r.IntN(2000)) }
	for i := range 4 {
		p := b.Profile(layout.Key{Class: "A", Name: fmt.Sprint("m", i), Signature: "()V"}, 7)
		p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: count(), Displacement: 16, NotTaken: count()})
		testarchive.MustDone(t, p)
	}
	return testarchive.Build(t, b)
}
