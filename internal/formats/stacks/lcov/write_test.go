package lcov

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A tracefile is what a strict reader makes of one: calls by function, by file.
type tracefile map[string]map[string]uint64

// parse reads a tracefile as lcov's manual defines it, and refuses all that it does not: other records,
// numbers of one function twice, totals that are wrong, records outside a file.
func parseTracefile(t *testing.T, text string) tracefile {
	t.Helper()
	files := tracefile{}
	var file string
	var open bool
	var functions map[string]uint64
	numbers := map[uint64]bool{}
	found, hit := -1, -1
	number := func(text string) uint64 {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for line := range strings.Lines(text) {
		tag, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if open == (tag == "TN" || tag == "SF") {
			t.Fatalf("%q does not belong here", line)
		}
		switch tag {
		case "TN":
		case "SF":
			if files[value] != nil || value == "" {
				t.Fatalf("%q a second time, or without a name", line)
			}
			file, open, functions, found, hit = value, true, map[string]uint64{}, -1, -1
			clear(numbers)
		case "FN", "FNDA":
			n, name, _ := strings.Cut(value, ",")
			_, known := functions[name]
			if name == "" || known != (tag == "FNDA") || tag == "FN" && (numbers[number(n)] || number(n) == 0) {
				t.Fatalf("%q in %v", line, functions)
			}
			functions[name] = number(n)
			if tag == "FN" {
				numbers[number(n)] = true
				functions[name] = 0
			}
		case "FNF":
			found = int(number(value))
		case "FNH":
			hit = int(number(value))
		case "end_of_record":
			want := 0
			for _, n := range functions {
				want += int(min(n, 1))
			}
			if found != len(functions) || hit != want {
				t.Fatalf("%s: FNF %d, FNH %d of %v", file, found, hit, functions)
			}
			files[file], open = functions, false
		default:
			t.Fatalf("a record that does not belong here: %q", line)
		}
	}
	if open {
		t.Fatal("the last record has no end")
	}
	return files
}

func write(t *testing.T, s *reader.Store) (tracefile, *codec.Report) {
	t.Helper()
	var out bytes.Buffer
	report, err := (&Exporter{}).Export(&out, s)
	if err != nil {
		t.Fatal(err)
	}
	return parseTracefile(t, out.String()), report
}

func TestSpecimens(t *testing.T) {
	for name, want := range map[string]tracefile{
		"hotspot": {
			"java/lang/String": {"length()I": 61205},
			"shapes/Area":      {"total(Ljava/util/List;I)D": 1},
			"shapes/Circle":    {"area()D": 1, "unused()V": 0},
			"shapes/Square":    {"area()D": 400},
			"tR_4twinyQ_6same/is/one/of/two/classes/whose/methods/have/the/same/id/by/design": {"run()V": 1000},
			"t1jx3aHiy2jz4wLb/is/one/of/two/classes/whose/methods/have/the/same/id/by/design": {"run()V": 1001},
		},
		"graal": {
			"EvenOrOddLength": {
				"main([Ljava.lang.String;)": 1, "neverRan()": 0, "print(java.lang.String)": 101,
				"printEvenOrOdd(java.lang.String)": 1,
				"<clinit>":                         0, "neverRan(java.lang.String,java.lang.String)": 0,
			},
			"java/lang/String": {"concat(java.lang.String)": 0, "isEmpty()": 0},
		},
		"jamaica": {
			"HelloWorld": {"main([Ljava/lang/String;)V": 1}, "java/io/PrintStream": {"println(Ljava/lang/String;)V": 5},
			"java/lang/System":        {"arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V": 400},
			"java/nio/ByteBufferImpl": {"put(B)Ljava/nio/ByteBu": 1},
		},
		"llvm-ir":       {"unknown": {"main": 13}, "shapes.cpp": {"_ZL5totalv": 5}},
		"llvm-frontend": {"unknown": {"main": 1, "never_called": 0}},
	} {
		t.Run(name, func(t *testing.T) {
			i := slices.IndexFunc(specimen.All(), func(s specimen.Specimen) bool { return s.Name == name })
			got, report := write(t, memstore.Open(t, specimen.All()[i].Build()))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if (report.Lost.Count(LossUnknown) > 0) != (name == "hotspot" || name == "graal" || name == "llvm-frontend") {
				t.Errorf("%+v", report)
			}
		})
	}
}

func TestNoCalls(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	b.Seen(b.Method(layout.Key{Class: "A", Name: "neverRan"}))
	for name, b := range map[string]*builder.Builder{"no call counts": b,
		"nothing": builder.New(layout.DomainHotSpot, builder.Config{})} {
		if _, err := (&Exporter{}).Export(&bytes.Buffer{}, memstore.Open(t, b)); !errors.Is(err, ErrNoCalls) ||
			!strings.Contains(err.Error(), "test.parc (domain ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOneClassOfTwoLoaders: the functions of one name are one, and their calls
// are summed, which stays at the highest number.
func TestOneClassOfTwoLoaders(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for i, loader := range []string{"", "app", "other"} {
		for j, name := range []string{"a", "b"} {
			p := b.Profile(layout.Key{Class: "p/A", Name: name, Signature: "()V", Loader: loader}, 0)
			p.Invocations(uint64(i+1) + uint64(j)*(math.MaxUint64-3))
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, _ := write(t, memstore.Open(t, b))
	if diff := cmp.Diff(tracefile{"p/A": {"a()V": 6, "b()V": math.MaxUint64}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestNamesStayInTheirLine: names may hold anything.
func TestNamesStayInTheirLine(t *testing.T) {
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	for i, name := range []string{"f\nDA:1,1", "a\nb.c;f,g", "x:y"} {
		p := b.Profile(layout.Key{Name: name}, uint64(i+1))
		p.Counters(0, uint64(i+1), math.MaxUint64)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := write(t, memstore.Open(t, b))
	if diff := cmp.Diff(tracefile{"unknown": {"f DA:1,1": 1, "x:y": 3}, "a b.c": {"f,g": 2}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestLines: lines are given where they are asked for alone.
func TestLines(t *testing.T) {
	s := memstore.Open(t, specimen.All()[0].Build())
	var plain, lines bytes.Buffer
	if _, err := (&Exporter{}).Export(&plain, s); err != nil {
		t.Fatal(err)
	}
	if _, err := (&Exporter{Lines: true}).Export(&lines, s); err != nil {
		t.Fatal(err)
	}
	var rest []string
	number := 0
	for line := range strings.Lines(lines.String()) {
		switch tag, value, _ := strings.Cut(line, ":"); tag {
		case "DA":
			number++
			calls := strings.SplitN(value, ",", 2)[1]
			if !strings.Contains(plain.String(), "FNDA:"+strings.TrimSpace(calls)+",") {
				t.Errorf("%q is the count of no function", line)
			}
		case "LF", "LH":
		default:
			rest = append(rest, line)
		}
	}
	if strings.Join(rest, "") != plain.String() || number != strings.Count(plain.String(), "FNDA:") {
		t.Errorf("%d lines, otherwise\n%s", number, cmp.Diff(plain.String(), strings.Join(rest, "")))
	}
}

// ExampleWrite is what a tracefile looks like.
func ExampleExporter() {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	p := b.Profile(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}, 0)
	p.Invocations(61205)
	if err := p.Done(); err != nil {
		panic(err)
	}
	data, _, _ := b.Bytes()
	m, err := archive.FromBytes("app.parc", data, archive.Options{})
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	if _, err := (&Exporter{}).Export(&out, reader.New(m)); err != nil {
		panic(err)
	}
	fmt.Print(out.String())
	// Output:
	// TN:
	// SF:java/lang/String
	// FN:1,length()I
	// FNDA:61205,length()I
	// FNF:1
	// FNH:1
	// end_of_record
}
