package llvm

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// An intake takes what the parsers find, and puts it into a builder or, when a
// file is only checked, nowhere.
type intake struct {
	name    string // of the file
	o       ReadOptions
	check   bool
	domain  layout.Domain    // of what was read before, 0 of nothing
	b       *builder.Builder // nil before the first module, and of a file that is checked
	report  *Report
	traces  uint64
	last    []byte // name of the last function that was taken
	ordered bool   // the order in which functions come is kept
	plain   plainFunctions
}

func newIntake(o ReadOptions, check bool) *intake {
	in := &intake{name: o.Name, o: o, check: check, report: &Report{Params: o.Config.Params}}
	if o.Into != nil {
		in.domain, in.report.Params = o.Into.Domain(), o.Into.Params()
	}
	if o.Into != nil && !check {
		in.b = o.Into
	}
	return in
}

// A heading is what a file says of itself before its functions.
type heading struct {
	kind    Kind
	version int // of the file, 0 of text
	made    int // version of the indexed format that its LLVM writes, 0 if not known
	newest  int // the newest such version, where several LLVMs can have made it, else 0
	variant Variant
}

// begin begins a file, or a further module of a raw one.
func (in *intake) begin(h heading) error {
	if err := in.fits(h.variant); err != nil {
		return err
	}
	in.domain = h.variant.Domain()
	r := in.report
	r.Kind, r.Version = h.kind, h.version
	r.Modules++
	p := &r.Params
	p[layout.ParamLLVMVariant] |= uint32(h.variant)
	if h.kind == KindIndexed || in.o.Config.Params[layout.ParamLLVMVersion] == 0 {
		p[layout.ParamLLVMVersion] = max(p[layout.ParamLLVMVersion], uint32(h.made))
		p[layout.ParamLLVMNewest] = max(p[layout.ParamLLVMNewest], uint32(h.newest))
	}
	if err := in.open(); err != nil {
		return err
	}
	return in.nextRun()
}

// open makes the builder, or tells it what holds for all that it has by now.
func (in *intake) open() error {
	switch {
	case in.check:
		return nil
	case in.b != nil:
		return in.b.JoinParams(in.report.Params)
	}
	in.o.Config.Params = in.report.Params
	in.b = builder.New(in.domain, in.o.Config)
	return nil
}

// nextRun lets what comes be merged with what the builder has.
func (in *intake) nextRun() error {
	if in.b == nil {
		return nil
	}
	if err := in.plain.addTo(in.b); err != nil {
		return err
	}
	run := in.o.Run
	// Until LLVM 16 the order of an indexed file shows what was merged when.
	run.FileOrder = in.o.Into == nil && in.report.Kind == KindIndexed && in.report.Version < sinceSortedNames
	in.ordered = run.AsLLVM || run.FileOrder
	in.b.NextRun(run)
	return in.b.Err()
}

// fits holds a variant against that of what was read before.
func (in *intake) fits(v Variant) error {
	before := Variant(in.report.Params[layout.ParamLLVMVariant])
	switch {
	case in.domain == 0:
		return nil
	case in.domain != v.Domain():
		return in.mismatch(fmt.Sprintf("it is of domain %s, the others are of %s: import each kind into an archive of its own", v.Domain(), in.domain))
	case (v^before)&disk.LLVMCoverageOnly != 0:
		return in.mismatch("one has counts, the other coverage of single bytes, which do not add up: import each kind into an archive of its own")
	}
	return nil
}

func (in *intake) mismatch(detail string) error {
	err := fmt.Errorf("%w: %s", builder.ErrMismatch, detail)
	if in.name != "" {
		err = fmt.Errorf("%s: %w", in.name, err)
	}
	return err
}

// Bounds on a function: what a block of an archive holds.
const maxFunctionCells = 1 << 28

// possible says what about a function cannot be, nil if all can.
func (f *function) possible() error {
	switch {
	case len(f.name) == 0:
		return fmt.Errorf("a function without a name")
	case len(f.name) > disk.MaxName || bytes.IndexByte(f.name, 0) >= 0:
		return fmt.Errorf("a name of %d bytes, or with a NUL byte: %.40q", len(f.name), f.name)
	case len(f.counts)+2*len(f.sites)+2*len(f.values)+len(f.bitmap)/8 > maxFunctionCells:
		return fmt.Errorf("%.80q has %d counters and %d values, more than an archive holds", f.name, len(f.counts), len(f.values))
	}
	return nil
}

