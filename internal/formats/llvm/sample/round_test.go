package sample

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// imported imports a file.
func imported(t testing.TB, file []byte) *builder.Builder {
	t.Helper()
	report, err := (&Importer{}).Import(&codec.Input{Reader: bytes.NewReader(file), Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return report.Dumps[0]
}

// opened opens what a builder has as an archive.
func opened(t testing.TB, b *builder.Builder) *reader.Store {
	t.Helper()
	store, err := b.Open("test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// mergedWith opens the sum of two files, the second one with a weight.
func mergedWith(t testing.TB, a, b []byte, weight layout.Weight) *reader.Store {
	t.Helper()
	sum := builder.New(layout.DomainSampled, builder.Config{})
	for i, file := range [][]byte{a, b} {
		run := merge.Run{}
		if i > 0 {
			run.Weight = weight * layout.WeightOne
		}
		if err := merge.Into(t.Context(), sum, opened(t, imported(t, file)), run); err != nil {
			t.Fatal(err)
		}
	}
	return opened(t, sum)
}

// exported returns what an exporter writes. It loses what is listed.
func exported(t testing.TB, s *reader.Store, e codec.Exporter, lost ...codec.LossKind) []byte {
	t.Helper()
	return written(t, func(w io.Writer) error {
		report, err := e.Export(w, s)
		same := func(l codec.Loss, kind codec.LossKind) bool { return l.What == kind }
		if err == nil && !slices.EqualFunc(report.Lost, lost, same) {
			t.Errorf("lost %v, want %v", report.Lost, lost)
		}
		return err
	})
}

// An archive gives back the text that it was imported from, and the extensible profile.
func TestArchivesGiveProfilesBack(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		p := generated(seed, 1+int(seed), seed%3 == 1, seed%3 == 2)
		p.Symbols = []string{"main", "never"}
		p.FlowStages = seed%2 == 0
		want := written(t, func(w io.Writer) error { return Extensible{}.Write(w, p) })
		if got := exported(t, opened(t, imported(t, want)), ExtensibleExporter()); !bytes.Equal(got, want) {
			t.Errorf("seed %d: the extensible profile differs", seed)
		}
		want = written(t, p.WriteText)
		if got := exported(t, opened(t, imported(t, want)), TextExporter()); !bytes.Equal(got, want) {
			t.Errorf("seed %d: got\n%s\nwant\n%s", seed, got, want)
		}
	}
}

// Names that look like GUIDs, and the highest numbers, come back.
func TestOddProfilesComeBack(t *testing.T) {
	t.Parallel()
	p := &Profile{Functions: []*Function{
		{Name: nameOfText("#0123456789abcdef"), Total: math.MaxUint64, Head: 1},
		{Name: nameOfText("##"), Total: 7,
			Lines: []Line{{Location{0, 0}, 0, nil}, {Location{65535, math.MaxUint32}, 3, nil}}},
		{Name: "", Total: 3},
	}}
	p.sort()
	want := written(t, p.WriteBinary)
	if got := exported(t, opened(t, imported(t, want)), BinaryExporter()); !bytes.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	guids := written(t, func(w io.Writer) error { return Extensible{GUIDs: true}.Write(w, p) })
	if got := exported(t, opened(t, imported(t, guids)), ExtensibleExporter()); !bytes.Equal(got, guids) {
		t.Error("a profile of GUIDs differs")
	}
}

// Comments and empty lines may stand anywhere, also where the format is recognized.
func TestCommentsStandAnywhere(t *testing.T) {
	t.Parallel()
	text := []byte("# of a run\n\nmain:10:1\n# of main\n \n 2: 3\n  # of line 3\n 3: 4\n")
	if !new(Importer).Detect(text, true) {
		t.Error("the text is not recognized")
	}
	if got := exported(t, opened(t, imported(t, text)), TextExporter()); string(got) != "main:10:1\n 2: 3\n 3: 4\n" {
		t.Errorf("got %q", got)
	}
}

// Texts with a mistake are refused, with the line.
func TestMistakesInTextsAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "test: not", " 1: 2\n": "test: line 1:", "main:1\n": "test: line 1:", "main:x:1\n": "test: line 1:",
		"main:1:1\n 65536: 1\n": "test: line 2:", "main:1:1\n 1: \n": "test: line 2:",
		"main:1:1\n 1: 2 foo\n": "test: line 2:", "main:1:1\n 1: foo:x\n": "test: line 2:",
		"main:1:1\n !Attributes: x\n": "test: line 2:", "main:1:1\n !CFGChecksum: 1\n 2: 3\n": "test: line 3:",
		"main:1:1\n[main:3 @ foo]:1:1\n": "test: line 2:", "a\x00:1:1\n": "test: line 1:",
		"main:1:1\n 1: 5foo:9\n": "test: line 2:", "main:1:1\n 1: 18446744073709551616 foo:9\n": "test: line 2:",
		"[main:3 @ foo:1:1\n": "test: line 1:", "main:1:1\n 1:100\n": "test: line 2:",
	} {
		_, err := Read(bytes.NewReader([]byte(text)), "test")
		if err == nil || !bytes.HasPrefix([]byte(err.Error()), []byte(want)) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A line in a context has any 32 bits, and an inlined function can have a GUID for a name, as LLVM writes them.
func TestNumbersOfTextsComeBack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"[main:70000 @ foo:65536.2 @ bar]:3:1\n",
		"main:3:1\n 1: 12345678901234567890:2\n  4: 2\n"} {
		if got := written(t, parsed(t, []byte(text)).WriteText); string(got) != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
	if text := "main:3:1\n !CFGChecksum:7\n"; !new(Importer).Detect([]byte(text), true) {
		t.Errorf("not recognized: %s", text)
	}
}

// withSections returns an extensible profile of sections.
func withSections(sections ...section) []byte {
	w := sectionWriter{binaryWriter: &binaryWriter{}}
	w.uleb(magicBase|kindExtended, formatVersion)
	w.uint64s(uint64(len(sections)))
	at := uint64(len(w.out) + 4*8*len(sections))
	for _, s := range sections {
		w.uint64s(s.kind, s.flags, at, uint64(len(s.data)))
		at += uint64(len(s.data))
	}
	for _, s := range sections {
		w.out = append(w.out, s.data...)
	}
	return w.out
}

// The sections of an extensible profile are read in the order of its table, and a second table of names replaces the
// first. A section with data after its content is malformed, as in LLVM.
func TestSectionsAreReadInOrder(t *testing.T) {
	t.Parallel()
	names := section{kind: sectionNames, data: []byte("\x02main\x00foo\x00")}
	other := section{kind: sectionNames, data: []byte("\x01bar\x00")}
	guid := section{kind: sectionNames, flags: flagFixedGUIDs, data: []byte("\x01\x07\x00\x00\x00\x00\x00\x00\x00")}
	head := func(name byte) section { return section{kind: sectionFunctions, data: []byte{9, name, 9, 0, 0}} }
	long := section{kind: sectionNames, data: append(bytes.Clone(names.data), 0)}
	summary := section{kind: sectionSummary, data: []byte{0, 0, 0, 0, 0, 0}}
	summaryAndMore := section{kind: sectionSummary, data: append(bytes.Clone(summary.data), 0)}
	unknown := section{kind: 99, data: []byte("what")}
	for i, c := range []struct {
		sections []section
		want     string
	}{
		{[]section{names, head(1)}, "foo:9:9\n"},
		{[]section{summary, {kind: sectionNames}, unknown, names, head(1)}, "foo:9:9\n"},
		{[]section{names, head(1), other, head(0)}, "bar:9:9\nfoo:9:9\n"},
		{[]section{guid, head(0), names, head(0)}, "7:9:9\nmain:9:9\n"},
		{[]section{guid, head(0)}, "7:9:9\n"},
		{[]section{names, other, head(1)}, ""},
		{[]section{head(1), names}, ""},
		{[]section{long, head(1)}, ""},
		{[]section{summaryAndMore, names, head(1)}, ""},
	} {
		file := withSections(c.sections...)
		p, err := Read(bytes.NewReader(file), "test")
		var got string
		if err == nil {
			got = string(written(t, p.WriteText))
		} else if !errors.Is(err, ErrMalformed) {
			t.Errorf("case %d: %v", i, err)
		}
		if got != c.want {
			t.Errorf("case %d: got %q, want %q", i, got, c.want)
		}
	}
}

// The classes of objects at virtual calls are left out and counted, in texts and in functions of binary profiles.
func TestTypesAtVirtualCallsAreLost(t *testing.T) {
	t.Parallel()
	want := "main:9:1\n 1: 9 foo:9\n"
	text := want + " 1: vtables _ZTV1A:6 _ZTV1B:3\n 2: <vt-call> _ZTV1A:1\n"
	report, err := (&Importer{}).Import(&codec.Input{Reader: strings.NewReader(text), Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Lost.Count(LossTypes); got != 2 {
		t.Errorf("lost %d lines, want 2", got)
	}
	if got := exported(t, opened(t, report.Dumps[0]), TextExporter()); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r := binaryReader{cursor: newCursor([]byte{1, 0, 9, 1, 1, 0, 9, 1, 1, 9, 0, 1, 1, 0, 2, 2, 6, 3, 3}, 0),
		profile: &Profile{}, names: []string{"main", "foo", "_ZTV1A", "_ZTV1B"}, types: true}
	r.readFunctions()
	if got := written(t, r.profile.WriteText); string(got) != want || r.err != nil || r.profile.types != 1 {
		t.Errorf("got %s with %d lines of classes, %v", got, r.profile.types, r.err)
	}
}

// A merge of a profile of GUIDs with one of names has each function once, by its name.
func TestGUIDsAndNamesMeetInAMerge(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"main:9:4\n 1: 3 foo:2\n 70000.2: 1\n 2: foo:5\n  1: 5 rest:5\n": "" +
			"main:27:12\n 1: 9 foo:6\n 70000.2: 3\n 2: foo:15\n  1: 15 rest:15\n",
		"[main:1 @ foo]:9:4\n 1: 3 main:2\n[main]:3:3\n 1: 3\n": "[main:1 @ foo]:27:12\n 1: 9 main:6\n[main]:9:9\n 1: 9\n",
	} {
		names := []byte(text)
		guids := written(t, func(w io.Writer) error { return Extensible{GUIDs: true}.Write(w, parsed(t, names)) })
		for _, files := range [][2][]byte{{names, guids}, {guids, names}} {
			if got := exported(t, mergedWith(t, files[0], files[1], 2), TextExporter()); string(got) != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
}

// Two versions of a function, with different checksums, cannot both be written: the one with more samples is.
func TestTheVersionWithMoreSamplesIsExported(t *testing.T) {
	t.Parallel()
	store := mergedWith(t, []byte("main:9:9\n 1: 9\n !CFGChecksum: 2\n"),
		[]byte("main:5:5\n 1: 5\n !CFGChecksum: 1\n"), 1)
	var out bytes.Buffer
	report, err := TextExporter().Export(&out, store)
	if err != nil {
		t.Fatal(err)
	}
	if want := "main:9:9\n 1: 9\n !CFGChecksum: 2\n"; out.String() != want {
		t.Errorf("got %s, want %s", &out, want)
	}
	for _, lost := range report.Lost {
		if lost.What != LossChecksum || lost.Amount != 5 {
			t.Errorf("lost %v", lost)
		}
	}
	if report.Lost.Count(LossChecksum) != len(writtenUnits) {
		t.Errorf("lost %v", report.Lost)
	}
}

// No bytes make the reader fail otherwise than with an error, and what it reads is written and read again as the same.
func FuzzRead(f *testing.F) {
	for seed := range uint64(3) {
		p := generated(seed, 4, seed == 1, seed == 2)
		for _, form := range forms {
			if form.name != "binary" || seed == 0 {
				f.Add(written(f, func(w io.Writer) error { return form.write(p, w) }))
			}
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := Read(bytes.NewReader(file), "test")
		if err != nil {
			return
		}
		again := written(t, func(w io.Writer) error { return Extensible{}.Write(w, p) })
		second := written(t, func(w io.Writer) error { return Extensible{}.Write(w, parsed(t, again)) })
		if !bytes.Equal(again, second) {
			t.Errorf("written %q, then %q", again, second)
		}
	})
}
