package c_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// A program draws what a VM records: few names, so that most are shared.
type program struct {
	*rand.Rand
	*journal
	domain   layout.Domain
	methods  []builder.MethodRef
	contexts map[builder.MethodRef][]builder.ContextRef
	profiles []profileset.ProfileRef
	begun    map[[3]uint64]bool // profiles, by method, code and context
}

// drawProgram records a random archive of a domain.
func drawProgram(domain layout.Domain, seed uint64) *journal {
	p := &program{Rand: rand.New(rand.NewPCG(seed, 7)), domain: domain,
		contexts: map[builder.MethodRef][]builder.ContextRef{}, begun: map[[3]uint64]bool{}}
	p.journal = newJournal(domain, p.config())
	if domain == layout.DomainCustom {
		p.declareShapes()
	}
	methods := 1 + p.IntN(12)
	if p.IntN(5) == 0 {
		methods = 300
	}
	for range methods {
		p.addMethod()
	}
	for range p.IntN(8) {
		p.addContext()
	}
	for _, m := range p.methods {
		for code := range uint64(3) {
			for _, c := range append(p.contexts[m], profileset.NoContext) {
				if p.IntN(3) == 0 {
					p.addProfile(m, code<<uint(63*p.IntN(2)), c)
				}
			}
		}
	}
	p.addTables()
	return p.journal
}

func (p *program) config() (c builder.Config) {
	if p.domain == layout.DomainCustom {
		binary.LittleEndian.PutUint64(c.ProducerID[8:], p.Uint64()|1)
	}
	if p.domain == layout.DomainHotSpot {
		c.Params = layout.Params{TypeProfileWidth: p.Uint32N(4), BciProfileWidth: p.Uint32N(3), ReceiverGap: p.Uint32N(2),
			VMRelease: 17}
		c.Params.Other[6] = p.Uint32N(2)
	}
	if p.IntN(2) == 0 {
		c.Producer, c.Flags = "VM "+p.text(), disk.FlagDelta
		c.Producer = c.Producer[:min(len(c.Producer), 64)]
		binary.LittleEndian.PutUint64(c.Fingerprint[:], p.Uint64())
	}
	if p.IntN(2) == 0 {
		c.DumpTime = time.Unix(int64(p.IntN(1<<30)), 7)
	}
	if p.IntN(3) == 0 {
		binary.LittleEndian.PutUint64(c.DumpID[:], p.Uint64())
	}
	if p.IntN(3) == 0 && (c.DumpID != [16]byte{} || !c.DumpTime.IsZero()) {
		c.Run = p.provenance()
	}
	return c
}

func (p *program) provenance() *layout.Provenance {
	r := &layout.Provenance{Process: layout.Process{Boot: [16]byte{7}, Namespace: p.Uint64N(9), PID: p.Uint64N(99),
		Start: 3}, VM: p.text(), Main: "Main", Exit: disk.ExitCode(2)}
	if p.IntN(2) == 0 {
		r.Begun, r.Since = time.Unix(99, 0), [16]byte{1, 2}
	}
	if p.IntN(3) > 0 {
		r.ClassPath = []layout.ClassPathEntry{}
		for range p.IntN(4) {
			r.ClassPath = append(r.ClassPath, layout.ClassPathEntry{Path: p.text(),
				Content: layout.Content{Kind: layout.ContentKind(p.IntN(4)), Size: p.Uint64N(99), Sum: p.Uint64()}})
		}
	}
	return r
}

// text returns a name: short, long, hostile, or one of few.
func (p *program) text() string {
	switch p.IntN(12) {
	case 0:
		return specimen.HostileText[:p.IntN(len(specimen.HostileText))]
	case 1:
		return strings.Repeat("long/", p.IntN(2000))
	case 2:
		return ""
	}
	return []string{"A", "B", "void", "int", "java/lang/String", "x", "yy", "EvenOrOdd"}[p.IntN(8)] +
		[]string{"", "1", "22"}[p.IntN(3)]
}

func (p *program) signature() string {
	part := func() string { return []string{"A", "B", "void", "int", "", "java/lang/String", "unknown"}[p.IntN(7)] }
	switch p.IntN(6) {
	case 0:
		return ""
	case 1:
		return "(" + p.text() + ")V"
	case 2:
		return part() + "()"
	}
	parts := make([]string, 1+p.IntN(12))
	for i := range parts {
		parts[i] = part()
	}
	return part() + "(" + strings.Join(parts, ",") + []string{")", ")", ")", ")x"}[p.IntN(4)]
}

