package llvm

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"path/filepath"
	"strconv"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// An intake adds the functions that the parsers read to a builder.
type intake struct {
	name    string // file name
	base    string // its base name, or ""
	o       *Importer
	from    *codec.Input
	config  builder.Config   // of the builder
	domain  layout.Domain    // domain of the earlier files; 0 before the first one
	b       *builder.Builder // nil before the first module
	report  *Report
	traces  uint64
	last    []byte // name of the last function added
	kept    []byte // buffer for last
	blocks  uint64 // total of the counters in the file, modulo 2^64
	values  uint64 // total of the value counts in the file, modulo 2^64
	ordered bool   // the builder keeps the order of functions
	batch   *functionBatch
	row     []uint64 // buffer for a table row
}

func newIntake(o *Importer, from *codec.Input) *intake {
	in := &intake{name: from.Name, o: o, from: from, config: from.Config, b: from.Sum}
	if from.Name != "" {
		in.base = filepath.Base(from.Name)
	}
	if v := VersionOfRelease(o.Release); v != 0 {
		in.config.Params.LLVMVersion = uint32(v)
	}
	in.report = &Report{Params: in.config.Params}
	if in.b != nil {
		in.domain, in.report.Params = in.b.Internal().Domain, in.b.Internal().Params()
	}
	return in
}

// A heading describes a file or module, before its functions.
type heading struct {
	kind     Kind
	version  int // format version of the file; 0 for text
	producer int // indexed version that the producing LLVM writes; 0 if unknown
	newest   int // newest candidate if several LLVMs can be the producer; else 0
	variant  Variant
	// anyDomain is set for files with memory profiles only, which join profiles of any domain.
	anyDomain bool
}

// beginModule begins a file, or another module of a raw file.
func (in *intake) beginModule(h heading) error {
	if err := in.joinDomain(h); err != nil {
		return err
	}
	r := in.report
	r.Kind = h.kind
	r.Version = h.version
	r.Modules++
	r.Params.LLVMVariant |= uint32(h.variant)
	in.joinVersions(h)
	if err := in.openBuilder(); err != nil {
		return err
	}
	return in.beginRun()
}

// joinVersions adds the version of a file or module to the settings. For a raw file or text, the caller's version
// stays.
func (in *intake) joinVersions(h heading) {
	p := &in.report.Params
	switch {
	case h.kind != KindIndexed && in.config.Params.LLVMVersion != 0:
	case in.o.AsLLVM || in.config.Params.LLVMVersion != 0:
		p.LLVMVersion = max(p.LLVMVersion, uint32(h.producer))
		p.LLVMNewest = max(p.LLVMNewest, uint32(h.newest))
	default:
		disk.JoinLLVMVersions(p, uint32(h.producer), uint32(h.newest))
	}
}

// joinDomain checks that a file or module has the domain of the earlier ones. The first one sets the domain. Files
// with memory profiles only belong to llvm-ir, because clang uses them there.
func (in *intake) joinDomain(h heading) error {
	switch {
	case !h.anyDomain:
		if err := in.checkVariant(h.variant); err != nil {
			return err
		}
		in.domain = h.variant.Domain()
	case in.domain == 0:
		in.domain = layout.DomainLLVMIR
	}
	return nil
}

// openBuilder creates the builder, or updates the parameters of the existing one.
func (in *intake) openBuilder() error {
	if in.b != nil {
		return in.b.Internal().JoinParams(in.report.Params, in.o.AsLLVM)
	}
	in.config.Params = in.report.Params
	in.b = builder.New(in.domain, in.config)
	return nil
}

// beginRun starts a run, which the builder merges with its content.
func (in *intake) beginRun() error {
	if err := in.batch.flushToBuilder(in.b); err != nil {
		return err
	}
	run := profileset.RunRules{Weight: in.from.Weight, AsLLVM: in.o.AsLLVM, Source: in.base}
	// Up to LLVM 16 the order of an indexed file reveals the merge order.
	run.FileOrder = in.from.Sum == nil && in.report.Kind == KindIndexed && in.report.Version < sinceSortedNames
	in.ordered = run.AsLLVM || run.FileOrder
	in.b.Internal().NextRun(run)
	return in.b.Err()
}

