package replay

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats/hotspot"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// These tests have C2 of JDK 25 compile the written files, and check which methods it
// inlines.

// hotCall is the bci of s.area() in hot, and hotRow the word of its first
// receiver.
const (
	hotCall = "@ 15 "
	hotRow  = 8
)

// replayed runs a replay file and returns what the compiler prints about calls.
func replayed(t *testing.T, file []byte) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "replay.log")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command(t, home25(), "java"), "-XX:+UnlockDiagnosticVMOptions", "-XX:+ReplayCompiles", "-XX:ReplayDataFile="+path,
		"-XX:+ReplayIgnoreInitErrors", "-XX:CompileCommand=PrintInlining,"+program+"::*", "-XX:-CreateCoredumpOnCrash",
		"-XX:ErrorFile="+filepath.Join(dir, "error.log"), "-cp", classes(t))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if _, crash := os.Stat(filepath.Join(dir, "error.log")); crash == nil {
		t.Fatalf("the JVM crashed: %v\n%.2000s\n%.3000s", err, out, file)
	}
	if strings.Contains(string(out), "Error while parsing") {
		t.Errorf("the JVM does not take the file:\n%s", out)
	}
	var calls strings.Builder
	for l := range strings.Lines(string(out)) {
		if strings.Contains(l, "@ ") {
			calls.WriteString(l)
		}
	}
	return calls.String()
}

// stored returns the archive of the profiles of a recording.
func stored(t *testing.T, r *recording) *reader.Store {
	t.Helper()
	b, _, err := readRecording(r)
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, data)
}

