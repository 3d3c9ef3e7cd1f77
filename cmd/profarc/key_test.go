package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/profarc/profarc/internal/specimen"
	"github.com/profarc/profarc/layout"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/reader"
)

func TestKeysOf(t *testing.T) {
	length := layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"}
	for _, c := range []struct {
		domain layout.Domain
		text   string
		want   layout.Key
	}{
		{layout.DomainHotSpot, "java/lang/String.length()I", length},
		{layout.DomainHotSpot, "java.lang.String::length()I", length},
		{layout.DomainHotSpot, "java.lang.String.length()I", length},
		{layout.DomainHotSpot, "java/lang/String::length()I", length},
		{layout.DomainHotSpot, "A::<init>(Ljava/lang/Object;)V", layout.Key{Class: "A", Name: "<init>", Signature: "(Ljava/lang/Object;)V"}},
		{layout.DomainGraal, "a.B::c void(java.lang.String)", layout.Key{Class: "a.B", Name: "c", Signature: "void(java.lang.String)"}},
		{layout.DomainLLVMIR, "a.c;f::g(int)", layout.Key{Name: "a.c;f::g(int)"}},
		{layout.DomainJamaica, "A.b()V", layout.Key{Name: "A.b()V"}},
	} {
		if got := keysOf(c.domain, c.text, ""); !cmp.Equal(got[0], c.want) {
			t.Errorf("%s: %s", c.text, cmp.Diff(c.want, got[0]))
		}
	}
}

// TestMethodTextIsFoundAgain: what is printed of a method can be looked up.
func TestMethodTextIsFoundAgain(t *testing.T) {
	for _, sp := range specimen.All() {
		data, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		m, err := archive.FromBytes(sp.Name, data, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := reader.New(m)
		for m, err := range s.Methods() {
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Key()
			if err != nil {
				t.Fatal(err)
			}
			text := methodText(sp.Domain, k)
			if !slices.Contains(keysOf(sp.Domain, text, k.Loader), k) {
				t.Errorf("%s: %+v is printed as %q, which is not found again", sp.Name, k, text)
			}
		}
	}
}

// TestEditsIsADistance: the number of edits is what a distance is, as far as it
// is counted.
func TestEditsIsADistance(t *testing.T) {
	word := rapid.StringMatching(`[ab]{0,5}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		if (edits(a, b) == 0) != (a == b) || edits(a, b) != edits(b, a) {
			t.Fatalf("edits(%q, %q) is %d, the other way %d", a, b, edits(a, b), edits(b, a))
		}
		if d := edits(a, b) + edits(b, c); edits(a, c) > d && d <= nearEdits {
			t.Fatalf("edits(%q, %q) is %d, by way of %q %d", a, c, edits(a, c), b, d)
		}
	})
}
