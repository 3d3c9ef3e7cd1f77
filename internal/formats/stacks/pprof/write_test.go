package pprof

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func write(t *testing.T, s *reader.Store) ([]byte, *profile.Profile, *codec.Report) {
	t.Helper()
	var out bytes.Buffer
	report, err := (&Exporter{}).Export(&out, s)
	if err != nil {
		t.Fatal(err)
	}
	data := slices.Clone(out.Bytes())
	p, err := profile.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	return data, p, report
}

// values returns the values of a type by stack, leaf first.
func values(p *profile.Profile, sampleType string) map[string]int64 {
	sums := map[string]int64{}
	i := slices.IndexFunc(p.SampleType, func(v *profile.ValueType) bool { return v.Type == sampleType })
	for _, s := range p.Sample {
		var frames []string
		for _, l := range s.Location {
			name := "" // of a frame without a function
			if len(l.Line) > 0 {
				name = l.Line[0].Function.Name
			}
			frames = append(frames, name)
		}
		if s.Value[i] != 0 {
			sums[strings.Join(frames, "<")] += s.Value[i]
		}
	}
	return sums
}

// TestSpecimens: every domain has samples of what its profiles count, with that name.
func TestSpecimens(t *testing.T) {
	for name, want := range map[string]map[string]map[string]int64{
		"hotspot": {
			"invocations": {"java.lang.String.length()I": 61205, "shapes.Square.area()D": 400,
				"tR_4twinyQ_6same.is.one.of.two.classes.whose.methods.have.the.same.id.by.design.run()V": 1000,
				"t1jx3aHiy2jz4wLb.is.one.of.two.classes.whose.methods.have.the.same.id.by.design.run()V": 1001},
			"backedges": {"java.lang.String.length()I": math.MaxInt64},
		},
		"graal": {
			"samples": {"EvenOrOddLength.print(java.lang.String)<EvenOrOddLength.main([Ljava.lang.String;)": 10,
				"EvenOrOddLength.main([Ljava.lang.String;)": 1},
			"calls": {"EvenOrOddLength.print(java.lang.String)": 101, "EvenOrOddLength.main([Ljava.lang.String;)": 1},
		},
		"jamaica": {
			"bytecodes": {"HelloWorld.main([Ljava/lang/String;)V": 8158752,
				"java.nio.ByteBufferImpl.put(B)Ljava/nio/ByteBu": 6459012},
			"cycles":       {"HelloWorld.main([Ljava/lang/String;)V": 25264930961},
			"native_calls": {"java.lang.System.arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V": 400},
			"new_arrays":   {"HelloWorld.main([Ljava/lang/String;)V": 3},
		},
		"sampled": {
			"samples": {"fibs.fib<fibs.main": 40, "fibs.fib<fibs.fib<fibs.main": 30,
				"example.com/sums.(*Adder[go.shape.int]).Add<fibs.fib<fibs.fib<fibs.main": 20,
				"example.com/sums.(*Adder[go.shape.int]).Add":                             2, "<fibs.main": 1},
			"cpu": {"fibs.fib<fibs.main": 4e8, "fibs.fib<fibs.fib<fibs.main": 3e8,
				"example.com/sums.(*Adder[go.shape.int]).Add<fibs.fib<fibs.fib<fibs.main": 2e8,
				"example.com/sums.(*Adder[go.shape.int]).Add":                             2e7, "<fibs.main": 1e7},
		},
		"llvm-ir":       {"block_counts": {"main": 60962, "_ZL5totalv": 11}},
		"llvm-frontend": {"block_counts": {"main": 6}},
	} {
		t.Run(name, func(t *testing.T) {
			i := slices.IndexFunc(specimen.All(), func(s specimen.Specimen) bool { return s.Name == name })
			s := memstore.Open(t, specimen.All()[i].Build())
			_, p, report := write(t, s)
			got := map[string]map[string]int64{}
			for _, v := range p.SampleType {
				if v.Unit != "count" && v.Type != "cpu" {
					t.Errorf("%s has the unit %s", v.Type, v.Unit)
				}
				got[v.Type] = values(p, v.Type)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if (report.Lost.Count(LossClamped) > 0) != (name == "hotspot") ||
				p.TimeNanos != s.Header().DumpTime {
				t.Errorf("%+v, time %d", report, p.TimeNanos)
			}
		})
	}
}

func TestNothingToWrite(t *testing.T) {
	s := memstore.Open(t, builder.New(layout.DomainHotSpot, builder.Config{}))
	if _, err := (&Exporter{}).Export(&bytes.Buffer{}, s); !errors.Is(err, ErrNothing) ||
		!strings.Contains(err.Error(), "test.parc (domain hotspot)") {
		t.Errorf("of an empty archive: %v", err)
	}
}

// TestContextsAreNoStacks: the contexts of instrumented profiles are summed up.
func TestContextsAreNoStacks(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	leaf, caller := b.Method(layout.Key{Class: "A", Name: "leaf"}), b.Method(layout.Key{Class: "A", Name: "caller"})
	inContext := b.Context(leaf, builder.Frame{Caller: caller, Point: 3})
	for i, c := range []builder.ContextRef{profileset.NoContext, inContext} {
		p := b.ProfileIn(leaf, 0, c)
		p.Count(builder.Count{Sub: layout.SubCalls, N: uint64(5 + i)})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	_, p, _ := write(t, memstore.Open(t, b))
	if len(p.Sample) != 1 || len(p.Sample[0].Location) != 1 || len(p.SampleType) != 1 || p.SampleType[0].Type != "calls" ||
		p.Sample[0].Value[0] != 11 {
		t.Errorf("written: %v", p)
	}
}

// TestPprofReadsIt: go tool pprof takes the file, and shows what was counted.
func TestPprofReadsIt(t *testing.T) {
	full.Only(t, "takes many inputs")
	for _, sp := range specimen.All() {
		if sp.Name == "hotspot-empty" {
			continue
		}
		s := memstore.Open(t, sp.Build())
		data, p, _ := write(t, s)
		path := filepath.Join(t.TempDir(), "profile.pb.gz")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, v := range p.SampleType {
			text := pprofTop(t, "-sample_index="+v.Type, path)
			if !strings.Contains(text, "Type: "+v.Type+"\n") {
				t.Errorf("%s: no type %s in\n%s", sp.Name, v.Type, text)
			}
			for stack, n := range values(p, v.Type) {
				name, _, _ := strings.Cut(stack, "<")
				if name == "_ZL5totalv" { // names of C++ are demangled, names of Java are left alone
					name = "total"
				}
				if n < math.MaxInt64 && !regexp.MustCompile(`(?m)^ *[\d.]+s? .*`+regexp.QuoteMeta(name)+`$`).MatchString(text) {
					t.Errorf("%s: no line of %s in\n%s", sp.Name, name, text)
				}
			}
		}
	}
}

func pprofTop(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool", "pprof", "-top", "-nodefraction=0", "-nodecount=0", "-unit=count"},
		args...)...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir(), "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}
