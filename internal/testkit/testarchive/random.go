package testarchive

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"pgregory.net/rapid"
)

// DrawRun draws a random training run. Runs share methods, codes, contexts, points and types, but differ in their data.
func DrawRun(t *rapid.T, domain layout.Domain, name string) Archive {
	return drawRandomRun(t, domain, name, false)
}

// DrawHighRun is like DrawRun, but some counts are so high that additions saturate.
func DrawHighRun(t *rapid.T, domain layout.Domain, name string) Archive {
	return drawRandomRun(t, domain, name, true)
}

func drawRandomRun(t *rapid.T, domain layout.Domain, name string, high bool) Archive {
	seed := rapid.Uint64().Draw(t, name)
	r := &countRand{rand.New(rand.NewPCG(seed, 2)), high}
	config := Config(domain)
	config.DumpTime, config.Producer = time.Unix(int64(r.IntN(1000)), 0), fmt.Sprint("VM ", r.IntN(2))
	binary.LittleEndian.PutUint64(config.DumpID[:], seed)
	config.DumpID[9] = name[0]
	b := builder.New(domain, config)
	if domain == layout.DomainCustom {
		declareRandomShapes(b, r)
	}
	for i := range 4 {
		addRandomMethod(b, i, r)
	}
	addRandomTables(b, r)
	return Build(t, b)
}

type countRand struct {
	*rand.Rand
	high bool // draw counts for which additions saturate
}

func addRandomMethod(b *builder.Builder, i int, r *countRand) {
	key := layout.Key{Class: "A", Name: fmt.Sprint("m", i)}
	if b.Internal().Domain.LLVM() {
		key.Class = ""
	}
	m := b.Method(key)
	b.Internal().DescribeMethod(m, r.Uint32N(4), 0)
	b.Seen(m)
	for code := range uint64(2) {
		for depth := range 3 {
			if r.IntN(2) == 0 {
				frames := []builder.Frame{{Caller: m, Point: 3}, {Caller: m, Point: int32(r.IntN(2))}}
				addRandomProfile(b, b.ProfileIn(m, code, b.Context(m, frames[:depth]...)), r)
			}
		}
	}
}

func addRandomProfile(b *builder.Builder, p *builder.Profile, r *countRand) {
	some := func() bool { return r.IntN(2) == 0 }
	if some() {
		p.Invocations(r.drawCount())
	}
	if some() {
		p.Backedges(r.drawCount())
		p.Internal().SetSize(profileset.CodeSize{Code: r.Uint32N(3), Host: r.Uint32N(3)})
	}
	if some() {
		p.Internal().SetHistory(profileset.History{Decompiles: r.Uint32N(9), TenureTraps: 1<<32 - 3})
		p.Internal().SetCompilation(profileset.Compilation{Level: uint8(r.IntN(5)), Loops: uint16(r.IntN(3))})
	}
	if some() {
		p.Internal().SetEscape(profileset.Escape{Flags: r.Uint64N(32), Local: r.Uint64N(4), Stack: r.Uint64N(4),
			Returned: r.Uint64N(4)})
		p.Internal().PutTraps([]byte{byte(r.IntN(256)), 200, 0, byte(r.IntN(256))}[:r.IntN(5)])
	}
	for point := range 9 {
		if b.Internal().Domain == layout.DomainHotSpot {
			addRandomEntry(b, p, int32(point), r)
			continue
		}
		for range r.IntN(3) {
			addRandomWide(b, p, int32(point)-1, r)
		}
	}
	if b.Internal().Domain == layout.DomainHotSpot {
		addRandomExtra(b, p, r)
	}
	if err := p.Done(); err != nil {
		panic(err)
	}
}

// drawCount returns a mostly small count. If r.high is set, some counts are near the maximum.
func (r *countRand) drawCount() uint64 {
	if r.high && r.IntN(8) == 0 {
		return 1<<64 - 1 - r.Uint64N(4)
	}
	return r.Uint64N(100)
}

