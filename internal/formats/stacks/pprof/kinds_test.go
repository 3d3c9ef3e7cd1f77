package pprof_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testprofile"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// sampledProfile returns a profile with values of some types, and labels.
func sampledProfile(types ...string) *profile.Profile {
	p := &profile.Profile{Comments: []string{"a comment", "second"}, TimeNanos: 1_700_000_000_000_000_000,
		DurationNanos: 1e9, Period: 10, PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Mapping: []*profile.Mapping{{ID: 1, Start: 0x400000, Limit: 0x500000, File: "/bin/app", HasFunctions: true},
			{ID: 2, Start: 0x7f0000, Limit: 0x7f8000, Offset: 0x1000, File: "/lib/libc-2.15.so", BuildID: "abcd"}}}
	for _, of := range types {
		kind, unit, _ := strings.Cut(of, "/")
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: kind, Unit: unit})
	}
	for i, name := range []string{"leaf", "mid", "main"} {
		f := &profile.Function{ID: uint64(i + 1), Name: name, SystemName: name, Filename: "app.go", StartLine: int64(10 * i)}
		p.Function = append(p.Function, f)
	}
	line := func(i int) profile.Line { return profile.Line{Function: p.Function[i], Line: int64(10*i + 3)} }
	p.Location = []*profile.Location{{ID: 1, Address: 1, Mapping: p.Mapping[0], Line: []profile.Line{line(0), line(1)}},
		{ID: 2, Address: 2, Mapping: p.Mapping[0], Line: []profile.Line{line(2)}},
		{ID: 3, Address: 0x7f0a2b, Mapping: p.Mapping[1]}, {ID: 4, Address: 0x7f0a2c, Mapping: p.Mapping[1]}}
	for i, l := range p.Location[2:] {
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l, p.Location[0], p.Location[1]},
			Label: map[string][]string{"endpoint": {fmt.Sprint("/", i)}}})
	}
	p.Sample = append(p.Sample, &profile.Sample{Location: p.Location[:2], NumLabel: map[string][]int64{"bytes": {4096}},
		NumUnit: map[string][]string{"bytes": {"B"}}})
	for i, s := range p.Sample {
		for j := range types {
			s.Value = append(s.Value, int64(1+10*i+100*j))
		}
	}
	return p
}

func importWith(t *testing.T, data []byte, i *pprof.Importer) (*reader.Store, *formats.Imported) {
	t.Helper()
	in, err := formats.Import(t.Context(), []formats.Input{{Name: "x", Reader: bytes.NewReader(data)}},
		formats.ImportOptions{Importers: []codec.Importer{i}})
	if err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, in.Builder), in
}

