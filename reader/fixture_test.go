package reader_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// hotspotParams shape receiver entries of two rows and Ret entries of two.
func hotspotParams(gap uint32) (p layout.Params) {
	p.TypeProfileWidth, p.BciProfileWidth, p.ReceiverGap = 2, 2, gap
	return p
}

// isMiss reports whether an error says that a lookup has no single result.
func isMiss(err error) bool {
	return errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous)
}

// Keys of the methods of the fixture.
var (
	keyArea   = layout.Key{Class: "Shape", Name: "area", Signature: "()D"}
	keySum    = layout.Key{Class: "Sum", Name: "of", Signature: "([LShape;)D", Loader: "app"}
	keySumToo = layout.Key{Class: "Sum", Name: "of", Signature: "([LShape;)D", Loader: "other"}
	keyMany   = layout.Key{Class: "Sum", Name: "many", Signature: "()V", Loader: "app"}
	keyIdle   = layout.Key{Class: "Idle", Name: "idle", Signature: "()V"}
	keyCodes  = layout.Key{Class: "Codes", Name: "twice", Signature: "()V"}
	keyBare   = layout.Key{Name: "no class at all"}
	keyMain   = layout.Key{Class: "Main", Name: "main", Signature: "([Ljava/lang/String;)V"}
	keyLoop   = layout.Key{Class: "Main", Name: "loop", Signature: "()V"}
)

const manyPoints = 40 // entries of keyMany, more than disk.DirectoryMin

// fixture gathers every kind of record and entry.
func fixture(gap uint32) *builder.Builder {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams(gap), Producer: "fixture"})
	circle := b.Type(builder.TypeKey{Name: "Circle"})
	square := b.Type(builder.TypeKey{Name: "Square", Loader: "app"})
	b.Type(builder.TypeKey{Name: "Square", Loader: "other"})
	b.Internal().DescribeType(circle, "LCircle;", layout.TypeHidden)
	b.Seen(b.Method(keyIdle))
	b.Internal().DescribeMethod(b.Method(keyIdle), disk.AccStatic, 0) // so that it has a record
	b.Method(keyBare)
	b.Internal().DescribeMethod(b.Method(keyArea), disk.AccFinal, layout.MethodNotMatchable)
	addArea(b, circle, square)
	addMany(b, circle)
	addContexts(b)
	addWide(b, circle, square)
	return b
}

// addArea adds a profile with every kind of HotSpot entry.
func addArea(b *builder.Builder, circle, square builder.TypeRef) {
	p := b.Profile(keyArea, 0)
	p.Invocations(1000)
	p.Backedges(70)
	p.Interpreted(5)
	p.Internal().SetSize(profileset.CodeSize{Code: 33, Host: 480})
	p.Internal().SetHistory(profileset.History{Decompiles: 1, OverflowRecompiles: 2, OverflowTraps: 3, TenureTraps: 4})
	p.Internal().SetCompilation(profileset.Compilation{Level: 4, State: 1, WouldProfile: 2, Loops: 3, Blocks: 7})
	p.Internal().SetEscape(profileset.Escape{Flags: 1, Local: 2, Stack: 3, Returned: 4})
	p.Internal().PutTraps([]byte{0, 3, 0, 1, 9})
	p.Bit(builder.At{Bci: 1, Flags: layout.EntryNullSeen})
	p.Counter(builder.At{Bci: 2}, 11)
	p.Jump(builder.At{Bci: 3}, 12, -24)
	p.Branch(builder.At{Bci: 4, Traps: 3}, builder.Branch{Taken: 13, Displacement: 48, NotTaken: 14})
	p.ReceiverType(builder.At{Bci: 5}, builder.Others{Count: 1}, builder.Row{Type: square, Count: 15})
	p.VirtualCall(builder.At{Bci: 6}, builder.Others{Count: 16},
		builder.Row{Type: circle, Count: 17}, builder.Row{Type: square, Count: 18})
	p.Ret(builder.At{Bci: 7}, 19, builder.RetRow{Bci: 20, Count: 21, Displacement: 22})
	p.MultiBranch(builder.At{Bci: 8}, builder.SwitchCase{Count: 23, Displacement: 24},
		builder.SwitchCase{Count: 25, Displacement: 26}, builder.SwitchCase{Count: 27, Displacement: -28})
	p.CallType(builder.At{Bci: 9}, 29, builder.CallTypes{
		Args:   []builder.Slot{{Stack: 1, Type: builder.TypeWord{Type: circle, NullSeen: true}}},
		Return: &builder.TypeWord{Unknown: true},
	})
	p.VirtualCallType(builder.At{Bci: 10}, builder.Others{Count: 30},
		[]builder.Row{{Type: square, Count: 31}}, builder.CallTypes{Args: []builder.Slot{{Stack: 2}}})
	p.Internal().AddArgInfo(1, 0, 1)
	p.Internal().AddParameters(profileset.TypeSlot{Type: square})
	p.Internal().AddSpeculativeTrap(profileset.Narrow{Bci: 6}, b.Method(keyBare))
	p.Bit(builder.At{Bci: 60, In: disk.SectionHandlers})
	mustDone(p)
}