// function takes a function.
func (in *intake) function(f *function) error {
	in.report.Functions++
	in.report.Entries += f.entries()
	in.last = append(in.last[:0], f.name...)
	switch {
	case in.check:
		return nil
	case f.plain():
		return in.plain.take(f, in.b)
	}
	if in.ordered {
		if err := in.plain.addTo(in.b); err != nil {
			return err
		}
	}
	p := in.b.Profile(in.b.Method(layout.Key{Name: string(f.name)}), f.hash, builder.NoContext)
	p.Counters(0, f.counts...)
	start := 0
	for _, s := range f.sites {
		p.ValueSite(s.kind, s.number, f.values[start:s.end]...)
		start = s.end
	}
	if len(f.bitmap) > 0 {
		p.Bitmap(0, f.bitmap)
	}
	return p.Done()
}

// seen takes the name of a function that was called and has no counts.
func (in *intake) seen(name string) {
	if in.b != nil {
		in.b.Seen(in.b.Method(layout.Key{Name: name}))
	}
}

// binaryID takes the id of a program or library.
func (in *intake) binaryID(id []byte) {
	if in.b != nil {
		in.b.Table(layout.TableBinaryIDs, 0, binaryIDColumns...).RowOnce(uint64(in.b.Symbol(string(id))))
	}
}

// vtable takes the name of a vtable, and where it was, if that is known.
func (in *intake) vtable(name string, address, size uint64) {
	if in.b != nil {
		in.b.Table(layout.TableVTables, 0, vtableColumns...).RowOnce(uint64(in.b.Symbol(name)), address, size)
	}
}

// weighted is the weight of a trace in a run that has a weight itself.
func (in *intake) weighted(weight uint64) uint64 {
	run := uint64(in.o.Run.Weight)
	if run == 0 || in.o.Run.AsLLVM && in.report.Kind != KindRaw {
		return weight // llvm-profdata weighs traces only when it makes them
	}
	hi, lo := bits.Mul64(weight, run)
	lo, carry := bits.Add64(lo, uint64(builder.One)/2, 0)
	if hi += carry; hi >= uint64(builder.One) {
		return math.MaxUint64
	}
	whole, _ := bits.Div64(hi, lo, uint64(builder.One))
	return max(1, whole)
}

// trace takes a temporal trace: functions in the order of their first calls.
func (in *intake) trace(weight uint64, functions []uint64) {
	if len(functions) == 0 {
		return
	}
	in.report.Traces++
	number := in.traces
	in.traces++
	if in.b == nil {
		return
	}
	t := in.b.Table(layout.TableTraces, 0, traceColumns...)
	weight = in.weighted(weight)
	for _, f := range functions {
		t.Row(number, weight, f)
	}
}

// llvm-profdata keeps as many traces. Before LLVM 22 it counted those of a file
// anew, unless they were a sample of more.
const (
	llvmReservoir = 100
	sinceStreams  = 13
)

// stream takes the number of traces of which those of the file were chosen.
func (in *intake) stream(size uint64) {
	version := in.report.Params[layout.ParamLLVMVersion]
	if in.o.Run.AsLLVM && version > 0 && version < sinceStreams && size <= llvmReservoir {
		size = in.traces
	}
	if in.b != nil && size > 0 {
		key, value := in.b.Symbol(PropertyStreamSize), in.b.Symbol(strconv.FormatUint(size, 10))
		in.b.Table(layout.TableProperties, 0, propertyColumns...).Row(uint64(key), uint64(value))
	}
}

// plainFunctions gathers functions that have counters alone: a builder takes
// many of them in less time.
type plainFunctions struct {
	functions [maxPlain]builder.CounterFunction
	n         int
	names     []byte   // of all, one behind the other
	counts    []uint64 // likewise
}

// Bounds on what is gathered. A function with more counters is not kept twice.
const (
	maxPlain       = 256
	maxPlainCounts = 1 << 13
)

// take takes a function, which the parser may change then, and adds all to the
// builder when they are many.
func (p *plainFunctions) take(f *function, b *builder.Builder) error {
	if p.n == maxPlain || len(p.counts)+len(f.counts) > maxPlainCounts {
		if err := p.addTo(b); err != nil {
			return err
		}
	}
	if len(f.counts) > maxPlainCounts {
		_, err := b.Bulk().Functions([]builder.CounterFunction{{Name: f.name, Code: f.hash, Counts: f.counts}})
		return err
	}
	name, counts := len(p.names), len(p.counts)
	p.names, p.counts = append(p.names, f.name...), append(p.counts, f.counts...)
	kept := &p.functions[p.n]
	kept.Name, kept.Code, kept.Counts = p.names[name:], f.hash, p.counts[counts:]
	p.n++
	return nil
}

// addTo adds what was gathered to the builder.
func (p *plainFunctions) addTo(b *builder.Builder) error {
	if p.n == 0 {
		return nil
	}
	_, err := b.Bulk().Functions(p.functions[:p.n])
	p.n, p.names, p.counts = 0, p.names[:0], p.counts[:0]
	return err
}
