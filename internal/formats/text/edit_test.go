package text

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/layout"
)

// edits are changes of a text as a user makes them by hand, such that the
// changed text is the one that the archive then has.
var edits = map[string]struct{ specimen, old, new string }{
	"change a count":   {"hotspot", "@2 Counter count=60949", "@2 Counter count=7"},
	"change a field":   {"hotspot", "invocations 61205", "invocations 0"},
	"delete an entry":  {"hotspot", "    @2 Counter count=60949\n", ""},
	"delete a field":   {"hotspot", "    interpreted 0\n", ""},
	"delete a method":  {"hotspot", "method shapes/Circle::unused()V{app} never-ran\n\n", ""},
	"delete a profile": {"hotspot", "  profile code=0000000000000001\n    @1 Counter count=1\n", ""},
	"add a receiver row": {"hotspot", "count=-7,2 shapes/Circle{app}=9",
		"count=-7,2 shapes/Circle{app}=9 java/lang/String=3"},
	"add a row of any": {"hotspot", "java/lang/IllegalStateException=3 -",
		"java/lang/IllegalStateException=3 java/lang/String=4"},
	"add an entry": {"hotspot", "    @2 Counter count=60949\n",
		"    @2 Counter count=60949\n    @2 Branch [trap=4] taken=1 not-taken=2 displacement=40\n"},
	"add a trap": {"hotspot", "extra @79 SpeculativeTrap method=-",
		"extra @79 SpeculativeTrap [trap=many recompiled] method=java/lang/String::length()I"},
	"add a method": {"hotspot", "\nmethod java/lang/String::length()I\n",
		"\nmethod java/lang/String::isEmpty()Z\n  profile\n    invocations 3\n\nmethod java/lang/String::length()I\n"},
	"let a method have run": {"hotspot", "unused()V{app} never-ran\n", "unused()V{app}\n  profile\n    invocations 3\n"},
	"add a type": {"hotspot", "type java/lang/String\n",
		"type java/lang/Short flags=hidden alias=S\ntype java/lang/String\n"},
	"add a loader":         {"hotspot", "0=shapes/Circle{app}+null", "0=shapes/Square{app}+null+unknown"},
	"change a setting":     {"hotspot", "param vm-release 17", "param vm-release 21"},
	"change the producer":  {"hotspot", `"OpenJDK 17.0.15+6"`, "me"},
	"change a property":    {"hotspot", "java.vm.name", `"java.vm. name"`},
	"change access":        {"hotspot", "access=static,synchronized", "access=public,static,0x8000"},
	"add a row of a table": {"graal", "  row - 1\n", "  row - 1\n  row java.lang.String 5\n"},
	"delete a context":     {"graal", "  profile <- EvenOrOddLength::printOdd::void() @2\n    @0 Count calls 30\n", ""},
	"add a context": {"graal", "method EvenOrOddLength::printEven::void()\n",
		"method EvenOrOddLength::printEven::void()\n  context <- EvenOrOddLength::main::void([Ljava.lang.String;) @-1\n"},
	"add a callee":     {"jamaica", "@9 Callees", "@8 Callees HelloWorld.main([Ljava/lang/String;)V=1\n    @9 Callees"},
	"change a counter": {"llvm-ir", "@0 Counters 12", "@0 Counters 13 14"},
	"name a function":  {"llvm-ir", "0x1234=3", "main=3"},
	"change a bitmap":  {"llvm-frontend", "ff0180", "ff018011"},
	"delete a table":   {"jamaica", "table heap-refs word word\n  row 4711 9000\n\n", ""},
}

func TestEditsComeBack(t *testing.T) {
	all := specimens(t)
	for name, e := range edits {
		text := goldenText(t, e.specimen)
		if strings.Count(text, e.old) != 1 {
			t.Fatalf("%s: %d places for %q", name, strings.Count(text, e.old), e.old)
		}
		edited := strings.Replace(text, e.old, e.new, 1)
		data := read(t, edited)
		if got := write(t, data); got != edited {
			t.Errorf("%s: the edited text comes back as\n%s", name, got)
		}
		if id := idOf(t, data); id == idOf(t, all[e.specimen]) || !isDerivedID(open(t, data).Header()) {
			t.Errorf("%s: dump id %x is not the edited archive's own", name, id)
		}
	}
}

func idOf(t testing.TB, data []byte) [16]byte { return open(t, data).Header().DumpID }

