package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// goldenFile returns the file with the text of a specimen.
func goldenFile(name string) string { return "../../testkit/specimen/testdata/" + name + ".txt" }

// goldenText returns the text of a specimen.
func goldenText(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(goldenFile(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkAny checks what holds for any text: it is refused with a place, or it is
// an archive whose own text gives the same bytes.
func checkAny(t testing.TB, text string) error {
	t.Helper()
	b, _, err := Read(strings.NewReader(text), ReadOptions{})
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Line < 0 || e.Line > 1+strings.Count(text, "\n") {
			t.Fatalf("no place in %d lines: %v", strings.Count(text, "\n"), err)
		}
		return err
	}
	checkExact(t, bytesOf(t, b))
	return nil
}

func TestCutTexts(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	for name := range specimens(t) {
		text := goldenText(t, name)
		for n := range len(text) - 1 {
			err := checkAny(t, text[:n])
			if err == nil {
				t.Fatalf("%s: taken although it is cut at %d", name, n)
			}
			if strings.HasSuffix(text[:n], "\n") && !errors.Is(err, ErrCut) {
				t.Fatalf("%s cut after a line, at %d: %v", name, n, err)
			}
		}
		if err := checkAny(t, text[:len(text)-1]); err != nil {
			t.Errorf("%s without its last line end: %v", name, err)
		}
	}
}

func TestChangedBytes(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	r := rand.New(rand.NewPCG(1, 2))
	special := "\"\\{}=+:;@#[]()<>-0x19, \t\n\x00\xff"
	for name := range specimens(t) {
		text := goldenText(t, name)
		for range 2000 {
			changed := []byte(text)
			for range 1 + r.IntN(3) {
				changed[r.IntN(len(changed))] = special[r.IntN(len(special))]
			}
			_ = checkAny(t, string(changed))
		}
	}
}

func TestDroppedAndDoubledLines(t *testing.T) {
	full.Only(t, "takes many inputs")
	for name := range specimens(t) {
		lines := strings.SplitAfter(goldenText(t, name), "\n")
		for i := range lines {
			_ = checkAny(t, strings.Join(lines[:i], "")+strings.Join(lines[i+1:], ""))
			_ = checkAny(t, strings.Join(lines[:i+1], "")+strings.Join(lines[i:], ""))
		}
	}
}

// broken are changes of a text that must be refused: the words in the text,
// what takes its place, and the error.
var broken = []struct{ specimen, old, new, err string }{
	{"hotspot", firstLine, "profarc text 2", `a.txt: line 1, column 1: text of an unknown version`},
	{"hotspot", firstLine, firstLine + "0", `a.txt: line 1, column 15: text of an unknown version`},
	{"hotspot", firstLine, "hello", `line 1, column 1: not the text of an archive`},
	{"hotspot", "domain hotspot", "domain java",
		`line 2, column 8: not understood: expected a domain: hotspot, llvm-ir, llvm-frontend, graal, jamaica, custom or sampled, found "java"`},
	{"hotspot", "domain hotspot\n", "", `expected a line of the header: domain and its name`},
	{"hotspot", "domain hotspot", "domain hotspot\ndomain hotspot",
		`line 3, column 1: not understood: expected no second domain, found "domain hotspot"`},
	{"hotspot", "fingerprint 73", "fingerprint 73aa", `expected 32 hexadecimal digits`},
	{"hotspot", "fingerprint 73", "fingerprint zz", `expected two hexadecimal digits a byte`},
	{"hotspot", "time 2023", "time 3023", `expected a time as 2006-01-02T15:04:05.999999999Z, from 1677 to 2262`},
	{"hotspot", "param gap", "param gape",
		`expected a setting: type-rows, bci-rows, gap, type-profile-level, vm-release, llvm-version, llvm-variant, profile-traps, llvm-newest-version, or a number, found "gape 1"`},
	{"hotspot", "param gap 1", "param gap 1\nparam gap 1", `expected no second line for this setting`},
	{"hotspot", "param gap 1", "param 16 1", `expected a number of at most 15`},
	{"hotspot", "param bci-rows 2", "param bci-rows 65", `parameter 1 is 65, at most 64 is possible`},
	{"hotspot", "producer \"OpenJDK", "producer " + strings.Repeat("x", 65) + " # \"", `a producer of 65 bytes`},
	{"hotspot", "producer \"OpenJDK 17.0.15+6\"", "producer OpenJDK 17",
		`line 3, column 18: not understood: expected the end of the line, found "17"`},
	{"hotspot", "\"OpenJDK 17.0.15+6\"", "\"OpenJDK 17", `expected a closing quote, found the end of the line`},
	{"hotspot", "\"OpenJDK 17.0.15+6\"", `"\q"`, `expected an escape: \" \\ \n or \xHH, found "\\q\""`},
	{"hotspot", "type shapes/Area{app}", "type shapes/Area{app", `expected }`},
	{"hotspot", "type shapes/Area{app}", "type shapes/Area{}", `expected a name; an empty one is ""`},
	{"hotspot", "type shapes/Area{app}", `type shapes/"Area"{app}`,
		`line 16, column 13: not understood: expected the end of the name, found "\"Area\"{app}"`},
	{"hotspot", "method java/lang/String::length()I", `method java/lang/String::"le\gth"()I`,
		`line 25, column 29: not understood: expected an escape`},
	{"hotspot", "row java.vm.name", `row java."vm.name"`, `expected the end of the name`},
	{"hotspot", "flags=hidden", "flags=secret",
		`expected a flag that has a name here, or a number, found "secret,not-matchable`},
	{"hotspot", "length()I", "length()I{app}{app}", `expected the end of the name`},
	{"hotspot", "method java/lang/String::length()I", "method ::length(){app}",
		`expected a class before the method: a loader is that of a class`},
	{"hotspot", "method java/lang/String::length()I", "method length{app}",
		`expected the end of the name, or :: and the name of a method`},
	{"hotspot", "method java/lang/String::length()I", "method -", `expected a method, found`},
	{"hotspot", "method java/lang/String::length()I", "method \"a\\x00\"", `a name holds a NUL byte`},
	{"hotspot", "method java/lang/String::length()I\n", "",
		`expected method, type, table, end; a blank line ends a method and a table, found "profile code=9d`},
	{"hotspot", "    invocations 400", "    invocations many", `expected a number, found "many"`},
	{"hotspot", "    invocations 400", "    invocations 18446744073709551616", `expected a number of 64 bits`},
	{"hotspot", "    invocations 400", "    invocations 400\n    invocations 400", `expected no second invocations`},
	{"hotspot", "    invocations 400", "    invocation 400",
		`expected an entry (@ and a point), a field of the profile, or context, profile, method, type, table, end, found "invocation 400"`},
	{"hotspot", "level=4", "level=256", `expected a number of 8 bits`},
	{"hotspot", "loops=5", "loops=65536", `expected a number of 16 bits`},
	{"hotspot", "code=11 producer", "code=4294967296 producer", `expected a number of 32 bits`},
	{"hotspot", "level=4 state", "state", `expected "level=", found "state=1`},
	{"hotspot", "    @2 Counter count=60949", "    @2 Counter 60949",
		`line 40, column 16: not understood: expected "count=", found "60949"`},
	{"hotspot", "@2 Counter", "@65536 Counter", `expected a bci: a number of 16 bits`},
	{"hotspot", "@2 Counter", "@-1 Counter", `expected a bci: a number of 16 bits`},
	{"hotspot", "@2 Counter", "@2 Count", `expected what the entry is of: calls`},
	{"hotspot", "@2 Counter", "@2 Counted", `expected the kind of the entry`},
	{"hotspot", "@5 VirtualCall count=4", "@5 VirtualCall count=4 -",
		`expected no more rows: the settings of the archive do not allow them, found "shapes/Area$$`},
	{"hotspot", "@6 Ret count=1", "@6 Ret count=1 1=2,3 4=5,6", `expected no more rows`},
	{"hotspot", "count=4 shapes/Square{app}=5", "count=4 shapes/Square{app}", `expected "="`},
	{"hotspot", "count=13,1", "count=13,1,1", `expected the end of the line`},
	{"hotspot", "extra @77", "handlers extra @77", `expected "@"`},
	{"hotspot", "@6 Receivers", "extra @6 Receivers", `expected @: entries of this kind belong among the data entries`},
	{"hotspot", "[trap=2]", "[trap=2", `expected "]"`},
	{"hotspot", "code=0000000000000001", "code=ffffffff00000002", `line 65: profile: profile was given before`},
	{"hotspot", "\nend\n", "\nend\ntype A\n", `expected nothing after the line "end"`},
	{"hotspot", "row java.vm.name", "row", `expected a name`},
	{"hotspot", "table properties symbol symbol", "table properties", `expected the kind of a column`},
	{"hotspot", "table properties symbol", "table 0 symbol", `expected a table: a number from 1 on`},
	{"hotspot", "table properties symbol", "table properties string",
		`expected the kind of a column: word, symbol, type, method, profile or context`},
	{"graal", "row - 1", "row - -1", `expected a number from 0 on, found "-1"`},
	{"graal", "domain graal", "domain hotspot",
		`expected an order of domain hotspot, which has one column of profiles: this one is of another`},
	{"graal", "domain graal", "domain jamaica",
		`expected an entry that domain jamaica has: this one is of graal or hotspot`},
	{"hotspot", "domain hotspot", "domain graal", `expected an entry that domain graal has: this one is of hotspot`},
	{"llvm-ir", "domain llvm-ir", "domain graal",
		`line 9, column 5: not understood: expected an entry that domain graal has: this one is of llvm-ir or llvm-frontend`},
	{"graal", "<- EvenOrOddLength::printOdd::void() @2", "<- EvenOrOddLength::printOdd::void()", `expected "@"`},
	{"graal", "<- EvenOrOddLength::printOdd::void() @2", "<- - @2", `expected a method`},
	{"graal", "  context <- EvenOrOddLength::printEvenOrOdd::void(java.lang.String) @15", "  context", `expected "<-"`},
	{"graal", "20:0=10", "20=10", `expected ":"`},
	{"graal", "row - ( EvenOrOddLength::printOdd::void() <-", "row - ( EvenOrOddLength::printOdd::void() ) # <-",
		`expected a context: ( a method and its callers )`},
	{"llvm-ir", "row ( main code=0000000000000018 )", "row ( main code=0000000000000019 )",
		`expected a profile that the text has above: add it, or delete this row, found "( main`},
	{"llvm-ir", "  profile code=0000000000000018\n    @0 Counters 12\n", "",
		`line 22, column 7: not understood: expected a profile that the text has above`},
	{"llvm-frontend", "Bitmap ff0180", "Bitmap ff018", `expected two hexadecimal digits a byte`},
}

func TestBrokenTexts(t *testing.T) {
	for _, c := range broken {
		text := strings.Replace(goldenText(t, c.specimen), c.old, c.new, 1)
		_, _, err := Read(strings.NewReader(text), ReadOptions{Name: "a.txt"})
		if err == nil || !strings.Contains(err.Error(), c.err) || !strings.HasPrefix(err.Error(), "a.txt: ") {
			t.Errorf("%q for %q:\n got %v\nwant %s", c.new, c.old, err, c.err)
		}
		var e *Error
		if !errors.As(err, &e) || e.Line == 0 {
			t.Errorf("%q for %q: no line in %v", c.new, c.old, err)
		}
	}
}

func TestProfileThatStandsTwice(t *testing.T) {
	text := "profarc text 1\ndomain graal\nmethod a\n  profile\n    invocations 1\n  profile\n    invocations 2\nend\n"
	_, _, err := Read(strings.NewReader(text), ReadOptions{})
	var e *Error
	if !errors.Is(err, builder.ErrDuplicate) || !errors.As(err, &e) || e.Line != 6 {
		t.Errorf("%v, want ErrDuplicate in line 6", err)
	}
}

func TestTooManyTablesAndColumns(t *testing.T) {
	text := "profarc text 1\ndomain graal\n"
	for i := range 1024 {
		text += fmt.Sprintf("table %d word\n", i+1000)
	}
	if err := checkAny(t, text+"end\n"); err != nil {
		t.Errorf("1024 tables: %v", err)
	}
	if err := checkAny(t, text+"table 999 word\nend\n"); err == nil {
		t.Error("1025 tables are taken")
	}
	wide := "profarc text 1\ndomain graal\ntable 99" + strings.Repeat(" word", 64)
	if err := checkAny(t, wide+"\nend\n"); err != nil {
		t.Errorf("64 columns: %v", err)
	}
	if err := checkAny(t, wide+" word\nend\n"); err == nil {
		t.Error("65 columns are taken")
	}
}

func TestReaderAndWriterErrorsComeOut(t *testing.T) {
	fault := errors.New("disk on fire")
	for _, n := range []int{0, 8, 100, 2000} {
		r := io.MultiReader(strings.NewReader(goldenText(t, "hotspot")[:n]), iotest.ErrReader(fault))
		if _, _, err := Read(r, ReadOptions{Name: "a.txt"}); !errors.Is(err, fault) ||
			!strings.HasPrefix(err.Error(), "a.txt: ") {
			t.Errorf("broken at %d: %v", n, err)
		}
	}
	s := open(t, specimens(t)["hotspot"])
	if _, err := Write(failing{fault}, s); !errors.Is(err, fault) {
		t.Errorf("write: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A damaged record is an error, and the text has no last line.
func TestDamagedArchiveIsNotWrittenWhole(t *testing.T) {
	data := bytes.Clone(specimens(t)["hotspot"])
	data[len(data)-100] ^= 1
	var out bytes.Buffer
	_, err := Write(&out, open(t, append(words.AlignedBytes(len(data))[:0], data...)))
	if !errors.Is(err, layout.ErrCorrupt) || strings.HasSuffix(out.String(), "end\n") {
		t.Errorf("%v, and the text ends with %q", err, out.String()[max(0, out.Len()-20):])
	}
}
