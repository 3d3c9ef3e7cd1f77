package profarc_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/layout"
)

// A code is a function of a script, with the anonymous functions in it in the order of the source.
type code struct {
	body  string
	inner []code
}

// A VM finds the profiles of closures again after an edit of the script.
func ExampleAnonymousKey() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	vm := profarc.VM{ID: tiny, Name: "tiny VM 1"}
	path := filepath.Join(dir, "app.parc")
	runScript := func(script code) {
		run, _ := profarc.Start(path, vm) // without an archive it counts from 0
		defer run.Close()
		var setUp func(key layout.Key, c code)
		setUp = func(key layout.Key, c code) {
			calls := run.Function(key, profarc.CodeID([]byte(c.body))).Calls()
			fmt.Printf("%-14s %-12s %d calls so far\n", key.Name, c.body, calls.Load())
			calls.Count(10)
			for i, inner := range c.inner {
				setUp(profarc.AnonymousKey(key, i), inner)
			}
		}
		setUp(layout.Key{Class: "app.js", Name: "main"}, script)
		if _, err := run.Dump(context.Background(), path); err != nil {
			log.Fatal(err)
		}
	}
	render := code{"x => draw(x)", []code{{"y => y + 1", nil}}}
	runScript(code{"main", []code{render, {"e => log(e)", nil}}})
	fmt.Println("the last function is edited:")
	runScript(code{"main", []code{render, {"e => say(e)", nil}}})
	// Output:
	// main           main         0 calls so far
	// main<0>        x => draw(x) 0 calls so far
	// main<0><0>     y => y + 1   0 calls so far
	// main<1>        e => log(e)  0 calls so far
	// the last function is edited:
	// main           main         10 calls so far
	// main<0>        x => draw(x) 10 calls so far
	// main<0><0>     y => y + 1   10 calls so far
	// main<1>        e => say(e)  0 calls so far
}

// TestEditsOfAnonymousFunctions: after each edit, the functions whose key and code are as before continue, and no
// function continues with the counts of another one.
func TestEditsOfAnonymousFunctions(t *testing.T) {
	t.Parallel()
	b := code{"b", []code{{"d", nil}}}
	before := code{"main", []code{{"a", nil}, b, {"c", nil}}}
	for name, edit := range map[string]struct {
		after     code
		continues string
	}{
		"none":             {before, "main a b d c "},
		"a body":           {code{"main", []code{{"a", nil}, {"B", b.inner}, {"c", nil}}}, "main a d c "},
		"the parent":       {code{"Main", before.inner}, "a b d c "},
		"added at the end": {code{"main", append(before.inner[:3:3], code{"e", nil})}, "main a b d c "},
		"added before":     {code{"main", append([]code{{"e", nil}}, before.inner...)}, "main "},
		"removed":          {code{"main", before.inner[1:]}, "main "},
		"swapped":          {code{"main", []code{{"a", nil}, {"c", nil}, b}}, "main a "},
		"the same twice":   {code{"main", []code{{"a", nil}, b, {"c", nil}, {"a", nil}}}, "main a b d c "},
	} {
		path := filepath.Join(t.TempDir(), "app.parc")
		r := start(t, path)
		eachFunction(r, layout.Key{Name: "main"}, before, func(f *profarc.Function, c code) { f.Calls().Count(7) })
		dump(t, r, path)
		continued := ""
		eachFunction(start(t, path), layout.Key{Name: "main"}, edit.after, func(f *profarc.Function, c code) {
			if f.Calls().Load() > 0 {
				continued += c.body + " "
			}
		})
		if continued != edit.continues {
			t.Errorf("%s: %scontinue, want %s", name, continued, edit.continues)
		}
	}
}

func eachFunction(r *profarc.Run, key layout.Key, c code, use func(f *profarc.Function, c code)) {
	use(r.Function(key, profarc.CodeID([]byte(c.body))), c)
	for i, inner := range c.inner {
		eachFunction(r, profarc.AnonymousKey(key, i), inner, use)
	}
}

// TestAnonymousKeys: functions at different places have different keys, however they are nested.
func TestAnonymousKeys(t *testing.T) {
	t.Parallel()
	seen := map[layout.Key]string{}
	var nest func(parent layout.Key, path string)
	nest = func(parent layout.Key, path string) {
		if before, ok := seen[parent]; ok {
			t.Errorf("%s and %s are both %v", before, path, parent)
		}
		seen[parent] = path
		if len(path) > 6 {
			return
		}
		for ordinal := range 12 {
			nest(profarc.AnonymousKey(parent, ordinal), fmt.Sprint(path, "/", ordinal))
		}
	}
	nest(layout.Key{Class: "app.js"}, "app")
	nest(layout.Key{Class: "app.js", Name: "f"}, "f")
	nest(layout.Key{Class: "app.js", Name: "f", Signature: "2"}, "f2")
}
