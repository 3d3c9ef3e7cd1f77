package replay

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/formats/hotspot"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/parse"
	"github.com/profarc/profarc/layout"
)

var ownFiles = []string{"v0.log", "v0-kinds.log", "v0-hidden.log", "v2.log", "v2-kinds.log", "v2-hidden.log"}

func TestOwnFiles(t *testing.T) {
	for _, name := range ownFiles {
		text := testdata(t, name)
		r := checkFile(t, name, text)
		if got, want := r.Methods, strings.Count(text, "\n"+kindData+" "); got != want || r.Entries == 0 {
			t.Errorf("%s: %d methods of %d, %d entries", name, got, want, r.Entries)
		}
		if want := map[bool]disk.Shape{true: {TypeRows: 2, BciRows: 2, Gap: 1}, false: {TypeRows: 2, BciRows: 2}}[name[:2] == "v0"]; disk.ShapeOf(&r.Params) != want {
			t.Errorf("%s: shape %+v", name, disk.ShapeOf(&r.Params))
		}
		if again, _ := read(t, strings.ReplaceAll(text, "\n", "\r\n"), ReadOptions{}); !bytes.Equal(again, func() []byte { d, _ := read(t, text, ReadOptions{}); return d }()) {
			t.Errorf("%s: another archive with other ends of lines", name)
		}
	}
}

// A file that is cut off anywhere is refused.
func TestCut(t *testing.T) {
	for _, name := range ownFiles {
		text := testdata(t, name)
		for n := range len(text) {
			_, _, err := Read(strings.NewReader(text[:n]), ReadOptions{Name: name})
			if !errors.Is(err, ErrCut) && !(n < len("JvmtiExport c") && errors.Is(err, ErrNoReplay)) {
				t.Fatalf("%s cut to %d bytes: %v", name, n, err)
			}
		}
	}
}

