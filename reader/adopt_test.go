package reader_test

import (
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func adopt(t testing.TB, s *reader.Store, o reader.AdoptOptions) {
	t.Helper()
	err := s.Adopt(o)
	if bigEndianRefuses(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var bigEndian = binary.NativeEndian.Uint16([]byte{1, 0}) != 1

// bigEndianRefuses reports whether an adoption failed because the machine is big-endian.
func bigEndianRefuses(err error) bool { return bigEndian && errors.Is(err, errors.ErrUnsupported) }

func adoptProfile(t testing.TB, s *reader.Store, k layout.Key) reader.Profile {
	t.Helper()
	p, err := profileOf(t, s, k).Claim()
	if err != nil {
		t.Fatalf("adopt %v: %v", k, err)
	}
	return p
}

// openFile publishes an archive and opens it mapped.
func openFile(t testing.TB, b *builder.Builder) *reader.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.parc")
	if _, err := b.Commit(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// describe returns all that a profile holds, with types by name.
func describe(t *testing.T, p reader.Profile) (cells []uint64) {
	t.Helper()
	for section := range disk.SectionDirectory {
		for e := range p.Section(section) {
			cells = append(cells, uint64(e.Tag()), uint64(e.Point()), uint64(e.Flags()), uint64(e.Traps()))
			if c, ok := e.Counter(); ok {
				cells = append(cells, c.Load())
			}
			if r, ok := e.Receivers(); ok {
				cells = append(cells, r.Other().Load())
				for row := range r.All() {
					cells = append(cells, uint64(row.Type.Ordinal()), row.Count.Load())
				}
			}
			if list, ok := e.Types(); ok {
				for i := range list.Args() {
					_, w := list.Arg(i)
					cells = append(cells, uint64(w.Type.Ordinal()))
				}
			}
			m, err := e.Trap()
			if err != nil {
				t.Fatal(err)
			}
			cells = append(cells, uint64(m.Ref()))
			if r, ok := e.Rows(); ok && e.Tag() == layout.TagCallees {
				m, err := r.Method(0)
				if err != nil {
					t.Fatal(err)
				}
				cells = append(cells, uint64(m.Ref()))
			}
		}
	}
	return cells
}

func describeAll(t *testing.T, s *reader.Store, adopted bool) (all [][]uint64) {
	t.Helper()
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if err == nil && adopted {
				p, err = p.Claim()
			}
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, describe(t, p))
		}
	}
	return all
}

// Where the archive lies makes no difference to what its profiles say.
func TestAdoptedProfilesAreTheSameAtAnyBase(t *testing.T) {
	want := describeAll(t, openFixture(t), false)
	for name, open := range map[string]func() *reader.Store{
		"heap":   func() *reader.Store { return openFixture(t) },
		"mapped": func() *reader.Store { return openFile(t, fixture(0)) },
	} {
		for _, o := range []reader.AdoptOptions{{}, {Eager: true}, {Anywhere: true},
			{Anywhere: true, Eager: true}} {
			s := open()
			adopt(t, s, o)
			if diff := cmp.Diff(want, describeAll(t, s, true)); diff != "" {
				t.Errorf("%s, %+v (-want +got):\n%s", name, o, diff)
			}
			a, ok := s.Adoption()
			pointers := s.Header().Counts.Pointers
			if a.AtRequested {
				pointers = 0
			}
			if !ok || a.Claimed != s.Header().Counts.Profiles || a.Relocated != pointers {
				t.Errorf("%s, %+v: %+v, want %d profiles and %d pointers", name, o, a, s.Header().Counts.Profiles, pointers)
			}
			if diff := cmp.Diff(want, describeAll(t, s, false)); diff != "" {
				t.Errorf("%s, %+v: trained profiles changed (-want +got):\n%s", name, o, diff)
			}
			runtime.KeepAlive(s)
		}
	}
}

// Native code that follows a pointer of an adopted block finds the record.
func TestPointersOfAnAdoptedBlockAreAddresses(t *testing.T) {
	for _, anywhere := range []bool{false, true} {
		s := openFile(t, fixture(0))
		adopt(t, s, reader.AdoptOptions{Anywhere: anywhere})
		p := adoptProfile(t, s, keyArea)
		a, _ := s.Adoption()
		circle, _ := s.FindType("Circle", "")
		want := a.Base + uint64(s.Header().Parts[disk.PartTypes].Offset) + uint64(circle.Ordinal())*disk.TypeSize
		if got := entryAt(t, p, 6).Cell((*mapped.Mapping)(s.Mapping()).Shape().ReceiverRow(0) + 0).Load(); got != want {
			t.Errorf("base %#x: cell %#x, want %#x", a.Base, got, want)
		}
		if want := a.Base + uint64(p.Ref().Offset()); uint64(p.Address()) != want {
			t.Errorf("base %#x: block at %#x, want %#x", a.Base, p.Address(), want)
		}
	}
}

func TestCountingKeepsTrainedCounts(t *testing.T) {
	for _, s := range []*reader.Store{openFixture(t), openFile(t, fixture(0))} {
		adopt(t, s, reader.AdoptOptions{})
		trained := profileOf(t, s, keyArea)
		p := adoptProfile(t, s, keyArea)
		c, _ := p.Invocations()
		if err := c.Add(7); err != nil {
			t.Fatal(err)
		}
		again := adoptProfile(t, s, keyArea)
		live, _ := again.Invocations()
		old, _ := trained.Invocations()
		testarchive.CheckEqual(t, "live count", live.Load(), 1007)
		testarchive.CheckEqual(t, "trained count", live.Trained(), 1000)
		testarchive.CheckEqual(t, "count of the trained profile", old.Load(), 1000)
		testarchive.CheckEqual(t, "the adopted profile is adopted", p.Address() != 0, true)
		testarchive.CheckEqual(t, "the trained profile is adopted", trained.Address() != 0, false)
		testarchive.CheckEqual(t, "address of the trained profile", trained.Address(), 0)
		if p.Address() == 0 {
			t.Error("the adopted profile has no address")
		}
		if same, err := p.Claim(); err != nil || same.Address() != p.Address() {
			t.Errorf("adopting twice: %v", err)
		}
		if err := s.Mapping().Verify(context.Background(), nil); err != nil {
			t.Errorf("counting changed the file: %v", err)
		}
	}
}

func TestNothingCountsWithoutAdoption(t *testing.T) {
	s := openFixture(t)
	p := profileOf(t, s, keyArea)
	c, _ := p.Invocations()
	circle, _ := s.FindType("Circle", "")
	_, adopting := p.Claim()
	_, late := s.LateType("Unheard", "")
	_, recording := receiversAt(t, p, 6).Record(circle)
	for name, err := range map[string]error{
		"add":     c.Add(1),
		"record":  recording,
		"null":    entryAt(t, p, 1).RecordNull(),
		"trap":    entryAt(t, p, 1).RecordTrap(1, false),
		"profile": adopting,
		"late":    late,
	} {
		if !errors.Is(err, reader.ErrNotAdopted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w, ok := c.Word(); w != nil || ok {
		t.Error("a trained counter has a live word")
	}
	if _, ok := s.Adoption(); ok {
		t.Error("there is an adoption")
	}
	adopt(t, s, reader.AdoptOptions{})
	if err := s.Adopt(reader.AdoptOptions{}); err == nil {
		t.Error("a store was adopted twice")
	}
}

func TestRecordUsesItsRowThenAnEmptyOneThenOther(t *testing.T) {
	s := openFixture(t)
	adopt(t, s, reader.AdoptOptions{})
	p := adoptProfile(t, s, keyArea)
	circle, _ := s.FindType("Circle", "")
	square, _ := s.FindType("Square", "app")
	third, _ := s.FindType("Square", "other")
	r := receiversAt(t, p, 5) // one row: Square
	for i, ty := range []reader.Type{square, circle, third, circle, square, square} {
		row, err := r.Record(ty)
		if want := []int{0, 1, -1, 1, 0, 0}[i]; row != want || err != nil {
			t.Errorf("record %d: row %d, %v, want row %d", i, row, err, want)
		}
	}
	if diff := cmp.Diff(map[string]uint64{"Square": 18, "Circle": 2}, rowShapeOf(t, r)); diff != "" ||
		r.Other().Load() != 2 {
		t.Errorf("%d others, want 2 (-want +got):\n%s", r.Other().Load(), diff)
	}
	if diff := cmp.Diff(map[string]uint64{"Square": 15},
		rowShapeOf(t, receiversAt(t, profileOf(t, s, keyArea), 5))); diff != "" {
		t.Errorf("trained rows changed (-want +got):\n%s", diff)
	}
	foreign, _ := openFixture(t).FindType("Circle", "")
	if _, err := r.Record(foreign); err == nil {
		t.Error("a type of another store was recorded")
	}
	if _, err := r.Record(reader.Type{}); err == nil {
		t.Error("no type was recorded")
	}
}

// Compiled code counts in the live words of all cells.
func TestWordsAreWhereCountersCount(t *testing.T) {
	s := openFixture(t)
	adopt(t, s, reader.AdoptOptions{})
	p := adoptProfile(t, s, keyArea)
	invocations, _ := p.Invocations()
	counters := []reader.Counter{invocations}
	for e := range p.Entries() {
		for cell := range e.Cells() {
			counters = append(counters, e.Cell(cell))
		}
	}
	seen := map[*atomic.Uint64]bool{}
	for i, c := range counters {
		w, ok := c.Word()
		if !ok || seen[w] {
			t.Fatalf("counter %d has no word of its own", i)
		}
		seen[w] = true
		before := c.Load()
		if w.Add(3); c.Load() != before+3 {
			t.Errorf("counter %d: %d, want %d", i, c.Load(), before+3)
		}
	}
}

func TestRecordNull(t *testing.T) {
	s := openFixture(t)
	adopt(t, s, reader.AdoptOptions{})
	p, wide := adoptProfile(t, s, keyArea), adoptProfile(t, s, keyLoop)
	for _, e := range []reader.Entry{entryAt(t, p, 5), entryAt(t, wide, 3)} {
		if e.Flags() != 0 {
			t.Fatalf("%s: flags %#x", e.Tag(), e.Flags())
		}
		if err := e.RecordNull(); err != nil {
			t.Fatal(err)
		}
		if e.Flags()&layout.EntryNullSeen == 0 {
			t.Errorf("%s: no null was seen", e.Tag())
		}
		if e.Flags() != layout.EntryNullSeen {
			t.Errorf("%s: flags %#x, want %#x", e.Tag(), e.Flags(), layout.EntryNullSeen)
		}
		if trained := disk.Entry(e.Bytes()).Flags(); trained != 0 {
			t.Errorf("%s: trained flags %#x, want none", e.Tag(), trained)
		}
		if e.Point() == 0 {
			t.Errorf("%s: the flags changed the point", e.Tag())
		}
	}
	if err := entryAt(t, wide, 5).RecordNull(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("null in a Count entry: %v", err)
	}
}

func TestRecordTrap(t *testing.T) {
	s := openFixture(t)
	adopt(t, s, reader.AdoptOptions{})
	p, wide := adoptProfile(t, s, keyArea), adoptProfile(t, s, keyLoop)
	const many = layout.EntryTrapRecompiled - 1
	steps := []struct {
		reason     uint32
		recompiled bool
		want       layout.EntryTraps
	}{
		{6, false, 6}, {6, false, 6}, {0, true, 6 | layout.EntryTrapRecompiled}, {6, false, 6 | layout.EntryTrapRecompiled},
		{7, false, many | layout.EntryTrapRecompiled}, {6, false, many | layout.EntryTrapRecompiled},
	}
	for _, e := range []reader.Entry{entryAt(t, p, 5), entryAt(t, wide, 3)} {
		for i, step := range steps {
			if err := e.RecordTrap(step.reason, step.recompiled); err != nil {
				t.Fatal(err)
			}
			if got := e.Traps(); got != step.want {
				t.Fatalf("%s, step %d: traps %#x, want %#x", e.Tag(), i, got, step.want)
			}
		}
	}
	if err := entryAt(t, wide, 5).RecordTrap(1, false); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("trap in a Count entry: %v", err)
	}
	if r := receiversAt(t, wide, 3); r.Other().Load() != 8 || r.Len() != 2 {
		t.Error("a trap changed the counts")
	}
}
