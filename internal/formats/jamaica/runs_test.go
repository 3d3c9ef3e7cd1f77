package jamaica

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

const (
	firstRun = `INSTANTIATION_COUNT: 3 1 3 96 0 (0%)  boot a/B
PROFILE: 60 (60%)       A.m()V
PROFILE: 40 (40%)       A.cut(Ljava
PROFILE_CYCLES: 7           A.m()V(interpreted)
PROFILE_INVOKE: 2 5 A.m()V A.n()V
PROFILE_THREAD: 5 30 (60%) (25%) (10%) (5%) 20480 8192
PROFILE_THREADS: 3
HEAP_USE: 1 1 32 32 (100%) 0 (0%)  a/B
HEAP_REFS: 1 2 (50%)
`
	secondRun = `INSTANTIATION_COUNT: 1 1 1 32 0 (0%)  app a/C
PROFILE: 300 (75%)      A.n()V
PROFILE: 100 (25%)      A.m()V
PROFILE_CYCLES: 8           A.m()V(interpreted)
PROFILE_INVOKE: 4 5 A.m()V A.n()V
PROFILE_THREADS: 2
HEAP_USE: 3 1 32 96 (100%) 3 (100%)  a/B
HEAP_REFS: 4 8 (50%)
`
	bothRuns = `INSTANTIATION_COUNT: 3 1 3 96 0 (0%)  boot a/B
INSTANTIATION_COUNT: 1 1 1 32 0 (0%)  app a/C
PROFILE: 300 (60%)      A.n()V
PROFILE: 160 (32%)      A.m()V
PROFILE: 40 (8%)        A.cut(Ljava
PROFILE_CYCLES: 15          A.m()V(interpreted)
PROFILE_INVOKE: 6 5  A.m()V A.n()V
PROFILE_THREAD: 5 30 (60%) (25%) (10%) (5%) 20480 8192
PROFILE_THREADS: 3
HEAP_USE: 4 1 32 128 (100%) 3 (75%)  a/B
HEAP_REFS: 5 10 (50%)
`
)

func TestRunsAreSummed(t *testing.T) {
	data, report := read(t, firstRun+secondRun)
	if report.Runs != 2 {
		t.Errorf("%+v", report)
	}
	if out, _ := write(t, data); out != bothRuns {
		t.Error(cmp.Diff(bothRuns, out))
	}
}

// TestFilesAreSummed: two files that are merged are what one file with both runs is.
func TestFilesAreSummed(t *testing.T) {
	for _, files := range [][2]string{{firstRun, secondRun}, {secondRun, firstRun}} {
		all := builder.New(layout.DomainJamaica, builder.Config{})
		for _, file := range files {
			data, _ := read(t, file)
			if err := merge.Into(t.Context(), all, open(t, data), merge.Run{}); err != nil {
				t.Fatal(err)
			}
		}
		if out, _ := write(t, encode(t, all)); out != bothRuns {
			t.Error(cmp.Diff(bothRuns, out))
		}
	}
}

func TestRunsAreKeptApart(t *testing.T) {
	report, err := (&Importer{Runs: true}).readRuns(&codec.Input{Reader: strings.NewReader(firstRun + secondRun)})
	if err != nil || len(report.Dumps) != 2 || report.Runs != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	for i, alone := range []string{firstRun, secondRun} {
		want, _ := read(t, alone)
		if diff := cmp.Diff(everything(t, want), everything(t, encode(t, report.Dumps[i]))); diff != "" {
			t.Errorf("run %d:\n%s", i+1, diff)
		}
	}
}

// TestWhereRunsBegin: the numbers of a text say to which run the line belongs.
func TestWhereRunsBegin(t *testing.T) {
	line := map[string]string{
		"i": "INSTANTIATION_COUNT: 1 1 1 32 0 (0%)  boot a/I", "j": "INSTANTIATION_COUNT: 1 1 1 32 0 (0%)  boot a/J",
		"p": "PROFILE: 1 (100%) A.p()V", "q": "PROFILE: 1 (100%) A.q()V", "c": "PROFILE: 1 (100%) A.cut(L",
		"y": "PROFILE_CYCLES: 1 A.p()V", "z": "PROFILE_CYCLES: 1 A.p()V(interpreted)",
		"t": "PROFILE_THREAD: 1 1 1% 1% 1% 1% 1 1", "n": "PROFILE_THREADS: 1",
		"h": "HEAP_USE: 1 1 1 1 (0%) 0 (0%) a/H", "r": "HEAP_REFS: 1 1 (100%)",
	}
	for _, runs := range []string{
		"ipyhr ipyhr", "ipyhr jqhr", "ip jp", "p p p", "pq p", "cc", "pzy pzy", "tt", "pn pn", "np np", "ptn ptn",
		"pqhi", "ipyzqh ipyz", "rh rh", "pyqz p", "hp hip", "ihpihp"[:3] + " ihp", "phn phn ph", "pyhrt qyhrt",
	} {
		var text strings.Builder
		for _, c := range runs {
			if c != ' ' {
				text.WriteString(line[string(c)] + "\n")
			}
		}
		in := &codec.Input{Reader: strings.NewReader(text.String())}
		parsed, err := (&Importer{}).parseText(in, &Report{Report: codec.Report{Totals: map[string]uint64{}}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		rest := strings.ReplaceAll(runs, " ", "")
		for _, run := range parsed.splitRuns() {
			got, rest = append(got, rest[:len(run)]), rest[len(run):]
		}
		if s := strings.Join(got, " "); s != runs {
			t.Errorf("%q is split as %q", runs, s)
		}
	}
}

// TestOrderOfLines: a text whose lines stand in another order within their part is the same archive.
func TestOrderOfLines(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimSuffix(testdata(t, "harbour.txt"), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	parts := [][]string{lines[:3], lines[3:20], lines[20:]}
	want, _ := read(t, strings.Join(lines, ""))
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for _, part := range parts {
			for _, l := range rapid.Permutation(part).Draw(t, "part") {
				text.WriteString(l)
			}
		}
		b, report, err := Read(strings.NewReader(text.String()), ReadOptions{})
		if err != nil || report.Runs != 1 {
			t.Fatal(report, err)
		}
		got, _, err := b.Bytes()
		if err != nil || string(got) != string(want) {
			t.Fatalf("another archive, %v", err)
		}
	})
}

// TestSums: any number of runs of any numbers add up.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Uint64(), 1, 6).Draw(t, "counts")
		var text strings.Builder
		sum := uint64(0)
		for _, n := range counts {
			text.WriteString(formatLine(keyCycles, outLine{n: n, afterShare: "A.m()V"}, 0) + "\n")
			sum = disk.SaturatingAdd(sum, n)
		}
		b, report, err := Read(strings.NewReader(text.String()), ReadOptions{})
		if err != nil || report.Runs != len(counts) {
			t.Fatal(report, err)
		}
		data, _, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		s := openFor(t, data)
		for m := range s.Methods() {
			for p := range m.Profiles() {
				for e := range p.Entries() {
					if n := e.Cell(0).Trained(); n != sum {
						t.Fatalf("%v add up to %d, want %d", counts, n, sum)
					}
				}
			}
		}
	})
}