// checkVariant checks that a variant can be merged with the earlier files.
func (in *intake) checkVariant(v Variant) error {
	switch {
	case in.domain == 0:
		return nil
	case in.domain != v.Domain():
		return in.mismatchError(fmt.Sprintf("it is of domain %s, the others are of %s: import each kind into an archive "+
			"of its own", v.Domain(), in.domain))
	case disk.LLVMCoverage(uint32(v)) != disk.LLVMCoverage(in.report.Params.LLVMVariant):
		return in.mismatchError("one has counts, the other coverage of single bytes, which do not add up: import each " +
			"kind into an archive of its own")
	}
	return nil
}

func (in *intake) mismatchError(detail string) error {
	err := fmt.Errorf("%w: %s", builder.ErrMismatch, detail)
	if in.name != "" {
		err = fmt.Errorf("%s: %w", in.name, err)
	}
	return err
}

// maxFunctionCells is the maximum number of cells in a block of an archive.
const maxFunctionCells = 1 << 28

func (f *function) checkLimits() error {
	switch {
	case len(f.name) == 0:
		return fmt.Errorf("a function without a name")
	case len(f.name) > disk.MaxName || bytes.IndexByte(f.name, 0) >= 0:
		return fmt.Errorf("a name of %d bytes, or with a NUL byte: %.40q", len(f.name), f.name)
	case f.hash == layout.CodeAny:
		return fmt.Errorf("%.80q has the hash %#x, which no compiler makes", f.name, f.hash)
	case len(f.counts)+2*len(f.sites)+2*len(f.values)+len(f.bitmap)/8 > maxFunctionCells:
		return fmt.Errorf("%.80q has %d counters and %d values, more than an archive holds", f.name, len(f.counts),
			len(f.values))
	}
	return nil
}

// countFunction adds the counts of a function that was read to the totals of the file.
func (in *intake) countFunction(f *function) {
	in.blocks += ledger.TotalOfCounters(words.LittleEndianBytes(f.counts))
	in.values += f.valueTotal()
}

// loseFunction counts a function of the file as lost. name is the function's, or describes it.
func (in *intake) loseFunction(what codec.LossKind, f *function, name string) {
	in.loseCounts(what, ledger.TotalOfCounters(words.LittleEndianBytes(f.counts)), name)
	in.report.Lost.AddLoss(codec.Loss{What: what, Unit: ledger.ValueCounts, Amount: f.valueTotal()})
}

func (in *intake) loseCounts(what codec.LossKind, amount uint64, name string) {
	if source := in.base; source != "" {
		name = fmt.Sprintf("%s: %s", source, name)
	}
	in.report.Lost.AddLoss(codec.Loss{What: what, Count: 1, Unit: ledger.BlockCounts, Amount: amount,
		First: []string{name}})
}

func (in *intake) addFunction(f *function) error {
	in.report.Methods++
	in.report.Entries += f.entryCount()
	in.last = append(in.kept[:0], f.name...)
	in.kept = in.last
	if len(f.sites) == 0 && len(f.bitmap) == 0 {
		return in.batch.addCopy(f, in.b)
	}
	if in.ordered {
		if err := in.batch.flushToBuilder(in.b); err != nil {
			return err
		}
	}
	in.b.Internal().AtLine(f.line)
	p := in.b.Profile(layout.Key{Name: string(f.name)}, f.hash)
	p.Counters(0, f.counts...)
	start := 0
	for _, s := range f.sites {
		p.ValueSite(s.number, s.kind, f.values[start:s.end]...)
		start = s.end
	}
	if len(f.bitmap) > 0 {
		p.Bitmap(0, f.bitmap)
	}
	return p.Done()
}

// addPlainFunction adds a function with counters only. It retains name and cells until releaseBuffer.
func (in *intake) addPlainFunction(name []byte, hash uint64, cells []byte) error {
	in.report.Methods++
	in.report.Entries++
	in.blocks += ledger.TotalOfCounters(cells)
	in.last = name
	return in.batch.addReference(profileset.Function{Name: name, Code: hash, Cells: cells}, in.b)
}

// releaseBuffer adds the batched functions, so that the memory of their names and cells can be reused.
func (in *intake) releaseBuffer() error {
	in.kept = append(in.kept[:0], in.last...)
	in.last = in.kept
	return in.batch.flushToBuilder(in.b)
}

