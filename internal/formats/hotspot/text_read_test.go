package hotspot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// A text that is cut anywhere but in its last line end, or after it, is a typed error that names the place.
func TestCutText(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	for _, name := range []string{"jdk17.txt", "jdk25.txt", "log.xml"} {
		t.Run(name, func(t *testing.T) {
			text := testdata(t, name)
			const last = " bytes\n"
			end := strings.LastIndex(text, last) + len(last) - 1
			whole, _, _ := read(t, text, TextOptions{})
			for n := range len(text) {
				b, _, err := ReadText(strings.NewReader(text[:n]), TextOptions{Name: name})
				if n >= end {
					if err != nil {
						t.Fatalf("%s cut after its end, at %d: %v", name, n, err)
					}
					if data, _, err := b.Bytes(); err != nil || !bytes.Equal(data, whole) {
						t.Fatalf("%s cut after its end, at %d: another archive, %v", name, n, err)
					}
					continue
				}
				var e *TextError
				if !errors.As(err, &e) || e.Name != name {
					t.Fatalf("%s cut at %d: %v", name, n, err)
				}
				if !errors.Is(err, ErrTextCut) && !errors.Is(err, ErrNoMethodData) {
					t.Fatalf("%s cut at %d is not reported as cut: %v", name, n, err)
				}
				if errors.Is(err, ErrTextCut) && (e.Line == 0 || e.Offset > int64(n)) ||
					e.Line > 0 && e.Line != 1+strings.Count(text[:e.Offset], "\n") && e.Offset < int64(n) {
					t.Fatalf("%s cut at %d: wrong place: %v", name, n, err)
				}
			}
		})
	}
}

func TestTextWithoutMethodData(t *testing.T) {
	for _, text := range []string{"", "hello\n", strings.Repeat("-", 72) + "\nTotal MDO size: many bytes\n",
		strings.Repeat("x", 3*maxLine)} {
		_, _, err := ReadText(strings.NewReader(text), TextOptions{})
		if !errors.Is(err, ErrNoMethodData) {
			t.Errorf("%.20q: %v", text, err)
		}
		if Detect([]byte(text)) {
			t.Errorf("%.20q is taken for method data", text)
		}
	}
}

// One output may hold the dumps of several VMs; one that interpreted nothing for long prints a total alone.
func TestEmptyDumpInFront(t *testing.T) {
	empty := string(rule) + "\nTotal MDO size: 0 bytes\n"
	text := testdata(t, "jdk17.txt")
	want, _, _ := read(t, text, TextOptions{})
	if got, _, _ := read(t, empty+text, TextOptions{}); !bytes.Equal(want, got) {
		t.Error("a dump without methods hides the one after it")
	}
	if _, report, err := ReadText(strings.NewReader(empty), TextOptions{}); err != nil || report.Methods != 0 {
		t.Errorf("a dump without methods: %v", err)
	}
}

// The VM prints how large all method data is, after the last method.
func TestTextWithoutItsBeginning(t *testing.T) {
	text := testdata(t, "jdk25.txt")
	_, whole, _ := ReadText(strings.NewReader(text), TextOptions{})
	second := strings.LastIndex(text[:strings.LastIndex(text, string(rule))], string(rule))
	_, report, err := ReadText(strings.NewReader(text[second:]), TextOptions{})
	if err != nil || report.Methods != whole.Methods-1 || report.Lost.Count(LossFront) == 0 ||
		whole.Lost.Count(LossFront) != 0 {
		t.Errorf("%d of %d methods, lost %v, %v", report.Methods, whole.Methods, report.Lost, err)
	}
}

