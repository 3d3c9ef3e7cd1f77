package specimen

import (
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// hotspotParams returns the settings of a VM with nonprofiled_count.
func hotspotParams() (p layout.Params) {
	p.TypeProfileWidth = 2
	p.BciProfileWidth = 2
	p.ReceiverGap = 1
	p.TypeProfileLevel = 111
	p.VMRelease = 17
	p.ProfileTraps = 1
	return p
}

func newHotSpotEmpty() *builder.Builder {
	return builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams()})
}

type shapes struct{ circle, square, hidden, exception builder.TypeRef }

// newHotSpot has all 13 tags, undecoded words, and all optional fields of HotSpot's MethodData.
func newHotSpot() *builder.Builder {
	b := builder.New(layout.DomainHotSpot, builder.Config{
		Params: hotspotParams(), Producer: "OpenJDK 17.0.15+6", Fingerprint: fingerprint("shapes.jar"),
		DumpTime: time.Unix(1700000000, 123456789),
	})
	s := shapes{
		circle:    b.Type(builder.TypeKey{Name: "shapes/Circle", Loader: "app"}),
		square:    b.Type(builder.TypeKey{Name: "shapes/Square", Loader: "app"}),
		hidden:    b.Type(builder.TypeKey{Name: "shapes/Area$$Lambda@shapes/Area#0", Loader: "app"}),
		exception: b.Type(builder.TypeKey{Name: "java/lang/IllegalStateException"}),
	}
	alias := "shapes/Area$$Lambda$14/0x0000000800c03000"
	b.Internal().DescribeType(s.hidden, alias, layout.TypeHidden|layout.TypeNotMatchable)
	addEveryEntry(b, s)
	addOptionalFields(b, s)
	addManyPoints(b, s)
	addTwoCodes(b)
	addOddMethods(b)
	addSharedID(b)
	addCompilations(b, s)
	properties := b.Internal().Table(disk.TableProperties, 0)
	properties.Row(uint64(b.Internal().Symbol("java.vm.name")), uint64(b.Internal().Symbol("OpenJDK 64-Bit Server VM")))
	properties.Row(uint64(b.Internal().Symbol("quoted \"path\"\\\n\u00e9\U0001f600")),
		uint64(b.Internal().Symbol("not UTF-8: \xff\xed\xa0\x80\xc0\x80\xf4\x90")))
	return b
}

func addEveryEntry(b *builder.Builder, s shapes) {
	m := b.Method(layout.Key{Class: "shapes/Area", Name: "total", Signature: "(Ljava/util/List;I)D", Loader: "app"})
	b.Internal().DescribeMethod(m, disk.AccStatic|disk.AccSynchronized, 0)
	word := func(t builder.TypeRef, null, unknown bool) builder.TypeWord {
		return builder.TypeWord{Type: t, NullSeen: null, Unknown: unknown}
	}
	p := b.ProfileIn(m, 0, profileset.NoContext)
	p.Bit(builder.At{Bci: 1, Flags: layout.EntryNullSeen, Traps: 3 | layout.EntryTrapRecompiled})
	p.Counter(builder.At{Bci: 2}, 60949)
	p.Jump(builder.At{Bci: 3}, 41, -96)
	p.ReceiverType(builder.At{Bci: 4, Flags: layout.EntryNullSeen}, builder.Others{Count: ^uint64(6), Gap: 2},
		builder.Row{Type: s.circle, Count: 9})
	p.VirtualCall(builder.At{Bci: 5}, builder.Others{Count: 4},
		builder.Row{Type: s.square, Count: 5}, builder.Row{Type: s.hidden, Count: 6})
	p.Ret(builder.At{Bci: 6}, 1, builder.RetRow{Bci: 33, Count: 7, Displacement: 16})
	p.Branch(builder.At{Bci: 7}, builder.Branch{Taken: 100, Displacement: 56, NotTaken: 200})
	p.MultiBranch(builder.At{Bci: 8}, builder.SwitchCase{Count: 3, Displacement: 8},
		builder.SwitchCase{Count: 4, Displacement: -8}, builder.SwitchCase{Count: 5})
	p.CallType(builder.At{Bci: 9}, 11, builder.CallTypes{
		Args:   []builder.Slot{{Stack: 0, Type: word(s.circle, true, false)}, {Stack: 2, Type: word(0, false, true)}},
		Return: &builder.TypeWord{Type: s.square},
	})
	p.CallType(builder.At{Bci: 10}, 12, builder.CallTypes{Args: []builder.Slot{{Stack: 1, Type: word(0, true, false)}}})
	p.VirtualCallType(builder.At{Bci: 11}, builder.Others{Count: 13, Gap: 1},
		[]builder.Row{{Type: s.circle, Count: 2}}, builder.CallTypes{Return: &builder.TypeWord{}})
	p.VirtualCallType(builder.At{Bci: 12}, builder.Others{Count: 14}, nil, builder.CallTypes{})
	p.Internal().AddParameters(profileset.TypeSlot{Type: s.hidden, NullSeen: true}, profileset.TypeSlot{Stack: 1})
	p.Bit(builder.At{Bci: 77, Traps: 2, In: disk.SectionExtra})
	p.Internal().AddSpeculativeTrap(profileset.Narrow{Bci: 78, Traps: 5}, m)
	p.Internal().AddSpeculativeTrap(profileset.Narrow{Bci: 79}, 0)
	p.Internal().AddArgInfo(0, 1<<64-1) // anything of the other argument
	p.Bit(builder.At{Bci: 40, In: disk.SectionHandlers})
	p.Bit(builder.At{Bci: 52, Flags: layout.EntryNullSeen, In: disk.SectionHandlers})
	finishProfiles(p)
	b.Internal().Table(disk.TableCertain, 0).Row(uint64(p.Internal().Ref()), 7, 1, 90) // it was never taken in some runs
}

