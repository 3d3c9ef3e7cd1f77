package merge_test

import (
	"errors"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"pgregory.net/rapid"
)

// A weighted is an archive and how it is merged.
type weighted struct {
	testarchive.Archive
	run merge.Run
}

// whole merges archives in one go.
func whole(t testarchive.TB, archives []weighted) testarchive.Archive {
	t.Helper()
	h := archives[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	for _, a := range archives {
		mustMerge(t, b, a.Archive, a.run)
	}
	return testarchive.Build(t, b)
}

// TestNoteRefusesAsInto: what was noted is refused as what was merged.
func TestNoteRefusesAsInto(t *testing.T) {
	t.Parallel()
	of := func(d layout.Domain, id byte) merging.Contents {
		config := testarchive.Config(d)
		config.DumpID = [16]byte{id}
		c, err := merging.ContentsOf(testarchive.Build(t, builder.New(d, config)).Store)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	b := testarchive.New(layout.DomainHotSpot)
	for _, c := range []struct {
		what string
		of   merging.Contents
		want error
	}{
		{"the first", of(layout.DomainHotSpot, 1), nil},
		{"another", of(layout.DomainHotSpot, 2), nil},
		{"the first again", of(layout.DomainHotSpot, 1), merge.ErrCounted},
		{"another domain", of(layout.DomainGraal, 3), builder.ErrMismatch},
	} {
		t.Run(c.what, func(t *testing.T) {
			if err := merging.Note(b.Internal(), c.of, profileset.RunRules{}); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.what, err, c.want)
			}
		})
	}
}

func TestBoundsAsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := merging.Bound{Class: string(rapid.SliceOf(rapid.Byte()).Draw(t, "class")), Name: rapid.String().Draw(t, "name")}
		text, err := b.MarshalText()
		var got merging.Bound
		if err := errors.Join(err, got.UnmarshalText(text)); err != nil || got != b {
			t.Errorf("%q as text is %s, and that is %q: %v", b, text, got, err)
		}
	})
	for _, text := range []string{"", `"a"`, `"a" b`, `"a" "b" "c"`, `a "b"`} {
		if err := new(merging.Bound).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%s is taken for a bound", text)
		}
	}
}