func folded(t *testing.T, s *reader.Store) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := (&stacks.Exporter{}).Export(&out, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestProfileComesBack: what pprof prints of a profile is the same after an import and an export, except for addresses
// of code with symbols and labels, which are losses.
func TestProfileComesBack(t *testing.T) {
	t.Parallel()
	for _, types := range [][]string{{"samples/count", "cpu/nanoseconds"}, {"cpu/nanoseconds", "samples/count"},
		{"cpu/nanoseconds"}, {"sample/count", "wall/nanoseconds"}, {"wall/microseconds"},
		{"contentions/count", "delay/nanoseconds"},
		{"inuse_space/bytes"}, {"custom/things"}} {
		p := sampledProfile(types...)
		p.DefaultSampleType = p.SampleType[0].Type
		for _, s := range p.Sample {
			s.Label, s.NumLabel, s.NumUnit = nil, nil, nil
		}
		s, in := importWith(t, testprofile.Encode(t, p), &pprof.Importer{})
		if len(in.Lost) != 1 || in.Lost.Count(pprof.LossAddresses) != 2 {
			t.Errorf("%v: lost %v", types, in.Lost)
		}
		got := parsed(t, exported(t, s))
		slices.SortFunc(got.Sample, func(a, b *profile.Sample) int { return int(a.Value[0] - b.Value[0]) })
		stacksOf := func(p *profile.Profile) (text string) {
			for _, s := range p.Sample {
				text += fmt.Sprintln(s.Value)
				for _, l := range s.Location {
					text += fmt.Sprint(l.Mapping.File, " ", len(l.Line))
					if len(l.Line) == 0 {
						text += fmt.Sprintf(" %#x", l.Address)
					}
					for _, n := range l.Line {
						text += fmt.Sprintf(" %s %s:%d:%d", n.Function.Name, n.Function.Filename, n.Function.StartLine, n.Line)
					}
					text += "\n"
				}
			}
			return text
		}
		if want, got := stacksOf(p), stacksOf(got); want != got {
			t.Errorf("%v: got\n%swant\n%s", types, got, want)
		}
		// The rest is compared without what was compared before.
		p.Sample, got.Sample, p.Location, got.Location, p.Function, got.Function = nil, nil, nil, nil, nil, nil
		if want, got := p.String(), got.String(); want != got {
			t.Errorf("%v: got\n%swant\n%s", types, got, want)
		}
	}
}

// TestChoices: the options choose a type of values and a label, and the defaults are those of pprof.
func TestChoices(t *testing.T) {
	t.Parallel()
	heap := []string{"alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes"}
	for name, c := range map[string]struct {
		types    []string
		importer pprof.Importer
		dflt     string
		want     string // values in the folded form
	}{
		"last":    {types: heap, want: "301 311 321"},
		"default": {types: heap, dflt: "alloc_space", want: "101 111 121"},
		"chosen": {types: heap, dflt: "alloc_space", importer: pprof.Importer{SampleType: "inuse_objects"},
			want: "201 211 221"},
		"whole name":   {types: heap, importer: pprof.Importer{SampleType: "alloc_objects/count"}, want: "1 11 21"},
		"cpu":          {types: []string{"samples/count", "cpu/nanoseconds", "alloc_space/bytes"}, want: "1 11 21"},
		"cpu reversed": {types: []string{"cpu/nanoseconds", "samples/count"}, want: "101 111 121"},
		"only time":    {types: []string{"cpu/nanoseconds"}, want: "1 11 21"},
	} {
		p := sampledProfile(c.types...)
		p.DefaultSampleType = c.dflt
		s, in := importWith(t, testprofile.Encode(t, p), &c.importer)
		values := strings.Split(c.want, " ")
		want := fmt.Sprintf("main;mid;leaf %s\nmain;mid;leaf;[libc-2.15.so]+0x1a2b %s\nmain;mid;leaf;[libc-2.15.so]+0x1a2c %s\n",
			values[2], values[0], values[1])
		if got := folded(t, s); got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
		if in.Lost.Count(pprof.LossLabels) != 3 {
			t.Errorf("%s: lost %v", name, in.Lost)
		}
		for _, l := range in.Lost {
			if l.What == pprof.LossTypes && (l.Amount == 0 || !slices.Contains(c.types, l.Unit)) {
				t.Errorf("%s: lost %+v", name, l)
			}
		}
	}
	s, in := importWith(t, testprofile.Encode(t, sampledProfile("samples/count")), &pprof.Importer{SplitBy: "endpoint"})
	want := "endpoint=/0;main;mid;leaf;[libc-2.15.so]+0x1a2b 1\nendpoint=/1;main;mid;leaf;[libc-2.15.so]+0x1a2c 11\n" +
		"main;mid;leaf 21\n"
	if got := folded(t, s); got != want || in.Lost.Count(pprof.LossLabels) != 1 {
		t.Errorf("got\n%swant\n%s, lost %v", got, want, in.Lost)
	}
}

// TestEmptyProfile: a profile without samples is an archive without counts, and a note says so.
func TestEmptyProfile(t *testing.T) {
	t.Parallel()
	p := sampledProfile("samples/count")
	p.Sample = nil
	_, in := importWith(t, testprofile.Encode(t, p), &pprof.Importer{})
	if len(in.Notes) != 1 || !strings.Contains(in.Notes[0], "no samples") {
		t.Errorf("%q", in.Notes)
	}
}

// TestLegacyCPU: the binary form of gperftools is read as pprof's own library reads it, in all sizes and orders of
// words.
func TestLegacyCPU(t *testing.T) {
	t.Parallel()
	words := []uint64{0, 3, 0, 10000, 0, 5, 3, 0x401000, 0x402001, 0x403001, 2, 2,
		0x401000, 0x401000, 7, 1, 0x7f0a2b, 0, 1, 0}
	const maps = "00400000-00500000 r-xp 00000000 08:01 12 /bin/app\n007f0000-007f8000 r-xp 00001000 08:01 13 /lib/libc.so\n"
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, size := range []int{4, 8} {
			var data []byte
			for _, w := range words {
				if size == 4 {
					data = order.AppendUint32(data, uint32(w))
				} else {
					data = order.AppendUint64(data, w)
				}
			}
			data = append(data, maps...)
			s, _ := importWith(t, data, &pprof.Importer{})
			got := folded(t, s)
			want := "[app]+0x1000 2\n[app]+0x3000;[app]+0x2000;[app]+0x1000 5\n[libc.so]+0x1a2b 7\n"
			if got != want {
				t.Errorf("%v, %d bytes: got\n%swant\n%s", order, size, got, want)
			}
			sums := valuesByType(parsed(t, exported(t, s)))
			if diff := fmt.Sprint(sums); diff != fmt.Sprint(valuesByType(parsed(t, data))) {
				t.Errorf("%v, %d bytes: %v", order, size, diff)
			}
			if err := tryImport(t, data[:size*9]); err == nil {
				t.Error("a cut profile was read")
			}
		}
	}
}