func drawRows(b *builder.Builder, r *countRand, most int) (rows []builder.Row) {
	for _, i := range r.Perm(5)[:r.IntN(most+1)] {
		rows = append(rows, builder.Row{Type: b.Type(builder.TypeKey{Name: fmt.Sprint("T", i)}), Count: r.drawCount()})
	}
	return rows
}

// drawRowsWithCapacity returns the rows of a wide type profile. The last rows can be empty.
func drawRowsWithCapacity(b *builder.Builder, r *countRand, most int) []builder.Row {
	return append(drawRows(b, r, most), make([]builder.Row, max(0, r.IntN(6)-2))...)
}

func drawTypeWord(b *builder.Builder, r *countRand) (w builder.TypeWord) {
	if r.IntN(3) > 0 {
		w.Type = b.Type(builder.TypeKey{Name: fmt.Sprint("T", r.IntN(2))})
	}
	w.NullSeen, w.Unknown = r.IntN(4) == 0, r.IntN(6) == 0
	return w
}

// addRandomEntry adds an entry of the kind that belongs to a bci, as a VM with random settings would record it.
func addRandomEntry(b *builder.Builder, p *builder.Profile, bci int32, r *countRand) {
	at := builder.At{Bci: bci, Flags: layout.EntryFlags(r.IntN(4)),
		Traps: layout.EntryTraps(r.Uint32N(3) | r.Uint32N(2)<<31)}
	word := drawTypeWord(b, r)
	types := builder.CallTypes{Args: []builder.Slot{{Stack: 1, Type: drawTypeWord(b, r)}}, Return: &word}
	switch way := r.IntN(3); bci {
	case 0:
		p.Jump(at, r.drawCount(), -8)
	case 1:
		p.Branch(at, builder.Branch{Taken: r.drawCount(), Displacement: 16, NotTaken: r.drawCount()})
	case 2:
		if way == 0 {
			p.Receivers(builder.Receivers{Point: bci, Sub: layout.SubTypeCheck, Flags: 1, Other: r.Uint64N(9),
				Traps: r.Uint64N(3)}, drawRowsWithCapacity(b, r, 4)...)
			return
		}
		p.ReceiverType(at, builder.Others{Count: uint64(r.IntN(20) - 10), Gap: r.Uint64N(2)}, drawRows(b, r, 2)...)
	case 3:
		switch way {
		case 0:
			p.Receivers(builder.Receivers{Point: bci, Sub: layout.SubVirtualCall, Flags: 1, Other: r.drawCount(),
				Traps: r.Uint64N(3)}, drawRowsWithCapacity(b, r, 4)...)
		case 1:
			p.VirtualCallType(at, builder.Others{Count: r.drawCount(), Gap: r.Uint64N(2)}, drawRows(b, r, 2), types)
		default:
			p.VirtualCall(at, builder.Others{Count: r.drawCount(), Gap: r.Uint64N(2)}, drawRows(b, r, 2)...)
		}
	case 4:
		p.Ret(at, r.drawCount(), []builder.RetRow{{Bci: r.Uint64N(3), Count: r.drawCount(), Displacement: -16},
			{Bci: 7, Count: 1}}[:way]...)
	case 5:
		p.MultiBranch(at, builder.SwitchCase{Count: r.drawCount(), Displacement: 8},
			make([]builder.SwitchCase, 1+way/2)...)
	case 6:
		p.CallType(at, r.drawCount(), types)
	case 7:
		p.Counter(at, r.drawCount())
	case 8:
		p.Bit(at)
	}
}

