package classfile

import (
	"archive/zip"
	"path/filepath"
	"slices"
	"testing"
)

// classOf returns a class of that name that differs from others in its super class.
func classOf(name, super string) []byte {
	b := []byte("\xca\xfe\xba\xbe\x00\x00\x00\x3d\x00\x05")
	for _, text := range []string{name, super} {
		b = append(append(b, 1, 0, byte(len(text))), text...)
	}
	return append(b, "\x07\x00\x01\x07\x00\x02"+"\x00\x00\x00\x03\x00\x04"+"\x00\x00\x00\x00\x00\x00\x00\x00"...)
}

// supers returns the super classes of all files that are found of class A, the first
// being the one that the JDK's own class loaders load.
func supers(t *testing.T, p *Path) (names []string) {
	t.Helper()
	all, err := p.AllClasses("A")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		names = append(names, c.Super)
	}
	if first, err := p.Class("A"); err != nil || len(all) > 0 && first != all[0] {
		t.Errorf("the first is not what a JVM loads: %v", err)
	}
	return names
}

// A class of a multi-release jar is taken for the JVM's release.
func TestMultiRelease(t *testing.T) {
	files := func(manifest string) []byte {
		return zipped(t, packed{"META-INF/MANIFEST.MF", zip.Deflate, []byte(manifest)},
			packed{"META-INF/versions/11/A.class", zip.Deflate, classOf("A", "Eleven")},
			packed{"A.class", zip.Deflate, classOf("A", "Base")},
			packed{"META-INF/versions/9/A.class", zip.Deflate, classOf("A", "Nine")},
			packed{"META-INF/versions/21/A.class", zip.Deflate, classOf("A", "TwentyOne")},
			packed{"META-INF/versions/8/A.class", zip.Deflate, classOf("A", "Never")},
			packed{"META-INF/versions/010/A.class", zip.Deflate, classOf("A", "Never")},
			packed{"META-INF/versions/9/META-INF/A.class", zip.Deflate, classOf("META-INF/A", "Never")},
			packed{"META-INF/versions/9/Only.class", zip.Deflate, classOf("Only", "Nine")})
	}
	name := filepath.Join(t.TempDir(), "a.jar")
	for _, c := range []struct {
		manifest string
		release  int
		want     []string
	}{
		{"Multi-Release: true\n", 17, []string{"Eleven", "Nine", "Base"}},
		{"Multi-Release: true\n", 25, []string{"TwentyOne", "Eleven", "Nine", "Base"}},
		{"Multi-Release: true\n", 10, []string{"Nine", "Base"}},
		{"Manifest-Version: 1.0\r\nmulti-RELEASE: TRUE\r\n\r\n", 17, []string{"Eleven", "Nine", "Base"}},
		{"Multi-Release: tr\n ue\n", 17, []string{"Eleven", "Nine", "Base"}},
		{"Multi-Release: true\n", 0, []string{"Base", "TwentyOne", "Eleven", "Nine"}}, // not known
		{"Multi-Release: false\n", 17, []string{"Base"}},
		{"Multi-Release: true\n", 8, []string{"Base"}},
		{"Manifest-Version: 1.0\n\nName: x\nMulti-Release: true\n", 17, []string{"Base"}}, // of one file
		{"", 17, []string{"Base"}},
	} {
		write(t, name, files(c.manifest))
		p, err := Open([]string{name}, c.release)
		if err != nil {
			t.Fatal(err)
		}
		if got := supers(t, p); !slices.Equal(got, c.want) {
			t.Errorf("%q, release %d: %v, want %v", c.manifest, c.release, got, c.want)
		}
		if only, err := p.Class("Only"); err != nil || (only != nil) != (len(c.want) > 1) {
			t.Errorf("%q, release %d: a class that only some releases have: %v, %v", c.manifest, c.release, only != nil, err)
		}
		if never, err := p.Class("META-INF/A"); err != nil || never != nil {
			t.Errorf("a class below META-INF: %v", err)
		}
		p.Close()
	}
}

// The release of a JDK on the path takes precedence over the given one.
func TestReleaseOfTheJDK(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.jar")
	write(t, name, zipped(t, packed{"META-INF/MANIFEST.MF", zip.Store, []byte("Multi-Release: true\n")},
		packed{"A.class", zip.Store, classOf("A", "Base")},
		packed{"META-INF/versions/18/A.class", zip.Store, classOf("A", "Eighteen")}))
	object := classNamed(objectClass)
	object[7] = 44 + 17
	write(t, filepath.Join(dir, "jdk", objectClass+extension), object)
	p, err := Open([]string{name, filepath.Join(dir, "jdk")}, 25)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := supers(t, p); !slices.Equal(got, []string{"Base"}) {
		t.Errorf("%v: the JDK that was named is of release 17", got)
	}
}

// A .jmod is a jar with a header, and its classes in a folder.
func TestModuleFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.jmod")
	content := zipped(t, packed{"classes/A.class", zip.Deflate, classNamed("A")},
		packed{"lib/b.jar", zip.Store, []byte("none")}, packed{"B.class", zip.Store, classNamed("B")})
	write(t, name, append([]byte(jmodHeader), content...))
	for _, path := range []string{name, filepath.Join(dir, "*")} {
		p := openPath(t, path)
		for class, want := range map[string]bool{"A": true, "classes/A": false, "B": false} {
			if c, err := p.Class(class); err != nil || (c != nil) != want {
				t.Errorf("%s: %s: %v, %v", path, class, c != nil, err)
			}
		}
	}
	if got := SurveyPath(dir); got.Jar != name {
		t.Errorf("%+v", got)
	}
	write(t, name, []byte(jmodHeader+"and no zip file"))
	if _, err := Open([]string{name}, 0); err == nil {
		t.Error("a damaged module")
	}
}
