package pprof_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testprofile"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// sums returns the values of all stacks, by their frames as function, file and line from the
// start of the function.
func sums(p *profile.Profile) map[string][2]int64 {
	all := map[string][2]int64{}
	for _, s := range p.Sample {
		var frames []string
		for _, l := range s.Location {
			if len(l.Line) == 0 {
				frames = append(frames, "?:0")
			}
			for _, n := range l.Line {
				if n.Function == nil || n.Function.Name == "" {
					frames = append(frames, "?:0") // of an unknown function no line is known
				} else {
					frames = append(frames, fmt.Sprintf("%s:%d", n.Function.Name, n.Line-n.Function.StartLine))
				}
			}
		}
		key := strings.Join(frames, "<")
		sum := all[key]
		for i, t := range p.SampleType {
			switch t.Type {
			case "samples":
				sum[0] += s.Value[i]
			case "cpu":
				sum[1] += s.Value[i]
			}
		}
		if sum != [2]int64{} {
			all[key] = sum
		}
	}
	return all
}

func parsed(t *testing.T, data []byte) *profile.Profile {
	t.Helper()
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exported returns what the exporter of this package writes.
func exported(t *testing.T, s *reader.Store) []byte {
	t.Helper()
	data, _ := testprofile.Export(t, s, &pprof.Exporter{})
	return data
}

// TestStacksComeBack: pprof's own library finds in the export the stacks and values that
// it finds in what was imported.
func TestStacksComeBack(t *testing.T) {
	full.Only(t, "takes many inputs")
	inputs := [][]byte{testprofile.OfCompiler(t)}
	for seed := range uint64(50) {
		inputs = append(inputs, testprofile.Encode(t, testprofile.Random(seed)))
	}
	for i, data := range inputs {
		s, _ := testprofile.Import(t, data)
		want, got := parsed(t, data), parsed(t, exported(t, s))
		if diff := gocmp.Diff(sums(want), sums(got)); diff != "" {
			t.Errorf("profile %d: %s", i, diff)
		}
		if got.Period != want.Period || got.DurationNanos != want.DurationNanos || got.TimeNanos != want.TimeNanos ||
			got.PeriodType.Type != want.PeriodType.Type {
			t.Errorf("profile %d: period %d, duration %d, time %d of %s", i, got.Period, got.DurationNanos, got.TimeNanos,
				got.PeriodType.Type)
		}
		if _, err := verify.Store(t.Context(), s, nil); err != nil {
			t.Errorf("profile %d: %v", i, err)
		}
	}
}

// TestPlacesComeBack: files, start lines and lines equal the profile's.
func TestPlacesComeBack(t *testing.T) {
	data := testprofile.OfCompiler(t)
	s, _ := testprofile.Import(t, data)
	place := func(p *profile.Profile) map[string]bool {
		lines := map[string]bool{}
		for _, sample := range p.Sample {
			for _, l := range sample.Location {
				for _, n := range l.Line {
					lines[fmt.Sprintln(n.Function.Name, n.Function.Filename, n.Function.StartLine, n.Line)] = true
				}
			}
		}
		return lines
	}
	if diff := gocmp.Diff(place(parsed(t, data)), place(parsed(t, exported(t, s)))); diff != "" {
		t.Error(diff)
	}
}

// TestSumOfProfiles: importing several profiles gives the values of pprof's merge, in any order.
func TestSumOfProfiles(t *testing.T) {
	var profiles []*profile.Profile
	var files [][]byte
	for seed := range uint64(6) {
		p := testprofile.Random(seed)
		p.SampleType[0], p.SampleType[1] = &profile.ValueType{Type: "samples", Unit: "count"},
			&profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
		profiles, files = append(profiles, p), append(files, testprofile.Encode(t, p))
	}
	want, err := profile.Merge(profiles)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := testprofile.Import(t, files...)
	if diff := gocmp.Diff(sums(want), sums(parsed(t, exported(t, s)))); diff != "" {
		t.Error(diff)
	}
	slices.Reverse(files)
	other, _ := testprofile.Import(t, files...)
	if !bytes.Equal(exported(t, s), exported(t, other)) {
		t.Error("the order of the files matters")
	}
	if _, err := formats.Import(t.Context(), []formats.Input{{Name: "a", Reader: bytes.NewReader(files[0])},
		{Name: "b", Reader: bytes.NewReader(files[0])}}, formats.ImportOptions{}); err == nil {
		t.Error("a profile counts twice")
	}
}

// TestLosses: what an archive does not hold is counted.
func TestLosses(t *testing.T) {
	p := testprofile.Random(3)
	p.SampleType = append(p.SampleType, &profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	for _, s := range p.Sample {
		s.Value = append(s.Value, 1)
	}
	n := len(p.Sample)
	p.Sample[0].Label = map[string][]string{"goroutine": {"a", "b"}}
	p.Sample = append(p.Sample, &profile.Sample{Value: []int64{-3, 0, 0}, Location: p.Location[:1]},
		&profile.Sample{Value: []int64{1, 0, 0}})
	_, in := testprofile.Import(t, testprofile.Encode(t, p))
	for kind, want := range map[codec.LossKind]int{pprof.LossLabels: 2, pprof.LossTypes: n, pprof.LossNegative: 1,
		pprof.LossNoStack: 1, pprof.LossLines: 0} {
		if got := in.Lost.Count(kind); got != want {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
	if got := in.Inputs[0].Facts["samples"]; got != n+2 {
		t.Errorf("%v samples", got)
	}
}

// unpacked returns the bytes of a profile without gzip.
func unpacked(t testing.TB, data []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func tryImport(t testing.TB, data []byte) error {
	in, err := formats.Import(t.Context(), []formats.Input{{Name: "x", Reader: bytes.NewReader(data)}},
		formats.ImportOptions{Importers: []codec.Importer{always{&pprof.Importer{}}}})
	if err != nil {
		return err
	}
	s, err := in.Builder.Open("x.parc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Store(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	return nil
}

// always is an importer that takes any input.
type always struct{ *pprof.Importer }

func (always) Detect([]byte, bool) bool { return true }

// TestDamage: a profile that is cut off or changed is imported as it is, or refused
// with an error that is known.
func TestDamage(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	plain := unpacked(t, testprofile.Encode(t, testprofile.Random(1)))
	known := []error{pprof.ErrCut, pprof.ErrSyntax, pprof.ErrNoType, pprof.ErrConcatenated, pprof.ErrDeep,
		pprof.ErrLegacy, layout.ErrTooLarge,
		formats.ErrEmpty}
	refused := 0
	check := func(what string, data []byte) {
		err := tryImport(t, data)
		if err == nil {
			return
		}
		refused++
		if !slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) }) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n := range plain {
		check(fmt.Sprint("cut at ", n), plain[:n])
		for _, bit := range []byte{1, 8, 128} {
			changed := bytes.Clone(plain)
			changed[n] ^= bit
			check(fmt.Sprint("changed at ", n), changed)
		}
	}
	if refused < len(plain) {
		t.Errorf("%d of %d were refused", refused, 4*len(plain))
	}
}

// TestRefused: other files than CPU profiles are refused, with their kind.
func TestRefused(t *testing.T) {
	heap := testprofile.Random(1)
	heap.SampleType = []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}}
	deep := testprofile.Random(1)
	for range 2000 {
		deep.Location[0].Line = append(deep.Location[0].Line, profile.Line{Function: deep.Function[0], Line: 1})
	}
	for range 2000 {
		deep.Sample = append(deep.Sample, &profile.Sample{Value: []int64{1, 1},
			Location: slices.Repeat(deep.Location[:1], 30)})
	}
	for name, c := range map[string]struct {
		data []byte
		want error
		says string
	}{
		"no type": {testprofile.Encode(t, heap), pprof.ErrNoType, "inuse_objects/count inuse_space/bytes"},
		"twice": {slices.Concat(unpacked(t, testprofile.Encode(t, heap)), unpacked(t, testprofile.Encode(t, heap))),
			pprof.ErrConcatenated, ""},
		"deep":       {testprofile.Encode(t, deep), pprof.ErrDeep, ""},
		"heap text":  {[]byte("heap profile: 1: 32 [2: 64] @ heap/1048576\n"), pprof.ErrLegacy, "a newer runtime"},
		"contention": {[]byte("--- contention:\ncycles/second = 1000\n"), pprof.ErrLegacy, ""},
		"gperftools": {slices.Concat(make([]byte, 8), []byte{3}, make([]byte, 15), []byte{16, 39, 0, 0}, make([]byte, 100)),
			pprof.ErrCut, ""},
	} {
		i := &pprof.Importer{}
		if name == "no type" {
			i.SampleType = "wall"
		}
		_, err := formats.Import(t.Context(), []formats.Input{{Name: name, Reader: bytes.NewReader(c.data)}},
			formats.ImportOptions{Importers: []codec.Importer{i}})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEdgesOnly: without stacks the samples of functions and the edges are the same.
func TestEdgesOnly(t *testing.T) {
	data := testprofile.OfCompiler(t)
	in, err := formats.Import(t.Context(), []formats.Input{{Name: "x", Reader: bytes.NewReader(data)}},
		formats.ImportOptions{Importers: []codec.Importer{&pprof.Importer{EdgesOnly: true}}})
	if err != nil {
		t.Fatal(err)
	}
	alone := memstore.Open(t, in.Builder)
	whole, _ := testprofile.Import(t, data)
	if diff := gocmp.Diff(edgesOf(t, whole), edgesOf(t, alone)); diff != "" || len(edgesOf(t, alone)) == 0 {
		t.Error(diff)
	}
	if diff := gocmp.Diff(leavesOf(t, whole), leavesOf(t, alone)); diff != "" {
		t.Error(diff)
	}
	if alone.Header().Counts.Contexts != 0 {
		t.Errorf("%d contexts", alone.Header().Counts.Contexts)
	}
}

func edgesOf(t *testing.T, s *reader.Store) map[string]uint64 {
	t.Helper()
	sums := map[string]uint64{}
	err := stacks.Edges(s, func(e stacks.Edge) error {
		caller, err := e.Caller.Key()
		callee, err2 := e.Callee.Key()
		sums[fmt.Sprint(caller.Name, ":", e.Point, ">", callee.Name)] += e.Weight
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// leavesOf returns the samples of an archive by leaf.
func leavesOf(t *testing.T, s *reader.Store) map[string]uint64 {
	t.Helper()
	sums := map[string]uint64{}
	for k, err := range stacks.Sampled(s) {
		if err != nil {
			t.Fatal(err)
		}
		name, err := k.Frames[0].Method.Key()
		if err != nil {
			t.Fatal(err)
		}
		sums[fmt.Sprint(name.Name, ":", k.Frames[0].Point)] += k.Count
	}
	return sums
}

func FuzzImport(f *testing.F) {
	for seed := range uint64(4) {
		var out bytes.Buffer
		if err := testprofile.Random(seed).WriteUncompressed(&out); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) { _ = tryImport(t, data) })
}
