package formats_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/jamaica"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

const (
	jamaicaText = "PROFILE: 1 (100%) A.m()V\n"
	graalText   = "profarc text 1\ndomain graal\nmethod a\n  profile\n    @0 Count calls 5\nend\n"
)

func input(name, content string) formats.Input {
	return formats.Input{Name: name, Reader: strings.NewReader(content)}
}

// requireImport imports inputs and returns the archive.
func requireImport(t *testing.T, o formats.ImportOptions, inputs ...formats.Input) (*formats.Imported, []byte) {
	t.Helper()
	in, err := formats.Import(t.Context(), inputs, o)
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := in.Builder.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return in, data
}

// A bad part that is left out leaves nothing in the builder that it shares with the others.
func TestSkippedPartLeavesNothing(t *testing.T) {
	t.Parallel()
	bad := input("bad", secondRun+"\ncut\n19\n2\n1\n")
	sound, _ := requireImport(t, formats.ImportOptions{}, input("1", firstRun), input("2", secondRun))
	var called []string
	in, _ := requireImport(t, formats.ImportOptions{SkipBad: true,
		OnSkip: func(in formats.Input, _ error) { called = append(called, in.Name) }},
		input("1", firstRun), bad, input("2", secondRun))
	if diff := cmp.Diff(proftextOf(t, sound.Builder), proftextOf(t, in.Builder)); diff != "" {
		t.Errorf("other profiles than without the bad input:\n%s", diff)
	}
	if len(in.Skipped) != 1 || in.Skipped[0].Name != "bad" || !errors.Is(in.Skipped[0].Err, llvm.ErrCut) {
		t.Errorf("skipped %v", in.Skipped)
	}
	if !slices.Equal(called, []string{"bad"}) {
		t.Errorf("OnSkip was called with %q", called)
	}
	if len(in.Inputs) != 2 {
		t.Errorf("read %v", in.Inputs)
	}
}

