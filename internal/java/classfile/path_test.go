package classfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A packed is a file of a jar.
type packed struct {
	name   string
	method uint16
	data   []byte
}

// zipped returns a jar of files.
func zipped(t *testing.T, files ...packed) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: f.method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func openPath(t *testing.T, paths ...string) *Path {
	t.Helper()
	p, err := Open(paths, 17)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// The smallest class that there is: its name, and nothing else.
func classNamed(name string) []byte {
	b := append([]byte("\xca\xfe\xba\xbe\x00\x00\x00\x3d\x00\x03\x01\x00"), byte(len(name)))
	b = append(b, name...)
	return append(b, "\x07\x00\x01"+"\x00\x00\x00\x02\x00\x00"+"\x00\x00\x00\x00\x00\x00\x00\x00"...)
}

// An application in one jar has its own classes and its libraries in it, stored or compressed.
func TestApplicationJars(t *testing.T) {
	for _, root := range []string{"BOOT-INF", "WEB-INF"} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			library := zipped(t, packed{"lib/Tool.class", zip.Deflate, classNamed("lib/Tool")},
				packed{"app/Main.class", zip.Store, []byte("hidden by the application's own")})
			name := filepath.Join(t.TempDir(), "app.jar")
			write(t, name, zipped(t, packed{"loader/Launcher.class", zip.Deflate, classNamed("loader/Launcher")},
				packed{root + "/lib/tool.jar", method, library}, packed{root + "/lib/notes.txt", method, []byte("no jar")},
				packed{root + "/classes/app/Main.class", zip.Deflate, classNamed("app/Main")}))
			p := openPath(t, name)
			for _, class := range []string{"loader/Launcher", "lib/Tool", "app/Main"} {
				if c, err := p.Class(class); err != nil || c == nil {
					t.Errorf("%s, method %d: %s: %v", root, method, class, err)
				}
			}
			if c, err := p.Class("lib/Other"); c != nil || err != nil {
				t.Errorf("a class that is not there: %v", err)
			}
			bad := zipped(t, packed{root + "/lib/bad.jar", method, []byte("no jar")})
			write(t, name, bad)
			if _, err := Open([]string{name}, 0); err == nil || !strings.Contains(err.Error(), "app.jar!/"+root+"/lib/bad.jar") {
				t.Errorf("a bad jar in a jar: %v", err)
			}
		}
	}
}

// lib/* is all jars of a folder, as Java has it.
func TestWildcard(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.jar"), zipped(t, packed{"A.class", zip.Store, classNamed("A")}))
	write(t, filepath.Join(dir, "b.JAR"), zipped(t, packed{"B.class", zip.Store, classNamed("B")}))
	write(t, filepath.Join(dir, "deep", "c.jar"), zipped(t, packed{"C.class", zip.Store, classNamed("C")}))
	write(t, filepath.Join(dir, "D.class"), classNamed("D"))
	p := openPath(t, filepath.Join(dir, "*"))
	for class, want := range map[string]bool{"A": true, "B": true, "C": false, "D": false} {
		t.Run(class, func(t *testing.T) {
			if c, err := p.Class(class); err != nil || (c != nil) != want {
				t.Errorf("%s: %v, %v", class, c != nil, err)
			}
		})
	}
	write(t, filepath.Join(dir, "none", "notes.txt"), nil)
	for _, none := range []string{filepath.Join(dir, "none", "*"), filepath.Join(dir, "missing", "*")} {
		if _, err := Open([]string{none}, 0); err == nil {
			t.Errorf("%s: no error", none)
		}
	}
}

// A damaged class is reported for its file each time, and for no other file.
func TestBadClassFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "Cut.class"), classNamed("Cut")[:20])
	write(t, filepath.Join(dir, "Other.class"), classNamed("Another"))
	write(t, filepath.Join(dir, "Good.class"), classNamed("Good"))
	jar := filepath.Join(dir, "in.jar")
	write(t, jar, zipped(t, packed{"BOOT-INF/classes/Packed.class", zip.Store, []byte("none")}))
	p := openPath(t, dir, jar)
	for class, file := range map[string]string{
		"Cut":    filepath.Join(dir, "Cut.class") + ": not a sound",
		"Other":  filepath.Join(dir, "Other.class") + ": not a sound class file: it is of class Another",
		"Packed": jar + "!/BOOT-INF/classes/Packed.class: not a sound",
	} {
		t.Run(class, func(t *testing.T) {
			for range 2 {
				if _, err := p.Class(class); !errors.Is(err, ErrClassFile) || !strings.HasPrefix(err.Error(), file) {
					t.Errorf("%s: %v", class, err)
				}
			}
		})
	}
	if c, err := p.Class("Good"); err != nil || c == nil {
		t.Error(err)
	}
}

// A file that is no jar is distinguished from a damaged jar.
func TestBadJars(t *testing.T) {
	whole := zipped(t, packed{"A.class", zip.Store, classNamed("A")})
	for want, data := range map[string][]byte{"it is empty": nil, "cut off or damaged": whole[:len(whole)-9],
		"neither a folder nor a jar": []byte("\x7fELF and more")} {
		t.Run(want, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "a.jar")
			write(t, name, data)
			if _, err := Open([]string{name}, 0); err == nil || !strings.HasPrefix(err.Error(), name+": ") ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

func TestLook(t *testing.T) {
	dir := t.TempDir()
	at := func(path ...string) string { return filepath.Join(append([]string{dir}, path...)...) }
	write(t, at("target", "classes", "app", "Main.class"), classNamed("app/Main"))
	write(t, at("src", "app", "Main.java"), nil)
	write(t, at("lib", "a.jar"), zipped(t, packed{"A.class", zip.Store, classNamed("A")}))
	write(t, at("empty", "notes.txt"), nil)
	main := Survey{Class: "app/Main", Root: at("target", "classes")}
	for path, want := range map[string]Survey{
		at("target"): main, at("target", "classes"): main, at("target", "classes", "app"): main,
		at("src"): {Source: at("src", "app", "Main.java")}, at("lib"): {Jar: at("lib", "a.jar")},
		at("lib", "a.jar"): {Class: "A"},
		at("empty"):        {}, at("missing"): {},
	} {
		if got := SurveyPath(path); got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
	t.Chdir(dir)
	if got := SurveyPath("target"); got.Root != filepath.Join("target", "classes") {
		t.Errorf("from here: %+v", got)
	}
}
