package javanames

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTypeSpelling(t *testing.T) {
	t.Parallel()
	for spelling, name := range map[string]string{
		"'java/lang/String'":          "java/lang/String",
		"'java/util/Map$Entry'[][]":   "[[Ljava/util/Map$Entry;",
		"{type array bool}":           "[Z",
		"{type array char}":           "[C",
		"{type array float}":          "[F",
		"{type array double}":         "[D",
		"{type array byte}":           "[B",
		"{type array short}[]":        "[[S",
		"{type array int}[][]":        "[[[I",
		"{type array long}":           "[J",
		"'a+0x12'[]":                  "[La+0x12;",
		"'I'[]":                       "[LI;",
		"'\xed\xa0\xbd\xed\xb8\x80x'": "\U0001f600x",
	} {
		t.Run(spelling, func(t *testing.T) {
			got, ok := FromPrinted(spelling)
			if !ok || got != name {
				t.Errorf("%s is called %q", spelling, got)
			}
			if back := string(AppendPrinted(nil, name)); back != spelling {
				t.Errorf("%s is spelled %s", name, back)
			}
		})
	}
	for _, bad := range []string{"", "'", "''", "[]", "'[I'", "{type array }", "{type array int", "x", "'x"} {
		if name, ok := FromPrinted(bad); ok {
			t.Errorf("%q is taken for %q", bad, name)
		}
	}
}

func TestExternalNames(t *testing.T) {
	t.Parallel()
	for external, internal := range map[string]string{
		"java.util.Map$Entry":                   "java/util/Map$Entry",
		"Main":                                  "Main",
		"a.Foo$$Lambda$14/0x00007f12a8001228":   "a/Foo$$Lambda$14+0x00007f12a8001228",
		"a.Foo$$Lambda/0x00000000350ed3a8":      "a/Foo$$Lambda+0x00000000350ed3a8",
		"java.lang.invoke.LambdaForm$MH/0x0400": "java/lang/invoke/LambdaForm$MH+0x0400",
	} {
		t.Run(external, func(t *testing.T) {
			if got := InternalName(external); got != internal {
				t.Errorf("%s is %s inside", external, got)
			}
			if got := string(AppendExternal(nil, internal)); got != external {
				t.Errorf("%s is %s outside", internal, got)
			}
		})
	}
}

func TestHiddenNames(t *testing.T) {
	t.Parallel()
	got := CanonicalHidden(map[string]bool{
		"a/Foo$$Lambda$9+0x0f": true, "a/Foo$$Lambda$10+0x0a": true, "a/Foo$$Lambda+0x0b": true,
		"a/Foo$Bar$$Lambda+0x100": true, "a/Foo$Bar$$Lambda+0x20": true,
		"java/lang/invoke/LambdaForm$MH+0x400": true, "Own+0x1": true, "plain/Class": true, "not+hidden": true,
		"nor+0x": true,
	})
	want := map[string]string{
		"a/Foo$$Lambda+0x0b": "a/Foo$$Lambda@a/Foo#0", "a/Foo$$Lambda$9+0x0f": "a/Foo$$Lambda@a/Foo#1",
		"a/Foo$$Lambda$10+0x0a":  "a/Foo$$Lambda@a/Foo#2",
		"a/Foo$Bar$$Lambda+0x20": "a/Foo$Bar$$Lambda@a/Foo$Bar#0", "a/Foo$Bar$$Lambda+0x100": "a/Foo$Bar$$Lambda@a/Foo$Bar#1",
		"java/lang/invoke/LambdaForm$MH+0x400": "java/lang/invoke/LambdaForm$MH@java/lang/invoke/LambdaForm#0",
		"Own+0x1":                              "Own@Own#0",
	}
	if len(got) != len(want) {
		t.Errorf("%d hidden classes: %v", len(got), got)
	}
	for name, canonical := range want {
		if got[name] != canonical {
			t.Errorf("%s is called %q, not %q", name, got[name], canonical)
		}
	}
}

// Quoting can be undone, and modified UTF-8 is UTF-8 again.
func TestQuotedNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		if back := FromModifiedUTF8(ToModifiedUTF8(name)); back != name {
			t.Fatalf("%q comes back from modified UTF-8 as %q", name, back)
		}
		quoted := AppendQuoted(nil, name)
		for _, c := range quoted {
			if c < ' ' || c > '~' {
				t.Fatalf("%q is quoted as %q", name, quoted)
			}
		}
		if again := string(AppendQuoted(nil, Unquote(quoted))); again != string(quoted) {
			t.Fatalf("%q is quoted as %q and then as %q", name, quoted, again)
		}
	})
	if got := Unquote([]byte(`\u00e9t\u00e9\ud83d\ude00`)); got != "été\U0001f600" {
		t.Errorf("unquoted as %q", got)
	}
	for _, odd := range []string{`\ud83d`, `\u0000`, `\u0041`, `\u00E9`, `\u12`} {
		if got := Unquote([]byte(odd)); got != odd {
			t.Errorf("%s is unquoted as %q: it would be quoted otherwise", odd, got)
		}
	}
}

func TestNumberedClasses(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]bool{
		"jdk/internal/reflect/GeneratedMethodAccessor12":         true,
		"sun/reflect/GeneratedSerializationConstructorAccessor1": true,
		"jdk/proxy2/$Proxy5":            true,
		"com/sun/proxy/$Proxy0":         true,
		"$Proxy1":                       true,
		"app/$Proxy":                    false,
		"app/Foo$Proxy1":                false,
		"app/GeneratedMethodAccessor12": false,
		"":                              false,
	} {
		t.Run(class, func(t *testing.T) {
			if IsNumbered(class) != want {
				t.Errorf("%q: %t", class, !want)
			}
		})
	}
}
