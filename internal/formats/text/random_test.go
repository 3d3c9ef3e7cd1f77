package text

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"pgregory.net/rapid"
)

// Random archives become the same bytes by way of their texts, of whatever domain and with whatever it can
// hold: the text does not depend on what a domain's producer happens to have.
func TestRandomArchivesBecomeTheSameBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		domain := layout.Domain(rapid.IntRange(int(layout.DomainHotSpot), int(layout.DomainSampled)).Draw(rt, "domain"))
		size := rapid.IntRange(0, 12).Draw(rt, "size")
		seed := rapid.Uint64().Draw(rt, "seed")
		checkExact(t, bytesOf(t, randomArchive(domain, size, seed)))
		if t.Failed() {
			rt.FailNow()
		}
	})
}

// A maker makes a random archive.
type maker struct {
	*rand.Rand
	domain   layout.Domain
	b        *builder.Builder
	shape    disk.Shape
	types    []builder.TypeRef
	methods  []builder.MethodRef
	profiles []profileset.ProfileRef
	made     map[disk.TableKind]bool
	shapes   []layout.EntryShape
}

// randomArchive returns an archive of so many methods.
func randomArchive(domain layout.Domain, size int, seed uint64) *builder.Builder {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), domain: domain, made: map[disk.TableKind]bool{}}
	config := m.config()
	m.shape = disk.ShapeOfParams(&config.Params)
	if domain == layout.DomainCustom {
		config.ProducerID[m.IntN(16)] = 1 + byte(m.IntN(255))
	}
	m.b = builder.New(domain, config)
	m.declare()
	for range size + 1 {
		m.types = append(m.types, m.typ())
		m.methods = append(m.methods, m.method())
	}
	for i := range m.methods {
		m.profilesOf(m.methods[i])
	}
	m.tables()
	return m.b
}

// sometimes is true once in n.
func (m *maker) sometimes(n int) bool { return m.IntN(n) == 0 }

// number returns a number of any size.
func (m *maker) number() uint64 {
	if m.sometimes(10) {
		return math.MaxUint64 - m.Uint64N(3)
	}
	return m.Uint64() >> m.IntN(64)
}

func (m *maker) config() (c builder.Config) {
	if m.sometimes(2) {
		c.Params = layout.Params{
			TypeProfileWidth: uint32(m.IntN(4)), BciProfileWidth: uint32(m.IntN(4)), ReceiverGap: uint32(m.IntN(3)),
			TypeProfileLevel: 111,
			VMRelease:        17, LLVMVersion: m.Uint32(), LLVMVariant: 5, ProfileTraps: 1, Other: [7]uint32{m.Uint32()},
		}
		c.Producer = m.name()
		c.Fingerprint[m.IntN(16)] = byte(m.Uint32())
		c.Flags = m.Uint64N(4)
	}
	if m.sometimes(2) {
		c.DumpID[m.IntN(16)] = 1
		c.DumpTime = time.Unix(0, m.Int64()-math.MaxInt64/2)
	}
	return c
}

// names has all that decides how a name is spelled.
var names = []string{
	"a", "java/lang/String", "[Ljava/lang/Object;", "app", "<init>", "run", "-", "#", "a#b", ":", "a::b", "a:", ":b",
	"a:b", "a=b", "a+b", "{", "x}", "(", "x(y", "()",
	"()V", "(I)Ljava/lang/String;", "void(int, long)", "two words", "\"", "\\", "a\\b", "\n", "\t", "\r", "\x01", "\x7f",
	"é", "日本", "\xff", "\u200b", "\u2028", "\ufeff", "\ufffd",
	"null", "args", "return", "return=1", "@5", "0x12", "12", "row", "end", "[trap=1]", "code=1", "<-", ")",
	"\xf0\x9f\x98\x80", "a\"b", "-=1", "access=static",
}

func (m *maker) name() string {
	name := names[m.IntN(len(names))]
	if m.sometimes(3) {
		name += names[m.IntN(len(names))]
	}
	return name
}

func (m *maker) maybeName() string {
	if m.sometimes(2) {
		return ""
	}
	return m.name()
}

func (m *maker) typ() builder.TypeRef {
	t := m.b.Type(builder.TypeKey{Name: m.maybeName(), Loader: m.maybeName()})
	m.b.Internal().DescribeType(t, m.maybeName(), layout.TypeFlags(m.Uint32()>>m.IntN(33)))
	return t
}

