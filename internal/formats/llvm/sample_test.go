package llvm

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/full"
)

// TestSamplesAgree: what a program wrote, what llvm-profdata made of it, and what it prints of that give the
// same archive, but for what a form does not have.
func TestSamplesAgree(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	for _, s := range samples(t) {
		t.Run(s.release+"/"+filepath.Base(s.dir), func(t *testing.T) {
			indexed, text := contentOf(t, s.profdata), contentOf(t, s.proftext)
			if len(indexed.Functions) == 0 {
				t.Fatal("no functions")
			}
			if diff := cmp.Diff(indexed.asText(s.release), text.asText(s.release)); diff != "" {
				t.Errorf("text has other contents than indexed:\n%.3000s", diff)
			}
			if len(s.raws) == 0 {
				return
			}
			raw := contentOf(t, s.raws...)
			if diff := cmp.Diff(indexed.asIndexed(s.release), raw.asIndexed(s.release)); diff != "" {
				t.Errorf("raw has other contents than indexed:\n%.3000s", diff)
			}
		})
	}
}

// asText returns what text says of the content.
func (c content) asText(release string) content {
	c.Version, c.BinaryIDs, c.VTables = 0, nil, nil
	c.Variant &^= VariantEntryOnly // has no heading
	if release < "17" {
		c.Variant &^= VariantByteCoverage // had none
	}
	// llvm-profdata leaves the names of vtables out.
	c.Functions = maps.Clone(c.Functions)
	for name, f := range c.Functions {
		f.Sites = maps.Clone(f.Sites)
		for site, values := range f.Sites {
			if strings.HasPrefix(site, "2 ") {
				f.Sites[site] = unnamed(values)
			}
		}
		c.Functions[name] = f
	}
	return c
}

// unnamed takes what the values are out.
func unnamed(values []builder.Value) []builder.Value {
	values = slices.Clone(values)
	for i := range values {
		values[i].Value = 0
	}
	return summed(values)
}

// asIndexed returns what indexed files of the release say of the content.
func (c content) asIndexed(release string) content {
	c.VTables = nil // llvm-profdata leaves them out
	c.Version = 0   // a raw file gets the oldest that it can be
	if release < "17" {
		c.BinaryIDs = nil // LLVM 16 keeps the last module's; releases before it keep none
	}
	return c
}