// What an edit changes is there where a reader looks for it.
func TestReaderSeesAnEdit(t *testing.T) {
	edited := strings.Replace(goldenText(t, "hotspot"), "count=4 shapes/Square{app}=5 ", "count=4 java/lang/Short=77 ", 1)
	s := open(t, read(t, edited))
	m, err := s.Find(layout.Key{Class: "shapes/Area", Name: "total", Signature: "(Ljava/util/List;I)D", Loader: "app"})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	e, ok := p.At(5)
	if !ok {
		t.Fatal("no entry at 5")
	}
	rows, _ := e.Receivers()
	row, ok := rows.Row(0)
	if name, err := row.Type.Name(); !ok || err != nil || name.String() != "java/lang/Short" || row.Count.Load() != 77 {
		t.Errorf("row of %s, %d", name, row.Count.Load())
	}
}

// spellings are changes of a text that do not change the archive.
var spellings = map[string]func(text string) string{
	"CR NL":          func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
	"no indentation": func(text string) string { return strings.ReplaceAll(text, "\n  ", "\n") },
	"tabs":           func(text string) string { return strings.ReplaceAll(text, "\n  ", "\n\t") },
	"trailing":       func(text string) string { return strings.ReplaceAll(text, "\n", " \t\n") + "\n\n # end" },
	"comments": func(text string) string {
		return strings.ReplaceAll(text, "\n  ", " # a comment\n    # another\n  ")
	},
	"hexadecimal": func(text string) string { return strings.ReplaceAll(text, "=60949", "=0xEE15") },
	"quotes":      func(text string) string { return strings.ReplaceAll(text, "method main", `method "m\x61in"`) },
	"quoted parts": func(text string) string {
		return strings.ReplaceAll(text, "shapes/Square{app}", `"shapes/Square"{"app"}`)
	},
	"quoted signature": func(text string) string {
		return strings.ReplaceAll(text, "shapes/Circle::area()D{app}", `shapes/Circle::"area"::"()D"{app}`)
	},
	"empty rows": func(text string) string { return strings.ReplaceAll(text, "{app}=9\n", "{app}=9 -=0\n") },
	"numbers of bits": func(text string) string {
		return strings.ReplaceAll(text, "flags=hidden,not-matchable", "flags=3")
	},
	"no types":      withoutNamedTypes,
	"other order":   func(text string) string { return reversed(text) },
	"zero settings": func(text string) string { return strings.Replace(text, "\n\n", "\nparam 15 0\n\n", 1) },
}

// withoutNamedTypes leaves the types out that methods or entries name and that
// have nothing else to be said of.
func withoutNamedTypes(text string) string {
	for _, line := range strings.SplitAfter(text, "\n") {
		name, ok := strings.CutPrefix(line, "type shapes/")
		if name = strings.TrimSuffix(strings.TrimSuffix(name, "\n"), "{app}"); ok && !strings.Contains(name, " ") {
			text = strings.Replace(text, line, "", 1)
		}
	}
	return text
}

// reversed has the types in the opposite order, and the methods.
func reversed(text string) string {
	parts := strings.Split(text, "\n\n")
	var kinds [3][]string // types, methods, all else
	for _, p := range parts[1 : len(parts)-1] {
		switch {
		case strings.HasPrefix(p, "type"):
			lines := strings.Split(p, "\n")
			slices.Reverse(lines)
			kinds[0] = append(kinds[0], strings.Join(lines, "\n"))
		case strings.HasPrefix(p, "method"):
			kinds[1] = append(kinds[1], p)
		default:
			kinds[2] = append(kinds[2], p)
		}
	}
	slices.Reverse(kinds[1])
	all := slices.Concat(parts[:1], kinds[1], kinds[0], kinds[2], parts[len(parts)-1:])
	return strings.Join(all, "\n\n")
}

func TestSpellingDoesNotMatter(t *testing.T) {
	all := specimens(t)
	for name, change := range spellings {
		changed := 0
		for specimen, data := range all {
			text := goldenText(t, specimen)
			other := change(text)
			if other != text {
				changed++
			}
			if !bytes.Equal(read(t, other), data) {
				t.Errorf("%s of %s: another archive\n%s", name, specimen, other)
			}
		}
		if changed == 0 {
			t.Errorf("%s changes nothing", name)
		}
	}
}

// A dump id that was given, not derived, is kept until its line is deleted.
func TestGivenDumpID(t *testing.T) {
	const line = "dump-id 000102030405060708090a0b0c0d0e0f\n"
	text := strings.Replace(goldenText(t, "graal"), "\n\n", "\n"+line+"\n", 1)
	data := read(t, text)
	if id := idOf(t, data); id != [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} {
		t.Errorf("dump id %x", id)
	}
	again := write(t, data)
	if !strings.Contains(again, strings.TrimSuffix(line, "\n")+"  # if you change anything, delete this line") {
		t.Errorf("no dump id in\n%s", again)
	}
	if !bytes.Equal(read(t, again), data) {
		t.Error("another archive by way of the text")
	}
	if !bytes.Equal(read(t, strings.Replace(text, line, "", 1)), specimens(t)["graal"]) {
		t.Error("without the line the id is not derived again")
	}
}