// What a VM does not write is refused, with the place.
func TestSyntaxErrors(t *testing.T) {
	text := testdata(t, "v2.log")
	for _, c := range []struct {
		old, new, expected string
		want               error
	}{
		{"version 2", "version 3", "", ErrVersion},
		{"version 2", "# nothing\nverzion 2", "", ErrNoReplay},
		{"JvmtiExport can_post_on_exceptions 0", "JvmtiExport can_post_on_exceptions 2", "0 or 1", ErrSyntax},
		{"JvmtiExport can_post_on_exceptions 0", "JvmtiExport can_post_on_exceptions 0 0", "the end of the line", ErrSyntax},
		{"JvmtiExport can_post_on_exceptions 0", "version 2", "before everything", ErrSyntax},
		{"# ", "? ", "a kind of line", ErrSyntax},
		{"ciInstanceKlass Shapes$Shape 1 0 14", "ciInstanceKlass Shapes$Shape 1 0 13", "the end of the line", ErrSyntax},
		{"ciInstanceKlass Shapes$Shape 1 0 14", "ciInstanceKlass Shapes$Shape 1 0 15", "a tag", ErrSyntax},
		{"ciInstanceKlass Shapes$Shape 1 0 14", "ciInstanceKlass Shapes$Shape 1 0 0", "the length of a constant pool", ErrSyntax},
		{"ciInstanceKlass Shapes$Shape 1 0 14 100", "ciInstanceKlass Shapes$Shape 1 0 14 256", "a tag", ErrSyntax},
		{"instanceKlass Shapes\n", "instanceKlass @bci Shapes main\n", `";"`, ErrSyntax},
		{"instanceKlass Shapes\n", "instanceKlass \"Shapes\n", "a class", ErrSyntax},
		{"instanceKlass Shapes\n", "instanceKlass \"\"\n", "a class", ErrSyntax},
		{"ciMethod Shapes rare (I)I 0 0 1 0 -1", "ciMethod Shapes rare (I)I 0 0 1 -1", "the size of the instructions", ErrSyntax},
		{" 2 5120 orig 80", " 3 5120 orig 80", "the state", ErrSyntax},
		{" orig 80", " orgi 80", `"orig"`, ErrSyntax},
		{" orig 80", " orig 79", `"data"`, ErrSyntax},
		{" orig 80", " orig 81", "a byte", ErrSyntax},
		{" orig 80", " orig 99999999", "the number of bytes", ErrSyntax},
		{" data 22 ", " data 21 ", `"oops"`, ErrSyntax},
		{" 0x30007 ", " 30007 ", "in hexadecimal", ErrSyntax},
		{" 0x30007 ", " 0x30063 ", "unknown entry tag 99", ErrSyntax},
		{" 0x30007 ", " 0x3000c ", "profile entries; word 0", ErrSyntax},
		{" 0x9 0x2 ", " 0x9 0x3 ", "profile entries; word 18", ErrSyntax},
		{" 0x9 0x2 ", " 0x9 0x1 ", "word 21", ErrSyntax},
		{" 0x9 0x2 ", " 0x0 0x0 ", "", nil},
		{" oops 1 8 ", " oops 1 22 ", "the index of a word", ErrSyntax},
		{" oops 1 8 ", " oops 1 9 ", "no pointer", ErrSyntax},
		{" oops 1 8 ", " oops 2 8 X 8 ", "each once", ErrSyntax},
		{" methods 0\n", " methods 1 8 A b ()V\n", "each once", ErrSyntax},
		{" inline 2 ", " inline 3 ", "a depth", ErrSyntax},
		{" inline 2 ", " inline 1 ", "the end of the line", ErrSyntax},
		{"\ncompile ", "\ncompile Shapes hot ()V -1 4\ncompile ", "the end of the file", ErrSyntax},
	} {
		bad := strings.Replace(text, c.old, c.new, 1)
		if bad == text {
			t.Errorf("%q is not in the file", c.old)
		}
		_, _, err := Read(strings.NewReader(bad), ReadOptions{Name: "bad.log"})
		if c.want == nil {
			if err != nil {
				t.Errorf("%q for %q: %v", c.new, c.old, err)
			}
			continue
		}
		var e *hotspot.TextError
		if !errors.As(err, &e) || !errors.Is(err, c.want) || !strings.Contains(e.Expected, c.expected) {
			t.Errorf("%q for %q: %v", c.new, c.old, err)
			continue
		}
		if at := bad[e.Offset+int64(max(e.Column, 1)-1):]; e.Line != 1+strings.Count(bad[:e.Offset], "\n") || !strings.HasPrefix(at, strings.TrimSuffix(e.Found, "...")) {
			t.Errorf("%q for %q: wrong place: %v", c.new, c.old, err)
		}
		place := fmt.Sprintf("bad.log: line %d: ", e.Line)
		if e.Column > 0 {
			place = fmt.Sprintf("bad.log: line %d, column %d: ", e.Line, e.Column)
		}
		if !strings.HasPrefix(err.Error(), place) {
			t.Errorf("%q for %q: %v", c.new, c.old, err)
		}
	}
}

func TestNotReplay(t *testing.T) {
	for _, text := range []string{"", "\n", "hello\n", "hello", "version 2\n", "# comment\n"} {
		if _, _, err := Read(strings.NewReader(text), ReadOptions{}); !errors.Is(err, ErrNoReplay) && !errors.Is(err, ErrCut) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "hello\n", "version\n", "# version 2\n", "compile\n", "{\n", "version 12\n"} {
		if Detect([]byte(text)) {
			t.Errorf("%q is taken for a replay file", text)
		}
	}
}

// line25 returns a whole file with the method data of one method, made of its words.
func line25(words string, references string) string {
	n := len(strings.Fields(words))
	return fmt.Sprintf("version 2\nciInstanceKlass A 1 1 1\nciMethod A m ()V 0 0 1 0 -1\nciMethodData A m ()V 2 7 orig 80%s data %d %s %s\ncompile A m ()V -1 4\n",
		strings.Repeat(" 0", 80), n, words, references)
}

