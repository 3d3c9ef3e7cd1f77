package pages

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

func TestPlacesOfFunctionsOfLLVM(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"main":                          {"", ""},
		"lapi.c:index2value":            {"lapi.c", ""},
		"src/lapi.c;index2value":        {"src/lapi.c", ""},
		"_ZN4Tree3addEi":                {"", "Tree"},
		"_ZN3app5store4Tree3addEi":      {"app::store", "Tree"},
		"tree.cpp;_ZN3app5storeL3addEi": {"app::store", ""},
		"tree.cpp;_ZL3runi":             {"tree.cpp", ""},
		"_ZN5shapeC1Ev":                 {"", "shape"},
		"tree.cpp:_ZN4TreeD1Ev":         {"tree.cpp", "Tree"},
		"-[Shape area:]":                {"", ""},
	} {
		if in, class := splitName(layout.DomainLLVMIR, name); [2]string{in, class} != want {
			t.Errorf("%q is in %q, %q, want %q", name, in, class, want)
		}
	}
}

// Classes are spelled as in the names of their methods, and found by either spelling.
func TestClassesAreSpelledAsTheirMethods(t *testing.T) {
	t.Parallel()
	for domain, want := range map[layout.Domain]string{layout.DomainHotSpot: "a.Map.Entry",
		layout.DomainLLVMIR: "a::Map$Entry", layout.DomainGraal: "a.Map.Entry"} {
		v := &treemapView{tally: &tally{store: memstore.Open(t, builder.New(domain, builder.Config{}))},
			packageIndex: &packageIndex{packages: []indexedName{{Name: "a"}}, classes: []indexedName{{Name: "Map$Entry"}}}}
		if got := v.className(0); got != want {
			t.Errorf("%s: the class is %s, want %s", domain, got, want)
		}
	}
}
