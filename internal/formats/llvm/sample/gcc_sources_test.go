package sample

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/testkit/full"
)

// fileOfAdd is the offset of the number of a file in version3.
const fileOfAdd = 12 + 372 + 3*4 + 4 + 11 + 4 + 9 + 4 + 5 + 4 + 4 + 4

// version3 returns a file as create_gcov writes it. Lengths count neither files nor times.
func version3() []byte {
	parts := []any{0x67636461, 3, 0, 0xa8000000, uint64(2040), uint64(1000), uint64(9), uint64(4), uint64(2), uint64(16)}
	for _, c := range [][3]int{{10000, 1000, 1}, {100000, 1000, 1}, {200000, 1000, 1}, {300000, 1000, 1},
		{400000, 1000, 1}, {500000, 500, 3}, {600000, 500, 3}, {700000, 500, 3}, {800000, 500, 3}, {900000, 500, 3},
		{950000, 500, 3}, {990000, 40, 4}, {999000, 40, 4}, {999900, 40, 4}, {999990, 40, 4}, {999999, 40, 4}} {
		parts = append(parts, c[0], uint64(c[1]), uint64(c[2]))
	}
	return gccBytesOf(append(parts, 0xaa000000, 13, 2, 11, "/src/add.h\x00", 9, "/src/a.c\x00",
		5, 1, "\x00", -1, 4, "add\x00", 0, 4, "dbl\x00", -1, 5, "half\x00", -1, 5, "work\x00", 1,
		0xac000000, 41, 2,
		uint64(7), uint64(0), 1, 1, 0, 3<<16|2, 0, uint64(40), // add
		uint64(9), uint64(1<<60), 4, 2, 1, 2<<16, 0, uint64(500), // work
		5<<16|1, 2, uint64(500), 7, uint64(2), uint64(38), 7, uint64(3), uint64(400),
		4<<16, 1, 1, 0, 6<<16, 0, uint64(1000), endOfGCC)...)
}

// edited returns a file with another word at an offset.
func edited(file []byte, at, word int) []byte {
	file = bytes.Clone(file)
	binary.LittleEndian.PutUint32(file[at:], uint32(word))
	return file
}

// Files of version 3 come back, byte for byte, in the version that they had.
func TestVersion3ComesBack(t *testing.T) {
	t.Parallel()
	want := version3()
	if !(&Importer{}).Detect(want, true) {
		t.Error("not detected")
	}
	store := opened(t, imported(t, want))
	for _, exporter := range []codec.Exporter{GCCExporter(), gccExporter(gccFiles)} {
		if got := exported(t, store, exporter); !bytes.Equal(got, want) {
			t.Errorf("got\n%.900x\nwant\n%.900x", got, want)
		}
	}
	text := "work:2000:9\n 2: 500\n 5.1: 500 half:400 dbl:38\n 4: add:1000\n  6: 1000\nadd:40:7\n 3.2: 40\n"
	if got := string(exported(t, store, TextExporter(), LossSources)); got != text {
		t.Errorf("got %s, want %s", got, text)
	}
	if got := exported(t, store, gccExporter(gccBytes), LossSources); len(got) >= len(want) || got[4] != gccBytes {
		t.Error("not version 2")
	}
	if got := exported(t, opened(t, imported(t, []byte(text))), GCCExporter()); got[4] != gccBytes {
		t.Error("a profile without files is not in version 2")
	}
}

// generatedSources returns the file of a generated profile with source files and times.
func generatedSources(t testing.TB, seed uint64) []byte {
	p := generatedForGCC(seed)
	p.Files = map[string]string{}
	for i, f := range p.Functions {
		f.First = uint64(i%3) << (8 * i % 64)
		f.eachName(func(name string) {
			if n := len(p.Files); (n+i)%3 > 0 {
				p.Files[name] = []string{"", "/src/a b.c", "/src/" + name}[n%3]
			}
		})
	}
	return written(t, func(w io.Writer) error { return p.writeGCC(w, gccFiles) })
}

