package methods

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
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
		{layout.DomainHotSpot, "A::<init>(Ljava/lang/Object;)V",
			layout.Key{Class: "A", Name: "<init>", Signature: "(Ljava/lang/Object;)V"}},
		{layout.DomainGraal, "a.B::c void(java.lang.String)",
			layout.Key{Class: "a.B", Name: "c", Signature: "void(java.lang.String)"}},
		{layout.DomainLLVMIR, "a.c;f::g(int)", layout.Key{Name: "a.c;f::g(int)"}},
		{layout.DomainJamaica, "A.b()V", layout.Key{Name: "A.b()V"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			if got := ParseKeys(c.domain, c.text, ""); !cmp.Equal(got[0], c.want) {
				t.Errorf("%s: %s", c.text, cmp.Diff(c.want, got[0]))
			}
		})
	}
}

// TestSpellings: a method is meant by all spellings that are documented or printed somewhere.
func TestSpellings(t *testing.T) {
	main := layout.Key{Class: "a.Fib", Name: "main", Signature: "void([Ljava.lang.String;,int,[[J)"}
	blank := layout.Key{Class: "my.FooTest", Name: "does a (big) thing", Signature: "int(int)"}
	put := layout.Key{Name: "java/nio/B.put(B)Ljava/nio/B;"}
	area := layout.Key{Class: "shapes/Circle", Name: "area", Signature: "()D", Loader: "my loader"}
	for _, c := range []struct {
		domain layout.Domain
		want   layout.Key
		texts  []string
	}{
		{layout.DomainGraal, main, []string{"a.Fib::main void([Ljava.lang.String;,int,[[J)",
			"a.Fib::main::void([Ljava.lang.String;,int,[[J)",
			"a.Fib.main void([Ljava.lang.String;,int,[[J)", "a.Fib::main([Ljava/lang/String;I[[J)V",
			"a/Fib.main([Ljava/lang/String;I[[J)V"}},
		{layout.DomainGraal, blank, []string{"my.FooTest::does a (big) thing int(int)",
			`my.FooTest::"does a (big) thing"::int(int)`,
			"my.FooTest::does a (big) thing::int(int)", "my.FooTest::does a (big) thing(I)I",
			"static my.FooTest::does a (big) thing int(int)"}},
		{layout.DomainGraal, layout.Key{Name: "f", Signature: "int()"}, []string{"f int()", "::f::int()"}},
		{layout.DomainJamaica, put, []string{"java/nio/B.put(B)Ljava/nio/B;", "java.nio.B.put(B)Ljava/nio/B;",
			"java.nio.B::put(B)Ljava/nio/B;", "java/nio/B::put(B)Ljava/nio/B;", "native java/nio/B.put(B)Ljava/nio/B;",
			"java/nio/B.put(B)Ljava/nio/B;(interpreted)", "java/nio/B.put(B)Ljava/nio/B;(inte",
			"java.nio.B::put(B)Ljava/nio/B;(interpreted)"}},
		{layout.DomainHotSpot, area, []string{"shapes.Circle::area()D (loader my loader)",
			`shapes/Circle::area()D{"my loader"}`,
			`shapes.Circle::area()D{"my loader"}`, "final native shapes.Circle::area()D (loader my loader)",
			"shapes/Circle.area()D (loader my loader)"}},
		{layout.DomainHotSpot, layout.Key{Class: "T", Name: "a b (c)", Signature: "(I)V"},
			[]string{"T::a b (c)(I)V", `T::"a b (c)"(I)V`, "T.a b (c)(I)V"}},
		{layout.DomainLLVMIR, layout.Key{Name: "-[A b::c d]"}, []string{"-[A b::c d]", `"-[A b::c d]"`}},
	} {
		for _, text := range c.texts {
			if got := ParseKeys(c.domain, text, ""); !slices.Contains(got, c.want) {
				t.Errorf("%s: %q is not taken for %+v, but for %+v", c.domain, text, c.want, got)
			}
		}
	}
}

// TestAnyMethodIsFoundAsItIsPrinted: any name can be looked up as it is printed.
func TestAnyMethodIsFoundAsItIsPrinted(t *testing.T) {
	part := rapid.StringMatching(`[ab:(). ]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]layout.Domain{layout.DomainHotSpot, layout.DomainGraal, layout.DomainJamaica,
			layout.DomainLLVMIR}).Draw(t, "domain")
		k := layout.Key{Class: part.Draw(t, "class"), Name: part.Draw(t, "name"), Signature: part.Draw(t, "signature"),
			Loader: part.Draw(t, "loader")}
		if d.LLVM() {
			k = layout.Key{Name: k.Name}
		}
		printed := analyze.MethodName{Method: display.MethodText(d, k), Loader: k.Loader}.String()
		if !slices.Contains(ParseKeys(d, printed, ""), k) {
			t.Fatalf("%+v is printed as %q, which is not found again", k, printed)
		}
	})
}

// TestMethodTextIsFoundAgain: a method can be looked up as it is printed.
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
			text := display.MethodText(sp.Domain, k)
			if !slices.Contains(ParseKeys(sp.Domain, text, k.Loader), k) {
				t.Errorf("%s: %+v is printed as %q, which is not found again", sp.Name, k, text)
			}
		}
	}
}

// TestEditsIsADistance: the number of edits is what a distance is, as far as it is counted.
func TestEditsIsADistance(t *testing.T) {
	word := rapid.StringMatching(`[ab]{0,5}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		if (editDistance(a, b) == 0) != (a == b) || editDistance(a, b) != editDistance(b, a) {
			t.Fatalf("edits(%q, %q) is %d, the other way %d", a, b, editDistance(a, b), editDistance(b, a))
		}
		if d := editDistance(a, b) + editDistance(b, c); editDistance(a, c) > d && d <= nearEdits {
			t.Fatalf("edits(%q, %q) is %d, by way of %q %d", a, c, editDistance(a, c), b, d)
		}
	})
}
