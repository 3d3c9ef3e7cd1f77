package replay

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func classBytes(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(classes(t), name+".class"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestClassFile(t *testing.T) {
	c, err := parseClass(classBytes(t, program))
	if err != nil {
		t.Fatal(err)
	}
	if c.name != program || c.super != baseClass || len(c.interfaces) != 0 {
		t.Errorf("%s extends %s implements %v", c.name, c.super, c.interfaces)
	}
	square, err := parseClass(classBytes(t, shapes+"Square"))
	if err != nil || !slices.Equal(square.interfaces, []string{shapes + "Shape"}) {
		t.Errorf("Square implements %v: %v", square.interfaces, err)
	}
	m, ok := c.method("hot", "(L"+shapes+"Shape;I)I")
	if !ok {
		t.Fatal("no hot")
	}
	if k, opcode, ok := c.callAt(m.code, 15); !ok || opcode != invokeInterface || k != (methodKey{shapes + "Shape", "area", "()I"}) {
		t.Errorf("call at 15: %v %x", k, opcode)
	}
	if k, opcode, ok := c.callAt(m.code, 8); !ok || opcode != invokeStatic || k != (methodKey{program, "rare", "(I)I"}) {
		t.Errorf("call at 8: %v %x", k, opcode)
	}
	if _, _, ok := c.callAt(m.code, 0); ok {
		t.Error("a call at 0")
	}
}

// Every bytecode of the program is passed over exactly, switches too.
func TestBytecodes(t *testing.T) {
	c, err := parseClass(classBytes(t, program))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.methods {
		at := 0
		for at < len(m.code) {
			size := bytecodeSize(m.code, at)
			if size == 0 {
				t.Fatalf("%s: bytecode %d runs over the end", m.name, at)
			}
			at += size
		}
	}
	m, _ := c.method("größe", "([Ljava/lang/Object;Ljava/lang/Object;ILjava/lang/String;)I")
	mentioned := map[string]bool{}
	c.mentioned(m, func(class string) { mentioned[class] = true })
	for _, want := range []string{"java/lang/String", "java/lang/Object", "java/lang/IllegalStateException", shapes + "Shape", shapes + "Square"} {
		if !mentioned[want] {
			t.Errorf("%s is not mentioned: %v", want, mentioned)
		}
	}
	if mentioned[shapes+"Circle"] {
		t.Error("Circle is mentioned")
	}
}

// Nothing of a class file is trusted.
func TestDamagedClassFile(t *testing.T) {
	whole := classBytes(t, shapes+"Square")
	for n := range len(whole) - 60 { // behind that attributes are cut that are not read
		if _, err := parseClass(whole[:n]); !errors.Is(err, errClassFile) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	for at := range whole {
		for _, bit := range []byte{1, 0x80, 0xff} {
			damaged := slices.Clone(whole)
			damaged[at] ^= bit
			c, err := parseClass(damaged)
			if err != nil {
				continue
			}
			for _, m := range c.methods {
				c.mentioned(m, func(string) {})
				for bci := range m.code {
					c.callAt(m.code, bci)
				}
			}
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
		p, err := openClassPath([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		if c, err := p.class(shapes + "Square"); err != nil || c == nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, none := range []string{"no/Such", "../" + filepath.Base(dir) + "/" + program, "/" + program, ""} {
			if c, err := p.class(none); err != nil || c != nil {
				t.Errorf("%s: class %q: %v", path, none, err)
			}
		}
		p.close()
	}
	if _, err := openClassPath([]string{filepath.Join("testdata", "v2.log")}); err == nil {
		t.Error("a text is taken for a jar")
	}
}

// A JDK's own classes are found in its file of modules.
func TestImage(t *testing.T) {
	command(t, home25(), "java")
	p, err := openClassPath([]string{home25()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	for class, super := range map[string]string{
		"java/lang/String": baseClass, "java/util/ArrayList": "java/util/AbstractList", "java/util/logging/Level": baseClass, baseClass: "",
	} {
		if c, err := p.class(class); err != nil || c == nil || c.super != super {
			t.Errorf("%s: %v", class, err)
		}
	}
	w := &writer{path: p}
	for name, want := range map[string]string{
		"stream()Ljava/util/stream/Stream;": "java/util/Collection", "containsAll(Ljava/util/Collection;)Z": "java/util/AbstractCollection",
		"get(I)Ljava/lang/Object;": "java/util/ArrayList", "no()V": "",
	} {
		at := strings.IndexByte(name, '(')
		c, _, ok, err := w.resolve("java/util/ArrayList", methodKey{name: name[:at], signature: name[at:]})
		if err != nil || ok != (want != "") || ok && c.name != want {
			t.Errorf("%s of ArrayList is not that of %s: %v", name, want, err)
		}
	}
	for _, none := range []string{"java/lang/NoSuch", "no/Such", "Plain", "java/Foo"} {
		if c, err := p.class(none); err != nil || c != nil {
			t.Errorf("%s: %v", none, err)
		}
	}
}

// Nothing of a file of modules is trusted.
func TestDamagedImage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "modules")
	for _, content := range []string{"", "short", strings.Repeat("\xff", 100), "\xda\xda\xfe\xca" + strings.Repeat("\x01\x00\x00\x00", 20)} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := openClassPath([]string{path})
		if err != nil {
			continue
		}
		if c, _ := p.class("java/lang/String"); c != nil {
			t.Errorf("a class in %q", content)
		}
		p.close()
	}
}

func FuzzClass(f *testing.F) {
	f.Add(classBytes(f, shapes+"Square"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parseClass(b)
		if err != nil {
			return
		}
		for _, m := range c.methods {
			c.mentioned(m, func(string) {})
			for bci := range m.code {
				c.callAt(m.code, bci)
			}
		}
	})
}
