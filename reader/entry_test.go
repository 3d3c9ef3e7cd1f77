package reader_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// rowShapeOf returns a type profile as text and counts.
func rowShapeOf(t *testing.T, r reader.Receivers) map[string]uint64 {
	t.Helper()
	rows := map[string]uint64{}
	for row := range r.All() {
		name, err := row.Type.Name()
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := rows[name.String()]; twice {
			t.Errorf("%s has two rows", name)
		}
		rows[name.String()] = row.Count.Load()
	}
	return rows
}

func receiversAt(t *testing.T, p reader.Profile, point int32) reader.Receivers {
	t.Helper()
	r, ok := entryAt(t, p, point).Receivers()
	if !ok {
		t.Fatalf("no receivers at %d", point)
	}
	return r
}

func TestCountersAndBranches(t *testing.T) {
	t.Parallel()
	p := profileOf(t, openFixture(t), keyArea)
	if c, ok := entryAt(t, p, 2).Counter(); !ok || c.Load() != 11 || c.Trained() != 11 {
		t.Errorf("counter %d, %t", c.Load(), ok)
	}
	jump := entryAt(t, p, 3)
	testarchive.CheckEqual(t, "tag of the jump", jump.Tag(), layout.TagJump)
	testarchive.CheckEqual(t, "taken", jump.Cell(0).Load(), 12)
	testarchive.CheckEqual(t, "displacement of the jump", int64(jump.Cell(1).Trained()), -24)
	e := entryAt(t, p, 4)
	b, ok := e.Branch()
	if !ok {
		t.Fatalf("the entry at 4 is a %s", e.Tag())
	}
	testarchive.CheckEqual(t, "taken", b.Taken.Load(), 13)
	testarchive.CheckEqual(t, "not taken", b.NotTaken.Load(), 14)
	testarchive.CheckEqual(t, "displacement", b.Displacement, 48)
	testarchive.CheckEqual(t, "traps", e.Traps(), 3)
	if flags := entryAt(t, p, 1).Flags(); flags != layout.EntryNullSeen {
		t.Errorf("flags %#x", flags)
	}
}

func TestReceiversOfEveryShape(t *testing.T) {
	t.Parallel()
	for _, gap := range []uint32{0, 1} {
		s := open(t, laid(t, fixture(gap)))
		p := profileOf(t, s, keyArea)
		r := receiversAt(t, p, 6)
		if _, ok := r.Gap(); ok != (gap == 1) {
			t.Errorf("gap %d: %t", gap, ok)
		}
		if r.Len() != 2 || r.Other().Load() != 16 || entryAt(t, p, 6).Flags()&layout.EntryNullSeen != 0 {
			t.Errorf("gap %d: %d rows, %d others", gap, r.Len(), r.Other().Load())
		}
		for point, want := range map[int32]map[string]uint64{5: {"Square": 15}, 6: {"Circle": 17, "Square": 18},
			10: {"Square": 31}} {
			if diff := cmp.Diff(want, rowShapeOf(t, receiversAt(t, p, point))); diff != "" {
				t.Errorf("gap %d, point %d (-want +got):\n%s", gap, point, diff)
			}
		}
		if _, ok := receiversAt(t, p, 5).Row(1); ok {
			t.Error("an empty row is not empty")
		}
		wide := receiversAt(t, profileOf(t, s, keyLoop), 3)
		if diff := cmp.Diff(map[string]uint64{"Circle": 9, "Square": 10}, rowShapeOf(t, wide)); diff != "" ||
			wide.Other().Load() != 8 {
			t.Errorf("wide, %d others (-want +got):\n%s", wide.Other().Load(), diff)
		}
	}
}

