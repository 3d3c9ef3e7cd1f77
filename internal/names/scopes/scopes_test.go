package scopes

import (
	"slices"
	"testing"
)

func TestScopesOfDemangledNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"run":                              {"run"},
		"Tree::add(int)":                   {"Tree", "add"},
		"a::b::Tree<int, c::D>::add(e::F)": {"a", "b", "Tree<int, c::D>", "add"},
		"void std::sort<int*, bool (*)(int, int)>(int*, int*)": {"std", "sort<int*, bool (*)(int, int)>"},
		"(anonymous namespace)::run(int)":                      {"(anonymous namespace)", "run"},
		"a::(anonymous namespace)::B::run()":                   {"a", "(anonymous namespace)", "B", "run"},
		"A::operator()(int) const":                             {"A", "operator()"},
		"a::B::operator<<(int)":                                {"a", "B", "operator<<"},
		"core::ptr::drop_in_place::<alloc::vec::Vec<u8>>":      {"core", "ptr", "drop_in_place::<alloc::vec::Vec<u8>>"},
		"<app::store::Index as core::fmt::Debug>::fmt":         {"app", "store", "Index", "fmt"},
		"<app::store::Index>::find":                            {"app", "store", "Index", "find"},
		"":                                                     {""},
		"<<>>::(":                                              {"<<>>", "("},
	} {
		if got := scopesOf(name); !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", name, got, want)
		}
	}
}