// Source files and times of any functions come back, also from a merge with a later run.
func TestSourcesComeBack(t *testing.T) {
	t.Parallel()
	for seed := range uint64(16) {
		want := generatedSources(t, seed)
		if got := exported(t, importedGCC(t, want), gccExporter(gccFiles)); !bytes.Equal(got, want) {
			t.Errorf("seed %d: the file differs", seed)
		}
		p := parsed(t, want)
		later := parsed(t, want)
		for _, f := range later.Functions {
			f.First += min(f.First, 1)
		}
		second := written(t, func(w io.Writer) error { return later.writeGCC(w, gccFiles) })
		if bytes.Equal(second, want) { // without times
			continue
		}
		sum := parsed(t, exported(t, mergedWith(t, want, second, 1), gccExporter(gccFiles)))
		slices.SortFunc(p.Functions, byName)
		slices.SortFunc(sum.Functions, byName)
		if !maps.Equal(p.Files, sum.Files) || !slices.EqualFunc(p.Functions, sum.Functions, func(a, b *Function) bool {
			return a.First == b.First && b.Head == 2*a.Head
		}) {
			t.Errorf("seed %d: the sum has other files or times", seed)
		}
	}
}

func byName(a, b *Function) int { return strings.Compare(a.Name, b.Name) }

// A merge takes the earliest time of a function. One that is in files with different names has no file: GCC takes its
// counts for any function of the name.
func TestMergesOfSources(t *testing.T) {
	t.Parallel()
	fileOf := func(times [3]uint64, files map[string]string) []byte {
		p := &Profile{Files: files}
		for i, first := range times {
			p.Functions = append(p.Functions, &Function{Name: string(rune('f' + i)), First: first, Head: 1})
		}
		return written(t, func(w io.Writer) error { return p.writeGCC(w, gccFiles) })
	}
	store := mergedWith(t, fileOf([3]uint64{9, 0, 4}, map[string]string{"f": "/x/a.c", "g": "/x/a.c"}),
		fileOf([3]uint64{5, 7, 0}, map[string]string{"f": "/y/a.c", "g": "/x/b.c", "h": "/x/b.c"}), 1)
	var out bytes.Buffer
	report, err := GCCExporter().Export(&out, store)
	if err != nil || report.Lost.Count(LossFiles) != 1 {
		t.Error(report, err)
	}
	p := parsed(t, out.Bytes())
	if files := (map[string]string{"f": "/y/a.c", "h": "/x/b.c"}); !maps.Equal(p.Files, files) {
		t.Errorf("got %v", p.Files)
	}
	slices.SortFunc(p.Functions, byName)
	for i, first := range []uint64{5, 7, 4} {
		if f := p.Functions[i]; f.First != first {
			t.Errorf("%s: %d", f.Name, f.First)
		}
	}
}

// A summary that differs from the counts, and a file of no function, are losses.
func TestLossesOfVersion3(t *testing.T) {
	t.Parallel()
	for what, file := range map[codec.LossKind][]byte{
		LossSummary: edited(version3(), 16, 1), LossFiles: edited(version3(), fileOfAdd, -1)} {
		report, err := (&Importer{}).Import(&codec.Input{Reader: bytes.NewReader(file)})
		if err != nil || len(report.Lost) != 1 || report.Lost.Count(what) != 1 {
			t.Errorf("%s: %v, %v", what, report, err)
		}
	}
}

const firstUnit = `extern int sink;
static __attribute__ ((noinline)) int helper (int n)
{
  if (n & 1)
    sink += n;
  return sink;
}
static inline int add (int n)
{
  if (n > 7)
    sink ^= n;
  return n + 1;
}
int (*call) (int);
int work (int n)
{
  int s = 0;
  for (int i = 0; i < n; i++)
    {
      s += add (i);
      s += call (i);
      s += helper (s);
    }
  return s;
}
int target (int n)
{
  return n * sink;
}
`

