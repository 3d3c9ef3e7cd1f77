package jamaica

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func testdata(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// read makes the archive of a text.
func read(t testing.TB, text string) ([]byte, *Report) {
	t.Helper()
	b, report, err := Read(strings.NewReader(text), ReadOptions{Name: "test.prof"})
	if err != nil {
		t.Fatal(err)
	}
	return encode(t, b), report
}

func encode(t testing.TB, b *builder.Builder) []byte {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func open(t testing.TB, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("test.parc", data, archive.Options{CheckAll: true})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

// write returns an archive as text.
func write(t testing.TB, data []byte) (string, *codec.Report) {
	t.Helper()
	var out bytes.Buffer
	report, err := Write(&out, open(t, data))
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), report
}

func TestEveryKeywordComesBack(t *testing.T) {
	text := testdata(t, "harbour.txt")
	data, report := read(t, text)
	if len(report.Lost) > 0 || report.Runs != 1 || report.Lines != strings.Count(text, "\n") || report.Cut != 0 {
		t.Errorf("read: %+v", report)
	}
	out, written := write(t, data)
	if diff := cmp.Diff(text, out); diff != "" {
		t.Errorf("written differently (-text +written):\n%s", diff)
	}
	if len(written.Lost) > 0 || written.Entries != report.Entries ||
		written.Methods != report.Methods {
		t.Errorf("read %+v, written %+v", report, written)
	}
	for k := range numKeywords {
		if !strings.Contains(text, "\n"+lineForms[k].name+":") && !strings.HasPrefix(text, lineForms[k].name+":") {
			t.Errorf("no line of %s", lineForms[k].name)
		}
	}
}

// TestWhatIsInTheArchive holds an archive against numbers of the text.
func TestWhatIsInTheArchive(t *testing.T) {
	data, _ := read(t, testdata(t, "harbour.txt"))
	s := open(t, data)
	m, err := s.Find(layout.Key{Name: "Harbour.main([Ljava/lang/String;)V"})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for e := range p.Entries() {
		got = append(got, fmt.Sprint(e.Point(), e.Tag(), e.Sub(), e.Flags(), e.Cell(e.Cells()-1).Trained()))
	}
	want := []string{"0 Count 2 0 1", "0 Count 3 2 25264930944", "3 Callees 0 0 2", "8 Count 5 0 33"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	native, err := s.Find(layout.Key{Name: "java/lang/Object.hashCode()I"})
	if err != nil || native.Access() != disk.AccNative {
		t.Errorf("native method: access 0x%x, %v", native.Access(), err)
	}
	threads, err := s.Table(disk.TableThreads)
	if err != nil || threads.Rows != 2 || threads.Cell(1, 1) != 90000 && threads.Cell(1, 0) != 90000 {
		t.Errorf("threads: %+v, %v", threads, err)
	}
}

// TestHottestLines: lines cut to a column, as the documentation shows them, come back as they were, shares
// and cut marks included. The documentation's own lines are taken where they are there.
func TestHottestLines(t *testing.T) {
	texts := map[string]string{"hottest.txt": testdata(t, "hottest.txt")}
	documents, _ := filepath.Glob("../../../../shared/seeds/jamaicavm-profile-output.txt")
	for _, path := range documents {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(data)
	}
	for name, text := range texts {
		text = linesOf(text)
		if n := strings.Count(text, "\n"); n != 50 {
			t.Fatalf("%s has %d lines, want 25 and 25", name, n)
		}
		data, report := read(t, text)
		if len(report.Lost) > 0 || report.Cut == 0 || report.Runs != 1 || report.Lines != 50 {
			t.Errorf("%s: %+v", name, report)
		}
		out, _ := write(t, data)
		if diff := cmp.Diff(text, out); diff != "" {
			t.Errorf("%s: (-text +written):\n%s", name, diff)
		}
	}
}

// linesOf picks the lines that begin with a keyword and have values.
func linesOf(document string) (text string) {
	for line := range strings.Lines(document) {
		if strings.HasPrefix(line, "PROFILE: ") || strings.HasPrefix(line, "PROFILE_CYCLES: ") {
			text += line
		}
	}
	return text
}

// TestCutMarks: marks come back as they were cut if all were cut to one length. Others are
// completed, and that is said.
func TestCutMarks(t *testing.T) {
	const at39, at40 = "PROFILE_CYCLES: 9           A.m()V(inte\n", "PROFILE_CYCLES: 8           A.n()V(inter\n"
	const longer = "PROFILE_CYCLES: 8           A.name()V(i\n"
	whole := func(line string) string { return line[:strings.LastIndexByte(line, '(')] + interpretedMark + "\n" }
	for text, want := range map[string]string{
		at39:               at39,
		at39 + longer:      at39 + longer,
		at39 + at40:        whole(at39) + whole(at40),
		at39 + whole(at40): whole(at39) + whole(at40),
	} {
		data, report := read(t, text)
		out, written := write(t, data)
		if out != want || (len(report.Lost) > 0) != (want != text) || len(written.Lost) > 0 {
			t.Errorf("%q: written as %q, lost %v and %v", text, out, report.Lost, written.Lost)
		}
	}
}

// TestCutSignatures: a cut signature is marked as not matchable, and two methods of one text keep both counts.
func TestCutSignatures(t *testing.T) {
	data, report := read(t, "PROFILE: 960096 (61%)   a/B.encode(Ljava/n\nPROFILE: 600060 (38%)   a/B.encode(Ljava/n\n")
	if report.Cut != 1 || report.Runs != 1 || report.Entries != 2 {
		t.Errorf("%+v", report)
	}
	m, err := open(t, data).Find(layout.Key{Name: "a/B.encode(Ljava/n"})
	if err != nil || m.Flags()&layout.MethodNotMatchable == 0 {
		t.Fatalf("flags %x, %v", m.Flags(), err)
	}
	for text, whole := range map[string]bool{
		"A.m()V": true, "A.m([[Ljava/lang/String;J)[C": true, "A.m()L": false, "A.m(": false, "A.m": false, "A.m(I)": false,
		"A.m()[": false, "A.m(L;)V": false, "A.m()VV": false, "(I)V": false, "A.m(V)V": false, "A.m(Ljava/la": false,
	} {
		t.Run(text, func(t *testing.T) {
			if isCompleteSignature(text) != whole {
				t.Errorf("%s: whole is %t", text, !whole)
			}
		})
	}
}

// TestWordsAndSignsAreSkipped: the values of the keywords whose spelling is not
// known are found by their order.
func TestWordsAndSignsAreSkipped(t *testing.T) {
	plain := `PROFILE_NATIVE: 400 (100%)  A.n()V
PROFILE_INVOKE: 5 7  A.m()V B.m()V
PROFILE_NEWARRAY: 3 12  A.m()V
PROFILE_THREAD: 5 30 (60%) (25%) (10%) (5%) 20480 8192
PROFILE_THREADS: 12
PROFILE_CLASS_USED_VIA_REFLECTION: a/B
INSTANTIATION_COUNT: 300 1 300 9600 3 (1%)  boot a/B
HEAP_USE: 10 2 32 640 (100%) 5 (50%)  a/B
HEAP_REFS: 9 18 (50%)
`
	decorated := `PROFILE_NATIVE 400 calls ( 100 % ) of A.n()V
PROFILE_INVOKE: 5 calls @bci=7, from A.m()V -> B.m()V
PROFILE_NEWARRAY  3x: 3 arrays at bci 12: in method: A.m()V
PROFILE_THREAD: prio=5 cycles=30 (interpreted: 60%, compiled: 25%, JNI: 10%, GC: 5%) C-stack: 20480 Java-stack: 8192
PROFILE_THREADS: max. 12 threads
  PROFILE_CLASS_USED_VIA_REFLECTION: class 'a/B'
INSTANTIATION_COUNT: objects 300, 1 blocks/object, 300 blocks, 9600 bytes, tree 3 (1.00%) loader: boot class: "a/B"
HEAP_USE	10 objects,	2 blocks of 32: 640 bytes (100%), 5 in trees (50%) class= a/B` + "\r" + `
HEAP_REFS: 9 refs in 18 words (50%)`
	want, _ := read(t, plain)
	got, report := read(t, decorated)
	if len(report.Lost) > 0 || report.Lines != 9 {
		t.Errorf("%+v", report)
	}
	if diff := cmp.Diff(everything(t, want), everything(t, got)); diff != "" {
		t.Error(diff)
	}
}

// everything returns all that an archive holds.
func everything(t testing.TB, data []byte) string {
	t.Helper()
	var out strings.Builder
	if err := jsondump.WriteArchive(&out, open(t, data)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestLinesThatAreNoProfile(t *testing.T) {
	data, report := read(t, "Start writing profile data\n\nPROFILE: 1 (100%)   A.m()V\nPROFILE_LOCKS: 3 A\nprofile: 2\n")
	if report.Lost.Count(LossLine) != 2 || report.Lines != 2 {
		t.Errorf("%+v", report)
	}
	if out, _ := write(t, data); out != "PROFILE: 1 (100%)       A.m()V\nPROFILE_LOCKS: 3 A\n" {
		t.Errorf("written: %q", out)
	}
}

func TestLosses(t *testing.T) {
	_, report := read(t, `PROFILE: 1 (7%)   A.m()V
PROFILE: 2 (93.5%)   A.n()V
HEAP_REFS: 9 18 (51%)
PROFILE_CYCLES: 1 A.m()V(compiled)
`)
	want := codec.Losses{{What: LossFraction, Count: 1, Line: 2}, {What: LossMark, Count: 1, Line: 4},
		{What: LossShare, Count: 3, Line: 1}}
	if diff := cmp.Diff(want, report.Lost); diff != "" {
		t.Error(diff)
	}
}

// TestWordsBehindSignatures: a whole signature is the name, whatever follows it,
// and skipped lines are counted.
func TestWordsBehindSignatures(t *testing.T) {
	for _, c := range []struct {
		line, want string // the line as written
		lost       int
	}{
		{"PROFILE: 100 (100%) a/B.m()V   trailing words", "PROFILE: 100 (100%)     a/B.m()V\n", 1},
		{"PROFILE_CYCLES: 100 a/B.m()V(interpreted) (x/y)", "PROFILE_CYCLES: 100         a/B.m()V(interpreted)\n", 1},
		{"PROFILE_CYCLES: 100 a/B.m()V (interpreted) twice", "PROFILE_CYCLES: 100         a/B.m()V(interpreted)\n", 1},
		{"PROFILE_CYCLES: 100 a/B.m()V (interpreted) .", "PROFILE_CYCLES: 100         a/B.m()V(interpreted)\n", 0},
		{"PROFILE: 100 158 (100%) a/B.m()V", "PROFILE: 100 (100%)     a/B.m()V\n", 1},
		{"PROFILE: 100 ( 100 % ) a/B.m()V", "PROFILE: 100 (100%)     a/B.m()V\n", 0},
		{"PROFILE: 100 (100%) of a/B.m(I", "PROFILE: 100 (100%)     a/B.m(I\n", 1},
		{"PROFILE_INVOKE: 5 7 A.m()V B.m(Ljava/la", "PROFILE_INVOKE: 5 7  A.m()V B.m(Ljava/la\n", 0},
		{"PROFILE_INVOKE: 5 7 from A.m()V to B.m()V each time", "PROFILE_INVOKE: 5 7  A.m()V B.m()V\n", 1},
		{"PROFILE_INVOKE: 5, 7 A.m( B.m()V", "PROFILE_INVOKE: 5 7  A.m( B.m()V\n", 0},
	} {
		t.Run(c.line, func(t *testing.T) {
			data, report := read(t, c.line+"\n")
			if got, _ := write(t, data); got != c.want || report.Lost.Count(LossWords) != c.lost {
				t.Errorf("%s: %v, written as %q", c.line, report.Lost, got)
			}
		})
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for _, c := range []struct {
		text, want string
		kind       error
	}{
		{"", "no profile", ErrNoProfile},
		{"hello\n", "no profile", ErrNoProfile},
		{"PROFILE_LOCKS: 5\n", "no profile", ErrNoProfile},
		{"x\nPROFILE: many A.m()V\n",
			`x.prof: line 2, column 10: not what a JamaicaVM writes here: expected a number of bytecodes, found "many A.m()V"`,
			ErrSyntax},
		{"PROFILE: 5 (1%)\n",
			`line 1, column 16: not what a JamaicaVM writes here: expected the signature of a method, found the end of the line`,
			ErrSyntax},
		{"PROFILE: 18446744073709551616 (1%) A.m()V\n", "column 10: ", ErrSyntax},
		{"PROFILE_CYCLES: 11% A.m()V\n", "column 17: ", ErrSyntax},
		{"PROFILE_NEWARRAY: 1 4294967296 A.m()V\n",
			"column 21: not what a JamaicaVM writes here: expected the position of a bytecode", ErrSyntax},
		{"PROFILE_CYCLES: 1 A.\xffm()V\n", "column 19: ", ErrSyntax},
		{"PROFILE_INVOKE: 1 2 A.m()V\n",
			"column 27: not what a JamaicaVM writes here: expected the signature of a called method", ErrSyntax},
		{"PROFILE: 8,158,752 (11%) A.m()V\n",
			`column 10: not what a JamaicaVM writes here: expected a number of bytecodes, found "8,158,752 (11%) A.m()V"`,
			ErrSyntax},
		{"PROFILE_NEWARRAY: 3 1,200 A.m()V\n",
			`column 21: not what a JamaicaVM writes here: expected the position of a bytecode, found "1,200 A.m()V"`, ErrSyntax},
		{"PROFILE_THREADS: 1 2\n", "column 19: not what a JamaicaVM writes here: expected no more numbers", ErrSyntax},
		{"HEAP_REFS: 1 ", "line 1, column 14: the text is cut off", ErrCut},
	} {
		_, _, err := Read(strings.NewReader(c.text), ReadOptions{Name: "x.prof"})
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %v with %q", c.text, err, c.kind, c.want)
		}
	}
	long := "PROFILE: 1 (1%) A." + strings.Repeat("m", parse.MaxJamaicaLine) + "()V\n"
	if _, _, err := Read(strings.NewReader(long), ReadOptions{}); !errors.Is(err, parse.ErrLimit) {
		t.Errorf("a line of %d bytes: %v", len(long), err)
	}
}

func TestOtherDomainsAreRefused(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	if _, err := Write(&bytes.Buffer{}, open(t, encode(t, b))); !errors.Is(err, ErrDomain) {
		t.Errorf("of a graal archive: %v", err)
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		testdata(t, "harbour.txt"): true, "x\nPROFILE: 5 (1%) A.m()V": true, "HEAP_REFS 1 2 (50%)\r\n": true,
		"": false, "PROFILE: ": false, "PROFILE 5 (1%) A.m()V": false, "aPROFILE: 5 (1%) A.m()V": false,
		"PROFILE_LOCKS: 5 A": false,
	} {
		if Detect([]byte(text)) != want {
			t.Errorf("%q: detected is %t", text, !want)
		}
	}
}
