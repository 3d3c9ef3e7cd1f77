package reader_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func TestProfileAccessors(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	p := profileOf(t, s, keyArea)
	got := map[string]uint64{}
	for name, counter := range map[string]func() (reader.Counter, bool){"invocations": p.Invocations,
		"backedges": p.Backedges, "interpreted": p.Interpreted} {
		c, ok := counter()
		if !ok {
			t.Errorf("no %s", name)
		}
		got[name] = c.Load()
	}
	if diff := cmp.Diff(map[string]uint64{"invocations": 1000, "backedges": 70, "interpreted": 5}, got); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
	code, host := p.Size()
	history, _ := disk.Block(p.Bytes()).History()
	compile, _ := disk.Block(p.Bytes()).Compile()
	escape, _ := disk.Block(p.Bytes()).Escape()
	testarchive.CheckEqual(t, "size of the code", code, 33)
	testarchive.CheckEqual(t, "size of the MethodData", host, 480)
	testarchive.CheckEqual(t, "history", history,
		disk.History{Decompiles: 1, OverflowRecompiles: 2, OverflowTraps: 3, TenureTraps: 4})
	testarchive.CheckEqual(t, "compile", compile, disk.Compile{Level: 4, State: 1, WouldProfile: 2, Loops: 3, Blocks: 7})
	testarchive.CheckEqual(t, "escape", escape, disk.Escape{Flags: 1, Local: 2, Stack: 3, Returned: 4})
	if diff := cmp.Diff([]byte{0, 3, 0, 1, 9}, p.TrapHistory()); diff != "" {
		t.Errorf("trap history (-want +got):\n%s", diff)
	}
	if m, err := p.Method(); err != nil || m != find(t, s, keyArea) {
		t.Errorf("method: %v", err)
	}
	if again, err := s.ProfileAt(p.Ref()); err != nil || again.Ref() != p.Ref() {
		t.Errorf("by reference: %v", err)
	}
}

func TestProfileWithoutOptionalFields(t *testing.T) {
	t.Parallel()
	p := profileOf(t, openFixture(t), keyMany)
	_, invocations := p.Invocations()
	_, history := disk.Block(p.Bytes()).History()
	_, compile := disk.Block(p.Bytes()).Compile()
	_, escape := disk.Block(p.Bytes()).Escape()
	_, inContext, err := p.Context()
	if err != nil {
		t.Fatal(err)
	}
	for field, there := range map[string]bool{"invocations": invocations, "history": history, "compile": compile,
		"escape": escape, "context": inContext, "trap history": p.TrapHistory() != nil, "code": p.Code() != 0} {
		t.Run(field, func(t *testing.T) {
			if there {
				t.Errorf("the block lacks the field %s, the profile has it", field)
			}
		})
	}
}

func TestZeroProfileIsHarmless(t *testing.T) {
	var p reader.Profile
	for range p.Entries() {
		t.Error("no profile has an entry")
	}
	for range p.Points(1) {
		t.Error("no profile has an entry")
	}
	if _, ok := p.At(1); ok {
		t.Error("no profile has an entry at 1")
	}
	testarchive.CheckEqual(t, "no profile is valid", p.Valid(), false)
	testarchive.CheckEqual(t, "address of no profile", p.Address(), 0)
	if traps := p.TrapHistory(); traps != nil {
		t.Errorf("no profile has the trap history %d", traps)
	}
	if _, err := p.Claim(); !errors.Is(err, reader.ErrNotFound) {
		t.Errorf("adopt: %v", err)
	}
	if _, err := p.Method(); !errors.Is(err, reader.ErrNotFound) {
		t.Errorf("method: %v", err)
	}
}

