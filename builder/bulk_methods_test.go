package builder_test

import (
	"bytes"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"pgregory.net/rapid"
)

// TestMethodsInBulkAreTheSame: Bulk.Symbols and Bulk.Methods intern what Method interns,
// with names and signatures that are empty, repeated, or of one group with others.
func TestMethodsInBulkAreTheSame(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[ab]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		short, long := builder.New(layout.DomainGraal, builder.Config{}), builder.New(layout.DomainGraal, builder.Config{})
		for range rapid.IntRange(1, 3).Draw(t, "calls") {
			n := rapid.IntRange(0, 300).Draw(t, "methods")
			signatures := rapid.SliceOfN(text, n, n).Draw(t, "signatures")
			refs := make([]intern.SymbolRef, n)
			short.Internal().Names(signatures, refs)
			methods := make([]profileset.MethodOfClass, n)
			for i := range methods {
				key := layout.Key{Class: rapid.StringMatching(`[AB]{1,2}`).Draw(t, "class"), Name: text.Draw(t, "name"),
					Signature: signatures[i]}
				methods[i] = profileset.MethodOfClass{Class: short.Type(builder.TypeKey{Name: key.Class}), Name: key.Name,
					Signature: refs[i]}
				long.Seen(long.Method(key))
				if empty := signatures[i] == ""; empty != (refs[i] == 0) {
					t.Fatalf("signature %q is symbol %d", signatures[i], refs[i])
				}
			}
			interned := make([]builder.MethodRef, n)
			short.Internal().InternMethods(methods, interned)
			short.Seen(interned...)
		}
		if !bytes.Equal(testarchive.Build(t, short).Bytes, testarchive.Build(t, long).Bytes) {
			t.Fatal("methods in bulk make other bytes")
		}
	})
}