// written returns the replay file of a method of the program, from its profiles
// alone.
func written(t *testing.T, r *recording, paths ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	s := stored(t, r)
	if _, err := Write(&out, s, WriteOptions{Method: compiled(s, r), ClassPath: append([]string{classes(t)}, paths...)}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// changed returns a recording in which the words of the method itself were
// changed.
func changed(t *testing.T, text string, change func(d *methodData)) *recording {
	t.Helper()
	r := mustParse(t, text)
	for i := range r.data {
		if r.data[i].methodKey == r.compile.methodKey {
			change(&r.data[i])
			return r
		}
	}
	t.Fatal("no method data of the method itself")
	return nil
}

const shapes = program + "$"

// hotVariants are changes of the words of hot, and what C2 is to make of them.
var hotVariants = []struct {
	name         string
	change       func(d *methodData)
	inlines, not []string
}{
	{"as recorded", func(*methodData) {}, []string{shapes + "Square::area"}, []string{"Circle", "Triangle", "rare"}},
	{"another receiver", func(d *methodData) { d.klasses[hotRow] = shapes + "Circle" },
		[]string{shapes + "Circle::area"}, []string{"Square", "Triangle", "rare"}},
	{"two receivers", func(d *methodData) {
		d.klasses[hotRow], d.words[hotRow+1] = shapes+"Circle", 3000
		d.klasses[hotRow+2], d.words[hotRow+2], d.words[hotRow+3] = shapes+"Triangle", typeWord, 2000
	}, []string{shapes + "Circle::area", shapes + "Triangle::area", "(3000/5000 counts)", "(2000/5000 counts)"}, []string{"Square", "rare"}},
	{"a receiver that is most of many", func(d *methodData) {
		d.words[hotRow-1], d.words[hotRow+1] = 100, 5000
		d.klasses[hotRow+2], d.words[hotRow+2], d.words[hotRow+3] = shapes+"Circle", typeWord, 10
	}, []string{shapes + "Square::area", "(5000/5110 counts)"}, []string{"Circle", "rare"}},
	{"many receivers", func(d *methodData) {
		d.words[hotRow-1], d.words[hotRow+1] = 3000, 1200
		d.klasses[hotRow+2], d.words[hotRow+2], d.words[hotRow+3] = shapes+"Circle", typeWord, 900
	}, []string{shapes + "Shape::area", "virtual call"}, []string{"Square", "Circle", "rare"}},
	{"a branch that is taken", func(d *methodData) { d.words[3] = 0x1000 },
		[]string{program + "::rare", shapes + "Square::area"}, []string{"Circle"}},
}

func TestCompile(t *testing.T) {
	command(t, home25(), "java")
	text := compilationOf(t, recorded(t, home25()), "hot")
	for _, v := range hotVariants {
		t.Run(v.name, func(t *testing.T) {
			out := replayed(t, written(t, changed(t, text, v.change)))
			for _, want := range v.inlines {
				if !strings.Contains(out, want) {
					t.Errorf("nothing of %s:\n%s", want, out)
				}
			}
			for _, no := range v.not {
				if strings.Contains(out, no) {
					t.Errorf("something of %s:\n%s", no, out)
				}
			}
			if !strings.Contains(out, hotCall) {
				t.Errorf("no call at %s:\n%s", hotCall, out)
			}
		})
	}
}

// With the environment of the recording no class path is needed.
func TestCompileEnvironment(t *testing.T) {
	command(t, home25(), "java")
	texts := recorded(t, home25())
	for method, want := range map[string]string{
		"hot": shapes + "Square::area", "größe": "java.lang.String::length", "drive": "$$Lambda",
	} {
		text := compilationOf(t, texts, method)
		data, _ := read(t, text, ReadOptions{})
		s := open(t, data)
		var out bytes.Buffer
		if _, err := Write(&out, s, WriteOptions{Method: compiled(s, mustParse(t, text))}); err != nil {
			t.Fatal(err)
		}
		if inlined := replayed(t, out.Bytes()); !strings.Contains(inlined, want) || !strings.Contains(inlined, "force inline by ciReplay") {
			t.Errorf("%s: nothing of %s:\n%s", method, want, inlined)
		}
	}
}

// A JDK's own classes come from its file of modules.
func TestCompileJDK(t *testing.T) {
	command(t, home25(), "java")
	text := compilationOf(t, recorded(t, home25()), "größe")
	out := replayed(t, written(t, mustParse(t, text), home25()))
	for _, want := range []string{"java.lang.String::length (11 bytes)   force inline", "java.lang.String::coder (15 bytes)   force inline", "IllegalStateException::<init>"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing of %s:\n%s", want, out)
		}
	}
}

// Profiles that come from elsewhere are replayed too: those of
// -XX:+PrintMethodData: only its data entries are written.
func TestCompileText(t *testing.T) {
	cmd := exec.Command(command(t, home25(), "java"), "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintMethodData", "-cp", classes(t), program)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := hotspot.ReadText(bytes.NewReader(text), hotspot.TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	hot := layout.Key{Class: program, Name: "hot", Signature: "(L" + shapes + "Shape;I)I"}
	if _, err := Write(&out, open(t, data), WriteOptions{Method: hot, ClassPath: []string{classes(t)}}); err != nil {
		t.Fatal(err)
	}
	if inlined := replayed(t, out.Bytes()); !strings.Contains(inlined, shapes+"Square::area") || strings.Contains(inlined, "Circle") {
		t.Errorf("inlined:\n%s", inlined)
	}
}

// Where the file cannot be made the error says what is missing.
func TestWriteErrors(t *testing.T) {
	data, _ := read(t, testdata(t, "v2.log"), ReadOptions{})
	bare, _ := read(t, testdata(t, "v2.log"), ReadOptions{ProfilesOnly: true})
	old, _ := read(t, testdata(t, "v0.log"), ReadOptions{ProfilesOnly: true})
	hot := layout.Key{Class: program, Name: "hot", Signature: "(L" + shapes + "Shape;I)I"}
	alone := t.TempDir()
	if err := os.WriteFile(filepath.Join(alone, shapes+"Square.class"), classBytes(t, shapes+"Square"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		key  layout.Key
		path []string
		want error
		text string
	}{
		"no method":     {data, layout.Key{Class: program, Name: "cold", Signature: "()V"}, nil, ErrMethod, "cold"},
		"no profile":    {data, layout.Key{Class: program, Name: "rare", Signature: "(I)I"}, nil, ErrMethod, "rare"},
		"no class file": {bare, hot, []string{t.TempDir()}, ErrClass, program},
		"no interface":  {bare, layout.Key{Class: shapes + "Square", Name: "area", Signature: "()I"}, []string{alone}, ErrClass, shapes + "Shape"},
		"JDK 17":        {old, hot, nil, ErrShape, ""},
		"no folder":     {data, hot, []string{filepath.Join(t.TempDir(), "none")}, os.ErrNotExist, ""},
	} {
		_, err := Write(&bytes.Buffer{}, open(t, c.data), WriteOptions{Method: c.key, ClassPath: c.path})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A type without a class file is left out, and its calls are counted
// as those of others.
func TestTypeWithoutClass(t *testing.T) {
	r := mustParse(t, testdata(t, "v2.log"))
	for i := range r.data {
		if r.data[i].name == "hot" {
			r.data[i].klasses[hotRow] = "not/There"
		}
	}
	var out bytes.Buffer
	s := stored(t, r)
	report, err := Write(&out, s, WriteOptions{Method: compiled(s, r), ClassPath: []string{classes(t)}})
	if err != nil {
		t.Fatal(err)
	}
	if report.Lost.Count(LossType) != 1 || report.Lost.Count(LossCallee) != 1 {
		t.Errorf("report: %+v", report)
	}
	d := mustParse(t, out.String()).data[0]
	if d.words[hotRow] != 0 || d.words[hotRow+1] != 0 || d.words[hotRow-1] == 0 {
		t.Errorf("words: %x", d.words)
	}
}