func valuesByType(p *profile.Profile) map[string]int64 {
	sums := map[string]int64{}
	for _, s := range p.Sample {
		for i, n := range s.Value {
			sums[p.SampleType[i].Type] += n
		}
	}
	return sums
}

// TestTypesAreNotAdded: values of different types, such as processor time and bytes, are neither added nor compared.
func TestTypesAreNotAdded(t *testing.T) {
	t.Parallel()
	cpu := []string{"samples/count", "cpu/nanoseconds"}
	for _, c := range []struct {
		a, b []string
		ok   bool
	}{
		{cpu, cpu, true},
		{cpu, []string{"cpu/nanoseconds", "samples/count"}, true},
		{cpu, []string{"samples/count"}, true},
		{[]string{"samples/count"}, []string{"cpu/nanoseconds"}, false},
		{cpu, []string{"inuse_objects/count", "inuse_space/bytes"}, false},
		{[]string{"inuse_objects/count", "inuse_space/bytes"}, cpu, false},
		{[]string{"inuse_space/bytes"}, []string{"alloc_space/bytes"}, false},
		{[]string{"inuse_space/bytes"}, []string{"alloc_objects/count", "inuse_space/bytes"}, true},
		{cpu, []string{"contentions/count", "delay/nanoseconds"}, false},
		{[]string{"goroutine/count"}, cpu, false},
	} {
		second := sampledProfile(c.b...)
		second.TimeNanos++
		files := [][]byte{testprofile.Encode(t, sampledProfile(c.a...)), testprofile.Encode(t, second)}
		var inputs []formats.Input
		for i, data := range files {
			inputs = append(inputs, formats.Input{Name: fmt.Sprint("file", i), Reader: bytes.NewReader(data)})
		}
		_, err := formats.Import(t.Context(), inputs, formats.ImportOptions{})
		if (err == nil) != c.ok || err != nil && !errors.Is(err, builder.ErrMismatch) {
			t.Errorf("import of %v and %v: %v", c.a, c.b, err)
		}
		var archives [2]*reader.Store
		for i, data := range files {
			archives[i], _ = importWith(t, data, &pprof.Importer{})
		}
		sum := builder.New(layout.DomainSampled, builder.Config{})
		if err := merge.Into(t.Context(), sum, archives[0], merge.Run{}); err != nil {
			t.Fatal(err)
		}
		err = merge.Into(t.Context(), sum, archives[1], merge.Run{})
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), c.b[len(c.b)-1]) {
			t.Errorf("merge of %v and %v: %v", c.a, c.b, err)
		}
		_, err = compare.Stores(t.Context(), archives[0], archives[1], compare.Options{})
		if (err == nil) != c.ok || err != nil && !errors.Is(err, compare.ErrDomains) {
			t.Errorf("comparison of %v and %v: %v", c.a, c.b, err)
		}
	}
}
