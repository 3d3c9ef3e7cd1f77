package listing_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const source = `package shop;

class Till {
    static int sum(int[] prices, boolean half) {
        int sum = 0;
        for (int p : prices) {
            if (half)
                p /= 2;
            sum += p;
        }
        return sum;
    }
}
`

// sum is the method of source.
var sum = layout.Key{Class: "shop/Till", Name: "sum", Signature: "([IZ)I", Loader: "app"}

// till is the class file of the source, compiled once.
var till struct {
	once sync.Once
	file []byte
}

// compiled returns a folder with the source, one with the class, and the method's code.
func compiled(t *testing.T) (sources, classes string, code []byte) {
	t.Helper()
	home := testjvm.First()
	testjvm.Need(t, home)
	sources, classes = t.TempDir(), t.TempDir()
	write(t, sources, "Till.java", []byte(source))
	till.once.Do(func() {
		compiled := testjvm.Compile(t, home, filepath.Join(sources, "shop", "Till.java"))
		till.file, _ = os.ReadFile(filepath.Join(compiled, "shop", "Till.class"))
	})
	write(t, classes, "Till.class", till.file)
	class, err := classfile.Parse(till.file)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := class.Method(sum.Name, sum.Signature)
	return sources, classes, m.Code
}

// write writes a file of package shop.
func write(t *testing.T, folder, name string, content []byte) {
	t.Helper()
	file := filepath.Join(folder, "shop", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// profiled returns an archive with a profile of sum: 10 calls, 100 prices, of which 40 were halved.
func profiled(t *testing.T, code []byte, id uint64) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	p := b.Profile(sum, id)
	p.Invocations(10)
	points, _ := bytecode.Points(code)
	branches := []builder.Branch{{Taken: 10, NotTaken: 100}, {Taken: 60, NotTaken: 40}}
	for _, point := range points {
		switch at := (builder.At{Bci: int32(point.Bci)}); point.Kind {
		case methodcode.Branch:
			p.Branch(at, branches[0])
			branches = branches[1:]
		case methodcode.Jump:
			p.Jump(at, 100, 0)
		}
	}
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("till.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	t.Cleanup(func() { s.Close() })
	return s
}

// listed lists sum.
func listed(t *testing.T, s *reader.Store, classes, sources string) *listing.Listing {
	t.Helper()
	p, err := listing.Open([]string{classes}, []string{sources}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m, err := s.Find(sum)
	if err != nil {
		t.Fatal(err)
	}
	q, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.ListMethod(m, q)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Every line has the count that follows from the profile points, also where it has none.
func TestCountsOfLines(t *testing.T) {
	t.Parallel()
	sources, classes, code := compiled(t)
	l := listed(t, profiled(t, code, bytecode.CodeID(code)), classes, sources)
	if l.Match != listing.Same || len(l.Unplaced) > 0 || l.Source == nil || l.Source.First != 5 || l.Source.Last != 11 {
		t.Fatalf("%+v", l)
	}
	var got []string
	for i, line := range l.Source.Lines {
		if line.Basis != listing.NotKnown {
			got = append(got, fmt.Sprint(i+1, " ", line.Count, " ", line.Basis, " ", len(line.Bcis) > 0))
		}
	}
	want := []string{"5 10 derived true", "6 110 counted true", "7 100 counted true", "8 40 derived true",
		"9 100 derived true", "11 10 derived true"}
	if !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	if lines := l.Source.Lines; lines[5].Heat != 1 || lines[7].Heat <= 0 || lines[7].Heat >= lines[8].Heat ||
		lines[0].Heat != 0 {
		t.Errorf("heats %+v", lines)
	}
}

// Counts never stand beside other code.
func TestOtherCodeHasNoCounts(t *testing.T) {
	t.Parallel()
	sources, classes, code := compiled(t)
	l := listed(t, profiled(t, code, 1+bytecode.CodeID(code)), classes, sources)
	if l.Match != listing.Other || len(l.Unplaced) != 3 || l.HasCounts() {
		t.Errorf("match %s, %d points unplaced", l.Match, len(l.Unplaced))
	}
	for _, i := range l.Instructions {
		if i.Basis != listing.NotKnown || len(i.Points) > 0 || i.Heat != 0 {
			t.Errorf("%+v", i)
		}
	}
	for _, line := range l.Source.Lines {
		if line.Basis != listing.NotKnown || line.Sum > 0 {
			t.Errorf("%+v", line)
		}
	}
}

// A profile without a code id may be of the code if its points lie where the code has some.
func TestUnprovenCode(t *testing.T) {
	t.Parallel()
	sources, classes, code := compiled(t)
	shifted := slices.Concat([]byte{0, 0, 0, 0}, code)
	for _, c := range []struct {
		code []byte
		want listing.Match
	}{{code, listing.Unproven}, {shifted, listing.Other}} {
		if l := listed(t, profiled(t, c.code, layout.CodeUnknown), classes, sources); l.Match != c.want {
			t.Errorf("%s, want %s", l.Match, c.want)
		}
	}
}

// A source that is not there, or of another version, is said to be.
func TestSourcesThatDoNotFit(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	sources, classes, code := compiled(t)
	s := profiled(t, code, bytecode.CodeID(code))
	if l := listed(t, s, classes, t.TempDir()); l.Source != nil || l.SourceFile != "Till.java" {
		t.Errorf("source %+v, %q", l.Source, l.SourceFile)
	}
	write(t, sources, "Till.java", []byte("\xff one\r\ntwo\rthree"))
	l := listed(t, s, classes, sources)
	if !l.Source.Short || len(l.Source.Lines) != 3 || l.Source.Lines[0].Text != "\uFFFD one" ||
		l.Source.Lines[2].Text != "three" {
		t.Errorf("%+v", l.Source)
	}
	if !strings.HasSuffix(l.Source.File, filepath.Join("shop", "Till.java")) {
		t.Errorf("file %s", l.Source.File)
	}
}

// Whatever a class file holds, it is listed or refused.
func TestDamagedClassFiles(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	sources, classes, code := compiled(t)
	s := profiled(t, code, layout.CodeUnknown)
	random, seen := rand.New(rand.NewPCG(7, 8)), map[listing.Match]int{}
	for range 300 {
		damaged := slices.Clone(till.file)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(len(damaged))] = byte(random.IntN(256))
		}
		write(t, classes, "Till.class", damaged)
		l := listed(t, s, classes, sources)
		if seen[l.Match]++; len(l.Instructions) > len(damaged) {
			t.Errorf("%d instructions of a class file of %d bytes", len(l.Instructions), len(damaged))
		}
	}
	if seen[listing.Unproven] == 0 || seen[listing.NoClass] == 0 {
		t.Errorf("matches %v", seen)
	}
}

// A class cannot name a source file outside of the source path.
func TestSourcesOutsideAreNotRead(t *testing.T) {
	t.Parallel()
	sources, classes, code := compiled(t)
	if err := os.WriteFile(filepath.Join(sources, "A.java"), []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../A.java", "/etc/hos", "..//////", "a/b.java.", ".........", `..\A.java`,
		"Til\x00.java"} {
		t.Run(name, func(t *testing.T) {
			named := strings.Replace(string(till.file), "Till.java", (name + "         ")[:9], 1)
			write(t, classes, "Till.class", []byte(named))
			if l := listed(t, profiled(t, code, layout.CodeUnknown), classes, filepath.Join(sources, "shop")); l.Source != nil {
				t.Errorf("%q: %s is read", name, l.Source.File)
			}
		})
	}
}

func TestConstantsAsProgrammersWriteThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ref  listing.Ref
		want [2]string // in full, and without packages
	}{
		{listing.Ref{Kind: "Method", Class: "a/Map$Entry", Name: "put", Descriptor: "(ILa/B;)V"},
			[2]string{"a.Map.Entry.put(int, B)", "Map.Entry.put(int, B)"}},
		{listing.Ref{Kind: "Field", Class: "a/B", Name: "c", Descriptor: "I"}, [2]string{"a.B.c", "B.c"}},
		{listing.Ref{Kind: "class", Text: "a/B", Class: "a/B"}, [2]string{"a.B", "B"}},
		{listing.Ref{Kind: "String", Text: "two words"}, [2]string{`"two words"`, `"two words"`}},
		{listing.Ref{Kind: "int", Text: "65536"}, [2]string{"65536", "65536"}},
		{listing.Ref{Kind: "InvokeDynamic", Text: "#0:run:()La/B;", Name: "run", Descriptor: "(La/B;)La/B;"},
			[2]string{"run(B)", "run(B)"}},
		{listing.Ref{Kind: "MethodType", Text: "()V"}, [2]string{"MethodType ()V", "MethodType ()V"}},
	} {
		for i, sp := range []display.Spelling{{}, {Short: true}} {
			if got := c.ref.DisplayText(sp, layout.DomainHotSpot); got != c.want[i] {
				t.Errorf("%+v is %s, want %s", c.ref, got, c.want[i])
			}
		}
	}
}
