package display_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// Loaders are named where people need them: not those that every JVM has, unless two of them have the class.
func TestLoadersAreNamedToTellClassesApart(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	types := map[builder.TypeKey]string{
		{Name: "a/Own", Loader: "app"}:          "",
		{Name: "a/Plugin", Loader: "org.x.L@1"}: " (loader org.x.L@1)",
		{Name: "a/Both", Loader: "app"}:         "",
		{Name: "a/Both", Loader: "org.x.L@1"}:   " (loader org.x.L@1)",
		{Name: "a/Moved", Loader: "app"}:        " (loader app)",
		{Name: "a/Moved", Loader: "platform"}:   " (loader platform)",
		{Name: "a/Moved"}:                       " (loader boot)",
		{Name: "java/lang/String"}:              "",
	}
	for key := range types {
		b.Type(key)
		b.Method(layout.Key{Class: key.Name, Loader: key.Loader, Name: "f", Signature: "()V"})
	}
	s := memstore.Open(t, b)
	for key, want := range types {
		if got := display.LoaderNote(s, key.Name, key.Loader); got != want {
			t.Errorf("%v is noted as %q, want %q", key, got, want)
		}
		m, err := s.Find(layout.Key{Class: key.Name, Loader: key.Loader, Name: "f", Signature: "()V"})
		if err != nil {
			t.Fatal(err)
		}
		name, err := analyze.NameOf(s, m)
		if spelled := (display.Spelling{}).Type(layout.DomainHotSpot, key.Name) + ".f()" + want; err != nil ||
			name.Spelled() != spelled {
			t.Errorf("the method is %q, want %q: %v", name.Spelled(), spelled, err)
		}
	}
}
