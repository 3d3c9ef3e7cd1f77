package c_test

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// TestLayers runs layers.c on a layer, its base, and another archive with the dump id of the
// base, and then the example.
func TestLayers(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/layers.c")
	counted := func(calls uint64, base *layout.BaseArchive, names ...string) []byte {
		b := builder.New(layout.DomainHotSpot, builder.Config{DumpID: [16]byte{1}})
		for _, name := range names {
			p := b.Profile(layout.Key{Class: "C", Name: name}, 7)
			p.Invocations(calls)
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
		}
		if base != nil {
			b.Internal().ExpectBase(*base)
		}
		data, _, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	base := counted(100, nil, "base", "both")
	on := openBytes(t, base).Header().AsBase()
	layer := counted(10, &on, "app", "both")
	app, beneath, other := writeArchive(t, layer), writeArchive(t, base),
		writeArchive(t, counted(101, nil, "base", "both"))
	if out, stderr, status := runProgram(t, program, app, beneath, other); status != 0 {
		t.Errorf("exit status %d: %s%s", status, out, stderr)
	}
	example := sanitized(t, "address,undefined").client(t, "examples/layers.c")
	for _, test := range []struct{ base, name, out, stderr string }{
		{beneath, "app", "11 calls, in the application's archive\n", ""},
		{beneath, "both", "11 calls, in the application's archive\n", ""},
		{beneath, "base", "101 calls, in the base\n", ""},
		{beneath, "none", "", "the archive does not know the method\n"},
		{other, "both", "11 calls, in the application's archive\n",
			"without the base " + other + ": the archive is a layer on another one than that which is given\n"},
		{other, "base", "", "without the base " + other},
		{"missing", "app", "11 calls, in the application's archive\n",
			"without the base missing: the file can't be opened\n"},
	} {
		out, stderr, status := runProgram(t, example, app, test.base, "C", test.name, "")
		if string(out) != test.out || !strings.HasPrefix(string(stderr), test.stderr) || (status == 0) != (test.out != "") ||
			test.stderr == "" && len(stderr) > 0 {
			t.Errorf("%s on %s: exit status %d, %q, %q", test.name, test.base, status, out, stderr)
		}
	}
}
