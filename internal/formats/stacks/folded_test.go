package stacks

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type failer interface{ Fatal(...any) }

func store(t failer, b *builder.Builder) *reader.Store {
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("test.parc", data, archive.Options{CheckAll: true})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

// sampled makes an archive with stacks, leaf first, of methods by name.
func sampled(t failer, stacks []sampledStack) *reader.Store {
	b := builder.New(layout.DomainGraal, builder.Config{})
	table := b.Internal().Table(disk.TableSamples, 0)
	for i, s := range stacks {
		for j, name := range s.frames {
			class, method, _ := strings.Cut(name, ".")
			m := b.Method(layout.Key{Class: class, Name: method, Signature: "void()"})
			table.Row(uint64(i), uint64(m), uint64(j), s.count)
		}
	}
	return store(t, b)
}

type sampledStack struct {
	frames []string
	count  uint64
}

// parseFolded reads collapsed stacks as flame graph tools do: the count follows the last
// space, and semicolons separate frames.
func parseFolded(t failer, text string) map[string]uint64 {
	stacks := map[string]uint64{}
	if text != "" && !strings.HasSuffix(text, "\n") {
		t.Fatal("the last line has no end")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		at := strings.LastIndexByte(line, ' ')
		if at < 1 {
			t.Fatal("no count: ", line)
		}
		n, err := strconv.ParseUint(line[at+1:], 10, 64)
		if _, twice := stacks[line[:at]]; err != nil || twice {
			t.Fatal("twice, or no count: ", line)
		}
		for frame := range strings.SplitSeq(line[:at], ";") {
			if frame == "" {
				t.Fatal("an empty frame: ", line)
			}
		}
		stacks[line[:at]] = n
	}
	return stacks
}

func TestFoldedStacksAreRootFirst(t *testing.T) {
	s := sampled(t, []sampledStack{
		{[]string{"a/B.leaf", "a/B.middle", "Main.main"}, 7}, {[]string{"Main.main"}, 1},
		{[]string{"a/B.leaf", "a/B.middle", "Main.main"}, 3}, {[]string{"a/B.le;af", "Main.main"}, math.MaxUint64},
	})
	var out bytes.Buffer
	if _, err := (&Exporter{}).Export(&out, s); err != nil {
		t.Fatal(err)
	}
	want := "Main.main 1\nMain.main;a.B.le,af 18446744073709551615\nMain.main;a.B.middle;a.B.leaf 10\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestFoldedSpecimen(t *testing.T) {
	for _, sp := range specimen.All() {
		s := store(t, sp.Build())
		var out bytes.Buffer
		_, err := (&Exporter{}).Export(&out, s)
		if sp.Domain == layout.DomainSampled {
			want := map[string]uint64{"fibs.main;fibs.fib": 40, "fibs.main;fibs.fib;fibs.fib": 30,
				"fibs.main;fibs.fib;fibs.fib;example.com/sums.(*Adder[go.shape.int]).Add": 20,
				"example.com/sums.(*Adder[go.shape.int]).Add":                             2, "fibs.main;[unknown]": 1}
			if diff := cmp.Diff(want, parseFolded(t, out.String())); err != nil || diff != "" {
				t.Error(err, diff)
			}
			continue
		}
		if sp.Domain != layout.DomainGraal {
			if !errors.Is(err, ErrNoSamples) || !strings.Contains(err.Error(), "test.parc (domain "+sp.Domain.String()) {
				t.Errorf("%s: %v", sp.Name, err)
			}
			continue
		}
		want := map[string]uint64{"EvenOrOddLength.main;EvenOrOddLength.print": 10, "EvenOrOddLength.main": 1}
		if diff := cmp.Diff(want, parseFolded(t, out.String())); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
}

// TestFoldedKeepsAllSamples: what comes out is what went in, for any stacks.
func TestFoldedKeepsAllSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frame := rapid.SampledFrom([]string{"A.a", "A.b", "p/B.a", "p/B.<init>", "C$D.lambda$0"})
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sampledStack {
			return sampledStack{rapid.SliceOfN(frame, 1, 5).Draw(t, "frames"), rapid.Uint64Range(0, 1<<40).Draw(t, "count")}
		}), 1, 20).Draw(t, "stacks")
		want := map[string]uint64{}
		for _, s := range all {
			line := ""
			for _, f := range s.frames {
				line = strings.ReplaceAll(f, "/", ".") + ";" + line
			}
			want[strings.TrimSuffix(line, ";")] += s.count
		}
		var out bytes.Buffer
		if _, err := (&Exporter{}).Export(&out, sampled(t, all)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, parseFolded(t, out.String())); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestFramesWithoutAMethod(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	b.Internal().Table(disk.TableSamples, 0).Row(0, 0, 0, 5)
	var out bytes.Buffer
	if _, err := (&Exporter{}).Export(&out, store(t, b)); err != nil || out.String() != "[unknown] 5\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		domain     layout.Domain
		key        layout.Key
		name, full string
		file       string
	}{
		{layout.DomainHotSpot, layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"},
			"java.lang.String.length", "java.lang.String.length()I", ""},
		{layout.DomainGraal, layout.Key{Class: "a.B", Name: "m", Signature: "void(int,java.lang.String)"}, "a.B.m",
			"a.B.m(int,java.lang.String)", ""},
		{layout.DomainJamaica, layout.Key{Name: "a/B.m([CII)I"}, "a.B.m", "a.B.m([CII)I", ""},
		{layout.DomainJamaica, layout.Key{Name: "a/B.m(Ljava/la"}, "a.B.m", "a.B.m(Ljava/la", ""},
		{layout.DomainJamaica, layout.Key{Name: "a/B"}, "a/B", "a/B", ""},
		{layout.DomainLLVMIR, layout.Key{Name: "shapes.cpp;_ZL5totalv"}, "_ZL5totalv", "_ZL5totalv", "shapes.cpp"},
		{layout.DomainLLVMFrontend, layout.Key{Name: "shapes.c:area"}, "area", "area", "shapes.c"},
		{layout.DomainLLVMFrontend, layout.Key{Name: "-[Shape area:]"}, "-[Shape area:]", "-[Shape area:]", ""},
		{layout.DomainLLVMFrontend, layout.Key{Name: "main"}, "main", "main", ""},
	} {
		t.Run(c.full, func(t *testing.T) {
			n := newName(c.domain, c.key)
			if n.String() != c.name || n.Full() != c.full || n.File != c.file {
				t.Errorf("%+v: %q, %q, %q", c.key, n.String(), n.Full(), n.File)
			}
		})
	}
}
