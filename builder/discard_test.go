package builder_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"pgregory.net/rapid"
)

// TestDiscardedProfilesLeaveNoTrace checks that discarded profiles do not change the archive of the recorded ones.
func TestDiscardedProfilesLeaveNoTrace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want, got := newBatchBuilder(), newBatchBuilder()
		methods, codes := rapid.IntRange(0, 3), rapid.Uint64Range(0, 2)
		for range rapid.IntRange(1, 12).Draw(t, "profiles") {
			x, code := methods.Draw(t, "method"), codes.Draw(t, "code")
			if rapid.IntRange(0, 4).Draw(t, "next run") == 0 {
				want.Internal().NextRun(profileset.RunRules{})
				got.Internal().NextRun(profileset.RunRules{})
			}
			record := func(b *builder.Builder, dropped bool) {
				m := b.Method(keyNumber(x, 0))
				c := profileset.NoContext
				if x == 3 {
					c = b.Context(m, builder.Frame{Caller: b.Method(keyNumber(1, 1)), Point: 2})
				}
				if dropped && b == want {
					return
				}
				p := b.ProfileIn(m, code, c)
				p.Invocations(7)
				p.Counter(builder.At{Bci: 3}, code+1)
				if dropped {
					p.Discard()
					return
				}
				_ = p.Done()
			}
			dropped := rapid.Bool().Draw(t, "dropped")
			record(want, dropped)
			record(got, dropped)
		}
		if w, g := outcome(want), outcome(got); w != g {
			t.Fatalf("%.300s, want %.300s", g, w)
		}
		if w, g := outcome(want), outcome(got); w != g { // and once more
			t.Fatalf("the second time: %.300s, want %.300s", g, w)
		}
	})
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		use     func(b *builder.Builder) error
		want    string // of the error of use, or of the archive if there is none; empty if it is sound
		profile uint64 // number of profiles
	}{
		"two open profiles": {func(b *builder.Builder) error {
			p, q := b.Profile(keyNumber(1, 1), 1), b.Profile(keyNumber(2, 2), 2)
			p.Invocations(1)
			q.Invocations(2)
			q.Discard()
			return p.Done()
		}, "", 1},
		"Discard after Done": {func(b *builder.Builder) error {
			p := begun(b)
			defer p.Discard()
			return p.Done()
		}, "", 1},
		"Discard twice": {func(b *builder.Builder) error {
			p := begun(b)
			p.Discard()
			p.Discard()
			return nil
		}, "", 0},
		"Done after Discard": {func(b *builder.Builder) error {
			p := begun(b)
			p.Discard()
			return p.Done()
		}, "Done was called after Discard", 0},
		"an entry after Discard": {func(b *builder.Builder) error {
			p := begun(b)
			p.Discard()
			p.Counter(builder.At{}, 1)
			return nil
		}, "something was added after Discard", 0},
		"a field after Discard": {func(b *builder.Builder) error {
			p := begun(b)
			p.Discard()
			p.Invocations(1)
			return nil
		}, "something was added after Discard", 0},
		"an error that is discarded": {func(b *builder.Builder) error {
			p := begun(b)
			p.VirtualCall(builder.At{}, builder.Others{}, make([]builder.Row, 9)...)
			p.Discard()
			return begun(b).Done()
		}, "", 1},
		"a duplicate that is discarded": {func(b *builder.Builder) error {
			p, q := begun(b), begun(b)
			q.Discard()
			return p.Done()
		}, "", 1},
		"a duplicate of what was discarded": {func(b *builder.Builder) error {
			p, q := begun(b), begun(b)
			p.Discard()
			return q.Done()
		}, builder.ErrDuplicate.Error(), 0},
		"forgotten": {func(b *builder.Builder) error {
			begun(b)
			b.Profile(keyNumber(1, 1), 1)
			return nil
		}, "2 profiles were begun, and neither Done nor Discard was called: the first is that of a", 0},
		"forgotten in the second run": {func(b *builder.Builder) error {
			err := begun(b).Done()
			b.Internal().NextRun(profileset.RunRules{})
			begun(b).Invocations(5)
			return err
		}, "neither Done nor Discard", 0},
		"a forgotten duplicate": {func(b *builder.Builder) error {
			err := begun(b).Done()
			begun(b).Invocations(5)
			return err
		}, "neither Done nor Discard", 0},
		"forgotten, of a foreign method": {func(b *builder.Builder) error {
			b.ProfileIn(99, 0, 0)
			return nil
		}, "a method of another builder", 0},
	} {
		b := newBatchBuilder()
		err := test.use(b)
		_, report, laidOut := b.Bytes()
		if err = errors.Join(err, laidOut); test.want == "" && err != nil ||
			err != nil && !strings.Contains(err.Error(), test.want) || err == nil && test.want != "" {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		if report.Counts.Profiles != test.profile {
			t.Errorf("%s: %d profiles, want %d", name, report.Counts.Profiles, test.profile)
		}
	}
}

