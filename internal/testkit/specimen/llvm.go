package specimen

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// newLLVMIR is a profile of IR instrumentation. It has a function with two hashes, counters, value sites of all three
// kinds, binary ids, temporal traces, vtables and a memory profile.
func newLLVMIR() *builder.Builder {
	var params layout.Params
	params.LLVMVersion = 12
	params.LLVMVariant = 1 << 1
	b := builder.New(layout.DomainLLVMIR, builder.Config{Params: params, Producer: "clang 19.1.7"})
	main := b.Method(layout.Key{Name: "main"})
	local := b.Method(layout.Key{Name: "shapes.cpp;_ZL5totalv"})

	p := b.ProfileIn(main, 0x0a1b2c3d4e5f6071, profileset.NoContext)
	p.Counters(0, 1, 60949, 0, ^uint64(0))
	p.ValueSite(0, layout.SubIndirectCall,
		builder.Value{Value: disk.NameRef("shapes.cpp;_ZL5totalv"), Count: 20}, builder.Value{Value: 0x1234, Count: 3})
	p.ValueSite(1, layout.SubIndirectCall)
	p.ValueSite(0, layout.SubMemOpSize, builder.Value{Value: 8, Count: 5}, builder.Value{Value: 513, Count: 1})
	p.ValueSite(0, layout.SubVTable, builder.Value{Value: disk.NameRef("_ZTV6Circle"), Count: 7})
	older := b.ProfileIn(main, 0x0000000000000018, profileset.NoContext)
	older.Counters(0, 12)
	total := b.ProfileIn(local, 0x8000000000000001, profileset.NoContext)
	total.Counters(0, 5, 6)
	finishProfiles(p, older, total)

	ids := b.Internal().Table(disk.TableBinaryIDs, 0)
	ids.Row(uint64(b.Internal().Symbol("\x8f\x00\xe2\xff\x10binary id\x00")))
	traces := b.Internal().Table(disk.TableTraces, 0)
	traces.Row(0, 1, disk.NameRef("main"))
	traces.Row(0, 1, disk.NameRef("shapes.cpp;_ZL5totalv"))
	traces.Row(1, 3, disk.NameRef("main"))
	tables := b.Internal().Table(disk.TableVTables, 0)
	tables.Row(uint64(b.Internal().Symbol("_ZTV6Circle")), 0x7f0000401000, 32)
	addHeapProfile(b)
	order := b.Internal().Table(disk.TableOrder, 1, disk.ColumnProfile)
	for _, q := range []*builder.Profile{total, p, older} {
		order.Row(uint64(q.Internal().Ref()))
	}
	return b
}

func addHeapProfile(b *builder.Builder) {
	main := disk.HeapFrame{Function: disk.NameRef("main"), Line: 7, Column: 12}
	inlined := disk.HeapFrame{Function: 0x1234, Line: 1, Column: 5, Inline: true}
	direct := disk.AppendHeapFrame(nil, main)
	through := disk.AppendHeapFrame(disk.AppendHeapFrame(nil, inlined), main)
	kinds := func(k disk.TableKind) *profileset.Table { return b.Internal().Table(k, 0) }
	row := []uint64{disk.NameRef("main"), uint64(b.Internal().Symbol(string(direct))), 1}
	for i := range disk.HeapFields {
		row = append(row, uint64(i+1))
	}
	kinds(disk.TableAllocations).Row(row...)
	row[disk.AllocationStack] = uint64(b.Internal().Symbol(string(through)))
	kinds(disk.TableAllocations).Row(row...)
	kinds(disk.TableAllocationCalls).Row(disk.NameRef("main"), uint64(b.Internal().Symbol(string(direct))), 1)
	kinds(disk.TableProperties).Row(uint64(b.Internal().Symbol(disk.PropertyMemProf)), uint64(b.Internal().Symbol("3")))
}

// newLLVMFrontend is a profile of clang's front-end instrumentation. It has counters and MC/DC bitmaps, one with a
// length that is not a multiple of 8.
func newLLVMFrontend() *builder.Builder {
	var params layout.Params
	params.LLVMVersion = 11
	b := builder.New(layout.DomainLLVMFrontend, builder.Config{Params: params, Producer: "clang 18.1.8",
		Flags: disk.FlagDelta})
	p := b.Profile(layout.Key{Name: "main"}, 24)
	p.Counters(0, 1, 2, 3)
	p.Bitmap(0, []byte{0xff, 0x01, 0x80})
	q := b.Profile(layout.Key{Name: "shapes.c:area"}, 1)
	q.Counters(0)
	q.Bitmap(0, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	r := b.Profile(layout.Key{Name: "no_counters"}, 0)
	r.Bitmap(0, nil)
	b.Seen(b.Method(layout.Key{Name: "never_called"}))
	finishProfiles(p, q, r)
	return b
}
