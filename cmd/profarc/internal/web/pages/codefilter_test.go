package pages

import (
	"slices"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// Lists and treemaps have the code of one origin, and links keep the choice.
func TestCodeOfOneOrigin(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for class, n := range map[string]uint64{"com/acme/Till": 5, "java/util/HashMap": 30, "org/apache/Lib": 200} {
		p := b.Profile(layout.Key{Class: class, Name: "run", Signature: "()V"}, 1)
		p.Invocations(n)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	site := NewSite(t.Context(), Options{Archive: memstore.Open(t, b)})
	for code, want := range map[string]struct {
		total   uint64
		methods []string
	}{
		"own": {5, []string{"com.acme.Till.run()"}}, "runtime": {30, []string{"java.util.HashMap.run()"}},
		"library": {200, []string{"org.apache.Lib.run()"}}, "unknown": {0, nil},
		"": {235, []string{"org.apache.Lib.run()", "java.util.HashMap.run()", "com.acme.Till.run()"}},
	} {
		t.Run(code, func(t *testing.T) {
			where := built[*wherePage](t, requestOf(t, site, whereName, "code", code))
			if where.Total != want.total || where.Whole != "the archive" {
				t.Errorf("the treemap has %d, want %d", where.Total, want.total)
			}
			for _, by := range where.By {
				if by.Link.query.valueOf(keyOfCode) != code {
					t.Errorf("%s leads to other code: %v", by.Link.Text, by.Link.query)
				}
			}
			for _, view := range []string{nameOfMethods, nameOfClasses} {
				list := built[*memberList](t, requestOf(t, site, view, "code", code))
				var names []string
				for _, row := range list.Table.Rows {
					names = append(names, row[0].Link.Text)
				}
				if len(names) != len(want.methods) || view == nameOfMethods && !slices.Equal(names, want.methods) {
					t.Errorf("%s has %q, want %q", view, names, want.methods)
				}
			}
		})
	}
}