// TestDiscardInBatches checks that each profile of a batch must be done or discarded at its end, and that a batch can
// discard a profile from before it.
func TestDiscardInBatches(t *testing.T) {
	t.Parallel()
	b := newBatchBuilder()
	early := begun(b)
	batch, err := b.Internal().Begin()
	if err != nil {
		t.Fatal(err)
	}
	if early.Done() == nil {
		t.Error("a profile from before the batch was accepted in it")
	}
	early.Discard()
	p := b.Profile(keyNumber(1, 1), 0)
	if err := batch.Commit(); err == nil || !strings.Contains(err.Error(), "1 profiles were begun") {
		t.Errorf("a batch with an open profile: %v", err)
	}
	p.Discard()
	if err := batch.Commit(); err != nil {
		t.Error(err)
	}
	if batch, err = b.Internal().Begin(); err != nil {
		t.Fatal(err)
	}
	late := b.Profile(keyNumber(2, 2), 0)
	batch.Rollback()
	again := b.Profile(keyNumber(2, 2), 0)
	late.Discard() // not again, which has the same number
	testarchive.MustDone(t, again)
	if _, report, err := b.Bytes(); err != nil || report.Counts.Profiles != 1 {
		t.Errorf("%d profiles, %v", report.Counts.Profiles, err)
	}
}

// TestTablesAndDiscardedProfiles: rows follow the profiles that they refer to, and cannot
// refer to one that was discarded.
func TestTablesAndDiscardedProfiles(t *testing.T) {
	t.Parallel()
	of := func(discarded ...int) *builder.Builder {
		b := builder.New(layout.DomainLLVMIR, builder.Config{})
		order := b.Internal().Table(disk.TableOrder, 0, disk.ColumnProfile)
		for i := range 5 {
			p := b.Profile(layout.Key{Name: fmt.Sprint("f", i)}, 1)
			p.Counters(0, uint64(i))
			if i == 1 || i == 3 {
				p.Discard()
			} else {
				testarchive.MustDone(t, p)
			}
			if i != 1 && i != 3 || len(discarded) > 0 {
				order.Row(uint64(p.Internal().Ref()))
			}
		}
		return b
	}
	want := builder.New(layout.DomainLLVMIR, builder.Config{})
	order := want.Internal().Table(disk.TableOrder, 0, disk.ColumnProfile)
	for i := range 5 {
		m := want.Method(layout.Key{Name: fmt.Sprint("f", i)})
		if i == 1 || i == 3 {
			continue
		}
		p := want.ProfileIn(m, 1, profileset.NoContext)
		p.Counters(0, uint64(i))
		testarchive.MustDone(t, p)
		order.Row(uint64(p.Internal().Ref()))
	}
	got := of()
	if _, _, err := merging.KeepVersions(t.Context(), got.Internal(), merging.AllVersions); err != nil {
		t.Fatal(err)
	}
	if x, y := testarchive.Build(t, want), testarchive.Build(t, got); !bytes.Equal(x.Bytes, y.Bytes) {
		t.Error("another archive")
	}
	if _, _, err := of(1).Bytes(); err == nil || !strings.Contains(err.Error(), "refers to a profile that was discarded") {
		t.Errorf("%v", err)
	}
}

// TestInvalidBuildersRefuseProfiles: an invalid domain or config shows at the first Done.
func TestInvalidBuildersRefuseProfiles(t *testing.T) {
	t.Parallel()
	for _, b := range []*builder.Builder{builder.New(0, builder.Config{}), builder.New(99, builder.Config{})} {
		if err := b.Err(); !errors.Is(err, profileset.ErrDomain) {
			t.Errorf("New: %v", err)
		}
		p := begun(b)
		p.Counters(0, 1)
		if err := p.Done(); !errors.Is(err, profileset.ErrDomain) {
			t.Errorf("Done: %v", err)
		}
	}
	if err := begun(builder.New(layout.DomainGraal, builder.Config{ReceiverRows: -1})).Done(); err == nil {
		t.Error("a profile was accepted although the config was not")
	}
}