// addBinaryIDs adds the build ids of programs and libraries.
func (in *intake) addBinaryIDs(ids [][]byte) {
	for _, id := range ids {
		in.b.Internal().Table(disk.TableBinaryIDs, 0).RowOnce(uint64(in.b.Internal().Symbol(string(id))))
	}
}

// addVTable adds the name of a vtable with its address and size, which are 0 if unknown.
func (in *intake) addVTable(name string, address, size uint64) {
	in.b.Internal().Table(disk.TableVTables, 0).RowOnce(uint64(in.b.Internal().Symbol(name)), address, size)
}

// traceWeight returns the weight of a trace times the weight of the run.
func (in *intake) traceWeight(weight uint64) uint64 {
	run := uint64(in.from.Weight)
	if run == 0 || in.o.AsLLVM && in.report.Kind != KindRaw {
		return weight // llvm-profdata weighs only the traces that it creates
	}
	hi, lo := bits.Mul64(weight, run)
	lo, carry := bits.Add64(lo, uint64(layout.WeightOne)/2, 0)
	if hi += carry; hi >= uint64(layout.WeightOne) {
		return math.MaxUint64
	}
	whole, _ := bits.Div64(hi, lo, uint64(layout.WeightOne))
	return max(1, whole)
}

// addTrace adds a temporal trace, which lists functions in the order of their first calls.
func (in *intake) addTrace(weight uint64, functions []uint64) {
	if len(functions) == 0 {
		return
	}
	in.report.Traces++
	number := in.traces
	in.traces++
	t := in.b.Internal().Table(disk.TableTraces, 0)
	weight = in.traceWeight(weight)
	for _, f := range functions {
		t.Row(number, weight, f)
	}
}

// llvm-profdata keeps at most llvmReservoir traces. Before LLVM 22 it recounted the traces of a file that was not
// sampled.
const (
	llvmReservoir = 100
	sinceStreams  = 13
)

// addStreamSize adds the number of traces from which the file's traces were sampled.
func (in *intake) addStreamSize(size uint64) {
	version := in.report.Params.LLVMVersion
	if in.o.AsLLVM && version > 0 && version < sinceStreams && size <= llvmReservoir {
		size = in.traces
	}
	if size > 0 {
		in.b.Internal().AddProperty(PropertyStreamSize, strconv.FormatUint(size, 10))
	}
}

// A functionBatch collects functions that have counters only, because adding many at once to a builder is faster.
type functionBatch struct {
	functions [maxPlain]profileset.Function
	size      int
	names     []byte   // concatenated names of the copied functions
	counts    []uint64 // concatenated counters of the copied functions
}

// Limits of a batch. Functions with more counters bypass it.
const (
	maxPlain       = 256
	maxPlainCounts = 1 << 13
)

func (p *functionBatch) addCopy(f *function, b *builder.Builder) error {
	if p.size == maxPlain || len(p.counts)+len(f.counts) > maxPlainCounts {
		if err := p.flushToBuilder(b); err != nil {
			return err
		}
	}
	if len(f.counts) > maxPlainCounts {
		_, err := b.Internal().AddFunctions([]profileset.Function{{Name: f.name, Code: f.hash,
			Cells: words.LittleEndianBytes(f.counts), Line: f.line}})
		return err
	}
	name := len(p.names)
	counts := len(p.counts)
	p.names, p.counts = append(p.names, f.name...), append(p.counts, f.counts...)
	kept := &p.functions[p.size]
	*kept = profileset.Function{Name: p.names[name:], Code: f.hash, Cells: words.LittleEndianBytes(p.counts[counts:]),
		Line: f.line}
	p.size++
	return nil
}

// addReference adds a function to the batch without copying it.
func (p *functionBatch) addReference(f profileset.Function, b *builder.Builder) error {
	if p.size == maxPlain {
		if err := p.flushToBuilder(b); err != nil {
			return err
		}
	}
	p.functions[p.size] = f
	p.size++
	return nil
}

// flushToBuilder adds the batched functions to the builder and empties the batch.
func (p *functionBatch) flushToBuilder(b *builder.Builder) error {
	if p.size == 0 {
		return nil
	}
	_, err := b.Internal().AddFunctions(p.functions[:p.size])
	clear(p.functions[:p.size])
	p.size = 0
	p.names = p.names[:0]
	p.counts = p.counts[:0]
	return err
}