// proftextOf returns the profiles of a builder as text of LLVM.
func proftextOf(t *testing.T, b *builder.Builder) string {
	t.Helper()
	store, err := b.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if _, err := formats.Export(t.Context(), &text, store, &formats.ProftextExporter{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestImportErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		inputs []formats.Input
		o      formats.ImportOptions
		want   error
	}{
		"empty":   {inputs: []formats.Input{input("a", "")}, want: formats.ErrEmpty},
		"unknown": {inputs: []formats.Input{input("a", "\x00\x01")}, want: formats.ErrUnknown},
		"mixed":   {inputs: []formats.Input{input("a", firstRun), input("b", jamaicaText)}, want: formats.ErrMixed},
		"mixed, skipping": {inputs: []formats.Input{input("a", firstRun), input("b", jamaicaText)},
			o: formats.ImportOptions{SkipBad: true}, want: formats.ErrMixed},
		"twice the same": {inputs: []formats.Input{input("a", graalText), input("b", graalText)}, want: merge.ErrCounted},
		"all bad": {inputs: []formats.Input{input("a", ""), input("b", "")},
			o: formats.ImportOptions{SkipBad: true}, want: formats.ErrNone},
		"one empty": {inputs: []formats.Input{input("a", firstRun), input("b", "")}, want: formats.ErrEmpty},
		"no input":  {want: formats.ErrNone},
		"runs of two inputs": {inputs: []formats.Input{input("a", jamaicaText+jamaicaText), input("b", jamaicaText)},
			o: formats.ImportOptions{Importers: []codec.Importer{&jamaica.Importer{Runs: true}}}, want: formats.ErrMixed},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := formats.Import(t.Context(), c.inputs, c.o); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
	_, data := requireImport(t, formats.ImportOptions{}, input("a", firstRun))
	if _, err := formats.Import(t.Context(), []formats.Input{{Name: "a", Reader: bytes.NewReader(data)}},
		formats.ImportOptions{}); !errors.Is(err, formats.ErrArchive) {
		t.Errorf("of an archive: %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	in, _ := requireImport(t, formats.ImportOptions{}, input("a", firstRun))
	store, err := in.Builder.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	_, importErr := formats.Import(t.Context(), []formats.Input{input("a", firstRun)},
		formats.ImportOptions{Importers: []codec.Importer{&llvm.Importer{Release: 3}}})
	_, exportErr := formats.Export(t.Context(), io.Discard, store, &llvm.IndexedExporter{Version: 3})
	got := []string{importErr.Error(), exportErr.Error()}
	want := []string{"llvm-release 3: it is 12 or higher, as 22", "profdata-version 3: use 4 to 13"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var option *formats.OptionError
	if !errors.As(exportErr, &option) || option.Option != "profdata-version" {
		t.Errorf("no OptionError: %v", exportErr)
	}
}

func TestRunsAreKeptApart(t *testing.T) {
	t.Parallel()
	o := formats.ImportOptions{Importers: []codec.Importer{&jamaica.Importer{Runs: true}}}
	in, _ := requireImport(t, o, input("a", jamaicaText+jamaicaText))
	if len(in.Runs) != 2 || in.Builder != in.Runs[0] {
		t.Errorf("%d runs", len(in.Runs))
	}
}

// TestEveryOptionIsDeclared: options have a name and a help text, formats that
// share a name share its meaning, and setting works.
func TestEveryOptionIsDeclared(t *testing.T) {
	t.Parallel()
	var options [][]codec.Option
	for _, i := range formats.Importers() {
		options = append(options, i.Format().Options)
	}
	for _, e := range formats.Exporters() {
		options = append(options, e.Format().Options)
	}
	text := map[string]string{"bool": "true", "int": "12", "string": "x", "stringArray": "x"}
	usage := map[string]string{}
	for _, o := range slices.Concat(options...) {
		if o.Name == "" || o.Usage == "" {
			t.Errorf("%+v", o)
		}
		if before, ok := usage[o.Name]; ok && before != o.Usage {
			t.Errorf("%s means %q and %q", o.Name, before, o.Usage)
		}
		usage[o.Name] = o.Usage
		if err := o.Value.Set(text[o.Value.Type()]); err != nil || o.Value.String() != text[o.Value.Type()] {
			t.Errorf("%s of type %s, set: %q, %v", o.Name, o.Value.Type(), o.Value, err)
		}
	}
}

// A wordCounter is a format of a program's own: a name and a number a line.
type wordCounter struct{}

func (wordCounter) Format() codec.Format { return codec.Format{Name: "words"} }

func (wordCounter) Detect(head []byte, _ bool) bool { return bytes.HasPrefix(head, []byte("words\n")) }

func (wordCounter) Import(in *codec.Input) (*codec.Report, error) {
	b := builder.New(layout.DomainGraal, in.Config)
	p := b.Profile(layout.Key{Name: "word"}, 0)
	p.Invocations(7)
	return &codec.Report{Dumps: []*builder.Builder{b}, Methods: 1, Totals: map[string]uint64{"invocations": 7}}, p.Done()
}

// A forgetfulImporter declares no totals.
type forgetfulImporter struct{ wordCounter }

func (i forgetfulImporter) Import(in *codec.Input) (*codec.Report, error) {
	r, err := i.wordCounter.Import(in)
	r.Totals = nil
	return r, err
}

// A wrongImporter declares totals that it does not record.
type wrongImporter struct{ wordCounter }

func (i wrongImporter) Import(in *codec.Input) (*codec.Report, error) {
	r, err := i.wordCounter.Import(in)
	r.Totals["invocations"]++
	return r, err
}

// A format cannot forget its totals, and a difference is found.
func TestForgottenTotals(t *testing.T) {
	t.Parallel()
	words := input("a", "words\nword 7\n")
	o := formats.ImportOptions{Importers: []codec.Importer{forgetfulImporter{}}}
	if _, err := formats.Import(t.Context(), []formats.Input{words}, o); err == nil {
		t.Error("an importer without totals is let through")
	}
	o.Importers[0] = wrongImporter{}
	in, err := formats.Import(t.Context(), []formats.Input{input("a", "words\nword 7\n")}, o)
	if err != nil {
		t.Fatal(err)
	}
	_, report, err := in.Builder.Bytes()
	want := []ledger.Difference{{Unit: ledger.Invocations, Amount: 1}}
	if err != nil || !slices.Equal(report.Unaccounted, want) {
		t.Errorf("unaccounted %v, want %v; %v", report.Unaccounted, want, err)
	}
}

// A program can bring a format of its own.
func TestOwnImporter(t *testing.T) {
	t.Parallel()
	o := formats.ImportOptions{Importers: []codec.Importer{wordCounter{}}}
	own, _ := requireImport(t, o, input("a", "words\nword 7\n"))
	known, _ := requireImport(t, o, input("a", firstRun))
	if own.Format != "words" || known.Format != "llvm" {
		t.Errorf("formats %s and %s", own.Format, known.Format)
	}
}

// An export ends with its context.
func TestExportEndsWithItsContext(t *testing.T) {
	t.Parallel()
	in, _ := requireImport(t, formats.ImportOptions{}, input("a", firstRun))
	store, err := in.Builder.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := formats.Export(ctx, io.Discard, store, &llvm.TextExporter{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestDocumentationListsEveryFormat compares the table of the package comment with the registry.
func TestDocumentationListsEveryFormat(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var imported, exported []string
	_, table, _ := strings.Cut(string(source), "contents\n")
	for line := range strings.Lines(table) {
		row := strings.Fields(strings.TrimPrefix(line, "//"))
		if len(row) < 3 {
			break
		}
		const in, out = len("//	name        folder             "), len("//	name        folder             in   ")
		if strings.HasPrefix(line[in:], "yes") {
			imported = append(imported, row[0])
		}
		if strings.HasPrefix(line[out:], "yes") {
			exported = append(exported, row[0])
		}
	}
	same := cmpopts.SortSlices(func(a, b string) bool { return a < b })
	if diff := cmp.Diff(namesOf(formats.Importers()), imported, same); diff != "" {
		t.Error("importers:", diff)
	}
	if diff := cmp.Diff(namesOf(formats.Exporters()), exported, same); diff != "" {
		t.Error("exporters:", diff)
	}
}

// namesOf returns the names of the formats of importers or exporters.
func namesOf[F interface{ Format() codec.Format }](all []F) (names []string) {
	for _, f := range all {
		names = append(names, f.Format().Name)
	}
	return names
}