func TestTypeLists(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	p := profileOf(t, s, keyArea)
	circle, _ := s.FindType("Circle", "")
	square, _ := s.FindType("Square", "app")
	call, ok := entryAt(t, p, 9).Types()
	if !ok || call.Args() != 1 {
		t.Fatalf("%d arguments, %t", call.Args(), ok)
	}
	if slot, w := call.Arg(0); slot != 1 || w != (reader.TypeWord{Type: circle, NullSeen: true}) {
		t.Errorf("argument in slot %d: %+v", slot, w)
	}
	if w, ok := call.Return(); !ok || w != (reader.TypeWord{Unknown: true}) {
		t.Errorf("return %+v, %t", w, ok)
	}
	virtual, ok := entryAt(t, p, 10).Types()
	if _, returns := virtual.Return(); !ok || returns || virtual.Args() != 1 {
		t.Errorf("%d arguments, %t, returns %t", virtual.Args(), ok, returns)
	}
	for e := range p.Section(disk.SectionParameters) {
		list, ok := e.Types()
		if _, w := list.Arg(0); !ok || list.Args() != 1 || w.Type != square {
			t.Errorf("parameter %+v, %t", w, ok)
		}
	}
}

// cells returns all rows of a list, with width cells each.
func cells(r reader.Rows, width int) (all [][]uint64) {
	for row := range r.Len() {
		var cells []uint64
		for i := range width {
			cells = append(cells, r.Cell(row, i).Load())
		}
		all = append(all, cells)
	}
	return all
}

func TestLists(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	area, loop := profileOf(t, s, keyArea), profileOf(t, s, keyLoop)
	minus28, zero := ^uint64(27), uint64(0)
	for _, c := range []struct {
		p     reader.Profile
		point int32
		width int
		want  [][]uint64
	}{
		{area, 7, 3, [][]uint64{{20, 21, 22}, {zero, 0, 0}}},
		{area, 8, 2, [][]uint64{{25, 26}, {27, minus28}}},
		{loop, -1, 1, [][]uint64{{1}, {2}, {3}}},
		{loop, 0, 2, [][]uint64{{64, 5}}},
		{loop, 2, 2, [][]uint64{{disk.PackSuccessor(-9, 1), 6}}},
	} {
		r, ok := entryAt(t, c.p, c.point).Rows()
		if !ok {
			t.Errorf("point %d is no list", c.point)
			continue
		}
		got := cells(r, c.width)
		if c.point == 7 { // an empty Ret row is whatever HotSpot initialises it to
			got, c.want = got[:1], c.want[:1]
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("point %d (-want +got):\n%s", c.point, diff)
		}
	}
	ret, _ := entryAt(t, area, 7).Rows()
	multi, _ := entryAt(t, area, 8).Rows()
	testarchive.CheckEqual(t, "count of the ret", ret.Head(0).Load(), 19)
	testarchive.CheckEqual(t, "rows of the ret", ret.Len(), 2)
	testarchive.CheckEqual(t, "default count of the switch", multi.Head(0).Load(), 23)
	testarchive.CheckEqual(t, "default displacement of the switch", multi.Head(1).Load(), 24)
	successors, ok := entryAt(t, loop, 2).Rows()
	if !ok {
		t.Fatal("no successors")
	}
	for i := range successors.Len() {
		point, index := disk.UnpackSuccessor(successors.Cell(i, 0).Load())
		testarchive.CheckEqual(t, "point of the successor", point, -9)
		testarchive.CheckEqual(t, "index of the successor", index, 1)
		testarchive.CheckEqual(t, "count of the successor", successors.Cell(i, 1).Load(), 6)
	}
	callees, _ := entryAt(t, loop, 4).Rows()
	if m, err := callees.Method(0); err != nil || m != find(t, s, keySum) || callees.Cell(0, 1).Load() != 11 {
		t.Errorf("callee %v, %v", m, err)
	}
	if bits, ok := entryAt(t, loop, 1).Bitmap(); !ok || !cmp.Equal(bits, []byte{0xff, 0, 7}) {
		t.Errorf("bitmap %x, %t", bits, ok)
	}
	count := entryAt(t, loop, 5)
	c, ok := count.Counter()
	if !ok {
		t.Fatalf("the entry at 5 is a %s", count.Tag())
	}
	testarchive.CheckEqual(t, "count", c.Load(), 12)
	testarchive.CheckEqual(t, "sub", count.Sub(), layout.SubCycles)
	testarchive.CheckEqual(t, "flags", count.Flags(), disk.EntryInterpreted)
}

