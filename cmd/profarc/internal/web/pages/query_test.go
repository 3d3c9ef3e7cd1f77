package pages

import (
	"net/url"
	"testing"

	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// FuzzQueries asks for pages with any query: none may be a failure of the server.
func FuzzQueries(f *testing.F) {
	for _, seed := range []string{"methods.page=-1", "methods.page=9223372036854775807",
		"methods.page=99999999999999999999", "methods.page=1&methods.page=2",
		"methods.sort=-nothing&find=%00%ff", "at=zzzzzzz", "at=3u&profile=-1", "find=%E2%80%AE", "&&==",
		"methods.sort=--counts&methods.page=0"} {
		f.Add("methods", seed)
		f.Add("overview", seed)
		f.Add("method", seed)
	}
	site := NewSite(f.Context(), Options{Archive: memstore.Open(f, specimen.All()[0].Build())})
	t, err := templates(serverLinks{}, layout.DomainHotSpot)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(tt *testing.T, view, text string) {
		v := site.viewNamed(view)
		if v == nil {
			return
		}
		values, _ := url.ParseQuery(text)
		_, err := renderPage(t, &request{ctx: tt.Context(), site: site, view: v, query: query{values}, patience: -1})
		if err != nil && !isNotFound(err) {
			tt.Errorf("%s?%s: %v", view, text, err)
		}
	})
}