const secondUnit = `int sink;
static __attribute__ ((noinline)) int helper (int n)
{
  if (n & 1)
    sink += n;
  return sink;
}
int other (int n)
{
  return helper (n) + 1;
}
`

// sampledUnits is a profile of a program of two files. Link-time optimization has renamed the second helper. The counts
// are so high that GCC does not scale them: it compares calls' counts with scaled ones.
func sampledUnits() *Profile {
	const many = 1 << 40
	lines := func(counts ...uint64) (lines []Line) {
		for i := 0; i < len(counts); i += 2 {
			lines = append(lines, Line{Location: Location{Line: uint32(counts[i])}, Samples: counts[i+1] * many})
		}
		return lines
	}
	work := &Function{Name: "work", Head: 3 * many, First: 900,
		Lines: lines(2, 3, 3, 6000, 5, 6100, 6, 6000, 7, 6000, 9, 3),
		Calls: []Call{{Location{Line: 5}, &Function{Name: "add", Lines: lines(2, 6100, 3, 1200, 4, 6100)}}}}
	work.Lines[3].Targets = []Target{{"target", 5500 * many}, {"other", 450 * many}}
	return &Profile{
		Functions: []*Function{work,
			{Name: "target", Head: 5500 * many, First: 950, Lines: lines(2, 5500)},
			{Name: "helper", Head: 6000 * many, First: 970, Lines: lines(2, 6000, 3, 4000, 4, 6000)},
			{Name: "helper.lto_priv.0", Head: 450 * many, First: 30, Lines: lines(2, 450, 3, 50, 4, 450)},
			{Name: "other", Head: 450 * many, First: 20, Lines: lines(2, 450)}},
		Files: map[string]string{"work": "/src/one.c", "add": "/src/one.c", "target": "/src/one.c",
			"helper": "/src/one.c", "helper.lto_priv.0": "/src/two.c", "other": "/src/two.c"},
	}
}

// annotated matches a block with a count in a dump of GCC 16.
func annotated(count uint64) string { return fmt.Sprintf(" with count %d, scaled to ", count<<40) }

// GCC 16 takes the counts of an inlined call, tells functions of one name apart by their files, promotes the most
// frequent target of a call through a pointer, and orders functions by time.
func TestGCC16TakesSources(t *testing.T) {
	t.Parallel()
	full.Only(t, "runs gcc-16")
	if _, err := exec.LookPath("gcc-16"); err != nil {
		t.Skip("no gcc-16 on this machine")
	}
	written := written(t, func(w io.Writer) error { return sampledUnits().writeGCC(w, gccFiles) })
	profile := exported(t, importedGCC(t, written), GCCExporter())
	dir := t.TempDir()
	for name, want := range map[string][]string{
		"one.c": {"Setting work->tp_first_run to 3\n", "Setting target->tp_first_run to 4\n",
			"Setting helper->tp_first_run to 5\n", annotated(6100), annotated(1200), annotated(4000)},
		"two.c": {"Setting other->tp_first_run to 1\n", "Setting helper->tp_first_run to 2\n", annotated(50)},
	} {
		dump := dumpOfGCC(t, dir, "gcc-16", profile, name, map[string]string{"one.c": firstUnit, "two.c": secondUnit}[name])
		for _, line := range want {
			if !strings.Contains(dump, line) {
				t.Errorf("%s: no %q in\n%s", name, line, dump)
			}
		}
		if name == "two.c" && strings.Contains(dump, annotated(4000)) {
			t.Error("two.c: counts of the helper of one.c")
		}
	}
	if code := readDump(t, dir, "one.c.*.optimized"); !strings.Contains(code, " == target)") {
		t.Errorf("the target of the call is not tested in\n%s", code)
	}
}