func TestExtraEntries(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	traps, infos := 0, 0
	for e := range profileOf(t, s, keyArea).Section(disk.SectionExtra) {
		switch e.Tag() {
		case layout.TagSpeculativeTrap:
			traps++
			if m, err := e.Trap(); err != nil || m != find(t, s, keyBare) {
				t.Errorf("trap in %v, %v", m, err)
			}
		case layout.TagArgInfo:
			infos++
			if r, ok := e.Rows(); !ok || !cmp.Equal(cells(r, 1), [][]uint64{{1}, {0}, {1}}) {
				t.Errorf("arguments %v, %t", cells(r, 1), ok)
			}
		}
	}
	if traps != 1 || infos != 1 {
		t.Errorf("%d traps, %d ArgInfo entries", traps, infos)
	}
}

// Every accessor takes exactly the tags that it is for.
func TestAccessorsAcceptTheirTagsOnly(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	taken := map[layout.Tag][5]bool{}
	for _, k := range []layout.Key{keyArea, keyLoop} {
		for section := range disk.SectionDirectory {
			for e := range profileOf(t, s, k).Section(section) {
				_, counter := e.Counter()
				_, branch := e.Branch()
				_, receivers := e.Receivers()
				_, types := e.Types()
				_, rows := e.Rows()
				taken[e.Tag()] = [5]bool{counter, branch, receivers, types, rows}
			}
		}
	}
	want := map[layout.Tag][5]bool{
		layout.TagBit: {}, layout.TagJump: {}, layout.TagSpeculativeTrap: {}, layout.TagBitmap: {},
		layout.TagCounter: {0: true}, layout.TagCount: {0: true}, layout.TagCallType: {0: true, 3: true},
		layout.TagBranch: {1: true}, layout.TagReceiverType: {2: true}, layout.TagVirtualCall: {2: true},
		layout.TagReceivers:       {2: true},
		layout.TagVirtualCallType: {2: true, 3: true}, layout.TagParametersType: {3: true},
		layout.TagRet: {4: true}, layout.TagMultiBranch: {4: true}, layout.TagArgInfo: {4: true},
		layout.TagCounters:  {4: true},
		layout.TagValueSite: {4: true}, layout.TagSuccessors: {4: true}, layout.TagCallees: {4: true},
	}
	if diff := cmp.Diff(want, taken); diff != "" {
		t.Errorf("counter, branch, receivers, types, rows (-want +got):\n%s", diff)
	}
}

// A type profile has no rows after its own, though cells follow them.
func TestRowsOutsideATypeProfile(t *testing.T) {
	t.Parallel()
	r := receiversAt(t, profileOf(t, openFixture(t), keyArea), 10)
	for _, i := range []int{-1, r.Len()} {
		if row, ok := r.Row(i); ok {
			t.Errorf("row %d of %d: %+v", i, r.Len(), row)
		}
	}
}

func TestCellsOutsideAnEntryPanic(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	p := profileOf(t, s, keyArea)
	branch := entryAt(t, p, 4)
	types, _ := entryAt(t, p, 10).Types()
	multi, _ := entryAt(t, p, 8).Rows()
	for name, f := range map[string]func(){
		"cell after the last":   func() { branch.Cell(branch.Cells()) },
		"cell in the header":    func() { branch.Cell(-1) },
		"argument -1":           func() { types.Arg(-1) },
		"argument after them":   func() { types.Arg(types.Args()) },
		"batch of other length": func() { _, _ = s.ProfileIDBatch([]uint64{1, 2}, nil, make([]reader.Profile, 1, 2)) },
		"cell before the row":   func() { multi.Cell(0, -1) },
		"cell after the row":    func() { multi.Cell(0, 2) },
		"row after the last":    func() { multi.Cell(multi.Len(), 0) },
		"head after the last":   func() { multi.Head(2) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
