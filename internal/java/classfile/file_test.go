package classfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/testkit/full"
)

// The program that is compiled, and its nested classes.
const (
	program = "Shapes"
	shapes  = "Shapes$"
)

var compiled = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "shapes")
	if err != nil {
		return "", err
	}
	source := filepath.Join("testdata", program+".java")
	out, err := exec.Command("javac", "--release", "17", "-encoding", "UTF-8", "-d", dir, source).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := compiled(); dir != "" {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// classes returns the folder with the compiled program.
func classes(t testing.TB) string {
	t.Helper()
	full.Only(t, "runs javac")
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("no javac")
	}
	dir, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// home25 returns the home of a JDK 25; the test is skipped where there is none.
func home25(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/jvm/*25*")
	if home := os.Getenv("JAVA25_HOME"); home != "" {
		found = []string{home}
	}
	if len(found) == 0 {
		t.Skip("no JDK 25: set JAVA25_HOME")
	}
	return found[0]
}

func classBytes(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(classes(t), name+".class"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestClassFile(t *testing.T) {
	full.Only(t, "runs javac")
	c, err := Parse(classBytes(t, program))
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != program || c.Super != "java/lang/Object" || len(c.Interfaces) != 0 {
		t.Errorf("%s extends %s implements %v", c.Name, c.Super, c.Interfaces)
	}
	square, err := Parse(classBytes(t, shapes+"Square"))
	if err != nil || !slices.Equal(square.Interfaces, []string{shapes + "Shape"}) {
		t.Errorf("Square implements %v: %v", square.Interfaces, err)
	}
	if _, ok := c.Method("hot", "(L"+shapes+"Shape;I)I"); !ok {
		t.Error("no hot")
	}
}

// Every bytecode of the program is passed over exactly, switches too.
func TestBytecodes(t *testing.T) {
	c, err := Parse(classBytes(t, program))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Methods {
		at := 0
		for at < len(m.Code) {
			size := bytecode.Size(m.Code, at)
			if size == 0 {
				t.Fatalf("%s: bytecode %d runs over the end", m.Name, at)
			}
			at += size
		}
	}
}

// Nothing of a class file is trusted.
func TestDamagedClassFile(t *testing.T) {
	whole := classBytes(t, shapes+"Square")
	for n := range len(whole) - 60 { // after that attributes are cut that are not read
		if _, err := Parse(whole[:n]); !errors.Is(err, ErrClassFile) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	for at := range whole {
		for _, bit := range []byte{1, 0x80, 0xff} {
			damaged := slices.Clone(whole)
			damaged[at] ^= bit
			_, _ = Parse(damaged)
		}
	}
}

func TestClassPath(t *testing.T) {
	dir := classes(t)
	packed := filepath.Join(t.TempDir(), "app.jar")
	out, err := os.Create(packed)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(out)
	for _, name := range []string{program, shapes + "Square"} {
		w, err := z.Create(name + ".class")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(classBytes(t, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, packed} {
		p, err := Open([]string{path}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := p.Class(shapes + "Square"); err != nil || c == nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, none := range []string{"no/Such", "../" + filepath.Base(dir) + "/" + program, "/" + program, ""} {
			if c, err := p.Class(none); err != nil || c != nil {
				t.Errorf("%s: class %q: %v", path, none, err)
			}
		}
		p.Close()
	}
	if _, err := Open([]string{"doc.go"}, 0); err == nil {
		t.Error("a text is taken for a jar")
	}
}

// A JDK's own classes are found in its file of modules.
func TestImage(t *testing.T) {
	p, err := Open([]string{home25(t)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for class, super := range map[string]string{
		"java/lang/String": "java/lang/Object", "java/util/ArrayList": "java/util/AbstractList",
		"java/util/logging/Level": "java/lang/Object", "java/lang/Object": "",
	} {
		t.Run(class, func(t *testing.T) {
			if c, err := p.Class(class); err != nil || c == nil || c.Super != super {
				t.Errorf("%s: %v", class, err)
			}
		})
	}
	for _, none := range []string{"java/lang/NoSuch", "no/Such", "Plain", "java/Foo"} {
		if c, err := p.Class(none); err != nil || c != nil {
			t.Errorf("%s: %v", none, err)
		}
	}
}

// Nothing of a file of modules is trusted.
func TestDamagedImage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "modules")
	for _, content := range []string{"", "short", strings.Repeat("\xff", 100),
		"\xda\xda\xfe\xca" + strings.Repeat("\x01\x00\x00\x00", 20)} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := Open([]string{path}, 0)
		if err != nil {
			continue
		}
		if c, _ := p.Class("java/lang/String"); c != nil {
			t.Errorf("a class in %q", content)
		}
		p.Close()
	}
}

func FuzzClass(f *testing.F) {
	f.Add(classBytes(f, shapes+"Square"))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = Parse(b) })
}
