package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// oddNames are names of methods that are hard to type, by domain.
var oddNames = map[layout.Domain][]layout.Key{
	layout.DomainHotSpot: {
		{Class: "a/b/Out$In", Name: "<init>", Signature: "(Ljava/util/Map$Entry;[[I)V"},
		{Class: "a/b/Main$$Lambda@a/b/Main#0", Name: "apply", Signature: "(Ljava/lang/Object;)Ljava/lang/Object;"},
		{Class: "java/lang/invoke/LambdaForm$MH+0x00007f12a8001228", Name: "invoke", Signature: "()V"},
		{Class: "a/b/Out", Name: "does a (big) thing", Signature: "()V", Loader: "my loader"},
		{Class: "a/b/Out", Name: "what?*", Signature: "(II)V", Loader: "app"},
		{Class: "Kt", Name: "$this$/x", Signature: "()V"}, {Class: "Kt", Name: "a\u00adb\u202e", Signature: "()V"},
		{Class: "Kt", Name: `"q"`, Signature: "()V"}, {Class: "Kt", Name: "/.*/", Signature: "()V"},
		{Class: "Kt", Name: "[", Signature: "()V"}, {Class: "Kt", Name: "bad\xff", Signature: "()V"}},
	layout.DomainGraal: {{Class: "a.B$C", Name: "run", Signature: "void(java.lang.String,[[J)"},
		{Class: "a.B", Name: "x*y", Signature: "int(int)"}, {Name: "f", Signature: "int()"}},
	layout.DomainJamaica: {{Name: "java/nio/B.put(B)Ljava/nio/B;"}, {Name: "a/B$C.x*([I)V"}},
	layout.DomainLLVMIR: {{Name: "_ZN4TreeIPKcE3addEPc"}, {Name: "a b.cpp;_ZL3runi"}, {Name: "src/x.c:work"},
		{Name: "_ZN1AdvERKS_"}, {Name: "_ZZ4mainENKUlvE_clEv"}, {Name: "_RNvC6_123foo3bar"}, {Name: "-[A b::c d:]"},
		{Name: "_ZNK3foo3bar17h05af221e174051e9E"}, {Name: "_Z6printfPKcz"}},
	layout.DomainSampled: {{Name: "example.com/app/store.(*Index[...]).Find"}, {Name: "[libc-2.15.so]+0x1a2b"},
		{Name: "std::map<char*, int>::operator*(char*) const"}, {Name: "main.main.func1"}, {Name: "a;b"},
		{Name: "<T as core::fmt::Debug>::fmt"}, {Name: "java/lang/String.length"}, {Name: `C:\x\u0041.exe!f`}},
	layout.DomainCustom: {{Class: "Vec<T*>", Name: "at", Signature: "(int)"}, {Name: "lambda@3?"}},
}

// withOddNames returns a specimen with more methods, each with a profile.
func withOddNames(t *testing.T, sp specimen.Specimen, more []layout.Key) (path string) {
	b := sp.Build()
	for _, k := range more {
		addCalled(b, k)
	}
	path = filepath.Join(t.TempDir(), "names.parc")
	if _, err := b.Commit(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

func addCalled(b *builder.Builder, k layout.Key) {
	m := b.Method(k)
	if b.Internal().Domain == layout.DomainSampled {
		b.Seen(m)
		return
	}
	p := b.ProfileIn(m, 7, profileset.NoContext)
	if !b.Internal().Domain.LLVM() {
		p.Invocations(100)
	} else {
		p.Counters(0, 100)
	}
	p.Done()
}

// names returns what commands print as names, with the ids of the methods that it is printed for.
func namesPrinted(t *testing.T, archive string) map[string][]string {
	names := map[string][]string{}
	add := func(name, id string) {
		if name != "" && !slices.Contains(names[name], id) {
			names[name] = append(names[name], id)
		}
	}
	var dump struct{ Methods []analyze.MethodName }
	list := execute(t, false, "top", archive, "--json", "-n", "1000")
	if err := json.Unmarshal(list.plain.Bytes(), &dump); err != nil {
		t.Fatal(err, list.plain.String())
	}
	for _, m := range dump.Methods {
		add(m.Method, m.ID)
		add(m.Display, m.ID)
		add(m.Name, m.ID)
	}
	for _, flags := range [][]string{nil, {"--raw"}, {"--no-demangle"}} {
		last := ""
		for line := range strings.Lines(execute(t, false, append([]string{"show", archive}, flags...)...).plain.String()) {
			line = strings.TrimSuffix(line, "\n")
			if id := shownID.FindStringSubmatch(line); id != nil {
				add(last, id[1])
			}
			last = line
		}
	}
	return names
}

var shownID = regexp.MustCompile(`^  id ([0-9a-f]{16})`)

// checkFound types a name into every command.
func checkFound(t testing.TB, run func(args ...string) *printed, archive, name string, ids []string) {
	for _, args := range [][]string{{"show", archive, "--method", name}, {"show", archive, "--function", name},
		{"show", archive, "--", name}} {
		got := run(args...)
		for _, id := range ids {
			if !strings.Contains(got.plain.String(), id) {
				t.Errorf("%q lacks %s: %.200s", args, id, got.plain.String())
			}
		}
	}
	for _, args := range [][]string{{"top", archive, "--method", name},
		{"diff", archive, archive, "--function", name},
		{"reduce", archive, "-o", filepath.Join(filepath.Dir(archive), "out.parc"), "--method", name}} {
		if got := run(args...); got.code != 0 {
			t.Errorf("%q: %s", args, got.plain.String())
		}
	}
	got := run("show", archive, "--lookup", "--", name)
	if text := got.plain.String(); got.code != 0 && !strings.Contains(text, "several methods") {
		t.Errorf("lookup of %q: %s", name, text)
	}
}

// TestNamesPrintedAreNamesTyped types every name that a command prints into every command.
func TestNamesPrintedAreNamesTyped(t *testing.T) {
	for _, sp := range specimen.All() {
		t.Run(sp.Name, func(t *testing.T) {
			archive := withOddNames(t, sp, oddNames[sp.Domain])
			names := namesPrinted(t, archive)
			if len(names) < len(oddNames[sp.Domain]) {
				t.Fatal("only", len(names), "names are printed")
			}
			for name, ids := range names {
				checkFound(t, func(args ...string) *printed { return execute(t, false, args...) }, archive, name, ids)
			}
		})
	}
}

// TestAnyNamePrintedIsFound is TestNamesPrintedAreNamesTyped for any names of functions.
func TestAnyNamePrintedIsFound(t *testing.T) {
	part := rapid.StringMatching(`[ab_:/().*?<>\[\]" ;$'~{}&#+\\…é\x01\x{ad}-]{1,8}`)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		if n++; n > 40 {
			return
		}
		k := layout.Key{Name: "x" + part.Draw(r, "name")}
		archive := withOddNames(t, specimen.All()[8], []layout.Key{k})
		for name, ids := range namesPrinted(t, archive) {
			checkFound(t, func(args ...string) *printed { return execute(t, false, args...) }, archive, name, ids)
		}
	})
}