func TestDumpBehindOneThatWasCut(t *testing.T) {
	text := testdata(t, "jdk25.txt")
	cut := text[:strings.LastIndex(text[:strings.LastIndex(text, string(rule))], string(rule))]
	_, report, err := ReadText(strings.NewReader(cut+text), TextOptions{})
	if err != nil || report.Lost.Count(LossMixed) == 0 {
		t.Errorf("lost %v, %v", report.Lost, err)
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, n := range []int{0, 100, 2000} {
		r := io.MultiReader(strings.NewReader(testdata(t, "jdk17.txt")[:n]), iotest.ErrReader(broken))
		if _, _, err := ReadText(r, TextOptions{}); !errors.Is(err, broken) {
			t.Errorf("broken at %d: %v", n, err)
		}
	}
}

// Output of the program may be of any length before the text.
func TestLongLineBeforeRule(t *testing.T) {
	text := testdata(t, "jdk25.txt")
	want, _, _ := read(t, text, TextOptions{})
	got, _, _ := read(t, strings.Repeat("x", 3*maxLine)+text, TextOptions{})
	if !bytes.Equal(want, got) {
		t.Error("a long line before the first rule changes the archive")
	}
}

func TestCarriageReturns(t *testing.T) {
	text := testdata(t, "jdk17.txt")
	want, _, _ := read(t, text, TextOptions{})
	got, _, _ := read(t, strings.ReplaceAll(text, "\n", "\r\n"), TextOptions{})
	if !bytes.Equal(want, got) {
		t.Error("line ends of Windows change the archive")
	}
}

// What does not fit where it must is an error that names line, column and what was expected.
func TestSyntaxErrors(t *testing.T) {
	text := testdata(t, "jdk17.txt")
	for _, c := range []struct{ old, new, expected string }{
		{"invocation_counter:                 60406", "invocation_counter:                 6o406", "the end of the line"},
		{"mdo size: 1128 bytes", "mdo size: 1128", `" bytes"`},
		{"mdo size: 1128 bytes", "mdo size: 4294967296 bytes", "a number of 32 bits"},
		{"count(60150)", "cnt(60150)", `"count("`},
		{"count(60150)", "count(99999999999999999999)", "a number of 64 bits"},
		{"count(60150)", "count(60150) more", "the end of the line"},
		{"not taken(602)", "taken(602)", `"` + indent + `not taken("`},
		{"displacement(-48)", "displacement(--48)", "a number"},
		{"entries(2)", "entries(3)", `"` + indent + `"`},
		{"entries(2)", "entries(65)", "a number of at most 64"},
		{"'zoo/Cat'(42105", "zoo/Cat(42105", "a type like"},
		{"'zoo/Cat'(42105", "''(42105", "a type like"},
		{"{type array byte}", "{type array bit}", "a type like"},
		{"trap(many)", "trap(Many!)", "the reason of a trap"},
		{"flags(1)", "flags(256)", "a number of 8 bits"},
		{"bci(7:", "bci(x:", "a number"},
		{"stack(3)", "stack(x)", "a number"},
		{"displacement(-120)", "displacement(-120", `")"`},
	} {
		t.Run(c.new, func(t *testing.T) {
			bad := strings.Replace(text, c.old, c.new, 1)
			_, _, err := ReadText(strings.NewReader(bad), TextOptions{Name: "bad.txt"})
			var e *TextError
			if !errors.As(err, &e) || !errors.Is(err, ErrTextSyntax) || !strings.Contains(e.Expected, c.expected) {
				t.Errorf("%q for %q: %v", c.new, c.old, err)
				return
			}
			line := strings.Split(bad, "\n")[e.Line-1]
			if !strings.HasPrefix(bad[e.Offset:], line) ||
				!strings.HasPrefix(err.Error(), fmt.Sprintf("bad.txt: line %d, column %d: ", e.Line, e.Column)) {
				t.Errorf("%q for %q: wrong place: %v", c.new, c.old, err)
			}
		})
	}
}

// What cannot be kept is counted, with the line where it happened first.
func TestLosses(t *testing.T) {
	text := testdata(t, "jdk17.txt")
	at := func(mark string) int { return 1 + strings.Count(text[:strings.Index(text, mark)], "\n") }
	for _, c := range []struct {
		old, new string
		what     codec.LossKind
		line     int
	}{
		{"trap(null_check)", "trap(null_chuck)", LossUnknownReason, at("trap(null_check)")},
		{"RetData  ", "MadeUpData", LossUnknownKind, at("RetData")},
		{"  128 bci: 70", "  136 bci: 70", LossOffset, at("  128 bci")},
		{"  520 bci: 152", "  528 bci: 152", LossOffset, at("  520 bci")},
		{"bye\n", text[strings.Index(text, "sum = 42"):], LossLaterDump, at("bye")},
	} {
		_, _, report := read(t, strings.Replace(text, c.old, c.new, 1), TextOptions{})
		i := -1
		for j, l := range report.Lost {
			if l.What == c.what {
				i = j
			}
		}
		if i < 0 || report.Lost[i].Line != c.line {
			t.Errorf("%q for %.20q: no %q at line %d: %+v", c.old, c.new, c.what, c.line, report.Lost)
		}
	}
}

// The number of rows is read off the distances between entries.
func TestShape(t *testing.T) {
	const method = "%s\na.A::m()V\n  interpreter_invocation_count: 1\n  invocation_counter: 1\n  backedge_counter: 0\n" +
		"  decompile_count: 0\n  mdo size: 8 bytes\n\n%s%s\nTotal MDO size: 8 bytes\n"
	dashes := strings.Repeat("-", 72)
	for _, want := range []disk.Shape{{TypeRows: 2, BciRows: 2}, {TypeRows: 0, BciRows: 2},
		{TypeRows: 8, BciRows: 2, Gap: 1},
		{TypeRows: 2, BciRows: 5}, {TypeRows: 64, BciRows: 64, Gap: 1}} {
		gap, dp := "", 0
		if want.Gap > 0 {
			gap = "nonprofiled_count(0) "
		}
		entries := fmt.Sprintf("  %-4dbci: 1    VirtualCallData     count(0) %sentries(0)\n", dp, gap)
		dp += 8 + 8*want.Cells(layout.TagVirtualCall, 0)
		entries += fmt.Sprintf("  %-4dbci: 4    RetData             count(0) entries(0)\n", dp)
		dp += 8 + 8*want.Cells(layout.TagRet, 0)
		entries += fmt.Sprintf("  %-4dbci: 9    CounterData         count(0)\n", dp)
		_, _, report := read(t, fmt.Sprintf(method, dashes, entries, dashes), TextOptions{})
		params := paramsOf(report)
		diff := cmp.Diff(want, disk.ShapeOfParams(&params))
		if diff != "" || hasOtherLoss(report.Lost, parse.LossCodeIDs) {
			t.Errorf("%+v: %s %+v", want, diff, report.Lost)
		}
	}
}

// Only the order itself depends on the order of the methods.
func TestMethodOrder(t *testing.T) {
	full.Only(t, "takes many inputs")
	texts := map[string]string{"jdk25.txt": testdata(t, "jdk25.txt")}
	for _, name := range []string{"live17", "live25"} {
		if text, ok := recorded(t, name); ok {
			texts[name] = text
		}
	}
	for name, text := range texts {
		dashes := strings.Repeat("-", 72) + "\n"
		text = profileLines(text)
		methods := strings.Split(text, dashes)[1:]
		total := methods[len(methods)-1]
		methods = methods[:len(methods)-1]
		want, _, _ := read(t, text, TextOptions{Unordered: true})
		ordered, _, _ := read(t, text, TextOptions{})
		for seed := range uint64(4) {
			rand.New(rand.NewPCG(seed, 1)).Shuffle(len(methods),
				func(i, j int) { methods[i], methods[j] = methods[j], methods[i] })
			shuffled := dashes + strings.Join(methods, dashes) + dashes + total
			got, _, _ := read(t, shuffled, TextOptions{Unordered: true})
			if !bytes.Equal(want, got) {
				t.Errorf("%s: another order of the methods makes another archive", name)
			}
		}
		if bytes.Equal(want, ordered) {
			t.Errorf("%s: the order is not kept", name)
		}
	}
}

// Hidden classes are called by their host and rank, not by their address.
func TestHiddenClasses(t *testing.T) {
	text := testdata(t, "jdk17.txt")
	data, _, _ := read(t, text, TextOptions{})
	s := open(t, data)
	for name, alias := range map[string]string{
		"zoo/Vet$$Lambda@zoo/Vet#0": "zoo/Vet$$Lambda$7+0x00000000dead0010",
		"zoo/Vet$$Lambda@zoo/Vet#1": "zoo/Vet$$Lambda$12+0x00000000dead0008",
	} {
		typ, err := s.FindType(name, "")
		if err != nil {
			t.Fatal(err)
		}
		flags, _ := typ.Flags()
		if a, _ := typ.Alias(); a.String() != alias || flags != layout.TypeHidden|layout.TypeNotMatchable {
			t.Errorf("%s: alias %s, flags %d", name, a, flags)
		}
		m, err := s.Find(layout.Key{Class: name, Name: "see", Signature: "(Lzoo/Animal;)V"})
		if err != nil || m.Flags()&layout.MethodNotMatchable == 0 {
			t.Errorf("method of %s: flags %d, %v", name, m.Flags(), err)
		}
	}
	elsewhere, _, _ := read(t, strings.NewReplacer("dead0010", "beef0100", "dead0008", "beef0200").Replace(text),
		TextOptions{})
	again := open(t, elsewhere)
	for m, err := range s.Methods() {
		k, keyErr := m.Key()
		if err != nil || keyErr != nil {
			t.Fatal(err, keyErr)
		}
		if _, err := again.Find(k); err != nil {
			t.Errorf("%v has another key at other addresses: %v", k, err)
		}
	}
}

// Methods that the text has twice are all kept, of hidden classes too.
func TestTwins(t *testing.T) {
	text := testdata(t, "jdk25.txt")
	twice := strings.Replace(text, "zoo.Keeper::stay()V", "zoo.Vet$$Lambda/0x00000000350ed3a8::see(Lzoo/Animal;)V", 1)
	report := checkText(t, twice)
	if report.Lost.Count(LossLoader) != 1 {
		t.Errorf("report: %+v", report)
	}
	data, _, _ := read(t, twice, TextOptions{})
	m, err := open(t, data).Find(layout.Key{Class: "zoo/Vet$$Lambda@zoo/Vet#1", Name: "see", Signature: "(Lzoo/Animal;)V",
		Loader: "text#2"})
	if err != nil || m.Flags()&layout.MethodNotMatchable == 0 {
		t.Errorf("the second: flags %d, %v", m.Flags(), err)
	}
}

// The archive has the text's entries, one by one.
func TestValues(t *testing.T) {
	data, _, _ := read(t, testdata(t, "jdk17.txt"), TextOptions{})
	s := open(t, data)
	m, err := s.Find(layout.Key{Class: "zoo/Keeper", Name: "feed", Signature: "([Lzoo/Animal;Ljava/lang/Object;I)I"})
	if err != nil {
		t.Fatal(err)
	}
	if m.Access() != disk.AccStatic|disk.AccFinal {
		t.Errorf("access flags 0x%x", m.Access())
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := p.Backedges(); !ok || c.Load() != 1<<31 {
		t.Errorf("backedges %d", c.Load())
	}
	e, _ := p.At(70)
	r, ok := e.Receivers()
	if !ok || int64(r.Other().Load()) != -12030 || e.Flags()&layout.EntryNullSeen == 0 {
		t.Errorf("instanceof: count %d", int64(r.Other().Load()))
	}
	e, _ = p.At(32)
	if e.Traps() != disk.EntryTrapMany {
		t.Errorf("traps 0x%x", e.Traps())
	}
	e, _ = p.At(17)
	if e.Traps() != 6|layout.EntryTrapRecompiled {
		t.Errorf("traps 0x%x", e.Traps())
	}
	var extra []string
	for e := range p.Section(disk.SectionExtra) {
		extra = append(extra, fmt.Sprint(e.Tag(), " ", e.Point(), " ", e.Offset()))
	}
	want := []string{"SpeculativeTrap 32 0", "Bit 152 16", "SpeculativeTrap 32 24", "Bit 151 40"}
	if diff := cmp.Diff(want, extra); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"[Lzoo/Animal;", "[[Lzoo/Cat;", "[B", "[[I", "zoo/Größe"} {
		if _, err := s.FindType(name, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Find(layout.Key{Class: "zoo/Größe", Name: "égal(2)", Signature: "(J)V"}); err != nil {
		t.Error(err)
	}
}