func addRandomExtra(b *builder.Builder, p *builder.Profile, r *countRand) {
	if r.IntN(2) == 0 {
		p.Internal().AddArgInfo(r.Uint64N(4), r.Uint64N(4))
	}
	if r.IntN(2) == 0 {
		p.Internal().AddSpeculativeTrap(profileset.Narrow{Bci: 3, Traps: layout.EntryTraps(r.Uint32N(4))},
			b.Method(layout.Key{Class: "A", Name: fmt.Sprint("m", r.IntN(3))}))
		p.Bit(builder.At{Bci: 2, In: disk.SectionExtra, Traps: layout.EntryTraps(r.Uint32N(4))})
	}
	if r.IntN(2) == 0 {
		w := drawTypeWord(b, r)
		p.Internal().AddParameters(profileset.TypeSlot{Type: w.Type, NullSeen: w.NullSeen, Several: w.Unknown})
		p.Bit(builder.At{Bci: 9, In: disk.SectionHandlers, Flags: layout.EntryFlags(r.IntN(4))})
	}
}

// Tags of random archives of DomainCustom.
const (
	randomOnce    = layout.TagProducer + iota // cells without rows
	randomKeyed                               // rows with keys
	randomUnkeyed                             // rows without keys
)

func declareRandomShapes(b *builder.Builder, r *countRand) {
	shapes := []layout.EntryShape{
		{Tag: randomOnce, Name: "Once", Cells: []layout.CellShape{{Name: "count", Kind: layout.CellCount},
			{Name: "most", Kind: layout.CellMax},
			{Name: "kinds", Kind: layout.CellBits, Bits: []string{"int", "", "float"}}, {Name: "op", Kind: layout.CellValue},
			{Name: "class", Kind: layout.CellType}}},
		{Tag: randomKeyed, Name: "Keyed", Unit: disk.UnitArrays,
			Cells: []layout.CellShape{{Name: "count", Kind: layout.CellCount}}, Rows: []layout.CellShape{
				{Name: "class", Kind: layout.CellType}, {Name: "to", Kind: layout.CellMethod},
				{Name: "hits", Kind: layout.CellCount}, {Name: "kinds", Kind: layout.CellBits}}},
		{Tag: randomUnkeyed, Name: "Places", Rows: []layout.CellShape{{Name: "count", Kind: layout.CellCount},
			{Name: "most", Kind: layout.CellMax}}},
	}
	for _, i := range r.Perm(len(shapes)) {
		if err := b.DeclareShape(shapes[i]); err != nil {
			panic(err)
		}
	}
}

func addRandomCustom(b *builder.Builder, p *builder.Profile, point int32, r *countRand) {
	typed := func() uint64 {
		if n := r.IntN(4); n > 0 {
			return uint64(b.Type(builder.TypeKey{Name: fmt.Sprint("T", n)}))
		}
		return 0
	}
	e := builder.Custom{Point: point, Tag: randomOnce + layout.Tag(r.IntN(3)), Sub: layout.Sub(r.IntN(2)),
		Flags: layout.EntryFlags(r.IntN(256))}
	var rows [][]uint64
	switch e.Tag {
	case randomOnce:
		e.Cells = []uint64{r.drawCount(), r.Uint64N(9), r.Uint64N(9), r.Uint64N(2), typed()}
	case randomKeyed:
		e.Cells = []uint64{r.drawCount()}
		for range r.IntN(4) {
			to := b.Method(layout.Key{Class: "A", Name: fmt.Sprint("m", r.IntN(3))})
			rows = append(rows, []uint64{typed(), uint64(to), r.drawCount(), r.Uint64N(8)})
		}
		rows = append(rows, make([][]uint64, r.IntN(3))...)
		for i := range rows {
			if rows[i] == nil {
				rows[i] = make([]uint64, 4)
			}
		}
	default:
		for range r.IntN(4) {
			rows = append(rows, []uint64{r.drawCount(), r.Uint64N(9)})
		}
	}
	p.Custom(e, rows...)
}