func (p *program) addMethod() {
	k := layout.Key{Class: p.text(), Name: p.text() + fmt.Sprint(p.IntN(40)), Signature: p.signature()}
	if p.domain.LLVM() || p.IntN(8) == 0 {
		k.Class, k.Signature = "", ""
	}
	if k.Class != "" && p.IntN(3) == 0 {
		k.Loader = p.text()
	}
	if p.IntN(20) == 0 {
		k = specimen.SharedIDs()[p.IntN(2)]
	}
	m := p.method(k)
	p.methods = append(p.methods, m)
	if p.IntN(3) == 0 {
		p.seen(m)
	}
	if p.IntN(6) == 0 {
		p.describeMethod(m, p.Uint32N(3), layout.MethodFlags(p.IntN(64)))
	}
	if p.IntN(4) == 0 {
		p.describeType(p.aType(), p.text(), layout.TypeFlags(p.IntN(4)))
	}
}

func (p *program) aType() builder.TypeRef {
	loader := ""
	if p.IntN(4) == 0 {
		loader = p.text()
	}
	return p.typ(p.text(), loader)
}

func (p *program) aMethod() builder.MethodRef { return p.methods[p.IntN(len(p.methods))] }

func (p *program) addContext() {
	m, inner := p.aMethod(), profileset.NoContext
	for range 1 + p.IntN(4) {
		inner = p.context(m, inner, builder.Frame{Caller: p.aMethod(), Point: int32(p.IntN(5)) - 2})
		p.contexts[m] = append(p.contexts[m], inner)
	}
	p.contexts[m] = unique(p.contexts[m])
}

func unique[V comparable](all []V) (some []V) {
	seen := map[V]bool{}
	for _, v := range all {
		if !seen[v] {
			seen[v], some = true, append(some, v)
		}
	}
	return some
}

func (p *program) n() uint64 {
	if p.IntN(9) == 0 {
		return p.Uint64()
	}
	return p.Uint64N(1000)
}

func (p *program) addProfile(m builder.MethodRef, code uint64, c builder.ContextRef) {
	key := [3]uint64{uint64(m), code, uint64(c)}
	if p.begun[key] {
		return
	}
	p.begun[key] = true
	p.begin(m, code, c)
	p.addFields()
	entries := p.IntN(6)
	if p.IntN(4) == 0 {
		entries = 12 + p.IntN(30)
	}
	for range entries {
		switch {
		case p.domain == layout.DomainHotSpot && p.IntN(4) > 0:
			p.addNarrow()
		case p.domain == layout.DomainCustom && p.IntN(3) > 0:
			p.addCustom()
		default:
			p.addWide()
		}
	}
	p.profiles = append(p.profiles, p.done())
}

func (p *program) addFields() {
	for _, set := range []func(){
		func() { p.invocations(p.n()) },
		func() { p.backedges(p.n()) },
		func() { p.interpreted(p.n()) },
		func() { p.size(profileset.CodeSize{Code: p.Uint32N(9), Host: p.Uint32()}) },
		func() {
			p.history(profileset.History{Decompiles: p.Uint32(), OverflowRecompiles: 1, OverflowTraps: 2,
				TenureTraps: p.Uint32()})
		},
		func() {
			p.compile(profileset.Compilation{Level: uint8(p.IntN(5)), State: 2, WouldProfile: uint8(p.IntN(256)),
				Loops: uint16(p.IntN(1 << 16)), Blocks: 7})
		},
		func() { p.escape(profileset.Escape{Flags: p.n(), Local: 1, Stack: 2, Returned: p.Uint64()}) },
		func() { p.traps([]byte("traps by reason, all of them")[:p.IntN(28)]) },
	} {
		if p.IntN(3) == 0 {
			set()
		}
	}
}

func (p *program) someRows(most int) (rows []builder.Row) {
	for range p.IntN(most + 1) {
		row := builder.Row{Count: p.n()}
		if p.IntN(4) > 0 {
			row.Type = p.aType()
		}
		rows = append(rows, row)
	}
	return rows
}

func (p *program) aWord() (w builder.TypeWord) {
	if p.IntN(2) == 0 {
		w.Type = p.aType()
	}
	w.NullSeen, w.Unknown = p.IntN(2) == 0, p.IntN(3) == 0
	return w
}