func (m *maker) method() builder.MethodRef {
	k := layout.Key{Class: m.maybeName(), Name: m.maybeName(), Signature: m.maybeName()}
	if k.Class != "" {
		k.Loader = m.maybeName()
	}
	ref := m.b.Method(k)
	m.b.Internal().DescribeMethod(ref, m.Uint32()>>m.IntN(33), layout.MethodFlags(m.IntN(2))*layout.MethodNotMatchable)
	if m.sometimes(2) {
		m.b.Seen(ref)
	}
	return ref
}

func (m *maker) anyMethod() builder.MethodRef { return m.methods[m.IntN(len(m.methods))] }

func (m *maker) anyType() builder.TypeRef {
	if m.sometimes(3) {
		return 0
	}
	return m.types[m.IntN(len(m.types))]
}

func (m *maker) profilesOf(method builder.MethodRef) {
	for code := range uint64(m.IntN(3)) {
		context := m.b.Context(method, m.frames()...)
		if m.sometimes(4) {
			continue // a context without a profile
		}
		p := m.b.ProfileIn(method, min(code*m.number()+code, layout.CodeAny-1), context)
		m.fields(p)
		for range m.IntN(25) {
			m.entry(p)
		}
		m.profiles = append(m.profiles, p.Internal().Ref())
		if err := p.Done(); err != nil {
			panic(err)
		}
	}
}

// frames returns so many frames that a context is hardly ever made twice.
func (m *maker) frames() (frames []builder.Frame) {
	for range 1 + m.IntN(3) {
		frames = append(frames, builder.Frame{Caller: m.anyMethod(), Point: int32(m.Uint32())})
	}
	if m.sometimes(3) && len(m.profiles) == 0 {
		return nil
	}
	return frames
}

func (m *maker) fields(p *builder.Profile) {
	for i, set := range []func(){
		func() { p.Invocations(m.number()) },
		func() { p.Backedges(m.number()) },
		func() { p.Interpreted(m.number()) },
		func() { p.Internal().SetSize(profileset.CodeSize{Code: m.Uint32(), Host: m.Uint32()}) },
		func() { p.Internal().SetHistory(profileset.History{Decompiles: m.Uint32(), TenureTraps: m.Uint32()}) },
		func() {
			p.Internal().SetCompilation(profileset.Compilation{Level: uint8(m.Uint32()), Loops: uint16(m.Uint32())})
		},
		func() { p.Internal().SetEscape(profileset.Escape{Flags: m.number(), Returned: m.number()}) },
		func() { p.Internal().PutTraps(make([]byte, m.IntN(40), 40)) },
		func() { p.Internal().PutTraps([]byte{1, 0, uint8(m.Uint32())}) },
	} {
		if m.sometimes(2 + i) {
			set()
		}
	}
}

// entry adds an entry of any kind.
func (m *maker) entry(p *builder.Profile) {
	if m.domain == layout.DomainHotSpot && m.sometimes(2) {
		m.hotspot(p)
	} else {
		m.wide(p)
	}
}

// hotspot adds an entry of one of HotSpot's tags whose cells are anything.
func (m *maker) hotspot(p *builder.Profile) {
	tag := layout.Tag(1 + m.IntN(13))
	length := m.IntN(5)
	switch tag {
	case layout.TagMultiBranch:
		length = 2 + 2*length
	case layout.TagParametersType:
		length *= 2
	}
	_, e := disk.NewEntry(nil, tag, layout.EntryFlags(m.Uint32()>>m.IntN(32)), uint16(m.Uint32()), m.traps(),
		m.shape.Cells(tag, length))
	for i := range e.Cells() {
		if !m.sometimes(3) {
			e.SetCell(i, m.number())
		}
	}
	m.setLength(e, tag, length)
	m.clearPointers(e)
	p.Internal().Copy(disk.BlockSection(m.IntN(4)), e, func(_ int, kind disk.CellKind) uint64 {
		if kind == disk.CellMethod {
			return uint64(m.anyMethod()) * m.Uint64N(2)
		}
		return uint64(m.anyType())
	})
}

func (m *maker) traps() layout.EntryTraps {
	return []layout.EntryTraps{0, 0, 3, 1<<31 - 1, 1 << 31, 5 | 1<<31, 1<<32 - 1, layout.EntryTraps(m.Uint32())}[m.IntN(8)]
}

