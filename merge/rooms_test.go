package merge_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// callOf returns the archive of a call with receivers A, B and so on, and empty rows.
func callOf(t testarchive.TB, domain layout.Domain, id byte, config builder.Config, types string,
	rows int) testarchive.Archive {
	t.Helper()
	config.Params, config.DumpID = testarchive.Params(domain), [16]byte{id}
	b := builder.New(domain, config)
	all := make([]builder.Row, rows)
	for i, name := range types {
		all[i] = builder.Row{Type: b.Type(builder.TypeKey{Name: string(name)}), Count: uint64(id)}
	}
	p := begun(b)
	p.Receivers(builder.Receivers{Point: 3, Sub: layout.SubVirtualCall}, all...)
	testarchive.MustDone(t, p)
	return testarchive.Build(t, b)
}

// rowsIn returns the number of rows of the only type profile, and its types.
func rowsIn(t testarchive.TB, s *reader.Store) (rows int, types string) {
	t.Helper()
	var entries []reader.Entry
	for p, err := range s.Profiles() {
		if err != nil {
			t.Fatal(err)
		}
		entries = slices.AppendSeq(entries, p.Entries())
	}
	if len(entries) != 1 {
		t.Fatalf("the archive has %d entries, not one", len(entries))
	}
	r, ok := entries[0].Receivers()
	if !ok {
		t.Fatal("no type profile")
	}
	for row := range r.All() {
		name, err := row.Type.Name()
		if err != nil {
			t.Fatal(err)
		}
		types += name.String()
	}
	return r.Len(), types
}

// TestRoomsSurviveMerging checks that merged type profiles keep the larger number of rows, in any order and grouping,
// unless there are more types.
func TestRoomsSurviveMerging(t *testing.T) {
	t.Parallel()
	for _, domain := range []layout.Domain{layout.DomainGraal, layout.DomainHotSpot} {
		x := callOf(t, domain, 1, builder.Config{}, "A", 4)
		y := callOf(t, domain, 2, builder.Config{}, "BC", 3)
		z := callOf(t, domain, 3, builder.Config{}, "DE", 2)
		for _, test := range []struct {
			of    []testarchive.Archive
			rows  int
			types string
		}{{[]testarchive.Archive{x}, 4, "A"}, {[]testarchive.Archive{x, y}, 4, "BCA"},
			{[]testarchive.Archive{y, z}, 4, "DEBC"}, {[]testarchive.Archive{x, y, z}, 5, "DEBCA"}} {
			if rows, types := rowsIn(t, testarchive.Merge(t, test.of...).Store); rows != test.rows || types != test.types {
				t.Errorf("%s: %d rows of %s, want %d of %s", domain, rows, types, test.rows, test.types)
			}
		}
		all := testarchive.Merge(t, x, y, z)
		checkSame(t, "(x+y)+z", all, testarchive.Merge(t, testarchive.Merge(t, x, y), z))
		checkSame(t, "z+(y+x)", all, testarchive.Merge(t, z, testarchive.Merge(t, y, x)))
	}
}