func (p *program) aList() (types builder.CallTypes) {
	for range p.IntN(4) {
		types.Args = append(types.Args, builder.Slot{Stack: p.n(), Type: p.aWord()})
	}
	if p.IntN(2) == 0 {
		word := p.aWord()
		types.Return = &word
	}
	return types
}

func (p *program) addNarrow() {
	params := p.Builder.Internal().Params()
	at := builder.At{Bci: 1, Flags: layout.EntryFlags(p.IntN(3)), Traps: layout.EntryTraps(p.Uint32N(3))}
	at.Bci <<= p.IntN(16)
	if p.IntN(5) == 0 {
		at.In = disk.BlockSection(p.IntN(4))
	}
	others := builder.Others{Count: p.n()}
	if params.ReceiverGap > 0 {
		others.Gap = p.n()
	}
	rows := int(params.TypeProfileWidth)
	switch p.IntN(13) {
	case 0:
		p.bit(at)
	case 1:
		p.counter(at, p.n())
	case 2:
		p.jump(at, p.n(), -8)
	case 3:
		p.branch(at, builder.Branch{Taken: p.n(), NotTaken: p.n(), Displacement: 1 << 40})
	case 4:
		p.receiverType(at, others, p.someRows(rows)...)
	case 5:
		p.virtualCall(at, others, p.someRows(rows)...)
	case 6:
		p.ret(at, p.n(), make([]builder.RetRow, p.IntN(int(params.BciProfileWidth)+1))...)
	case 7:
		p.multiBranch(at, builder.SwitchCase{Count: p.n(), Displacement: 8}, make([]builder.SwitchCase, p.IntN(5))...)
	case 8:
		p.argInfo(make([]uint64, p.IntN(4))...)
	case 9:
		p.callType(at, p.n(), p.aList())
	case 10:
		p.virtualCallType(at, others, p.someRows(rows), p.aList())
	case 11:
		p.parameters(p.aList().Args...)
	case 12:
		p.speculativeTrap(at, []builder.MethodRef{0, p.aMethod()}[p.IntN(2)])
	}
}

func (p *program) addWide() {
	point := int32(p.IntN(40)) - 9
	held := disk.HeldTags(p.domain)
	switch held[p.IntN(len(held))] {
	case layout.TagCounters:
		counts := make([]uint64, p.IntN(20))
		for i := range counts {
			counts[i] = p.n()
		}
		p.counters(point, counts...)
	case layout.TagValueSite:
		p.valueSite(point, layout.Sub(p.IntN(3)), []builder.Value{{Value: p.Uint64(), Count: p.n()},
			{Count: 1}}[:p.IntN(3)]...)
	case layout.TagBitmap:
		p.bitmap(point, []byte("bits of several words")[:p.IntN(21)])
	case layout.TagSuccessors:
		p.successors(point, layout.Sub(1+p.IntN(2)), []builder.Successor{{Point: -9, Index: p.Uint32(), Count: p.n()},
			{Point: 9}}[:p.IntN(3)]...)
	case layout.TagReceivers:
		p.receivers(builder.Receivers{Point: point, Sub: layout.Sub(1 + p.IntN(2)), Flags: layout.EntryFlags(p.IntN(2)),
			Other: -p.n(), Traps: p.Uint64N(9)}, p.someRows(5)...)
	case layout.TagCallees:
		p.callees(point, []builder.Callee{{Method: p.aMethod(), Count: p.n()}, {Count: 4}}[:p.IntN(3)]...)
	case disk.TagUndecoded:
		p.undecoded(point, layout.EntryFlags(p.IntN(2))*disk.EntryOneOf,
			[]uint64{14 + p.Uint64N(18), p.Uint64(), p.n()}[:p.IntN(4)]...)
	case layout.TagCount:
		p.count(builder.Count{Point: point, Sub: layout.Sub(1 + p.IntN(7)), Flags: layout.EntryFlags(p.IntN(3)), N: p.n()})
	}
}