// setLength sets the length cell of an entry that has one.
func (m *maker) setLength(e disk.Entry, tag layout.Tag, length int) {
	switch tag {
	case layout.TagMultiBranch, layout.TagArgInfo, layout.TagParametersType, layout.TagCallType, layout.TagVirtualCallType:
		e.SetCell(e.Cells()-length-1, uint64(length))
	}
}

// clearPointers leaves of the pointer cells the tags of type words.
func (m *maker) clearPointers(e disk.Entry) {
	for cell := range m.shape.Pointers(e) {
		e.SetCell(cell, e.Cell(cell)&disk.TypeTags)
	}
}

func (m *maker) rows() (rows []builder.Row) {
	for range m.IntN(5) {
		rows = append(rows, builder.Row{Type: m.anyType(), Count: m.number() * m.Uint64N(2)})
	}
	return rows
}

// declare declares the shapes of a producer, if there is one.
func (m *maker) declare() {
	kinds := []layout.CellKind{layout.CellCount, layout.CellMax, layout.CellBits, layout.CellFirst, layout.CellValue,
		layout.CellType, layout.CellMethod, layout.CellMin, layout.CellLast}
	cells := func(most int) (cells []layout.CellShape) {
		for range m.IntN(most + 1) {
			c := layout.CellShape{Name: fmt.Sprint("c_", len(cells)), Kind: kinds[m.IntN(len(kinds))]}
			for i := 0; c.Kind == layout.CellBits && i < m.IntN(65); i++ {
				c.Bits = append(c.Bits, []string{"", fmt.Sprint("bit-", i)}[m.IntN(2)])
			}
			cells = append(cells, c)
		}
		return cells
	}
	for range m.IntN(5) {
		s := layout.EntryShape{Tag: layout.TagProducer + layout.Tag(m.IntN(64)),
			Unit: layout.CountUnit(m.IntN(int(disk.NumCountUnits))), Cells: cells(32), Rows: cells(8)}
		s.Name = fmt.Sprint("E", uint8(s.Tag))
		if m.domain == layout.DomainCustom && !slices.ContainsFunc(m.shapes,
			func(t layout.EntryShape) bool { return t.Tag == s.Tag }) {
			m.shapes = append(m.shapes, s)
			if err := m.b.DeclareShape(s); err != nil {
				panic(err)
			}
		}
	}
}

// custom adds an entry of one of the producer's shapes.
func (m *maker) custom(p *builder.Profile) {
	s := m.shapes[m.IntN(len(m.shapes))]
	cells := func(kinds []layout.CellShape) (values []uint64) {
		for _, c := range kinds {
			v := m.number() * uint64(m.IntN(2))
			switch c.Kind {
			case layout.CellType:
				v = uint64(m.anyType())
			case layout.CellMethod:
				v = uint64(m.anyMethod()) * uint64(m.IntN(2))
			}
			values = append(values, v)
		}
		return values
	}
	var rows [][]uint64
	for range m.IntN(4) {
		if len(s.Rows) > 0 {
			rows = append(rows, cells(s.Rows))
		}
	}
	p.Custom(builder.Custom{Point: int32(m.Uint32()), Tag: s.Tag, Sub: layout.Sub(m.Uint32() * uint32(m.IntN(2))),
		Flags: layout.EntryFlags(m.Uint32()), Cells: cells(s.Cells)}, rows...)
}

func (m *maker) wide(p *builder.Profile) {
	if len(m.shapes) > 0 && m.sometimes(2) {
		m.custom(p)
		return
	}
	point := int32(m.Uint32()) >> m.IntN(32)
	sub := layout.Sub(m.IntN(9))
	flags := layout.EntryFlags(m.IntN(5))
	tag := layout.TagCounters + layout.Tag(m.IntN(8))
	for !domainsOfTag(tag).contains(m.domain) {
		tag = layout.TagCounters + layout.Tag(m.IntN(8))
	}
	switch tag {
	case layout.TagCounters:
		p.Counters(point, m.numbers()...)
	case layout.TagValueSite:
		var values []builder.Value
		for _, n := range m.numbers() {
			values = append(values, builder.Value{Value: n, Count: m.number()},
				builder.Value{Value: disk.NameRef(m.name()), Count: 1})
		}
		p.ValueSite(point, sub, values...)
	case layout.TagBitmap:
		p.Bitmap(point, []byte(m.maybeName()))
	case layout.TagSuccessors:
		p.Successors(point, sub, builder.Successor{Point: point, Index: m.Uint32(), Count: m.number()}, builder.Successor{})
	case layout.TagReceivers:
		p.Receivers(builder.Receivers{Point: point, Sub: sub, Flags: flags, Other: m.number(),
			Traps: uint64(m.traps()) | m.number()<<40}, m.rows()...)
	case layout.TagCallees:
		p.Callees(point, builder.Callee{Method: m.anyMethod(), Count: m.number()}, builder.Callee{}, builder.Callee{Count: 5})
	case disk.TagUndecoded:
		p.Internal().AddUndecoded(point, flags, []uint64{20, m.number(), m.number()}[:m.IntN(4)]...)
	case layout.TagCount:
		p.Count(builder.Count{Point: point, Sub: sub, Flags: flags, N: m.number()})
	}
}

