package fit_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// profiled returns an archive with a profile of each method, all of one code.
func profiled(t *testing.T, keys ...layout.Key) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for _, k := range keys {
		p := b.Profile(k, 7)
		p.Invocations(10)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return memstore.Open(t, b)
}

func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	s := profiled(t, layout.Key{Class: "C", Name: "ran"}, layout.Key{Class: "C", Name: "gone"})
	code := fit.Archived(profiled(t, layout.Key{Class: "C", Name: "ran"}))
	if r, err := fit.Check(t.Context(), s, code, fit.Options{Top: -1}); err != nil || len(r.Misfits) != 0 {
		t.Errorf("%v", err)
	}
	for _, into := range []*builder.Builder{builder.New(layout.DomainGraal, builder.Config{}),
		builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 4}})} {
		if _, err := fit.Check(t.Context(), s, code, fit.Options{Into: into}); !errors.Is(err, builder.ErrMismatch) ||
			into.Err() != nil {
			t.Errorf("into an archive of another kind: %v, %v", err, into.Err())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fit.Check(ctx, s, code, fit.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// An archive has what ran. Missing code may be there all the same: that is
// outside the score, and stays in the adapted archive.
func TestWhatAnotherRunDidNotProfile(t *testing.T) {
	t.Parallel()
	ran, idle, other := layout.Key{Class: "C", Name: "ran"}, layout.Key{Class: "C", Name: "idle"},
		layout.Key{Class: "D", Name: "x"}
	s := profiled(t, ran, idle, other)
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	p := b.Profile(ran, 7)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	b.Seen(b.Method(idle))
	into := builder.New(layout.DomainHotSpot, builder.Config{})
	r, err := fit.Check(t.Context(), s, fit.Archived(memstore.Open(t, b)), fit.Options{Into: into, Top: 9})
	if err != nil {
		t.Fatal(err)
	}
	testarchive.CheckEqual(t, "score", r.Score(), 1.0/3)
	testarchive.CheckEqual(t, "profiles that were checked", r.Checked, 1)
	testarchive.CheckEqual(t, "methods", r.Methods, 3)
	testarchive.CheckEqual(t, "misfits", len(r.Misfits), 0)
	if want := map[string]int{"not in test.parc": 1, "without a profile in test.parc": 1}; !maps.Equal(r.Reasons, want) {
		t.Errorf("unchecked: %v, want %v", r.Reasons, want)
	}
	if n := memstore.Open(t, into).Header().Counts.Profiles; n != 3 {
		t.Errorf("the adapted archive has %d profiles, want 3", n)
	}
}

// Archives that were not made of the same kind of dump know class loaders or do
// not: then the names of classes decide, otherwise loaders do.
func TestUnknownLoaders(t *testing.T) {
	t.Parallel()
	key := func(class, loader string) layout.Key { return layout.Key{Class: class, Name: "run", Loader: loader} }
	for _, c := range []struct {
		what      string
		of, code  []layout.Key
		exact     int
		byName    bool
		unchecked int
	}{
		{"both know", []layout.Key{key("A", "app"), key("B", "")}, []layout.Key{key("A", "app"), key("B", "")}, 2, false, 0},
		{"the code's does not", []layout.Key{key("A", "app"), key("B", "Own"), key("C", "")},
			[]layout.Key{key("A", ""), key("B", ""), key("C", "")}, 3, true, 0},
		{"the code's has some that were made up", []layout.Key{key("A", "app"), key("B", "Own")},
			[]layout.Key{key("A", ""), key("B", disk.TwinLoader+"2"), key("C", "")}, 1, true, 1},
		{"the profiles' does not", []layout.Key{key("A", ""), key("B", ""), key("C", "")},
			[]layout.Key{key("A", "app"), key("B", "platform"), key("C", "")}, 3, true, 0},
		{"other loaders", []layout.Key{key("A", "app"), key("B", "Own")}, []layout.Key{key("A", "Own"), key("B", "")},
			0, false, 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			code := fit.Archived(profiled(t, c.code...))
			r, err := fit.Check(t.Context(), profiled(t, c.of...), code, fit.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Profiles[fit.Exact] != c.exact || r.Profiles[fit.Unchecked] != c.unchecked || r.ByName != c.byName {
				t.Errorf("%s: %v, by name: %v", c.what, r.Profiles, r.ByName)
			}
		})
	}
}