func (p *program) addTables() {
	word, symbol := disk.ColumnWord, disk.ColumnSymbol
	if p.IntN(2) == 0 {
		properties := p.table(disk.TableProperties, 0, symbol, symbol)
		for range p.IntN(4) {
			properties.row(uint64(p.symbol(p.text())), uint64(p.symbol("with\x00NUL")))
		}
	}
	if p.IntN(2) == 0 {
		samples := p.table(disk.TableSamples, 0, disk.TableColumns(disk.TableSamples)...)
		for i := range p.Uint64N(4) {
			samples.row(i/2, uint64(p.aMethod()), p.n(), p.n())
		}
	}
	code := p.table(disk.TableCode, 0, disk.ColumnMethod, symbol, disk.ColumnProfile, disk.ColumnContext,
		disk.ColumnType, word)
	for range p.IntN(9) {
		m := p.aMethod()
		row := []uint64{uint64(m), uint64(p.symbol(p.text())), 0, 0, uint64(p.aType()), p.Uint64N(2)}
		if len(p.profiles) > 0 {
			row[2] = uint64(p.profiles[p.IntN(len(p.profiles))])
		}
		if all := p.contexts[p.aMethod()]; len(all) > 0 {
			row[3] = uint64(all[p.IntN(len(all))])
		}
		code.row(row...)
		if p.IntN(3) == 0 {
			code.row(row...)
		}
	}
	p.addSets()
	if p.IntN(3) == 0 {
		p.table(disk.TableKind(1000+p.IntN(9)), p.Uint32(), word)
		p.table(disk.TableMonitors, 0, disk.ColumnType, word).row(uint64(p.aType()), p.n())
	}
}

// addSets adds rows of tables in which rows with the same keys become one.
func (p *program) addSets() {
	compilations := p.table(disk.TableCompilations, 0, disk.TableColumns(disk.TableCompilations)...)
	inlining := p.table(disk.TableInlining, 0, disk.TableColumns(disk.TableInlining)...)
	certain := p.table(disk.TableCertain, 0, disk.TableColumns(disk.TableCertain)...)
	for range p.IntN(30) {
		if len(p.profiles) > 0 {
			certain.row(uint64(p.profiles[p.IntN(len(p.profiles))]), p.Uint64N(2), p.Uint64N(2)-1, p.n())
		}
		m := p.aMethod()
		compilations.row(uint64(m), 3+p.Uint64N(2), uint64(p.Int64N(3)-1), p.Uint64N(3), p.Uint64N(9), p.n(), p.n(), p.n())
		if all := p.contexts[m]; len(all) > 0 {
			inlining.row(uint64(all[p.IntN(len(all))]), 3+p.Uint64N(2), p.n())
		}
	}
}

// declareShapes declares shapes of random cells, in any order, and one of them twice.
func (p *program) declareShapes() {
	cells := func(most int) (all []layout.CellShape) {
		for i := range p.IntN(most + 1) {
			c := layout.CellShape{Name: fmt.Sprint("cell", i), Kind: layout.CellKind(1 + p.IntN(7))}
			if c.Kind == layout.CellBits {
				c.Bits = []string{"int", "", "float", strings.Repeat("s", 32), ""}[:p.IntN(6)]
			}
			all = append(all, c)
		}
		return all
	}
	for i, at := range p.Perm(6) {
		s := layout.EntryShape{Tag: layout.TagProducer + layout.Tag(at*12), Name: fmt.Sprint("Shape-", at),
			Unit: layout.CountUnit(p.IntN(6)), Cells: cells(32), Rows: cells(8)}
		for again := 0; again <= i/5; again++ {
			if err := p.declare(s); err != nil {
				panic(err)
			}
		}
	}
}

func (p *program) aCell(kind layout.CellKind) uint64 {
	switch {
	case p.IntN(3) == 0:
		return 0
	case kind == layout.CellType:
		return uint64(p.typ(fmt.Sprint("T", p.IntN(3)), ""))
	case kind == layout.CellMethod:
		return uint64(p.methods[p.IntN(min(len(p.methods), 3))])
	case kind == layout.CellValue:
		return p.Uint64N(3)
	}
	return p.n()
}

func (p *program) addCustom() {
	tag := layout.TagProducer + layout.Tag(12*p.IntN(6))
	row := func(shapes []layout.CellShape) []uint64 {
		cells := make([]uint64, len(shapes))
		for i, s := range shapes {
			cells[i] = p.aCell(s.Kind)
		}
		return cells
	}
	shape := p.shapes[tag]
	var rows [][]uint64
	if len(shape.Rows) > 0 {
		for range p.IntN(12) {
			rows = append(rows, row(shape.Rows))
		}
	}
	p.custom(builder.Custom{Point: int32(p.IntN(9)) - 4, Tag: tag, Sub: layout.Sub(p.IntN(1 << 16)),
		Flags: layout.EntryFlags(p.IntN(256)), Cells: row(shape.Cells)}, rows...)
}
