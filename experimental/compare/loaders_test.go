package compare_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A loaded class has one method with 100 calls, all with a receiver of that class.
type loaded struct{ class, loader string }

func classes(t *testing.T, all ...loaded) *reader.Store {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: release(17)})
	for _, c := range all {
		p := b.Profile(layout.Key{Class: c.class, Name: "m", Signature: "()V", Loader: c.loader}, 0)
		p.VirtualCall(builder.At{Bci: 3}, builder.Others{},
			builder.Row{Type: b.Type(builder.TypeKey{Name: c.class, Loader: c.loader}), Count: 100})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return memstore.Open(t, b)
}

// TestClassesWithoutLoaders checks that classes and receivers match by name, each at most once, if one archive names no
// loaders.
func TestClassesWithoutLoaders(t *testing.T) {
	t.Parallel()
	twin := disk.TwinLoader + "2"
	for _, c := range []struct {
		name         string
		named, other []loaded
		matched      int
	}{
		{"of every loader", []loaded{{"A", "app"}, {"B", "Own@1"}, {"C", ""}}, []loaded{{"A", ""}, {"B", ""}, {"C", ""}}, 3},
		{"two of a name here", []loaded{{"A", "app"}, {"B", "Own@1"}, {"B", "Own@2"}}, []loaded{{"A", ""}, {"B", ""}}, 1},
		{"two of a name there", []loaded{{"A", "app"}, {"B", "Own@1"}}, []loaded{{"A", ""}, {"B", ""}, {"B", twin}}, 1},
		{"both name loaders", []loaded{{"A", "app"}, {"B", "Own@1"}}, []loaded{{"A", "app"}, {"B", "Own@2"}}, 1},
		{"neither does", []loaded{{"A", ""}, {"B", ""}}, []loaded{{"A", ""}, {"B", twin}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := classes(t, c.named...), classes(t, c.other...)
			r, mirrored := stores(t, a, b, compare.Options{}), stores(t, b, a, compare.Options{})
			testarchive.CheckEqual(t, c.name+": methods in both", r.Methods.Matched, c.matched)
			testarchive.CheckEqual(t, c.name+": methods in both, the other way round", mirrored.Methods.Matched, c.matched)
			want := float64(c.matched) / float64(max(len(c.named), len(c.other)))
			testarchive.CheckEqual(t, c.name+": overlap of receivers", r.Kinds[len(r.Kinds)-1].Overlap, want)
		})
	}
}
