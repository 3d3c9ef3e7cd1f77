package hotspot

import (
	"bytes"
	"compress/gzip"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type TextOptions struct {
	Name               string
	Unordered, Salvage bool
}

func ReadText(r io.Reader, o TextOptions) (*builder.Builder, *codec.Report, error) {
	report, err := (&Importer{Salvage: o.Salvage}).Import(&codec.Input{Reader: r, Name: o.Name, Unordered: o.Unordered})
	if err != nil {
		return nil, nil, err
	}
	report.Lost = slices.DeleteFunc(report.Lost, func(l codec.Loss) bool { return l.What == parse.LossLoaders })
	return report.Dumps[0], report, nil
}

// read reads a text into an archive.
func read(t testing.TB, text string, o TextOptions) ([]byte, builder.Report, *codec.Report) {
	t.Helper()
	b, report, err := ReadText(strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	data, archived, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data, archived, report
}

// open opens an archive on the heap.
func open(t testing.TB, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("test.parc", data, archive.Options{CheckAll: true})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// print prints an archive.
func print(t testing.TB, data []byte) (string, *codec.Report) {
	t.Helper()
	var out bytes.Buffer
	report, err := (&Exporter{}).Export(&out, open(t, data))
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), report
}

// The tests count and filter with expressions of their own.
var (
	counterLine   = regexp.MustCompile(`^  (interpreter_invocation_count|invocation_counter|backedge_counter|decompile_count): +-?\d+$|^  mdo size: \d+ bytes$`)
	entryLine     = regexp.MustCompile(`^  \d+\s*bci: \d+\s*(Bit|Counter|Jump|Branch|MultiBranch|ReceiverType|VirtualCall|Ret)Data`)
	parameterLine = regexp.MustCompile(`^  (parameter types|bci: 0 +ParametersTypeData) +0: `)
	rowLine       = regexp.MustCompile(`^ {36}(not taken\(|count\(|bci\(|'.*\)$|\{type array .*\)$|\d+: stack\()|^ {16}(argument types|return type) `)
	trapMark      = regexp.MustCompile(`trap/ `)
	rowOfReceiver = regexp.MustCompile(`^ {36}['{].*\(\d+ +(-?\d+\.\d\d|-?nan|inf)\)$`)
)

// plainLines undoes what an XML log adds.
func plainLines(text string) []string {
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(text, "<?xml") {
		return lines
	}
	var plain []string
	for _, l := range lines {
		if !strings.HasPrefix(l, "<") {
			plain = append(plain, html.UnescapeString(l))
		}
	}
	return plain
}

// profileLines returns the lines of a text that an archive keeps.
func profileLines(text string) string {
	dashes := strings.Repeat("-", 72)
	lines := plainLines(text)
	var kept []string
	inside := false
	for i, l := range lines {
		next := func(n int, expr string) bool {
			return i+n < len(lines) && regexp.MustCompile(expr).MatchString(lines[i+n])
		}
		switch {
		case strings.HasSuffix(l, dashes) && next(2, `^  interpreter_invocation_count:`):
			kept, inside = append(kept, dashes, lines[i+1]), true
		case inside && l == dashes && next(1, `^Total MDO size: \d+ bytes$`):
			return strings.Join(append(kept, dashes, lines[i+1], ""), "\n")
		case !inside:
		case l == "" && (strings.HasPrefix(lines[i-1], "  mdo size") || strings.Contains(kept[len(kept)-1], ": stack(") &&
			entriesYet(kept) == 0):
			kept = append(kept, l)
		case !strings.HasPrefix(l, "  "):
		case counterLine.MatchString(l), entryLine.MatchString(l), parameterLine.MatchString(l), rowLine.MatchString(l):
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// entriesYet counts the entries since the last rule.
func entriesYet(kept []string) (n int) {
	for i := len(kept) - 1; i >= 0 && !strings.HasPrefix(kept[i], "-----"); i-- {
		if entryLine.MatchString(kept[i]) {
			n++
		}
	}
	return n
}

// tally is what the tests count in a text.
type tally struct{ Methods, Entries, Receivers uint64 }

func count(text string) (n tally) {
	for _, l := range strings.Split(profileLines(text), "\n") {
		if strings.HasPrefix(l, firstCounter) {
			n.Methods++
		}
		if entryLine.MatchString(l) || parameterLine.MatchString(l) {
			n.Entries++
		}
		if rowOfReceiver.MatchString(l) {
			n.Receivers++
		}
		n.Entries += uint64(len(trapMark.FindAllString(l, -1)))
	}
	return n
}

// kept counts the same in an archive.
func kept(t testing.TB, data []byte, archived builder.Report) (n tally) {
	t.Helper()
	n.Methods, n.Entries = archived.Counts.Profiles, archived.Counts.Entries
	for m, err := range open(t, data).Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			for e := range p.Entries() {
				r, _ := e.Receivers()
				for range r.All() {
					n.Receivers++
				}
			}
		}
	}
	return n
}

// checkText holds a text against its archive, and against the archive's text.
func checkText(t *testing.T, text string) *codec.Report {
	t.Helper()
	if !Detect([]byte(text)) {
		t.Error("Detect does not know the text")
	}
	data, archived, report := read(t, text, TextOptions{})
	if diff := cmp.Diff(count(text), kept(t, data, archived)); diff != "" {
		t.Errorf("archive does not hold what the text has (-text +archive):\n%s", diff)
	}
	if n := report.Lost.Count(LossOffset); n != 0 {
		t.Errorf("%d offsets do not fit: %+v", n, report)
	}
	out, printed := print(t, data)
	if diff := cmp.Diff(profileLines(text), out); diff != "" {
		t.Errorf("printed otherwise (-text +printed):\n%.4000s", diff)
	}
	if hasOtherLoss(printed.Lost, LossCode) || uint64(printed.Methods) != archived.Counts.Profiles ||
		uint64(printed.Entries) != archived.Counts.Entries {
		t.Errorf("report of printing: %+v", printed)
	}
	again, _, _ := read(t, out, TextOptions{})
	unlisted, _, _ := read(t, profileLines(text), TextOptions{}) // of the listing of bytecodes an archive keeps sketches
	if !bytes.Equal(unlisted, again) {
		t.Error("reading the output again makes another archive")
	}
	return report
}

func hasOtherLoss(all codec.Losses, than codec.LossKind) bool {
	return slices.ContainsFunc(all, func(l codec.Loss) bool { return l.What != than })
}

// samples returns the recorded texts next to the project; where there are none the test is skipped.
func samples(t *testing.T) map[string]string {
	t.Helper()
	paths, _ := filepath.Glob("../../../../shared/samples/hotspot/*.printmethoddata*")
	if len(paths) == 0 {
		t.Skip("no recorded samples next to the project")
	}
	texts := map[string]string{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var r io.Reader = f
		if strings.HasSuffix(path, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
		text, err := io.ReadAll(r)
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = string(text)
	}
	return texts
}

func TestSamples(t *testing.T) {
	full.Only(t, "takes many inputs")
	for name, text := range samples(t) {
		t.Run(name, func(t *testing.T) {
			report := checkText(t, text)
			if report.Lost.Count(LossBytecodes) == 0 || len(report.Lost) > 2 ||
				report.Lost.Count(parse.LossCodeIDs) > 0 {
				t.Errorf("report: %+v", report)
			}
		})
	}
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOwnTexts(t *testing.T) {
	facts := func(d Dialect, hidden, other int) map[string]any {
		return map[string]any{"dialect": d.String(), "hidden_classes": hidden, "other_lines": other}
	}
	for name, want := range map[string]struct {
		params layout.Params
		report codec.Report
	}{
		"jdk17.txt": {layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 1},
			codec.Report{Facts: facts(JDK17, 2, 5), Methods: 6, Entries: 15, Lost: codec.Losses{
				{What: LossBytecodes, Count: 17, Line: 15}, {What: LossFront, Count: 1},
				{What: parse.LossCodeIDs, Count: 4, Line: 6},
				{What: LossUnknownLine, Count: 2, Line: 19}, {What: LossLoader, Count: 1, Line: 93}},
				Totals: ledger.Totals{ledger.Backedges: 1 << 31, ledger.BranchCounts: 256863, ledger.Invocations: 60453,
					ledger.TypeCounts: 96248}}},
		"jdk25.txt": {layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 0},
			codec.Report{Facts: facts(JDK25, 2, 0), Methods: 2, Entries: 5, Lost: codec.Losses{
				{What: LossBytecodes, Count: 5, Line: 12}, {What: LossUnknownLine, Count: 1, Line: 22}},
				Totals: ledger.Totals{ledger.BranchCounts: 9, ledger.Invocations: 701, ledger.TypeCounts: 397670}}},
		"log.xml": {layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 0},
			codec.Report{Facts: facts(JDK17, 0, 1), Methods: 1, Entries: 1,
				Lost:   codec.Losses{{What: LossBytecodes, Count: 3, Line: 17}},
				Totals: ledger.Totals{ledger.BranchCounts: 7, ledger.Invocations: 8}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := checkText(t, testdata(t, name))
			params := paramsOf(got)
			got.Dumps = nil
			if diff := cmp.Diff(&want.report, got) + cmp.Diff(want.params, params); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// paramsOf returns the settings that were found in a text.
func paramsOf(r *codec.Report) layout.Params { return r.Dumps[0].Internal().Params() }