func TestEntriesComeInOrderOfPoints(t *testing.T) {
	t.Parallel()
	p := profileOf(t, openFixture(t), keyArea)
	var tags []layout.Tag
	offset := 0
	for e := range p.Entries() {
		tags = append(tags, e.Tag())
		if want := int32(len(tags)); e.Point() != want || e.Offset() != offset {
			t.Errorf("%s entry at point %d, offset %d; want %d, %d", e.Tag(), e.Point(), e.Offset(), want, offset)
		}
		offset += len(e.Bytes())
	}
	want := []layout.Tag{layout.TagBit, layout.TagCounter, layout.TagJump, layout.TagBranch, layout.TagReceiverType,
		layout.TagVirtualCall, layout.TagRet, layout.TagMultiBranch, layout.TagCallType, layout.TagVirtualCallType}
	if diff := cmp.Diff(want, tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	for section, tag := range map[disk.BlockSection]layout.Tag{disk.SectionParameters: layout.TagParametersType,
		disk.SectionHandlers: layout.TagBit} {
		n := 0
		for e := range p.Section(section) {
			if n++; e.Tag() != tag {
				t.Errorf("%s: a %s entry", section, e.Tag())
			}
		}
		if n != 1 {
			t.Errorf("%s: %d entries", section, n)
		}
	}
	for e := range p.Section(disk.SectionDirectory) {
		t.Errorf("the directory holds no entries: %v", e)
	}
}

// Where there is a directory, and where there is none, At and Points agree with a walk over all entries.
func TestAtAndPointsAgreeWithTheWalk(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	for _, k := range []layout.Key{keyMany, keyArea, keyLoop} {
		p := profileOf(t, s, k)
		for point := int32(-12); point < 2*manyPoints+2; point++ {
			var want, got []int
			for e := range p.Entries() {
				if e.Point() == point {
					want = append(want, e.Offset())
				}
			}
			for e := range p.Points(point) {
				got = append(got, e.Offset())
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s, point %d (-want +got):\n%s", k.Name, point, diff)
			}
			first, ok := p.At(point)
			if ok != (len(want) > 0) || ok && first.Offset() != want[0] {
				t.Fatalf("%s, point %d: At returns %d, %t; want %v", k.Name, point, first.Offset(), ok, want)
			}
		}
	}
	if dir := disk.Block(profileOf(t, s, keyMany).Bytes()).
		Section(disk.SectionDirectory); disk.DirectoryLen(dir) != manyPoints+1 {
		t.Errorf("a directory of %d rows: the test does not test it", disk.DirectoryLen(dir))
	}
}

func TestProfileInTheLongestContext(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	sum, main, loop := find(t, s, keySum), find(t, s, keyMain), find(t, s, keyLoop)
	frames := []reader.Frame{{loop, 4}, {loop, 5}, {main, -6}, {main, 7}}
	for _, c := range []struct {
		name   string
		frames []reader.Frame
		depth  int
		count  uint64
	}{
		{"no frames", nil, 0, 1},
		{"one frame", frames[:1], 1, 2},
		{"a node without a profile", frames[:2], 1, 2},
		{"all of a path", frames[:3], 3, 3},
		{"more than a path", frames, 3, 3},
		{"another path", []reader.Frame{{main, 4}}, 1, 4},
		{"another point", []reader.Frame{{loop, 3}, {loop, 5}}, 0, 1},
		{"another caller", []reader.Frame{{sum, 4}}, 0, 1},
		{"no method as caller", []reader.Frame{{reader.Method{}, 4}}, 0, 1},
		{"a caller of another store", []reader.Frame{{find(t, openFixture(t), keyLoop), 4}}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, depth, err := sum.Profile(layout.CodeAny, c.frames...)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			if n, _ := p.Invocations(); depth != c.depth || n.Load() != c.count {
				t.Errorf("%s: profile %d at depth %d, want %d at %d", c.name, n.Load(), depth, c.count, c.depth)
			}
			context, ok, err := p.Context()
			if err != nil || ok != (c.depth > 0) || context.Depth() != c.depth {
				t.Errorf("%s: context of depth %d, %t, %v", c.name, context.Depth(), ok, err)
			}
			got, err := context.Frames()
			if err != nil || len(got) != c.depth {
				t.Errorf("%s: %d frames, %v", c.name, len(got), err)
			}
			for i, f := range got {
				if f != c.frames[i] {
					t.Errorf("%s: frame %d is %v", c.name, i, f)
				}
			}
		})
	}
}

func TestProfileOfAVersionOfTheCode(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	m, main := find(t, s, keyCodes), find(t, s, keyMain)
	call := reader.Frame{Caller: main, Point: 1}
	for _, c := range []struct {
		code   uint64
		frames []reader.Frame
		count  uint64
		depth  int
		err    error
	}{
		{code: 0xc0de0, count: 6},
		{code: 0xc0de1, count: 5},
		{code: 0xc0de2, err: reader.ErrNotFound},
		{code: 0xc0ddf, err: reader.ErrNotFound},
		{code: layout.CodeAny, err: reader.ErrAmbiguous},
		{code: 0xc0de0, frames: []reader.Frame{call}, count: 7, depth: 1},
		{code: 0xc0de1, frames: []reader.Frame{call}, count: 5},
		{code: layout.CodeAny, frames: []reader.Frame{call}, count: 7, depth: 1},
	} {
		p, depth, err := m.Profile(c.code, c.frames...)
		if !errors.Is(err, c.err) || p.Valid() != (c.err == nil) {
			t.Errorf("code %#x: %v, want %v", c.code, err, c.err)
			continue
		}
		if n, _ := p.Invocations(); n.Load() != c.count || depth != c.depth {
			t.Errorf("code %#x: profile %d at depth %d, want %d at %d", c.code, n.Load(), depth, c.count, c.depth)
		}
	}
	if _, _, err := find(t, s, keyIdle).Profile(layout.CodeAny); !errors.Is(err, reader.ErrNotFound) {
		t.Errorf("a method without a profile: %v", err)
	}
}

