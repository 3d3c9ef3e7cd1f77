package display_test

import (
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
)

func TestMethodsAsProgrammersWriteThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		domain layout.Domain
		key    layout.Key
		want   string
	}{
		{layout.DomainHotSpot, layout.Key{Class: "Numbers", Name: "combine", Signature: "(LNumbers$Ops;)V"},
			"Numbers.combine(Numbers.Ops)"},
		{layout.DomainHotSpot, layout.Key{Class: "java/util/HashMap", Name: "putVal",
			Signature: "(ILjava/lang/Object;[[ILjava/util/Map$Entry;)Z"},
			"java.util.HashMap.putVal(int, Object, int[][], Map.Entry)"},
		{layout.DomainHotSpot, layout.Key{Class: "a/Foo$$Lambda@a/Foo$Bar#0", Name: "<init>", Signature: "()V"},
			"a.Foo$$Lambda@a.Foo.Bar#0.<init>()"},
		{layout.DomainHotSpot, layout.Key{Class: "a/Foo$1", Name: "x", Signature: "(La/Foo$1Local;)V"},
			"a.Foo$1.x(Foo$1Local)"},
		{layout.DomainHotSpot, layout.Key{Class: "scala/Predef$", Name: "$plus", Signature: "()V"}, "scala.Predef$.$plus()"},
		{layout.DomainHotSpot, layout.Key{Class: "$Proxy1", Name: "x", Signature: "([Ljava/lang/String;)V"},
			"$Proxy1.x(String[])"},
		{layout.DomainHotSpot, layout.Key{Class: "A", Name: "x", Signature: "(L;Q"}, "A::x(L;Q"},
		{layout.DomainHotSpot, layout.Key{Class: "A", Name: "x"}, "A::x"},
		{layout.DomainGraal, layout.Key{Class: "java.util.Map$Entry", Name: "get",
			Signature: "void(int,[Ljava.lang.String;,java.util.Map$Entry)"},
			"java.util.Map.Entry.get(int, String[], Map.Entry)"},
		{layout.DomainGraal, layout.Key{Class: "Fib", Name: "main", Signature: "void()"}, "Fib.main()"},
		{layout.DomainJamaica, layout.Key{Name: "java/nio/B.put(BLjava/lang/Object;)V"}, "java.nio.B.put(byte, Object)"},
		{layout.DomainJamaica, layout.Key{Name: "java/nio/B.put(BLjava/la"}, "java/nio/B.put(BLjava/la"},
		{layout.DomainLLVMIR, layout.Key{Name: "_ZN4Tree3addEi"}, "Tree::add(int)"},
		{layout.DomainLLVMIR, layout.Key{Name: "a.cpp;_ZL3runi"}, "a.cpp;run(int)"},
		{layout.DomainLLVMFrontend, layout.Key{Name: "a.cpp:_ZL3runi"}, "a.cpp:run(int)"},
		{layout.DomainLLVMIR, layout.Key{Name: "_Run"}, "_Run"},
		{layout.DomainSampled, layout.Key{Name: "main.(*T).run"}, "main.(*T).run"},
		{layout.DomainSampled, layout.Key{Name: "wasm-function[7]"}, "wasm-function[7]"},
		{layout.DomainCustom, layout.Key{Class: "a/B$C", Name: "m", Signature: "()V"}, "a/B$C::m()V"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := (display.Spelling{}).Method(c.domain, c.key); got != c.want {
				t.Errorf("%v: %s, want %s", c.key, got, c.want)
			}
			if raw := (display.Spelling{Raw: true}).Method(c.domain, c.key); raw != display.MethodText(c.domain, c.key) {
				t.Errorf("%v raw: %s", c.key, raw)
			}
		})
	}
	if got := (display.Spelling{Mangled: true}).Function("_ZN4Tree3addEi"); got != "_ZN4Tree3addEi" {
		t.Errorf("mangled: %s", got)
	}
}

func TestTypesAsProgrammersWriteThem(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"java/lang/String": "java.lang.String", "[I": "int[]", "[[Ljava/util/Map$Entry;": "java.util.Map.Entry[][]", "I": "I",
		"": "", "[": "[]", "[Q": "Q[]",
	} {
		if got := (display.Spelling{}).Type(layout.DomainHotSpot, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestShortNamesHaveNoPackages(t *testing.T) {
	t.Parallel()
	short := display.Spelling{Short: true}
	for name, want := range map[string]string{
		"java/lang/String": "String", "[[Ljava/util/Map$Entry;": "Map.Entry[][]", "Top": "Top",
		"a/Foo$$Lambda@b/Foo$Bar#0": "Foo$$Lambda@Foo.Bar#0", "[I": "int[]", "": "",
	} {
		if got := short.Type(layout.DomainHotSpot, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, c := range []struct {
		domain layout.Domain
		key    layout.Key
		want   string
	}{
		{layout.DomainHotSpot, layout.Key{Class: "java/util/Map$Entry", Name: "put", Signature: "(ILjava/lang/Object;)Z"},
			"Map.Entry.put(int, Object)"},
		{layout.DomainJamaica, layout.Key{Name: "java/nio/B.put(BLjava/lang/Object;)V"}, "B.put(byte, Object)"},
		{layout.DomainHotSpot, layout.Key{Class: "a/A", Name: "x", Signature: "(L"}, "a.A::x(L"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := short.Method(c.domain, c.key); got != c.want {
				t.Errorf("%v: %s, want %s", c.key, got, c.want)
			}
		})
	}
}

// Whatever spelling is shown, and the usual others, is found.
func TestPlainForms(t *testing.T) {
	t.Parallel()
	key := layout.Key{Class: "app/Numbers", Name: "combine", Signature: "(Lapp/Numbers$Ops;Ljava/util/List;)V"}
	forms := display.PlainForms(layout.DomainHotSpot, key)
	for _, typed := range []string{"app.Numbers.combine(Numbers.Ops, List)",
		"app.Numbers.combine(app.Numbers.Ops,java.util.List)",
		"app.Numbers::combine(Numbers$Ops, List)", "app/Numbers.combine(Numbers.Ops,List)"} {
		if !slices.Contains(forms, display.PlainName(typed)) {
			t.Errorf("%s is none of %q", typed, forms)
		}
	}
	if forms := display.PlainForms(layout.DomainLLVMIR, layout.Key{Name: "_ZN4Tree3addEic"}); !slices.Equal(forms,
		[]string{"Tree.add(int,char)"}) {
		t.Errorf("%q", forms)
	}
}
