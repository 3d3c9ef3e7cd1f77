package pages

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// TestColdCasesAreFolded looks for the cases of a switch: those that ran stand first, and few are not folded.
func TestColdCasesAreFolded(t *testing.T) {
	t.Parallel()
	for cold, folded := range map[int]string{3: "", 41: "41 cases that never ran"} {
		b := builder.New(layout.DomainHotSpot, builder.Config{})
		p := b.ProfileIn(b.Method(layout.Key{Class: "a/B", Name: "c", Signature: "()V"}), 0, profileset.NoContext)
		p.Invocations(90)
		p.MultiBranch(builder.At{Bci: 8}, builder.SwitchCase{Count: 20},
			append(make([]builder.SwitchCase, cold), builder.SwitchCase{Count: 70})...)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
		site := NewSite(t.Context(), Options{Archive: memstore.Open(t, b)})
		m, err := site.Archive.Find(layout.Key{Class: "a/B", Name: "c", Signature: "()V"})
		if err != nil {
			t.Fatal(err)
		}
		body := shownPageOf(t, site, "method", methodQuery(m))
		shown, rest, found := strings.Cut(body, "cases that never ran")
		if found != (folded != "") || !strings.Contains(body, folded) {
			t.Errorf("%d cases that never ran are folded: %v", cold, found)
		}
		bars := strings.Count(shown, `<span class="share">`)
		if found && (bars != 2 || strings.Count(rest, "case ") < cold) || !found && bars != 2+cold {
			t.Errorf("%d cases have a bar where %d never ran: %s", bars, cold, body)
		}
		before, _, ok := strings.Cut(body, "Name, id and size")
		if !ok || !strings.Contains(before, "90 invocations") ||
			!strings.Contains(before, "70") {
			t.Errorf("the counts do not come first: %s", before)
		}
	}
}
