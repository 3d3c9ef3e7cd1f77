package classfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// jarOf returns a jar with a class and a manifest.
func jarOf(t *testing.T, class, classPath string) []byte {
	t.Helper()
	return zipped(t, packed{"META-INF/MANIFEST.MF", zip.Deflate,
		[]byte("Manifest-Version: 1.0\r\nClass-Path: " + classPath + "\r\n\r\n")},
		packed{class + extension, zip.Deflate, classNamed(class)})
}

// What the manifest of a jar names is on the class path, right after the jar, as far as a JVM takes it.
func TestManifestClassPath(t *testing.T) {
	dir := t.TempDir()
	at := func(path ...string) string { return filepath.Join(append([]string{dir}, path...)...) }
	far := at("far", "far.jar")
	write(t, at("app", "app.jar"), jarOf(t, "App",
		"lib/near.jar ../with%20space/x.jar missing.jar http://localhost/web.jar file:"+filepath.ToSlash(far)+
			"\r\n  lib/classes/ lib/folder lib/text.jar lib/near.jar app.jar "+filepath.ToSlash(at("absolute.jar"))))
	write(t, at("app", "lib", "near.jar"), jarOf(t, "Near", "deep.jar ../app.jar"))
	write(t, at("app", "lib", "deep.jar"), jarOf(t, "Deep", ""))
	write(t, at("app", "lib", "classes", "Plain.class"), classNamed("Plain"))
	write(t, at("app", "lib", "folder", "NoSlash.class"), classNamed("NoSlash"))
	write(t, at("app", "lib", "text.jar"), []byte("no jar"))
	write(t, at("with space", "x.jar"), jarOf(t, "Space", ""))
	write(t, far, jarOf(t, "Far", ""))
	write(t, at("absolute.jar"), jarOf(t, "Absolute", ""))
	write(t, at("last", "Deep.class"), classOf("Deep", "Later"))
	p := openPath(t, at("app", "app.jar"), at("last"))
	for class, want := range map[string]bool{"App": true, "Near": true, "Deep": true, "Plain": true, "NoSlash": false,
		"Space": true, "Far": true, "Absolute": true} {
		t.Run(class, func(t *testing.T) {
			if c, err := p.Class(class); err != nil || (c != nil) != want {
				t.Errorf("%s: %v, %v", class, c != nil, err)
			}
		})
	}
	if c, err := p.Class("Deep"); err != nil || c.Super != "" {
		t.Errorf("the class path goes on before what the first jar names: %v", err)
	}
	if len(p.sources) != 8 {
		t.Errorf("%d sources, want each once", len(p.sources))
	}
}

// A JVM takes a manifest's entries from where the jar is; a link to a jar may are also next to them.
func TestManifestOfALink(t *testing.T) {
	dir := t.TempDir()
	at := func(path ...string) string { return filepath.Join(append([]string{dir}, path...)...) }
	write(t, at("real", "app.jar"), jarOf(t, "App", "both.jar beside.jar"))
	write(t, at("real", "both.jar"), jarOf(t, "Real", ""))
	write(t, at("link", "both.jar"), jarOf(t, "Linked", ""))
	write(t, at("link", "beside.jar"), jarOf(t, "Beside", ""))
	if err := os.Symlink(at("real", "app.jar"), at("link", "app.jar")); err != nil {
		t.Skip(err)
	}
	p := openPath(t, at("link", "app.jar"))
	for class, want := range map[string]bool{"App": true, "Real": true, "Linked": false, "Beside": true} {
		t.Run(class, func(t *testing.T) {
			if c, err := p.Class(class); err != nil || (c != nil) != want {
				t.Errorf("%s: %v, %v", class, c != nil, err)
			}
		})
	}
}

// Jars that hold or name more than is looked through are refused.
func TestTooMuch(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.jar")
	nested := jarOf(t, "A", "")
	for range maxNesting + 1 {
		nested = zipped(t, packed{"lib/in.jar", zip.Deflate, nested})
	}
	bomb := zipped(t, packed{"Bomb.class", zip.Deflate, make([]byte, maxFileSize+2)})
	for what, data := range map[string][]byte{"nested": nested,
		"unpacked": zipped(t, packed{"lib/in.jar", zip.Deflate, append(zipped(t), make([]byte, 3000)...)})} {
		t.Run(what, func(t *testing.T) {
			write(t, name, data)
			o := &opener{budget: &budget{jars: 100, directory: maxDirectory, unpacked: 2000}, opened: map[string]bool{}}
			if _, err := o.openJar(name); !errors.Is(err, ErrTooLarge) || !strings.HasPrefix(err.Error(), name) {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	var many []packed
	for i := range 200 {
		many = append(many, packed{fmt.Sprintf("C%d.class", i), zip.Store, nil})
	}
	write(t, name, zipped(t, many...))
	o := &opener{budget: &budget{jars: 100, directory: 4000, unpacked: 2000}, opened: map[string]bool{}}
	if _, err := o.openJar(name); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a long list of files: %v", err)
	}
	write(t, filepath.Join(dir, "b.jar"), jarOf(t, "B", "a.jar"))
	o = &opener{budget: &budget{jars: 1, directory: maxDirectory}, opened: map[string]bool{}}
	if err := o.addJar(filepath.Join(dir, "b.jar")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("one jar too many: %v", err)
	}
	write(t, name, bomb)
	p := openPath(t, name)
	if c, err := p.Class("Bomb"); c != nil || !errors.Is(err, ErrClassFile) {
		t.Errorf("a bomb: %v", err)
	}
	p.cache = cache{total: maxRead + 1}
	if _, err := p.Class("Bomb"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("more than is read: %v", err)
	}
}

// Nothing of a manifest is trusted.
func FuzzManifest(f *testing.F) {
	f.Add([]byte("Multi-Release: true\r\nClass-Path: a.jar file:/b/ %zz\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, entry := range parseManifest(b).classPath {
			if l, ok := resolveEntry("dir", entry); ok && strings.ContainsRune(l.path, 0) {
				t.Errorf("%q leads to %q", entry, l.path)
			}
		}
	})
}