func addRandomWide(b *builder.Builder, p *builder.Profile, point int32, r *countRand) {
	if b.Internal().Domain == layout.DomainCustom && r.IntN(2) == 0 {
		addRandomCustom(b, p, point, r)
		return
	}
	held := disk.HeldTags(b.Internal().Domain)
	switch held[r.IntN(len(held))] {
	case layout.TagCounters:
		p.Counters(point, []uint64{r.drawCount(), r.drawCount(), r.drawCount()}[:1+r.IntN(3)]...)
	case layout.TagValueSite:
		p.ValueSite(point, layout.Sub(r.IntN(2)),
			[]builder.Value{{Value: r.Uint64N(2), Count: r.drawCount()}, {Value: r.Uint64N(2), Count: r.drawCount()},
				{Value: r.Uint64N(2)}}[:r.IntN(4)]...)
	case layout.TagBitmap:
		p.Bitmap(point, []byte{byte(r.IntN(256)), 3}[:1+r.IntN(2)])
	case layout.TagSuccessors:
		p.Successors(point, layout.SubConditional, []builder.Successor{{Point: 8, Index: 1, Count: r.drawCount()},
			{Point: -9, Index: r.Uint32N(2), Count: r.drawCount()}}[:r.IntN(3)]...)
	case layout.TagReceivers:
		p.Receivers(builder.Receivers{Point: point, Sub: layout.SubVirtualCall, Flags: layout.EntryFlags(r.IntN(2)),
			Other: r.drawCount(), Traps: r.Uint64N(3)}, drawRowsWithCapacity(b, r, 5)...)
	case layout.TagCallees:
		p.Callees(point, builder.Callee{Method: b.Method(layout.Key{Class: "A", Name: fmt.Sprint("callee", r.IntN(3))}),
			Count: r.drawCount()})
	case disk.TagUndecoded:
		p.Internal().AddUndecoded(point, layout.EntryFlags(r.IntN(2))*disk.EntryOneOf,
			[]uint64{14 + r.Uint64N(2) | uint64(uint16(point))<<16, r.Uint64N(2), r.Uint64()}[:1+r.IntN(3)]...)
	case layout.TagCount:
		p.Count(builder.Count{Point: point, Sub: layout.Sub(1 + r.IntN(3)),
			Flags: layout.EntryFlags(r.IntN(2)) * disk.EntryInterpreted, N: r.drawCount()})
	}
}

func addRandomTables(b *builder.Builder, r *countRand) {
	table := func(kind disk.TableKind) *profileset.Table { return b.Internal().Table(kind, 0) }
	symbol := func(name string, number int) uint64 { return uint64(b.Internal().Symbol(fmt.Sprint(name, number))) }
	method := func(number int) builder.MethodRef {
		return b.Method(layout.Key{Class: "A", Name: fmt.Sprint("m", number)})
	}
	for range r.IntN(4) {
		table(disk.TableMonitors).Row(uint64(b.Type(builder.TypeKey{Name: fmt.Sprint("T", r.IntN(3))})), r.drawCount())
		table(disk.TableBinaryIDs).Row(symbol("id", r.IntN(4)))
		table(disk.TableThreads).Row(r.Uint64N(2), r.drawCount(), r.Uint64N(2), 0, 0, 0, 0, 0)
	}
	for range r.IntN(6) {
		m := method(r.IntN(3))
		table(disk.TableCompilations).Row(uint64(m), 3+r.Uint64N(2), ^uint64(0), 1+r.Uint64N(2), r.Uint64N(99),
			r.Uint64N(99), r.drawCount(), r.drawCount())
		table(disk.TableMoved).Row(uint64(m), r.Uint64N(2), r.Uint64N(9), r.Uint64N(2), r.drawCount())
		inlined := b.Context(m, builder.Frame{Caller: method(1), Point: int32(r.IntN(2))})
		table(disk.TableInlining).Row(uint64(inlined), 4, r.drawCount())
	}
	for group := range uint64(r.IntN(3)) {
		for frame := range uint64(1 + r.IntN(3)) {
			table(disk.TableTraces).Row(group, 1, frame)
			table(disk.TableSamples).Row(group, uint64(method(1)), frame, 5+group)
		}
	}
	properties := table(disk.TableProperties)
	properties.Row(uint64(b.Internal().Symbol(disk.PropertyTraceStream)), symbol("", r.IntN(3)))
	properties.Row(uint64(b.Internal().Symbol("host")), symbol("", r.IntN(2)))
}