// addOptionalFields adds a profile with all optional fields, and an entry of the kind that only merges create.
func addOptionalFields(b *builder.Builder, s shapes) {
	m := b.Method(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"})
	p := b.ProfileIn(m, 0x9d5c0f3a11e7b246, profileset.NoContext)
	p.Invocations(61205)
	p.Backedges(1 << 63)
	p.Interpreted(0)
	p.Internal().SetSize(profileset.CodeSize{Code: 11, Host: 640})
	p.Internal().SetHistory(profileset.History{Decompiles: 1, OverflowRecompiles: 2, OverflowTraps: 3, TenureTraps: 4})
	p.Internal().SetCompilation(profileset.Compilation{Level: 4, State: 1, WouldProfile: 2, Loops: 5, Blocks: 6})
	p.Internal().SetEscape(profileset.Escape{Flags: 1, Local: 2, Stack: 1 << 40, Returned: ^uint64(0)})
	p.Internal().PutTraps([]byte{0, 3, 0, 0, 255, 0, 1, 0, 9})
	p.Receivers(builder.Receivers{Point: 6, Sub: layout.SubTypeCheck, Flags: layout.EntryNullSeen, Other: 1,
		Traps: uint64(5 | layout.EntryTrapRecompiled)}, builder.Row{Type: s.circle, Count: 1},
		builder.Row{Type: s.square, Count: 2}, builder.Row{Type: s.exception, Count: 3}, builder.Row{})
	finishProfiles(p)
}

// addManyPoints adds a profile with enough entries for a point directory. Some points have several.
func addManyPoints(b *builder.Builder, s shapes) {
	m := b.Method(layout.Key{Class: "shapes/Square", Name: "area", Signature: "()D", Loader: "app"})
	p := b.ProfileIn(m, 0, profileset.NoContext)
	p.Invocations(400)
	for i := range int32(20) {
		p.Counter(builder.At{Bci: 3 * (19 - i)}, uint64(i))
		if i%5 == 0 {
			p.Branch(builder.At{Bci: 3 * i}, builder.Branch{Taken: uint64(i), Displacement: 24, NotTaken: 1})
		}
	}
	finishProfiles(p)
}

// addTwoCodes adds a method with profiles of two versions of its code. The newer profile ends with an unknown entry.
func addTwoCodes(b *builder.Builder) {
	m := b.Method(layout.Key{Class: "shapes/Circle", Name: "area", Signature: "()D", Loader: "app"})
	for _, code := range []uint64{0xffffffff00000002, 1} {
		p := b.ProfileIn(m, code, profileset.NoContext)
		p.Counter(builder.At{Bci: 1}, code&0xff)
		if code != 1 {
			p.Internal().AddUndecoded(9, disk.EntryOneOf, 0x0000000000090014, 30, 0x00007f3aa4c01238, 1<<64-1)
		}
		finishProfiles(p)
		sketch := disk.AppendSketch(nil, code, []disk.SketchPoint{disk.NewSketchPoint(code<<40, code<<50, false)})
		b.Internal().Table(disk.TableCode, 0).Row(uint64(m), uint64(b.Internal().Symbol(string(sketch))))
	}
}

// addCompilations adds compilations and inlining decisions, including a method without a profile.
func addCompilations(b *builder.Builder, s shapes) {
	b.Internal().DescribeType(s.circle, "", disk.TypeLoaded|disk.TypeInitialized)
	b.Internal().DescribeType(s.exception, "", disk.TypeLoaded)
	total := b.Method(layout.Key{Class: "shapes/Area", Name: "total", Signature: "(Ljava/util/List;I)D", Loader: "app"})
	area := b.Method(layout.Key{Class: "shapes/Circle", Name: "area", Signature: "()D", Loader: "app"})
	simple := b.Method(layout.Key{Class: "shapes/Circle", Name: "radius", Signature: "()D", Loader: "app"})
	t := b.Internal().Table(disk.TableCompilations, 0)
	t.Row(uint64(total), 4, ^uint64(0), 1, 120, 4096, 1, 0)
	t.Row(uint64(total), 4, ^uint64(0), 2, 311, 3960, 1, 1)
	t.Row(uint64(total), 4, 7, 1, 97, 2048, 1, 1)
	t.Row(uint64(simple), 1, ^uint64(0), 1, 13, 256, 1, 1)
	moved := b.Internal().Table(disk.TableMoved, 0)
	moved.Row(uint64(total), 0x51ea, 5, 0, 990_000_000)
	moved.Row(uint64(total), 0x51ea, 7, 1, 970_000_000)
	inlined := b.Internal().Table(disk.TableInlining, 0)
	inlined.Row(uint64(b.Context(area, builder.Frame{Caller: total, Point: 5})), 4, 1)
	inlined.Row(uint64(b.Context(simple, builder.Frame{Caller: area, Point: 1}, builder.Frame{Caller: total, Point: 5})),
		4, 1)
}

// addOddMethods adds an unexecuted method, a method that cannot be matched, and a method that occurs only in a trap.
func addOddMethods(b *builder.Builder) {
	b.Seen(b.Method(layout.Key{Class: "shapes/Circle", Name: "unused", Signature: "()V", Loader: "app"}))
	m := b.Method(layout.Key{Class: "shapes/Area$$Lambda@shapes/Area#0", Name: "apply",
		Signature: "(Ljava/lang/Object;)Ljava/lang/Object;", Loader: "app"})
	b.Internal().DescribeMethod(m, disk.AccFinal, layout.MethodNotMatchable)
	b.Method(layout.Key{Class: "java/lang/Object", Name: "hashCode", Signature: "()I"})
}

// Classes of two keys with the same ID. The first step of the hash multiplies two numbers that depend on 8 bytes of the
// text each. The product does not change if these numbers are swapped.
const (
	twinOne = "tR_4twinyQ_6same" + twinEnd
	twinTwo = "t1jx3aHiy2jz4wLb" + twinEnd
	twinEnd = "/is/one/of/two/classes/whose/methods/have/the/same/id/by/design"
)

// SharedIDs returns two keys of the specimen hotspot that have the same ID.
func SharedIDs() [2]layout.Key {
	return [2]layout.Key{{Class: twinOne, Name: "run", Signature: "()V"}, {Class: twinTwo, Name: "run", Signature: "()V"}}
}

func addSharedID(b *builder.Builder) {
	for i, k := range SharedIDs() {
		p := b.Profile(k, 0)
		p.Invocations(uint64(1000 + i))
		finishProfiles(p)
	}
}
