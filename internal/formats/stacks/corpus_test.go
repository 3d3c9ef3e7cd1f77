package stacks_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/perf"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/testkit/testarchive"
)

// corpus has files of public projects. Tests of it do nothing without the folder.
const corpus = "../../../../shared/samples/corpus"

// decompressed returns the content of a file without compression by gzip.
func decompressed(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return plainPprof(t, data)
	}
	return data
}

// valuesOf returns the totals of a profile as pprof's own library reads it.
func valuesOf(p *profile.Profile) map[string]uint64 {
	sums := map[string]uint64{}
	for _, s := range p.Sample {
		for i, n := range s.Value {
			if n != 0 {
				sums[p.SampleType[i].Type+"/"+p.SampleType[i].Unit] += uint64(max(n, -n))
			}
		}
	}
	return sums
}

// TestCorpusOfPprof: each public profile has the totals that pprof finds, each of its types can be chosen, and the
// export has the same values and types.
func TestCorpusOfPprof(t *testing.T) {
	t.Parallel()
	paths, _ := filepath.Glob(corpus + "/p[ap]*/[a-z]*")
	for _, path := range paths {
		data := decompressed(t, path)
		want, err := profile.Parse(bytes.NewReader(data))
		if err != nil {
			t.Fatal(path, err)
		}
		if _, err := (&pprof.Importer{}).Import(&codec.Input{Reader: bytes.NewReader(data)}); err != nil {
			if !strings.Contains(err.Error(), "legacy format") || bytes.Contains(data[:5], []byte{3}) && data[8] == 0 {
				t.Errorf("%s: %v", path, err)
			}
			data = encoded(t, want)
		}
		for _, of := range want.SampleType {
			checkProfile(t, path, data, want, of.Type+"/"+of.Unit)
		}
	}
}

func encoded(t *testing.T, p *profile.Profile) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := p.WriteUncompressed(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// checkProfile imports a type of values of a profile and exports it again.
func checkProfile(t *testing.T, path string, data []byte, want *profile.Profile, chosen string) {
	t.Helper()
	i := &pprof.Importer{SampleType: chosen}
	s, totals := importAccounted(t, data, i)
	values := valuesOf(want)
	if total(totals) != total(values) {
		t.Errorf("%s: totals %v, want %v", path, totals, values)
	}
	if values[chosen] == 0 {
		return
	}
	content, written, ok := exportAccounted(t, s, &pprof.Exporter{})
	if !ok {
		t.Errorf("%s: no export", path)
		return
	}
	got, err := profile.Parse(bytes.NewReader(content))
	if err != nil {
		t.Fatal(path, err)
	}
	report, err := i.Import(&codec.Input{Reader: bytes.NewReader(data)})
	if err != nil {
		t.Fatal(path, err)
	}
	for of, n := range valuesOf(got) {
		lost := uint64(0)
		for _, l := range report.Lost {
			if of == chosen && (l.What == pprof.LossNegative || l.What == pprof.LossNoStack) {
				lost += l.Amount
			}
		}
		if of == chosen && n+lost != values[of] && len(written) == 1 {
			t.Errorf("%s: %s: %d and %d lost, want %d", path, of, n, lost, values[of])
		}
	}
	again, _ := importAccounted(t, plainPprof(t, content), &pprof.Importer{SampleType: chosen})
	if diff := cmp.Diff(stacksOf(t, s), stacksOf(t, again)); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

// foldPerf returns the samples in the output of perf script by FlameGraph's rules, for the first event.
func foldPerf(text string) map[string]uint64 {
	head := regexp.MustCompile(`^\S.+?\s+\d+/*\d*\s+`)
	event := regexp.MustCompile(`:\s*(\d+)*\s+(\S+):\s*$`)
	frame := regexp.MustCompile(`^\s*(\w+)\s*(.+) \((.*)\)`)
	sums := map[string]uint64{}
	first, period, kept := "", uint64(1), true
	var names []string
	for line := range strings.Lines(text + "\n") {
		line = strings.TrimRight(line, "\n")
		switch m := event.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			if kept && len(names) > 0 {
				sums[strings.Join(names, ";")] += period
			}
			names = nil
		case head.MatchString(line):
			names, kept, period = nil, true, 1
			if m != nil {
				if first == "" {
					first = m[2]
				}
				kept = m[2] == first
				if n, err := strconv.ParseUint(m[1], 10, 64); err == nil {
					period = n
				}
			}
		default:
			name := frame.FindStringSubmatch(line)[2]
			if name = regexp.MustCompile(`\+0x[\da-f]+$`).ReplaceAllString(name, ""); name == "" {
				name = "[unknown]"
			}
			names = append([]string{strings.ReplaceAll(name, ";", ",")}, names...)
		}
	}
	return sums
}

// TestCorpusOfPerf: each public output of perf script has the stacks and samples that FlameGraph finds.
func TestCorpusOfPerf(t *testing.T) {
	t.Parallel()
	paths, _ := filepath.Glob(corpus + "/flamegraph/*.txt")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in, err := formats.Import(t.Context(), []formats.Input{{Name: path, Reader: bytes.NewReader(data)}},
			formats.ImportOptions{})
		if err != nil || in.Format != "perf" || in.Lost.Count(perf.LossLines) > 0 {
			t.Errorf("%s: %v, %+v", path, err, in)
			continue
		}
		s, totals := importAccounted(t, data, &perf.Importer{})
		want := ""
		sum := uint64(0)
		for stack, n := range foldPerf(string(data)) {
			want += fmt.Sprintf("%s %d\n", stack, n)
			sum += n
		}
		content, _, _ := exportAccounted(t, s, &stacks.Exporter{})
		if diff := cmp.Diff(sortedLines(want), sortedLines(string(content))); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		if got := totals[ledger.Samples]; got < sum || in.Lost.Count(perf.LossEvents) == 0 && got != sum &&
			in.Lost.Count(perf.LossNoStack) == 0 {
			t.Errorf("%s: %d samples, want %d", path, got, sum)
		}
		checkExports(t, s)
		testarchive.CheckEqual(t, path, len(totals), 1)
	}
}

func sortedLines(text string) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return lines
}
