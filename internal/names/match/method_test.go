package match

import (
	"testing"

	"github.com/profarc/profarc/layout"
)

func TestPatternsOfMethods(t *testing.T) {
	put := layout.Key{Class: "java/util/Map$Entry", Name: "put", Signature: "(Ljava/lang/Object;I)V", Loader: "app"}
	add := layout.Key{Name: "src/t.cpp;_ZN4Tree3addEPKc"}
	index := layout.Key{Name: "example.com/app/store.(*Index).Find"}
	const java, llvm, sampled = layout.DomainHotSpot, layout.DomainLLVMIR, layout.DomainSampled
	for _, c := range []struct {
		domain layout.Domain
		k      layout.Key
		text   string
		want   bool
	}{
		{java, put, "put", true}, {java, put, "pu", true}, {java, put, "p*", true}, {java, put, "Entry", false},
		{java, put, "Map", false}, {java, put, "Entry.put", true}, {java, put, "Map$Entry::put(", true},
		{java, put, "java.util.Map.Entry.put(Object, int)", true}, {java, put, "java/util/Map$Entry.put", true},
		{java, put, "java.util.Map.Entry.put(Object, int) (loader app)", true},
		{java, put, "java.util.Map.Entry.put(Object, int) (loader other)", false},
		{java, put, "static final java.util.Map.Entry.put(Object, int)", true}, {java, put, "Entry.put(int)", false},
		{java, put, "/^p.t$/", true}, {java, put, "/Entry/", false}, {java, put, `/Entry\.put/`, true},
		{java, put, "/p(/", false}, {java, put, "java.util.*", true}, {java, put, "Entry.*", false},
		{llvm, add, "Tree::add", true}, {llvm, add, "Tree::add(char const*)", true}, {llvm, add, "*::add", true},
		{llvm, add, "Tree::*", true}, {llvm, add, "src/t.cpp;Tree::add(char const*)", true},
		{llvm, add, "Tree::remove", false},
		{llvm, add, `/^Tree::a/`, true}, {llvm, add, "_ZN4Tree3addEPKc", true},
		{llvm, add, `"src/t.cpp;_ZN4Tree3addEPKc"`, true},
		{sampled, index, "(*Index).Find", true}, {sampled, index, "store.(*Index).*", false},
		{sampled, index, `/store\.\(\*Index\)/`, true},
	} {
		t.Run(c.text, func(t *testing.T) {
			p := New(c.text)
			if got := p.MatchesMethod(c.domain, c.k); got != c.want {
				t.Errorf("%q selects %+v: %v", c.text, c.k, got)
			}
		})
	}
}

func TestPatternsOfClasses(t *testing.T) {
	for _, c := range []struct {
		domain layout.Domain
		k      layout.Key
		text   string
		want   bool
	}{
		{layout.DomainHotSpot, layout.Key{Class: "a/B$C", Name: "f", Signature: "()V"}, "a.B.C", true},
		{layout.DomainHotSpot, layout.Key{Class: "a/B$C", Name: "f", Signature: "()V"}, "a/B$C", true},
		{layout.DomainHotSpot, layout.Key{Class: "a/B$C", Name: "f", Signature: "()V"}, "/B.C$/", true},
		{layout.DomainHotSpot, layout.Key{Class: "a/B$C", Name: "f", Signature: "()V", Loader: "x"}, "a.B.C (loader x)",
			true},
		{layout.DomainJamaica, layout.Key{Name: "a/B.f()V"}, "a.B", true},
		{layout.DomainLLVMIR, layout.Key{Name: "_ZN1a4Tree3addEv"}, "a::Tree", true},
		{layout.DomainLLVMIR, layout.Key{Name: "_ZN1a4Tree3addEv"}, "add", false},
		{layout.DomainSampled, layout.Key{Name: "example.com/store.(*Index).Find"}, "(*Index)", true},
		{layout.DomainSampled, layout.Key{Name: "example.com/store.(*Index).Find"}, "example.com/store", true},
	} {
		t.Run(c.text, func(t *testing.T) {
			p := New(c.text)
			if got := p.MatchesClass(c.domain, c.k); got != c.want {
				t.Errorf("%q selects the class of %+v: %v", c.text, c.k, got)
			}
		})
	}
}