func TestProfilesAndContextsOfAMethod(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	for k, want := range map[layout.Key]int{keySum: 4, keyCodes: 3, keyIdle: 0, keyArea: 1} {
		got := 0
		for p, err := range find(t, s, k).Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			_, inContext, _ := p.Context()
			if got++; inContext && got == 1 {
				t.Errorf("%s: a profile in a context is first", k.Name)
			}
		}
		if got != want {
			t.Errorf("%s: %d profiles, want %d", k.Name, got, want)
		}
	}
	var depths []int
	for c, err := range find(t, s, keySum).Contexts() {
		if err != nil {
			t.Fatal(err)
		}
		depths = append(depths, c.Depth())
	}
	if diff := cmp.Diff([]int{1, 1, 2, 3}, depths); diff != "" {
		t.Errorf("depths of contexts (-want +got):\n%s", diff)
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	b := fixture(0)
	props := b.Internal().Table(disk.TableProperties, 0, disk.ColumnSymbol, disk.ColumnSymbol)
	props.Row(uint64(b.Internal().Symbol("vm")), uint64(b.Internal().Symbol("test")))
	b.Internal().Table(disk.TableMonitors, 0, disk.ColumnType,
		disk.ColumnWord).Row(uint64(b.Type(builder.TypeKey{Name: "Circle"})), 77)
	s := open(t, laid(t, b))
	var kinds []disk.TableKind
	for table, err := range s.Tables() {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, table.Kind)
	}
	if diff := cmp.Diff([]disk.TableKind{disk.TableProperties, disk.TableMonitors}, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	table, err := s.Table(disk.TableMonitors)
	if err != nil || table.Rows != 1 || table.Cell(1, 0) != 77 {
		t.Fatalf("monitors: %+v, %v", table, err)
	}
	ty, err := s.TypeAt(layout.Ref(table.Cell(0, 0)))
	if name, _ := ty.Name(); err != nil || name.String() != "Circle" {
		t.Errorf("type %q, %v", name, err)
	}
	table, err = s.Table(disk.TableProperties)
	if err != nil {
		t.Fatal(err)
	}
	if name, err := s.SymbolAt(layout.Ref(table.Cell(1, 0))); err != nil || name.String() != "test" {
		t.Errorf("symbol %q, %v", name, err)
	}
	if _, err := s.Table(disk.TableThreads); !errors.Is(err, reader.ErrNotFound) {
		t.Errorf("a table that is not there: %v", err)
	}
}

func TestNoneLeadsNowhere(t *testing.T) {
	t.Parallel()
	s := openFixture(t)
	if text, err := s.SymbolAt(0); err != nil || text.Len() != 0 {
		t.Errorf("no symbol: %q, %v", text, err)
	}
	_, typ := s.TypeAt(0)
	_, method := s.MethodAt(0)
	_, profile := s.ProfileAt(0)
	_, context := s.ContextAt(0)
	for i, err := range []error{typ, method, profile, context} {
		if !errors.Is(err, reader.ErrNotFound) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// The code that is not known is a code of its own, and not any code.
func TestProfileOfAnUnknownCode(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	both, known := b.Method(layout.Key{Name: "both"}), b.Method(layout.Key{Name: "known"})
	counted(b, both, layout.CodeUnknown, profileset.NoContext, 1)
	counted(b, both, 7, profileset.NoContext, 2)
	counted(b, known, 7, profileset.NoContext, 3)
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("codes", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	for _, c := range []struct {
		method string
		code   uint64
		count  uint64
		err    error
	}{
		{method: "both", code: layout.CodeUnknown, count: 1},
		{method: "both", code: 7, count: 2},
		{method: "both", code: layout.CodeAny, err: reader.ErrAmbiguous},
		{method: "known", code: layout.CodeUnknown, err: reader.ErrNotFound},
		{method: "known", code: layout.CodeAny, count: 3},
	} {
		p, _, err := find(t, s, layout.Key{Name: c.method}).Profile(c.code)
		if !errors.Is(err, c.err) || p.Valid() != (c.err == nil) {
			t.Errorf("%s, code %#x: %v, want %v", c.method, c.code, err, c.err)
			continue
		}
		if n, _ := p.Invocations(); n.Load() != c.count {
			t.Errorf("%s, code %#x: profile %d, want %d", c.method, c.code, n.Load(), c.count)
		}
	}
}

func TestNoProfileHasAnyCode(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	if err := b.Profile(layout.Key{Name: "m"}, layout.CodeAny).Done(); err == nil {
		t.Error("a profile of any code was taken")
	}
}