func (m *maker) numbers() (n []uint64) {
	for range m.IntN(20) {
		n = append(n, m.number())
	}
	return n
}

func (m *maker) tables() {
	for range m.IntN(4) {
		kind := disk.TableKind(1 + m.IntN(20))
		columns := disk.TableColumns(kind)
		for range 1 + m.IntN(8) {
			columns = append(columns, disk.ColumnKind(1+m.IntN(6)))
		}
		if m.sometimes(4) {
			kind = disk.TableTraces
			columns = []disk.ColumnKind{disk.ColumnWord, disk.ColumnWord, disk.ColumnWord}
		}
		if kind == disk.TableOrder && m.domain != layout.DomainGraal {
			columns = []disk.ColumnKind{disk.ColumnProfile}
		}
		if kind == disk.TableShapes || m.made[kind] || !tableDomains[kind].contains(m.domain) {
			continue
		}
		m.made[kind] = true
		table := m.b.Internal().Table(kind, m.Uint32N(3)&disk.TableFlags(kind), columns...)
		for range m.IntN(4) {
			cells := m.row(columns)
			if kind == disk.TableSamples {
				cells[sampleCount] = cells[sampleStack] // one count a stack
			}
			table.Row(cells...)
		}
	}
}

func (m *maker) row(columns []disk.ColumnKind) (cells []uint64) {
	for _, c := range columns {
		cells = append(cells, m.cell(c))
	}
	return cells
}

func (m *maker) cell(kind disk.ColumnKind) uint64 {
	if m.sometimes(5) && kind != disk.ColumnWord {
		return 0
	}
	switch kind {
	case disk.ColumnSymbol:
		return uint64(m.b.Internal().Symbol(m.maybeName() + "\x00"[m.IntN(2):]))
	case disk.ColumnType:
		return uint64(m.anyType())
	case disk.ColumnMethod:
		return uint64(m.anyMethod())
	case disk.ColumnContext:
		return uint64(m.b.Context(m.anyMethod(), builder.Frame{Caller: m.anyMethod(), Point: -1}))
	case disk.ColumnProfile:
		if len(m.profiles) > 0 {
			return uint64(m.profiles[m.IntN(len(m.profiles))])
		}
		return 0
	}
	if m.sometimes(3) {
		return disk.NameRef(m.name())
	}
	return []uint64{m.number(), math.MaxUint64 - 4, 1 << 63, math.MaxUint64 - 1<<31}[m.IntN(4)]
}

func TestRandomArchivesHaveEverything(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	seen := ""
	valueSite, _ := disk.SchemaOf(layout.TagValueSite)
	for seed := range uint64(150) {
		data := bytesOf(t, randomArchive(layout.Domain(1+seed%6), 8, seed))
		seen += write(t, data)
	}
	for _, l := range []wordList{slices.Collect(maps.Keys(tagNumbers)), sectionWords, paramWords[:3], columnWords,
		archiveFlags, typeFlags, accessFlags,
		flagWords(layout.TagBit), flagWords(layout.TagCount), flagWords(disk.TagUndecoded), valueSite.Subs} {
		for _, word := range l {
			if word != "" && !strings.Contains(seen, word) {
				t.Errorf("no %s in 150 random archives", word)
			}
		}
	}
	for _, word := range []string{"trap=many", "recompiled", "traps", "escape", "context", "dump-id", "( ", "+unknown",
		"return=", "never-ran"} {
		if !strings.Contains(seen, word) {
			t.Errorf("no %s in 150 random archives", word)
		}
	}
}
