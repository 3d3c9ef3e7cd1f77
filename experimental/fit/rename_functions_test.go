package fit_test

import (
	"slices"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An llvmFunction is a function of LLVM with counters.
type llvmFunction struct {
	name     string
	hash     uint64
	counters int
}

func storeOf(t *testing.T, functions ...llvmFunction) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	for _, f := range functions {
		p := b.Profile(layout.Key{Name: f.name}, f.hash)
		p.Counters(0, slices.Repeat([]uint64{100}, f.counters)...)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return memstore.Open(t, b)
}

// TestRenamedFunctions: a function that the whole program lacks is gone or renamed, and never the same as a function
// that was there before, or that is one of several.
func TestRenamedFunctions(t *testing.T) {
	t.Parallel()
	many := func(name string, hash uint64) llvmFunction { return llvmFunction{name, hash, 6} }
	few := func(name string, hash uint64) llvmFunction { return llvmFunction{name, hash, 2} }
	for name, c := range map[string]struct {
		old, now []llvmFunction
		state    fit.State
		to       string
	}{
		"same":    {[]llvmFunction{many("f", 1)}, []llvmFunction{many("f", 1)}, fit.Exact, ""},
		"changed": {[]llvmFunction{many("f", 1)}, []llvmFunction{many("f", 2)}, fit.Stale, ""},
		"gone":    {[]llvmFunction{many("f", 1)}, []llvmFunction{many("g", 2)}, fit.Gone, ""},
		"folder": {[]llvmFunction{few("old/a.c;f", 1)},
			[]llvmFunction{few("new/a.c;f", 1)}, fit.Renamed, "new/a.c;f"},
		"folder of Windows": {[]llvmFunction{few(`old\a.c;f`, 1)},
			[]llvmFunction{few(`new\a.c;f`, 1)}, fit.Renamed, `new\a.c;f`},
		"folder and code": {[]llvmFunction{few("old/a.c;f", 1)},
			[]llvmFunction{few("new/a.c;f", 2)}, fit.Stale, "new/a.c;f"},
		"file":            {[]llvmFunction{few("a.c;f", 1)}, []llvmFunction{few("b.c;f", 1)}, fit.Renamed, "b.c;f"},
		"separator":       {[]llvmFunction{few("a.c:f", 1)}, []llvmFunction{few("a.c;f", 1)}, fit.Renamed, "a.c;f"},
		"local to global": {[]llvmFunction{few("a.c;f", 1)}, []llvmFunction{few("f", 1)}, fit.Renamed, "f"},
		"two files": {[]llvmFunction{few("a.c;f", 1)},
			[]llvmFunction{few("b.c;f", 1), few("c.c;f", 1)}, fit.Gone, ""},
		"two folders": {[]llvmFunction{few("x/a.c;f", 1)},
			[]llvmFunction{few("y/a.c;f", 1), few("y/b.c;f", 1)}, fit.Renamed,
			"y/a.c;f"},
		"hash":        {[]llvmFunction{many("f", 1)}, []llvmFunction{many("g", 1)}, fit.Renamed, "g"},
		"hash of few": {[]llvmFunction{few("f", 1)}, []llvmFunction{few("g", 1)}, fit.Gone, ""},
		"hash of two": {[]llvmFunction{many("f", 1)},
			[]llvmFunction{many("g", 1), many("h", 1)}, fit.Gone, ""},
		"hash of a known function": {[]llvmFunction{many("f", 1), many("g", 1)},
			[]llvmFunction{many("g", 1)}, fit.Gone, ""},
		"crate of Rust": {[]llvmFunction{few("_ZN3app4work17h0123456789abcdefE", 1)},
			[]llvmFunction{few("_ZN3app4work17hfedcba9876543210E", 1)}, fit.Renamed, "_ZN3app4work17hfedcba9876543210E"},
		"new mangling of Rust": {[]llvmFunction{few("_RNvCs1234_3app4work", 1)},
			[]llvmFunction{few("_RNvCsabcd_3app4work", 1)},
			fit.Renamed, "_RNvCsabcd_3app4work"},
		"parameters": {[]llvmFunction{few("_Z4worki", 1)},
			[]llvmFunction{few("_Z4workl", 1)}, fit.Renamed, "_Z4workl"},
		"overload": {[]llvmFunction{few("_Z4worki", 1)},
			[]llvmFunction{few("_Z4workl", 1), few("_Z4workd", 1)}, fit.Gone, ""},
		"before inlining": {[]llvmFunction{few("f", 1)}, []llvmFunction{few("f", 1<<60|1)}, fit.Unchecked, ""},
		"both stages":     {[]llvmFunction{few("f", 1)}, []llvmFunction{few("f", 1<<60|1), few("f", 1)}, fit.Exact, ""},
		"no hash":         {[]llvmFunction{few("f", 0)}, []llvmFunction{few("f", 0)}, fit.Exact, ""},
		"after inlining":  {[]llvmFunction{few("f", 1<<60|1)}, []llvmFunction{few("f", 1)}, fit.Unchecked, ""},
		"objective C":     {[]llvmFunction{few("-[A b:]", 1)}, []llvmFunction{few("-[A c:]", 1)}, fit.Gone, ""},
		"number of a clone": {[]llvmFunction{few("f.llvm.12", 1)},
			[]llvmFunction{few("f.llvm.34", 1)}, fit.Renamed, "f.llvm.34"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var first *fit.Verdict
			into := builder.New(layout.DomainLLVMIR, builder.Config{})
			o := fit.Options{Into: into, Each: func(v *fit.Verdict) error {
				k, err := v.Method.Key()
				if k.Name == c.old[0].name {
					first = &fit.Verdict{State: v.State, To: v.To}
				}
				return err
			}}
			if _, err := fit.Check(t.Context(), storeOf(t, c.old...), fit.Whole(storeOf(t, c.now...)), o); err != nil {
				t.Fatal(err)
			}
			if first.State != c.state || first.To.Name != c.to {
				t.Fatalf("%s, now %q, want %s, %q", first.State, first.To.Name, c.state, c.to)
			}
			if c.state == fit.Renamed {
				if _, err := memstore.Open(t, into).Find(layout.Key{Name: c.to}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