// Where an entry stands decides which part it is of.
func TestParts(t *testing.T) {
	const none = "oops 0 methods 0"
	for _, c := range []struct {
		words, references string
		want              []string
	}{
		{"0x10001 0x20002 0x5 0x30001 0x9 0x0", none, []string{"data 1 Bit", "data 2 Counter", "extra 3 Bit", "extra 0 ArgInfo"}},
		{"0x30001 0x40001 0x0 0x9 0x0", none, []string{"extra 3 Bit", "extra 4 Bit", "extra 0 ArgInfo"}},
		{"0x20002 0x5 0x800000040003000d 0x8 0x30001 0x0 0x9 0x0", "oops 0 methods 1 3 B n (I)V",
			[]string{"data 2 Counter", "extra 3 SpeculativeTrap", "extra 3 Bit", "extra 0 ArgInfo"}},
		{"0x9 0x1 0x7 0xc 0x2 0x0 0x3 0x50201 0x60001", "oops 0 methods 0",
			[]string{"extra 0 ArgInfo", "parameters 0 ParametersType", "handlers 5 Bit", "handlers 6 Bit"}},
		{"0x9 0x0 0x50201", none, []string{"extra 0 ArgInfo", "handlers 5 Bit"}},
		{"0x20002 0x5", none, []string{"data 2 Counter"}},
		{"0x10006 0x3 0x7 0x3 0x18 0xffffffffffffffff 0x0 0xffffffffffffffff 0x0 0x9 0x0", none, []string{"data 1 Ret", "extra 0 ArgInfo"}},
	} {
		text := line25(c.words, c.references)
		data, report := read(t, text, ReadOptions{})
		m, err := open(t, data).Find(layout.Key{Class: "A", Name: "m", Signature: "()V"})
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := m.Profile(layout.CodeAny)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for section := layout.SectionData; section < layout.SectionDirectory; section++ {
			for e := range p.Section(section) {
				got = append(got, fmt.Sprint(section, " ", e.Point(), " ", e.Tag()))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || report.Entries != len(got) {
			t.Errorf("%s: %d entries\n%s", c.words, report.Entries, diff)
		}
		if r := mustParse(t, text); len(r.data[0].methods) == 0 {
			checkFile(t, c.words, text)
		}
	}
	for _, words := range []string{"0x0 0x20002 0x5", "0x9 0x0 0x0", "0x9 0x0 0x9 0x0", "0x0 0x30001", "0x9 0x0 0x30001 0xc 0x0", "0xd", "0x100000000"} {
		if _, _, err := Read(strings.NewReader(line25(words, none)), ReadOptions{}); !errors.Is(err, ErrSyntax) {
			t.Errorf("%s: %v", words, err)
		}
	}
}

// What the file says of a method as a whole is kept.
func TestMethodFields(t *testing.T) {
	header := "orig 80 1 0 0 0 2 0 0 0 3 0 0 0 9 9 9 9 0 5" + strings.Repeat(" 0", 62)
	text := "version 2\nciInstanceKlass A 1 1 1\nciMethod A m ()V 14 9 11 0 -1\nciMethod A n ()V 0 0 1 0 -1\n" +
		"ciMethodData A m ()V 1 7 " + header + " data 4 0x0 0x0 0x9 0x0 oops 0 methods 0\ncompile A m ()V -1 4\n"
	checkFile(t, "fields", text)
	data, _ := read(t, text, ReadOptions{})
	s := open(t, data)
	m, err := s.Find(layout.Key{Class: "A", Name: "m", Signature: "()V"})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	invocations, _ := p.Invocations()
	backedges, _ := p.Backedges()
	interpreted, _ := p.Interpreted()
	history, _ := p.History()
	compile, _ := p.Compile()
	_, size := p.Size()
	got := fmt.Sprint(invocations.Load(), backedges.Load(), interpreted.Load(), history, compile.State, size, p.TrapHistory()[:3])
	if want := fmt.Sprint(7, 4, 11, builder.History{Decompiles: 1, OverflowRecompiles: 2, OverflowTraps: 3}, 1, headSize25+4*8, []byte{0, 5, 0}); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if m, err := s.Find(layout.Key{Class: "A", Name: "n", Signature: "()V"}); err != nil || !m.Unexecuted() {
		t.Errorf("an unexecuted method: %v", err)
	}
}

// What cannot be kept is counted.
func TestReadLosses(t *testing.T) {
	for what, text := range map[codec.LossKind]string{
		LossHeader:  strings.Replace(line25("0x9 0x0", "oops 0 methods 0"), "orig 80 0", "orig 79", 1),
		LossUnnamed: line25("0x10005 0x0 0x7f00 0x5 0x0 0x0 0x9 0x0", "oops 0 methods 0"),
		LossOrder:   line25("0x50002 0x0 0x10002 0x0 0x9 0x0", "oops 0 methods 0"),
		LossFree:    strings.Replace(line25("0x0 0x9 0x0", "oops 0 methods 0"), "version 2", "version 1", 1),
		LossTwice:   strings.Replace(line25("0x9 0x0", "oops 0 methods 0"), "compile", strings.Split(line25("0x9 0x0", "oops 0 methods 0"), "\n")[3]+"\ncompile", 1),
	} {
		if _, r := read(t, text, ReadOptions{Shape: &disk.Shape{TypeRows: 2, BciRows: 2}}); r.Lost.Count(what) != 1 || len(r.Lost) != 1 || r.Lost[0].Line < 2 {
			t.Errorf("%q: %+v", what, r.Lost)
		}
	}
}

// Hidden classes are called as other formats call them, and are written as the
// file had them.
func TestHiddenClasses(t *testing.T) {
	for name, alias := range map[string]string{"v0-hidden.log": "Shapes$$Lambda$1+0x", "v2-hidden.log": "Shapes$$Lambda+0x"} {
		data, _ := read(t, testdata(t, name), ReadOptions{})
		typ, err := open(t, data).FindType("Shapes$$Lambda@Shapes#0", "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		flags, _ := typ.Flags()
		if a, _ := typ.Alias(); !strings.HasPrefix(a.String(), alias) || flags != layout.TypeHidden|layout.TypeNotMatchable {
			t.Errorf("%s: alias %s, flags %d", name, a, flags)
		}
	}
}

// Names are spelled so that the VM reads them back.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"plain": "plain", "größe": "größe", "with blank": `"with blank"`, "tab\t": `tab\u0009`, "@odd": `"@odd"`,
		"\U0001f600": "\xed\xa0\xbd\xed\xb8\x80",
	} {
		got := quote(name)
		if got != want {
			t.Errorf("%q is spelled %q", name, got)
		}
		c := cursor{Cursor: parse.Cursor{Line: []byte(got)}}
		if back := c.takeName("a name"); back != name || c.finish() != nil {
			t.Errorf("%q comes back as %q: %v", name, back, c.failure())
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range ownFiles {
		f.Add(testdata(f, name))
	}
	f.Add(line25("0x20002 0x5 0x800000040003000d 0x8 0x30001 0x0 0x9 0x0", "oops 0 methods 1 3 B n (I)V"))
	f.Fuzz(func(t *testing.T, text string) {
		b, _, err := Read(strings.NewReader(text), ReadOptions{})
		var e *hotspot.TextError
		if err != nil {
			if b == nil && !errors.As(err, &e) && !strings.Contains(err.Error(), "NUL") {
				t.Skip(err)
			}
			return
		}
		data, _, err := b.Bytes()
		if err != nil {
			return // limits of archives
		}
		s := open(t, data)
		r := mustParse(t, text)
		var out bytes.Buffer
		if _, err := Write(&out, s, WriteOptions{Method: compiled(s, r)}); err != nil {
			return
		}
		if back := mustParse(t, out.String()); back.compile.methodKey != r.compile.methodKey {
			t.Errorf("%v is compiled instead of %v", back.compile.methodKey, r.compile.methodKey)
		}
	})
}