// addMany adds a profile with a point directory, and two entries at point 6.
func addMany(b *builder.Builder, circle builder.TypeRef) {
	p := b.Profile(keyMany, 0)
	for i := range int32(manyPoints) {
		if i%3 == 0 {
			p.VirtualCall(builder.At{Bci: 2 * i}, builder.Others{Count: uint64(i)}, builder.Row{Type: circle, Count: uint64(i)})
		} else {
			p.Counter(builder.At{Bci: 2 * i}, uint64(i))
		}
	}
	p.Count(builder.Count{Point: 6, Sub: layout.SubSamples, N: 99})
	mustDone(p)
}

// addContexts adds profiles of one method in several contexts and for several versions of the code.
func addContexts(b *builder.Builder) {
	sum, main, loop := b.Method(keySum), b.Method(keyMain), b.Method(keyLoop)
	b.Method(keySumToo)
	counted(b, sum, 0, profileset.NoContext, 1)
	direct := b.Context(sum, builder.Frame{Caller: loop, Point: 4})
	counted(b, sum, 0, direct, 2)
	counted(b, sum, 0, b.Context(sum, builder.Frame{Caller: loop, Point: 4}, builder.Frame{Caller: loop, Point: 5},
		builder.Frame{Caller: main, Point: -6}), 3)
	counted(b, sum, 0, b.Context(sum, builder.Frame{Caller: main, Point: 4}), 4)
	twice := b.Method(keyCodes)
	counted(b, twice, 0xc0de1, profileset.NoContext, 5)
	counted(b, twice, 0xc0de0, profileset.NoContext, 6)
	counted(b, twice, 0xc0de0, b.Context(twice, builder.Frame{Caller: main, Point: 1}), 7)
}

// counted adds a profile that has invocations only.
func counted(b *builder.Builder, m builder.MethodRef, code uint64, c builder.ContextRef, n uint64) {
	p := b.ProfileIn(m, code, c)
	p.Invocations(n)
	mustDone(p)
}

// addWide adds a profile with every kind of wide entry.
func addWide(b *builder.Builder, circle, square builder.TypeRef) {
	p := b.Profile(keyLoop, 0)
	sum := b.Method(keySum)
	testarchive.RecordAs(b, layout.DomainLLVMIR, func() {
		p.Counters(-1, 1, 2, 3)
		p.ValueSite(0, layout.SubMemOpSize, builder.Value{Value: 64, Count: 5})
		p.Bitmap(1, []byte{0xff, 0, 7})
	})
	p.Successors(2, layout.SubConditional, builder.Successor{Point: -9, Index: 1, Count: 6})
	p.Receivers(builder.Receivers{Point: 3, Sub: layout.SubVirtualCall, Other: 8}, builder.Row{Type: circle, Count: 9},
		builder.Row{Type: square, Count: 10})
	testarchive.RecordAs(b, layout.DomainJamaica, func() { p.Callees(4, builder.Callee{Method: sum, Count: 11}) })
	p.Count(builder.Count{Point: 5, Sub: layout.SubCycles, Flags: disk.EntryInterpreted, N: 12})
	mustDone(p)
}

func mustDone(p *builder.Profile) {
	if err := p.Done(); err != nil {
		panic(err)
	}
}

// laid returns the bytes of an archive.
func laid(t testing.TB, b *builder.Builder) []byte {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// open opens an archive in memory.
func open(t testing.TB, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("test.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

// openFixture opens the fixture in memory.
func openFixture(t testing.TB) *reader.Store {
	t.Helper()
	return open(t, laid(t, fixture(0)))
}

func find(t testing.TB, s *reader.Store, k layout.Key) reader.Method {
	t.Helper()
	m, err := s.Find(k)
	if err != nil {
		t.Fatalf("find %v: %v", k, err)
	}
	return m
}

// profileOf returns the only profile of a method without a context.
func profileOf(t testing.TB, s *reader.Store, k layout.Key) reader.Profile {
	t.Helper()
	p, _, err := find(t, s, k).Profile(layout.CodeAny)
	if err != nil {
		t.Fatalf("profile of %v: %v", k, err)
	}
	return p
}

// entryAt returns the entry at a point.
func entryAt(t testing.TB, p reader.Profile, point int32) reader.Entry {
	t.Helper()
	e, ok := p.At(point)
	if !ok {
		t.Fatalf("no entry at %d", point)
	}
	return e
}

// numbered returns an archive of n methods with a small profile each.
func numbered(n int) *builder.Builder {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams(0)})
	types := []builder.TypeRef{b.Type(builder.TypeKey{Name: "app/A"}), b.Type(builder.TypeKey{Name: "app/B"})}
	for i := range n {
		p := b.Profile(numberedKey(i), 0)
		p.Invocations(uint64(i))
		p.VirtualCall(builder.At{Bci: 6}, builder.Others{Count: 1}, builder.Row{Type: types[i%2], Count: uint64(i)})
		p.Branch(builder.At{Bci: 12}, builder.Branch{Taken: uint64(i), Displacement: 32, NotTaken: 2})
		mustDone(p)
	}
	return b
}

func numberedKey(i int) layout.Key {
	return layout.Key{Class: fmt.Sprintf("app/generated/Class%d", i/10), Name: fmt.Sprintf("method%d", i),
		Signature: "(Ljava/lang/String;I)Ljava/lang/Object;"}
}
