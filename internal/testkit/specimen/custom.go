package specimen

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// Tags of the custom specimen.
const (
	tagOperands = layout.TagProducer
	tagShapes   = layout.TagProducer + 1
	tagSlots    = layout.TagProducer + 2
	tagOuter    = layout.Tag(255)
)

// customShapes returns shapes with all kinds of cells, inside and outside rows, and an entry without cells.
func customShapes() []layout.EntryShape {
	kinds := []string{"int", "float", "", "string"}
	return []layout.EntryShape{
		{Tag: tagShapes, Name: "Shapes", Unit: disk.UnitExecutions, Rows: []layout.CellShape{
			{Name: "class", Kind: layout.CellType}, {Name: "hits", Kind: layout.CellCount},
			{Name: "deepest", Kind: layout.CellMax},
			{Name: "kinds", Kind: layout.CellBits, Bits: kinds}, {Name: "to", Kind: layout.CellMethod},
			{Name: "since", Kind: layout.CellFirst},
		}},
		{Tag: tagOperands, Name: "Operands", Cells: []layout.CellShape{
			{Name: "hits", Kind: layout.CellCount}, {Name: "left", Kind: layout.CellBits, Bits: kinds},
			{Name: "right", Kind: layout.CellBits},
			{Name: "longest", Kind: layout.CellMax}, {Name: "constant", Kind: layout.CellFirst},
			{Name: "op", Kind: layout.CellValue},
			{Name: "result", Kind: layout.CellType}, {Name: "handler", Kind: layout.CellMethod},
			{Name: "misses", Kind: layout.CellCount},
			{Name: "shortest", Kind: layout.CellMin}, {Name: "latest", Kind: layout.CellLast},
		}},
		{Tag: tagSlots, Name: "Slots", Unit: disk.UnitArrays,
			Cells: []layout.CellShape{{Name: "frame", Kind: layout.CellValue}},
			Rows:  []layout.CellShape{{Name: "count", Kind: layout.CellCount}}},
		{Tag: tagOuter, Name: "Seen-x_1"},
	}
}

// newCustom has a producer's own entries and tables, and standard ones.
func newCustom() *builder.Builder {
	b := builder.New(layout.DomainCustom, builder.Config{Producer: "numbat 1.4.2",
		ProducerID: fingerprint("numbat-bytecode3")})
	for _, s := range customShapes() {
		_ = b.DeclareShape(s)
	}
	number := b.Type(builder.TypeKey{Name: "Number"})
	loop := b.Method(layout.Key{Class: "bench.nb", Name: "loop", Signature: "2"})
	add := b.Method(layout.Key{Class: "bench.nb", Name: "add", Signature: "2", Loader: "plugin"})
	b.Seen(b.Method(layout.Key{Class: "bench.nb", Name: "unused"}))
	p := b.ProfileIn(loop, 7, profileset.NoContext)
	p.Invocations(1000)
	p.Backedges(64000)
	p.Custom(builder.Custom{Point: -3, Tag: tagOuter, Sub: 40000, Flags: 0x81})
	p.Custom(builder.Custom{Point: 4, Tag: tagOperands, Flags: 1,
		Cells: []uint64{900, 3, 1 << 63, 12, 42, 5, uint64(number), uint64(add), 100, 2, 43}})
	p.Custom(builder.Custom{Point: 4, Tag: tagOperands, Cells: []uint64{0, 13, 0, 0, 0, 6, 0, 0, 0, 0, 0}})
	p.Custom(builder.Custom{Point: 70000, Tag: tagShapes, Sub: 1},
		[]uint64{uint64(number), 600, 3, 1, uint64(add), 17}, []uint64{0, 1, 0, 0, 0, 0}, []uint64{0, 0, 0, 0, 0, 0})
	p.Custom(builder.Custom{Point: 9, Tag: tagSlots, Cells: []uint64{2}}, []uint64{5}, []uint64{0}, []uint64{1<<64 - 1})
	p.Receivers(builder.Receivers{Point: 5, Sub: disk.SubProducer + 3, Flags: layout.EntryNullSeen | 0x40, Other: 8},
		builder.Row{Type: number, Count: 5}, builder.Row{})
	p.Count(builder.Count{Point: 6, Sub: disk.SubProducer, Flags: 0x10, N: 11})
	p.Counters(8, 1, 2, 3)
	p.Callees(12, builder.Callee{Method: add, Count: 9})
	p.Successors(13, layout.SubConditional, builder.Successor{Point: 20, Index: 0, Count: 10})
	p.Bitmap(14, []byte{5})
	p.ValueSite(15, disk.SubProducer, builder.Value{Value: 3, Count: 2})
	q := b.ProfileIn(add, 0, b.Context(add, builder.Frame{Caller: loop, Point: 5}))
	q.Custom(builder.Custom{Point: 1, Tag: tagShapes})
	q.Count(builder.Count{Sub: layout.SubCalls, N: 600})
	finishProfiles(p, q)
	objects := b.Internal().Table(disk.TableObjects, 0)
	objects.Row(0, uint64(b.Internal().Symbol("bench.o")), 1<<40+3, 0xfedcba98, 2, 1000, 1)
	objects.Row(uint64(p.Internal().Ref()), uint64(b.Internal().Symbol("bench.o")), 1<<40+3, 0xfedcba98, 0, 0, 1)
	strings := b.Internal().Table(disk.TableProducer+5, 1<<2, disk.ColumnSymbol, disk.ColumnMethod, disk.ColumnWord)
	strings.Row(uint64(b.Internal().Symbol("interned")), uint64(add), 12)
	strings.Row(0, 0, 1)
	return b
}
