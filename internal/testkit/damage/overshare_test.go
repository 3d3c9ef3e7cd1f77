package damage

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/forgery"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// sharing returns an archive with many methods of one class, and a type with a long name.
func sharing(class string, methods int) *builder.Builder {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	b.Type(builder.TypeKey{Name: strings.Repeat("x", disk.MaxName)})
	for i := range methods {
		p := b.Profile(layout.Key{Class: class, Name: "m" + strconv.Itoa(i), Signature: "()V"}, 0)
		p.Invocations(1)
		done(p)
	}
	return b
}

func done(p *builder.Profile) { _ = p.Done() }

// TestNamesThatAreSharedTooOftenAreRefused: a class name of 1 MiB that is shared by
// hundreds of methods makes keys of 200 MiB in a file of 1 MB. No builder writes such an
// archive, and verify and all other users refuse it.
func TestNamesThatAreSharedTooOftenAreRefused(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	const methods = 200
	if _, _, err := sharing(strings.Repeat("y", disk.MaxName), methods).Bytes(); !errors.Is(err, layout.ErrTooLarge) {
		t.Errorf("the builder returns %v", err)
	}
	data, _, err := sharing("A", methods).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if report, err := verify.Store(t.Context(), open(t, data), nil); err != nil || !report.Sound() {
		t.Fatalf("%v, %v", report.Problems, err)
	}
	if err := forgery.Overshare(data); err != nil {
		t.Fatal(err)
	}
	if report, err := verify.Store(t.Context(), open(t, data), nil); err != nil || report.Sound() {
		t.Errorf("verify accepts it: %v", err)
	}
	// Nobody gets so far that it costs: each of the users goes through the methods.
	for _, u := range users(layout.DomainHotSpot, func() *reader.Store { return open(t, data) }) {
		if strings.HasSuffix(u.name, "adoption") {
			continue
		}
		if err := u.use(t, open(t, data)); !errors.Is(err, layout.ErrCorrupt) {
			t.Errorf("%s: %v", u.name, err)
		}
	}
}