// TestMergedRoomIsRecordedIn checks that a VM can record a further type in a merged archive.
func TestMergedRoomIsRecordedIn(t *testing.T) {
	t.Parallel()
	x := callOf(t, layout.DomainGraal, 1, builder.Config{}, "A", 4)
	s := testarchive.Merge(t, x, callOf(t, layout.DomainGraal, 2, builder.Config{}, "AB", 2))
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		t.Fatal(err)
	}
	m, err := s.Find(layout.Key{Class: "A", Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := m.Profile(layout.CodeUnknown)
	if err == nil {
		p, err = p.Claim()
	}
	if err != nil {
		t.Fatal(err)
	}
	e, _ := p.At(3)
	r, _ := e.Receivers()
	late, err := s.LateType("C", "")
	if err != nil {
		t.Fatal(err)
	}
	if row, err := r.Record(late); err != nil || row != 2 {
		t.Errorf("the third type went to row %d, %v", row, err)
	}
}

// TestReceiverRowsIsRoom checks that type profiles have at least Config.ReceiverRows rows after recording, merging and
// copying.
func TestReceiverRowsIsRoom(t *testing.T) {
	t.Parallel()
	roomy := builder.Config{ReceiverRows: 5}
	recorded := callOf(t, layout.DomainGraal, 1, roomy, "AB", 2)
	if rows, types := rowsIn(t, recorded.Store); rows != 5 || types != "AB" {
		t.Errorf("recorded: %d rows of %s", rows, types)
	}
	scarce := callOf(t, layout.DomainGraal, 2, builder.Config{}, "AB", 2)
	merged, copied := builder.New(layout.DomainGraal, roomy), builder.New(layout.DomainGraal, roomy)
	mustMerge(t, merged, scarce, merge.Run{})
	if _, err := merge.Snapshot(t.Context(), copied, scarce.Store, merge.Trained); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*builder.Builder{merged, copied} {
		if rows, types := rowsIn(t, testarchive.Build(t, b).Store); rows != 5 || types != "AB" {
			t.Errorf("%d rows of %s", rows, types)
		}
	}
	again := builder.New(layout.DomainGraal, builder.ConfigOf(recorded.Header()))
	if _, err := merge.Snapshot(t.Context(), again, recorded.Store, merge.Trained); err != nil {
		t.Fatal(err)
	}
	checkSame(t, "a copy", recorded, testarchive.Build(t, again))
	for _, rows := range []int{-1, disk.MaxRows + 1} {
		if err := builder.New(layout.DomainGraal, builder.Config{ReceiverRows: rows}).Err(); err == nil ||
			!strings.Contains(err.Error(), "0 to 64") {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

// TestHotSpotsRowsBecomeRoom checks that an entry that becomes wide keeps the VM's rows, and that NarrowRows reports
// the narrowed rows.
func TestHotSpotsRowsBecomeRoom(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainHotSpot)
	p := begun(b)
	p.VirtualCall(builder.At{Bci: 3}, builder.Others{}, builder.Row{Type: b.Type(builder.TypeKey{Name: "A"}), Count: 9})
	testarchive.MustDone(t, p)
	all := testarchive.New(layout.DomainHotSpot)
	mustMerge(t, all, testarchive.Build(t, b), merge.Run{})
	mustMerge(t, all, callOf(t, layout.DomainHotSpot, 1, builder.Config{}, "A", 1), merge.Run{})
	if rows, types := rowsIn(t, testarchive.Build(t, all).Store); rows != 2 || types != "A" {
		t.Errorf("%d rows of %s, want 2 of A", rows, types)
	}
	mustMerge(t, all, callOf(t, layout.DomainHotSpot, 2, builder.Config{}, "BC", 2), merge.Run{})
	if n, err := merging.CountWidened(t.Context(), all.Internal()); err != nil || n != 1 {
		t.Errorf("%d entries are wide, want 1, %v", n, err)
	}
	if got, err := merge.NarrowRows(t.Context(), all, 2); err != nil ||
		got != (merge.Narrowing{Entries: 1, Rows: 1, Joined: 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	if n, err := merging.CountWidened(t.Context(), all.Internal()); err != nil || n != 0 {
		t.Errorf("%d entries are wide after narrowing, %v", n, err)
	}
}

// TestNarrowingKeepsRoom checks that an entry narrowed to n rows has n rows, including free ones. An entry with fewer
// rows keeps them.
func TestNarrowingKeepsRoom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ rows, want int }{{3, 3}, {5, 4}} {
		b := builder.New(layout.DomainGraal, builder.Config{})
		mustMerge(t, b, callOf(t, layout.DomainGraal, 1, builder.Config{}, "A", 4), merge.Run{})
		if got, err := merge.NarrowRows(t.Context(), b, test.rows); err != nil || got != (merge.Narrowing{}) {
			t.Errorf("%+v, %v", got, err)
		}
		if rows, types := rowsIn(t, testarchive.Build(t, b).Store); rows != test.want || types != "A" {
			t.Errorf("%d rows of %s, want %d of A", rows, types, test.want)
		}
	}
}

// TestStepsStopEarly checks that the steps after a merge fail when ctx ends, and then change nothing.
func TestStepsStopEarly(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainHotSpot)
	for i := range 2000 {
		p := b.Profile(layout.Key{Name: string(rune('a' + i))}, 0)
		p.VirtualCall(builder.At{}, builder.Others{}, builder.Row{Type: b.Type(builder.TypeKey{Name: "A"})})
		testarchive.MustDone(t, p)
	}
	before := testarchive.Build(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, narrowed := merge.NarrowRows(ctx, b, 1)
	_, widened := merging.CountWidened(ctx, b.Internal())
	_, _, kept := merging.KeepVersions(ctx, b.Internal(), merging.HeaviestVersion)
	for _, err := range []error{narrowed, widened, kept} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	checkSame(t, "an interrupted step", before, testarchive.Build(t, b))
}
