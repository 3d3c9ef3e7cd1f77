package entries

import (
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// ofRelease makes an archive of a release, with a list of reasons unless it is "".
func ofRelease(t *testing.T, release uint32, list string) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{VMRelease: release}})
	if list != "" {
		b.Internal().
			Table(disk.TableProperties, 0).
			Row(uint64(b.Internal().Symbol(disk.PropertyTrapReasons)), uint64(b.Internal().Symbol(list)))
	}
	p := b.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 0)
	p.Invocations(uint64(release))
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	return storeOf(t, b)
}

func storeOf(t *testing.T, b *builder.Builder) *reader.Store {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("test.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

func merged(t *testing.T, stores ...*reader.Store) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for _, s := range stores {
		if err := merge.Into(t.Context(), b, s, merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	return storeOf(t, b)
}

// TestReasonsAreNeverThoseOfAnotherVM: a number has a name only if all VMs of an archive agree on it.
func TestReasonsAreNeverThoseOfAnotherVM(t *testing.T) {
	list := func(release uint32) string { return strings.Join(reasonsOfRelease(release), ",") }
	plain := strings.Fields(strings.ReplaceAll(list(25), ",", " "))
	for i := range plain {
		plain[i] = firstReason(plain[i])
	}
	is17, is25 := ofRelease(t, 17, list(17)), ofRelease(t, 25, list(25))
	for name, c := range map[string]struct {
		store               *reader.Store
		six, nine, last, no string // names of 6, 9, 23 and 31
	}{
		"17":                  {is17, "intrinsic_or_type_checked_inlining", "unloaded", "unstable_if", "#31"},
		"25":                  {is25, "intrinsic_or_type_checked_inlining", "auto_vectorization_check", "unstable_if", "#31"},
		"17, no list":         {ofRelease(t, 17, ""), "intrinsic_or_type_checked_inlining", "unloaded", "unstable_if", "#31"},
		"release 21, no list": {ofRelease(t, 21, ""), "intrinsic_or_type_checked_inlining", "#9", "unstable_if", "#31"},
		"17 and 25":           {merged(t, is17, is25), "intrinsic_or_type_checked_inlining", "#9", "unstable_if", "#31"},
		"25 and 17":           {merged(t, is25, is17), "intrinsic_or_type_checked_inlining", "#9", "unstable_if", "#31"},
		"25, 25 without JVMCI": {merged(t, is25, ofRelease(t, 25, strings.Join(plain, ","))), "intrinsic",
			"auto_vectorization_check", "unstable_if", "#31"},
		"forged": {ofRelease(t, 25, "a,,c"), "#6", "#9", "#23", "#31"},
	} {
		r, err := TrapReasonsOf(c.store)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{r.Name(6), r.Name(9), r.Name(23), r.Name(31)}
		if want := []string{c.six, c.nine, c.last, c.no}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if got := r.Name(-1); got != "#-1" {
			t.Errorf("%s: -1 is %q", name, got)
		}
	}
}

// TestReasonsAtBranches: what a VM notes at a branch as intrinsic is unstable_if; elsewhere it is itself.
func TestReasonsAtBranches(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{VMRelease: 17, TypeProfileWidth: 2}})
	p := b.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 0)
	p.Branch(builder.At{Bci: 1, Traps: 6 | layout.EntryTrapRecompiled}, builder.Branch{Taken: 1, NotTaken: 2})
	p.Branch(builder.At{Bci: 2, Traps: 3}, builder.Branch{Taken: 1, NotTaken: 2})
	p.Branch(builder.At{Bci: 3, Traps: 8}, builder.Branch{Taken: 1, NotTaken: 2})
	p.Branch(builder.At{Bci: 4, Traps: disk.EntryTrapMany}, builder.Branch{Taken: 1, NotTaken: 2})
	p.Bit(builder.At{Bci: 5, Traps: 3})
	p.Counter(builder.At{Bci: 6, Traps: 6}, 9)
	p.Counter(builder.At{Bci: 7}, 9)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	s := storeOf(t, b)
	r, err := TrapReasonsOf(s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	m, _ := s.Find(layout.Key{Class: "A", Name: "m", Signature: "()V"})
	q, _, _ := m.Profile(layout.CodeAny)
	for e := range q.Entries() {
		_, atBranch := e.Branch()
		got = append(got, r.Text(e.Traps(), atBranch))
	}
	want := []string{"unstable_if recompiled", "unstable_fused_if", "profile_predicate", "many", "range_check",
		"intrinsic_or_type_checked_inlining", ""}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
