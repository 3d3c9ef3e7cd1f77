package c_test

import (
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// The calls of a journal, numbered as in tests/replay.c.
const (
	callSymbol uint64 = iota + 1
	callType
	callDescribeType
	callMethod
	callDescribeMethod
	callSeen
	callContext
	callBegin
	callDone
	callTable
	callRow
	callRun
	callInvocations
	callBackedges
	callInterpreted
	callSize
	callHistory
	callCompile
	callEscape
	callTraps
	callBit
	callCounter
	callJump
	callBranch
	callReceiverType
	callVirtualCall
	callRet
	callMultiBranch
	callArgInfo
	callCallType
	callVirtualCallType
	callParameters
	callSpeculativeTrap
	callCounters
	callValueSite
	callBitmap
	callSuccessors
	callReceivers
	callCallees
	callCount
	callDeclare
	callCustom
	callUndecoded
)

// A journal records with a Go builder, and writes down the same for the one in C. What
// was interned is named by the number of its call among calls of the kind.
type journal struct {
	*builder.Builder
	bytes    []byte
	symbols  map[intern.SymbolRef]uint64
	types    map[builder.TypeRef]uint64
	methods  map[builder.MethodRef]uint64
	contexts map[builder.ContextRef]uint64
	profiles map[profileset.ProfileRef]uint64
	calls    [5]uint64 // of each kind
	profile  *builder.Profile
	shapes   map[layout.Tag]layout.EntryShape
}

func newJournal(domain layout.Domain, c builder.Config) *journal {
	run := c.Run
	c.Run = nil
	j := &journal{Builder: builder.New(domain, c), symbols: map[intern.SymbolRef]uint64{},
		types:   map[builder.TypeRef]uint64{},
		methods: map[builder.MethodRef]uint64{}, contexts: map[builder.ContextRef]uint64{},
		profiles: map[profileset.ProfileRef]uint64{}}
	j.numbers(uint64(domain))
	for _, v := range []uint32{c.Params.TypeProfileWidth, c.Params.BciProfileWidth, c.Params.ReceiverGap,
		c.Params.TypeProfileLevel, c.Params.VMRelease,
		c.Params.LLVMVersion, c.Params.LLVMVariant, c.Params.ProfileTraps, c.Params.LLVMNewest} {
		j.numbers(uint64(v))
	}
	for _, v := range c.Params.Other {
		j.numbers(uint64(v))
	}
	j.texts(c.Producer, string(c.ProducerID[:]), string(c.Fingerprint[:]), string(c.DumpID[:]))
	when := uint64(0)
	if !c.DumpTime.IsZero() {
		when = uint64(c.DumpTime.UnixNano())
	}
	j.numbers(when, c.Flags)
	if run != nil {
		j.run(*run)
	}
	return j
}

func (j *journal) numbers(all ...uint64) {
	for _, n := range all {
		j.bytes = binary.LittleEndian.AppendUint64(j.bytes, n)
	}
}

func (j *journal) texts(all ...string) {
	for _, text := range all {
		j.numbers(uint64(len(text)))
		j.bytes = append(j.bytes, text...)
	}
}

// none is the number of a call that was not made.
const none = 1 << 40

// number returns the number of the call that a reference is from.
func number[R ~uint32](calls map[R]uint64, ref R) uint64 {
	if ref == 0 {
		return 0
	}
	if n, ok := calls[ref]; ok {
		return n
	}
	return none
}

// keep notes that a call returned a reference.
func keep[R ~uint32](j *journal, kind int, calls map[R]uint64, ref R) R {
	j.calls[kind]++
	calls[ref] = j.calls[kind]
	return ref
}

func (j *journal) symbol(text string) intern.SymbolRef {
	j.numbers(callSymbol)
	j.texts(text)
	return keep(j, 0, j.symbols, j.Internal().Symbol(text))
}

func (j *journal) typ(name, loader string) builder.TypeRef {
	j.numbers(callType)
	j.texts(name, loader)
	return keep(j, 1, j.types, j.Type(builder.TypeKey{Name: name, Loader: loader}))
}

func (j *journal) describeType(t builder.TypeRef, alias string, flags layout.TypeFlags) {
	j.numbers(callDescribeType, number(j.types, t))
	j.texts(alias)
	j.numbers(uint64(flags))
	j.Internal().DescribeType(t, alias, flags)
}

func (j *journal) method(k layout.Key) builder.MethodRef {
	j.numbers(callMethod)
	j.texts(k.Class, k.Name, k.Signature, k.Loader)
	return keep(j, 2, j.methods, j.Method(k))
}

func (j *journal) describeMethod(m builder.MethodRef, access uint32, flags layout.MethodFlags) {
	j.numbers(callDescribeMethod, number(j.methods, m), uint64(access), uint64(flags))
	j.Internal().DescribeMethod(m, access, flags)
}

func (j *journal) seen(m builder.MethodRef) {
	j.numbers(callSeen, number(j.methods, m))
	j.Seen(m)
}

func (j *journal) context(m builder.MethodRef, inner builder.ContextRef, f builder.Frame) builder.ContextRef {
	j.numbers(callContext, number(j.methods, m), number(j.contexts, inner), number(j.methods, f.Caller), uint64(f.Point))
	return keep(j, 3, j.contexts, j.Builder.Internal().OuterContext(m, inner, f.Caller, f.Point))
}

func (j *journal) begin(m builder.MethodRef, code uint64, c builder.ContextRef) {
	j.numbers(callBegin, number(j.methods, m), code, number(j.contexts, c))
	j.profile = j.ProfileIn(m, code, c)
}

func (j *journal) done() profileset.ProfileRef {
	j.numbers(callDone)
	_ = j.profile.Done() // the builder keeps the error
	return keep(j, 4, j.profiles, j.profile.Internal().Ref())
}

func (j *journal) table(kind disk.TableKind, flags uint32, columns ...disk.ColumnKind) *journalTable {
	j.numbers(callTable, uint64(kind), uint64(flags), uint64(len(columns)))
	for _, c := range columns {
		j.numbers(uint64(c))
	}
	return &journalTable{j, j.Internal().Table(kind, flags, columns...), kind, columns}
}

type journalTable struct {
	j       *journal
	to      *profileset.Table
	kind    disk.TableKind
	columns []disk.ColumnKind
}

func (t *journalTable) row(cells ...uint64) {
	j := t.j
	j.numbers(callRow, uint64(t.kind), uint64(len(cells)))
	for i, cell := range cells {
		column := disk.ColumnWord
		if i < len(t.columns) {
			column = t.columns[i]
		}
		j.numbers(uint64(column))
		switch column {
		case disk.ColumnSymbol:
			cell = number(j.symbols, intern.SymbolRef(cell))
		case disk.ColumnType:
			cell = number(j.types, builder.TypeRef(cell))
		case disk.ColumnMethod:
			cell = number(j.methods, builder.MethodRef(cell))
		case disk.ColumnProfile:
			cell = number(j.profiles, profileset.ProfileRef(cell))
		case disk.ColumnContext:
			cell = number(j.contexts, builder.ContextRef(cell))
		}
		j.numbers(cell)
	}
	t.to.Row(cells...)
}

func (j *journal) run(r layout.Provenance) {
	j.numbers(callRun)
	j.texts(string(r.Since[:]), string(r.Process.Boot[:]))
	begun := uint64(0)
	if !r.Begun.IsZero() {
		begun = uint64(r.Begun.UnixNano())
	}
	j.numbers(r.Process.Namespace, r.Process.PID, r.Process.Start, begun, uint64(r.Exit))
	j.texts(r.VM, r.Vendor, r.Main, r.Command, r.Options, r.Selection)
	if r.ClassPath == nil {
		j.numbers(0)
	} else {
		j.numbers(1, uint64(len(r.ClassPath)))
	}
	for _, e := range r.ClassPath {
		j.texts(e.Path)
		j.numbers(uint64(e.Kind), e.Size, e.Sum)
	}
	j.Builder.Internal().DescribeRun(r)
}

// field writes down a call that sets a field to up to five numbers.
func (j *journal) field(call uint64, values ...uint64) {
	j.numbers(call)
	j.numbers(append(values, make([]uint64, 5-len(values))...)...)
}

func (j *journal) invocations(n uint64) { j.field(callInvocations, n); j.profile.Invocations(n) }
func (j *journal) backedges(n uint64)   { j.field(callBackedges, n); j.profile.Backedges(n) }
func (j *journal) interpreted(n uint64) { j.field(callInterpreted, n); j.profile.Interpreted(n) }

func (j *journal) size(s profileset.CodeSize) {
	j.field(callSize, uint64(s.Code), uint64(s.Host))
	j.profile.Internal().SetSize(s)
}

func (j *journal) history(h profileset.History) {
	j.field(callHistory, uint64(h.Decompiles), uint64(h.OverflowRecompiles), uint64(h.OverflowTraps),
		uint64(h.TenureTraps))
	j.profile.Internal().SetHistory(h)
}

func (j *journal) compile(c profileset.Compilation) {
	j.field(callCompile, uint64(c.Level), uint64(c.State), uint64(c.WouldProfile), uint64(c.Loops), uint64(c.Blocks))
	j.profile.Internal().SetCompilation(c)
}

func (j *journal) escape(e profileset.Escape) {
	j.field(callEscape, e.Flags, e.Local, e.Stack, e.Returned)
	j.profile.Internal().SetEscape(e)
}

func (j *journal) traps(byReason []byte) {
	j.numbers(callTraps)
	j.texts(string(byReason))
	j.profile.Internal().PutTraps(byReason)
}

func (j *journal) at(call uint64, at builder.At) {
	j.numbers(call, uint64(at.Bci), uint64(at.Flags), uint64(at.Traps), uint64(at.In))
}

func (j *journal) rows(rows []builder.Row) {
	j.numbers(uint64(len(rows)))
	for _, r := range rows {
		j.numbers(number(j.types, r.Type), r.Count)
	}
}

func (j *journal) word(w builder.TypeWord) {
	tags := uint64(0)
	if w.NullSeen {
		tags |= 1
	}
	if w.Unknown {
		tags |= 2
	}
	j.numbers(number(j.types, w.Type), tags)
}

func (j *journal) callTypes(types builder.CallTypes) {
	j.numbers(uint64(len(types.Args)))
	for _, a := range types.Args {
		j.numbers(a.Stack)
		j.word(a.Type)
	}
	if types.Return == nil {
		j.numbers(0)
		return
	}
	j.numbers(1)
	j.word(*types.Return)
}

func (j *journal) bit(at builder.At) { j.at(callBit, at); j.profile.Bit(at) }

func (j *journal) counter(at builder.At, n uint64) {
	j.at(callCounter, at)
	j.numbers(n)
	j.profile.Counter(at, n)
}

func (j *journal) jump(at builder.At, taken uint64, displacement int64) {
	j.at(callJump, at)
	j.numbers(taken, uint64(displacement))
	j.profile.Jump(at, taken, displacement)
}

func (j *journal) branch(at builder.At, b builder.Branch) {
	j.at(callBranch, at)
	j.numbers(b.Taken, b.NotTaken, uint64(b.Displacement))
	j.profile.Branch(at, b)
}

func (j *journal) receiverType(at builder.At, o builder.Others, rows ...builder.Row) {
	j.at(callReceiverType, at)
	j.numbers(o.Count, o.Gap)
	j.rows(rows)
	j.profile.ReceiverType(at, o, rows...)
}

func (j *journal) virtualCall(at builder.At, o builder.Others, rows ...builder.Row) {
	j.at(callVirtualCall, at)
	j.numbers(o.Count, o.Gap)
	j.rows(rows)
	j.profile.VirtualCall(at, o, rows...)
}

func (j *journal) ret(at builder.At, n uint64, rows ...builder.RetRow) {
	j.at(callRet, at)
	j.numbers(n, uint64(len(rows)))
	for _, r := range rows {
		j.numbers(r.Bci, r.Count, uint64(r.Displacement))
	}
	j.profile.Ret(at, n, rows...)
}

func (j *journal) multiBranch(at builder.At, def builder.SwitchCase, cases ...builder.SwitchCase) {
	j.at(callMultiBranch, at)
	j.numbers(uint64(1 + len(cases)))
	for _, c := range append([]builder.SwitchCase{def}, cases...) {
		j.numbers(c.Count, uint64(c.Displacement))
	}
	j.profile.MultiBranch(at, def, cases...)
}

func (j *journal) argInfo(modified ...uint64) {
	j.at(callArgInfo, builder.At{})
	j.numbers(uint64(len(modified)))
	j.numbers(modified...)
	j.profile.Internal().AddArgInfo(modified...)
}

func (j *journal) callType(at builder.At, n uint64, types builder.CallTypes) {
	j.at(callCallType, at)
	j.numbers(n)
	j.callTypes(types)
	j.profile.CallType(at, n, types)
}

func (j *journal) virtualCallType(at builder.At, o builder.Others, rows []builder.Row, types builder.CallTypes) {
	j.at(callVirtualCallType, at)
	j.numbers(o.Count, o.Gap)
	j.rows(rows)
	j.callTypes(types)
	j.profile.VirtualCallType(at, o, rows, types)
}

func (j *journal) parameters(slots ...builder.Slot) {
	j.at(callParameters, builder.At{})
	j.callTypes(builder.CallTypes{Args: slots})
	var types []profileset.TypeSlot
	for _, s := range slots {
		w := s.Type
		types = append(types, profileset.TypeSlot{Stack: s.Stack, Type: w.Type, NullSeen: w.NullSeen, Several: w.Unknown})
	}
	j.profile.Internal().AddParameters(types...)
}

func (j *journal) speculativeTrap(at builder.At, m builder.MethodRef) {
	j.at(callSpeculativeTrap, at)
	j.numbers(number(j.methods, m))
	j.profile.Internal().AddSpeculativeTrap(profileset.Narrow{Bci: at.Bci, Flags: at.Flags, Traps: at.Traps}, m)
}

func (j *journal) wide(call uint64, point int32, sub layout.Sub, flags layout.EntryFlags) {
	j.numbers(call, uint64(point), uint64(sub), uint64(flags))
}

func (j *journal) counters(point int32, counts ...uint64) {
	j.wide(callCounters, point, 0, 0)
	j.numbers(uint64(len(counts)))
	j.numbers(counts...)
	j.profile.Counters(point, counts...)
}

func (j *journal) undecoded(point int32, flags layout.EntryFlags, words ...uint64) {
	j.wide(callUndecoded, point, 0, flags)
	j.numbers(uint64(len(words)))
	j.numbers(words...)
	j.profile.Internal().AddUndecoded(point, flags, words...)
}

func (j *journal) valueSite(site int32, kind layout.Sub, values ...builder.Value) {
	j.wide(callValueSite, site, kind, 0)
	j.numbers(uint64(len(values)))
	for _, v := range values {
		j.numbers(v.Value, v.Count)
	}
	j.profile.ValueSite(site, kind, values...)
}

func (j *journal) bitmap(point int32, bits []byte) {
	j.wide(callBitmap, point, 0, 0)
	j.texts(string(bits))
	j.profile.Bitmap(point, bits)
}

func (j *journal) successors(point int32, sub layout.Sub, rows ...builder.Successor) {
	j.wide(callSuccessors, point, sub, 0)
	j.numbers(uint64(len(rows)))
	for _, r := range rows {
		j.numbers(uint64(r.Point), uint64(r.Index), r.Count)
	}
	j.profile.Successors(point, sub, rows...)
}

func (j *journal) receivers(r builder.Receivers, rows ...builder.Row) {
	j.wide(callReceivers, r.Point, r.Sub, r.Flags)
	j.numbers(r.Other, r.Traps)
	j.rows(rows)
	j.profile.Receivers(r, rows...)
}

func (j *journal) callees(point int32, rows ...builder.Callee) {
	j.wide(callCallees, point, 0, 0)
	j.numbers(uint64(len(rows)))
	for _, r := range rows {
		j.numbers(number(j.methods, r.Method), r.Count)
	}
	j.profile.Callees(point, rows...)
}

func (j *journal) count(c builder.Count) {
	j.wide(callCount, c.Point, c.Sub, c.Flags)
	j.numbers(c.N)
	j.profile.Count(c)
}

func (j *journal) cellShapes(cells []layout.CellShape) {
	j.numbers(uint64(len(cells)))
	for _, c := range cells {
		j.texts(c.Name)
		j.numbers(uint64(c.Kind), uint64(len(c.Bits)))
		j.texts(c.Bits...)
	}
}

// declare returns the error of a shape, which the builder does not keep.
func (j *journal) declare(s layout.EntryShape) error {
	j.numbers(callDeclare)
	j.texts(s.Name)
	j.numbers(uint64(s.Tag), uint64(s.Unit))
	j.cellShapes(s.Cells)
	j.cellShapes(s.Rows)
	if j.shapes == nil {
		j.shapes = map[layout.Tag]layout.EntryShape{}
	}
	j.shapes[s.Tag] = s
	return j.DeclareShape(s)
}

func (j *journal) references(shapes []layout.CellShape, cells []uint64) {
	j.numbers(uint64(len(cells)))
	for i, v := range cells {
		kind := layout.CellValue
		if len(shapes) > 0 {
			kind = shapes[i%len(shapes)].Kind
		}
		switch kind {
		case layout.CellType:
			v = number(j.types, builder.TypeRef(v))
		case layout.CellMethod:
			v = number(j.methods, builder.MethodRef(v))
		}
		j.numbers(uint64(kind), v)
	}
}

func (j *journal) custom(c builder.Custom, rows ...[]uint64) {
	shape := j.shapes[c.Tag]
	j.wide(callCustom, c.Point, c.Sub, c.Flags)
	j.numbers(uint64(c.Tag))
	j.references(shape.Cells, c.Cells)
	j.numbers(uint64(len(rows)))
	j.references(shape.Rows, slices.Concat(rows...))
	j.profile.Custom(c, rows...)
}
