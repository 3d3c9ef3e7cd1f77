package program_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/formats/hotspot/classfile"
	"github.com/profarc/profarc/internal/formats/hotspot/program"
	"github.com/profarc/profarc/layout"
)

// Nothing of a class file is trusted: with a wrong byte its methods still have
// points, or it is an error.
func TestDamagedClassFiles(t *testing.T) {
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
		path, err := program.OpenClassPath([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range file.Methods {
			found, _, err := path.Method(layout.Key{Class: "Market", Name: m.Name, Signature: m.Signature})
			if err == nil {
				versions += len(found)
			}
		}
		path.Close()
	}
	if versions == 0 {
		t.Error("no code was looked at")
	}
}

// A class path without a JDK says nothing of the JDK's classes, and a JDK nothing
// of others.
func TestWhatAClassPathCovers(t *testing.T) {
	market := compile(t)
	for _, c := range []struct {
		key  layout.Key
		want fit.Presence
	}{
		{layout.Key{Class: "Market", Name: "gcd", Signature: "(II)I", Loader: "app"}, fit.Present},
		{layout.Key{Class: "Market", Name: "gcd", Signature: "(II)J", Loader: "app"}, fit.NoMethod},
		{layout.Key{Class: "Bazaar", Name: "gcd", Signature: "(II)I", Loader: "app"}, fit.NoClass},
		{layout.Key{Class: "Bazaar", Name: "gcd", Signature: "(II)I"}, fit.NoClass},
		{layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}, fit.Elsewhere},
		{layout.Key{Class: "com/sun/Any", Name: "x", Signature: "()V", Loader: "platform"}, fit.Elsewhere},
	} {
		if _, presence, err := market.Method(c.key); presence != c.want || err != nil {
			t.Errorf("%v: %v, want %v (%v)", c.key, presence, c.want, err)
		}
	}
}
