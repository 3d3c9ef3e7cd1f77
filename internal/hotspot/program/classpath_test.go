package program_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// Nothing of a class file is trusted: with a wrong byte its methods still have points, or it is an error.
func TestDamagedClassFiles(t *testing.T) {
	full.Only(t, "starts JVMs")
	whole, err := os.ReadFile(filepath.Join(compile(t).dir, "Market.class"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := classfile.Parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	dir, random, versions := t.TempDir(), rand.New(rand.NewPCG(5, 6)), 0
	for range 500 {
		damaged := slices.Clone(whole)
		damaged[random.IntN(len(damaged))] ^= byte(1 << random.IntN(8))
		if err := os.WriteFile(filepath.Join(dir, "Market.class"), damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		path, err := program.OpenClassPath([]string{dir}, 17)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range file.Methods {
			found, err := path.Method(layout.Key{Class: "Market", Name: m.Name, Signature: m.Signature})
			if err != nil {
				t.Fatal(err)
			}
			versions += len(found.Versions)
		}
		path.Close()
	}
	if versions == 0 {
		t.Error("no code was looked at")
	}
}

// A class path without a JDK says nothing of the JDK's classes, and a JDK nothing of others.
func TestWhatAClassPathCovers(t *testing.T) {
	full.Only(t, "starts JVMs")
	market := compile(t)
	for _, c := range []struct {
		key  layout.Key
		want methodcode.Presence
	}{
		{layout.Key{Class: "Market", Name: "gcd", Signature: "(II)I", Loader: "app"}, methodcode.Present},
		{layout.Key{Class: "Market", Name: "gcd", Signature: "(II)J", Loader: "app"}, methodcode.NoMethod},
		{layout.Key{Class: "Bazaar", Name: "gcd", Signature: "(II)I", Loader: "app"}, methodcode.NoClass},
		{layout.Key{Class: "Bazaar", Name: "gcd", Signature: "(II)I"}, methodcode.NoClass},
		{layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}, methodcode.Unknown},
		{layout.Key{Class: "com/sun/Any", Name: "x", Signature: "()V", Loader: "platform"}, methodcode.Unknown},
	} {
		if a, err := market.Method(c.key); a.Presence != c.want || err != nil {
			t.Errorf("%v: %v, want %v (%v)", c.key, a.Presence, c.want, err)
		}
	}
}

// A class that is not there is gone only if the class path has others of its
// loader: a program makes classes, and loads some from elsewhere.
func TestLoadersThatAreNotCovered(t *testing.T) {
	full.Only(t, "starts JVMs")
	market := openClassPath(t, compile(t).dir)
	gone, made := layout.Key{Class: "Bazaar", Name: "x", Signature: "()V", Loader: "Own@0123456789abcdef"},
		layout.Key{Class: "Bazaar", Name: "x", Signature: "()V", Loader: "Own#2"}
	for _, k := range []layout.Key{gone, made, {Class: "Market", Name: "gcd", Signature: "(II)I", Loader: gone.Loader}} {
		if _, err := market.Presence(k); err != nil {
			t.Fatal(err)
		}
	}
	if a, err := market.Method(gone); a.Presence != methodcode.NoClass || err != nil {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := market.Method(made); a.Presence != methodcode.Unknown ||
		!strings.Contains(a.Reason, "no class of loader Own is there") || err != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

// A class of the application class loader is the first on the class path; which
// one another loader takes is not known.
func TestVersionsOfAClass(t *testing.T) {
	full.Only(t, "starts JVMs")
	edit := [2]string{"        while (n >= 10) {", "        while (n >= 10 && d < 99) {"}
	old, now := compile(t), compile(t, edit)
	path := openClassPath(t, old.dir, now.dir)
	for loader, want := range map[string]int{"app": 1, "Own#1": 2, "": 2} {
		t.Run(loader, func(t *testing.T) {
			a, err := path.Method(layout.Key{Class: "Market", Name: "digits", Signature: "(I)I", Loader: loader})
			if err != nil || a.Presence != methodcode.Present || len(a.Versions) != want {
				t.Errorf("loader %q: %d versions, want %d (%v)", loader, len(a.Versions), want, err)
			}
		})
	}
}

// A class file that is not sound ends nothing: its fault is the
// reason why its methods are not checked.
func TestBadClassFile(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "Main.class")
	if err := os.WriteFile(bad, []byte("no class"), 0o666); err != nil {
		t.Fatal(err)
	}
	path := openClassPath(t, dir)
	for range 2 {
		a, err := path.Method(layout.Key{Class: "Main", Name: "main", Signature: "()V"})
		if err != nil || a.Presence != methodcode.Unknown || !strings.HasPrefix(a.Reason, bad+": ") {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if err := path.CheckRelated(); err != nil {
		t.Errorf("its class is there: %v", err)
	}
}

func openClassPath(t *testing.T, paths ...string) *program.ClassPath {
	t.Helper()
	path, err := program.OpenClassPath(paths, 17)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(path.Close)
	return path
}

// A class path that has not one class that is asked for belongs to another
// program; classes of a JDK, which it need not have, say nothing.
func TestUnrelatedClassPaths(t *testing.T) {
	full.Only(t, "starts JVMs")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Main.java"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	path := openClassPath(t, dir, t.TempDir())
	ask := func(class string) {
		if _, err := path.Method(layout.Key{Class: class, Name: "x", Signature: "()V"}); err != nil {
			t.Fatal(err)
		}
	}
	ask("java/lang/String")
	made := layout.Key{Class: "jdk/internal/reflect/GeneratedMethodAccessor12", Name: "invoke",
		Loader: "jdk.internal.reflect.DelegatingClassLoader"}
	if a, err := path.Method(made); err != nil || a.Presence != methodcode.Unknown ||
		!strings.Contains(a.Reason, "made up anew") {
		t.Errorf("a class that each run makes: %+v, %v", a, err)
	}
	if err := path.CheckRelated(); err != nil {
		t.Errorf("nothing of it was asked for: %v", err)
	}
	ask("Main")
	err := path.CheckRelated()
	if !errors.Is(err, program.ErrUnrelated) || !strings.Contains(err.Error(), dir+" has Java sources") ||
		!strings.Contains(err.Error(), "has no class files") {
		t.Error(err)
	}
	found := openClassPath(t, compile(t).dir, dir)
	for _, class := range []string{"Market", "Bazaar"} {
		if _, err := found.Method(layout.Key{Class: class, Name: "x", Signature: "()V"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := found.CheckRelated(); err != nil {
		t.Error(err)
	}
}
