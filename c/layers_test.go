package c_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/cprogram"
	"github.com/profarc/profarc/layout"
)

// TestLayers runs layers.c on a layer, its base, and another archive with the dump id of the
// base.
func TestLayers(t *testing.T) {
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/layers.c")
	counted := func(calls uint64, base *layout.BaseArchive, names ...string) []byte {
		b := builder.New(layout.DomainHotSpot, builder.Config{DumpID: [16]byte{1}})
		for _, name := range names {
			p := b.Profile(b.Method(layout.Key{Class: "C", Name: name}), 7, builder.NoContext)
			p.Invocations(calls)
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
		}
		if base != nil {
			b.ExpectBase(*base)
		}
		data, _, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	base := counted(100, nil, "base", "both")
	on := cprogram.Store(t, base).Header().AsBase()
	layer := counted(10, &on, "app", "both")
	if out, stderr, status := cprogram.Run(t, program, cprogram.Write(t, layer), cprogram.Write(t, base), cprogram.Write(t, counted(101, nil, "base", "both"))); status != 0 {
		t.Errorf("exit status %d: %s%s", status, out, stderr)
	}
}
