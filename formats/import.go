package formats

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// ImportOptions configure an import. The zero value has the defaults.
type ImportOptions struct {
	Config builder.Config // configures the builder
	// Unordered forgets the order of the profiles in the input, so that inputs that differ only in it give the same
	// archive.
	Unordered bool
	// Importers are importers with options, such as &LLVMImporter{Release: 22}. Each replaces the default importer of its
	// format. Importers of other formats are tried first. Nil is Importers().
	Importers []codec.Importer
	// SkipBad leaves bad inputs out if at least one is good. They are empty or damaged, or repeat another input. Otherwise
	// a bad input fails the import, and the error names all of them.
	SkipBad bool
	// Expect is the number of inputs that the training run should have left; 0 if it is not known. ExpectNames are their
	// names or base names. Inputs that are not among the given ones are recorded in the archive as missing; without
	// SkipBad they fail the import.
	Expect      int
	ExpectNames []string
	// OnSkip, if not nil, is called for each input when it is left out.
	OnSkip func(in Input, why error)
	// MaxExpansion bounds the size of a decompressed input as a multiple of its compressed size. 0 is 64, and a negative
	// value is no bound.
	MaxExpansion int64
	// Accept, if not nil, is called with each input and its importer before the input is read. An error ends the import.
	Accept func(in Input, i codec.Importer) error
	// Progress, if not nil, is called with the number of bytes read of an input, and its size. Another goroutine may call
	// it.
	Progress func(name string, done, total int64)
}

// Imported is the result of Import.
type Imported struct {
	Format string // name of the importer's format
	// Builder has the profiles of all inputs.
	Builder *builder.Builder
	// Runs are the builders of an input's dumps if the importer keeps them apart; see JamaicaImporter. Runs[0] is then
	// Builder. Otherwise Runs is nil.
	Runs    []*builder.Builder
	Methods int          // methods with a profile, over all inputs
	Entries int          // profile entries, over all inputs
	Lost    codec.Losses // losses of all inputs, the kinds in the order of first occurrence; not nil
	// Notes are sentences for users about facts that the archive keeps in another form.
	Notes   []string
	Inputs  []ImportedInput // inputs that were read, in this order
	Skipped []InputError    // inputs that were left out
}

// ImportedInput describes one input that was read.
type ImportedInput struct {
	Name   string
	Codec  string         // "gzip", "zstd", or "" if not compressed
	Weight layout.Weight  // 0 is layout.WeightOne
	Facts  map[string]any // facts of its format, by their key in JSON; may be nil
}

// ErrMixed means that the inputs cannot be imported together, for instance because their formats differ. Match it with
// errors.Is.
var ErrMixed = errors.New("import each format into an archive of its own; those of one kind of VM can be merged then")

// errNone means that every input was left out.
var errNone = errors.New("nothing is written")

// An apartError is an ErrMixed of an importer that keeps runs apart and has several inputs, or a weight.
type apartError struct{}

func (apartError) Error() string {
	return "the runs of one file are kept apart: import each file by itself, without a weight"
}

func (apartError) Is(target error) bool { return target == ErrMixed }

// A repeatedError means that an input has the same content as an earlier one.
type repeatedError struct{}

func (repeatedError) Error() string {
	return "it says the same as a file before it: leave it out, or give one of them the weight 2"
}

// HasAdvice reports true; see layout.Error.
func (repeatedError) HasAdvice() bool { return true }

func (repeatedError) Unwrap() error { return merge.ErrCounted }

// Import reads inputs of one format into a builder. It merges several inputs. LLVM's inputs are merged as by
// llvm-profdata merge, and others like archives, so that no dump counts twice. The archive keeps an account of its
// inputs and losses, which profarc info --losses prints. The error is an [*OptionError], or has the errors of all
// inputs that cannot be imported.
func Import(ctx context.Context, inputs []Input, o ImportOptions) (*Imported, error) {
	o.Importers = withDefaults(o.Importers)
	for _, i := range o.Importers {
		if err := checkOptions(i.Format().Options); err != nil {
			return nil, err
		}
	}
	names := lists.Map(inputs, func(in Input) string { return in.Name })
	expected := ledger.Expect(names, o.Expect, o.ExpectNames)
	m := &importing{ctx: ctx, o: o, several: len(inputs) > 1, result: Imported{Lost: codec.Losses{}}}
	if missing := expected.Refused(); missing != nil && !o.SkipBad {
		if bad := m.errorsOf(inputs); len(bad) > 0 {
			missing = fmt.Errorf("%w; %w", missing, bad)
		}
		return nil, missing
	}
	for i, in := range inputs {
		err := m.importInput(in)
		if err == nil {
			continue
		}
		if !m.maySkip(err) {
			return nil, m.withLaterErrors(err, inputs[i+1:])
		}
		m.result.Skipped = append(m.result.Skipped, InputError{in.Name, err})
		if o.OnSkip != nil {
			o.OnSkip(in, err)
		}
	}
	if m.result.Builder == nil {
		return nil, fmt.Errorf("none of %d files can be read: %w", len(inputs), errNone)
	}
	m.countUnmerged()
	if m.summed {
		slices.Sort(m.hashes)
		identify(m.result.Builder.Internal(), m.hashes)
	}
	m.accountForSkipped()
	addExpected(m.result.Builder.Internal(), &expected)
	m.done = true
	return &m.result, nil
}

type importing struct {
	ctx     context.Context
	o       ImportOptions
	several bool
	asLLVM  bool // the inputs are merged as llvm-profdata does
	result  Imported
	hashes  []uint64 // hashes of the inputs that were read
	summed  bool     // the importer adds inputs to one builder
	done    bool
}

// A fatalError ends the import even if bad inputs are left out.
type fatalError struct{ error }

func (e fatalError) Unwrap() error { return e.error }

// maySkip reports whether the import goes on without an input.
func (m *importing) maySkip(err error) bool {
	var fatal fatalError
	if m.ctx.Err() != nil || !m.several || errors.As(err, &fatal) {
		return false
	}
	return m.o.SkipBad
}

// withLaterErrors adds the errors of later inputs to the first one, so that all bad inputs are named at once.
func (m *importing) withLaterErrors(first error, rest []Input) error {
	var fatal fatalError
	if m.ctx.Err() != nil || errors.As(first, &fatal) {
		return first
	}
	later := m.errorsOf(rest)
	if len(later) == 0 {
		return first
	}
	return append(ledger.BadInputs{first}, later...)
}

// errorsOf returns the errors of inputs, or none if it is canceled.
func (m *importing) errorsOf(inputs []Input) (all ledger.BadInputs) {
	others := &importing{ctx: m.ctx, o: m.o, several: m.several}
	others.o.Progress = nil
	for _, in := range inputs {
		err := others.importInput(in)
		if m.ctx.Err() != nil {
			return nil
		}
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

func (m *importing) importInput(in Input) error {
	s, err := openInput(m.ctx, in, &m.o)
	if err != nil {
		return err
	}
	defer s.Close()
	i, err := s.detectNear(m.o.Importers)
	if err != nil {
		return err
	}
	if err := m.accept(in, i); err != nil {
		return fatalError{err}
	}
	return withoutPlace(m.readInput(in, s, i))
}

// accept refuses an input that does not go together with those before it.
func (m *importing) accept(in Input, i codec.Importer) error {
	name := i.Format().Name
	if m.result.Builder != nil && m.result.Format != name {
		return fmt.Errorf("%s is of format %s, the files before it are of %s: %w", in.Name, name, m.result.Format, ErrMixed)
	}
	if m.o.Accept != nil {
		return m.o.Accept(in, i)
	}
	return nil
}

func (m *importing) readInput(in Input, s *stream, i codec.Importer) error {
	input := &codec.Input{Reader: s, Name: in.Name, Several: m.several, Config: m.o.Config, Unordered: m.o.Unordered,
		SkipBad: m.o.SkipBad}
	input.Sum = m.result.Builder
	input.Weight = in.Weight
	input.Config.Progress = m.progress
	if m.merges(in) {
		input.Unordered = true // only a single input keeps its order
	}
	digest := xxhash.New()
	input.Reader = io.TeeReader(s, digest)
	var report *codec.Report
	err := m.allOrNothing(func() (err error) {
		report, err = i.Import(input)
		if err != nil {
			return err
		}
		hash := uint64(0) // of all bytes; 0 if some cannot be read
		if _, err := io.Copy(io.Discard, input.Reader); err == nil {
			hash = digest.Sum64()
		} else if report.Salvaged == "" {
			return err
		}
		return m.addReport(report, in, ledger.Input{Name: s.baseName(), Format: i.Format().Name,
			State: ledger.Read, Hash: hash, Times: 1, Totals: report.Totals})
	})
	if err != nil {
		return err
	}
	r := &m.result
	r.Format = i.Format().Name
	r.Methods, r.Entries, r.Notes = r.Methods+report.Methods, r.Entries+report.Entries, append(r.Notes, report.Notes...)
	r.Inputs = append(r.Inputs, ImportedInput{in.Name, s.codec, in.Weight, report.Facts})
	m.hashes = append(m.hashes, digest.Sum64()^uint64(cmp.Or(in.Weight, layout.WeightOne)))
	if len(r.Inputs) == 1 {
		r.Lost = append(r.Lost, report.Lost...)
	} else {
		r.Lost = sumLosses(r.Lost, report.Lost)
	}
	m.asLLVM = report.AsLLVM
	m.summed = report.Sum != nil
	return nil
}

func (m *importing) merges(in Input) bool { return m.several || in.Weight != 0 }

// progress reports the progress of the commit after the import, but not of laying out single dumps.
func (m *importing) progress(done, total int64) {
	if m.done && m.o.Config.Progress != nil {
		m.o.Config.Progress(done, total)
	}
}

// allOrNothing calls work, and removes its additions from the builder if it fails. An import that ends with the first
// bad input drops the builder instead.
func (m *importing) allOrNothing(work func() error) error {
	b := m.result.Builder
	if b == nil || !m.o.SkipBad {
		return work()
	}
	batch, err := b.Internal().Begin()
	if err != nil {
		return err
	}
	defer batch.Rollback()
	if err := work(); err != nil {
		return err
	}
	return batch.Commit()
}

// addReport adds the profiles of an importer's report to the result.
func (m *importing) addReport(r *codec.Report, in Input, account ledger.Input) error {
	if r.Totals == nil {
		return fatalError{fmt.Errorf("%s: the importer's report has no totals", in.Name)}
	}
	dumps := r.Dumps
	if !r.HasAccount { // otherwise the input is an archive in another form
		addAccounts(r, account)
		for i, dump := range dumps {
			identify(dump.Internal(), []uint64{account.Hash, uint64(i)})
		}
	}
	switch {
	case len(dumps) == 0 && r.Sum == nil:
		return fatalError{fmt.Errorf("%s: the importer's report has neither dumps nor a sum", in.Name)}
	case len(dumps) == 0:
		m.result.Builder = r.Sum
	case !m.merges(in):
		m.result.Builder = dumps[0]
		if len(dumps) > 1 {
			m.result.Runs = dumps
		}
	case len(dumps) > 1:
		return fatalError{apartError{}}
	default:
		return m.merge(dumps[0], in, r)
	}
	return nil
}

// merge merges a dump with those before it, as archives are merged. If need be, it makes an archive of the dump.
func (m *importing) merge(dump *builder.Builder, in Input, r *codec.Report) (err error) {
	set := dump.Internal()
	all := m.result.Builder
	if all == nil {
		c := &m.o.Config
		all = builder.New(set.Domain, builder.Config{Params: set.Params(), Workers: c.Workers, Progress: m.progress,
			MemoryBudget: c.MemoryBudget, SpillFolder: c.SpillFolder})
	}
	if in.Weight != 0 || !merging.CanAddSet(set) {
		err = m.mergeArchive(all, dump, in.Name, merge.Run{Weight: in.Weight, AsLLVM: r.AsLLVM})
	} else {
		err = merging.Target{Set: all.Internal()}.AddSet(m.ctx, set, in.Name, r.AsLLVM)
	}
	if errors.Is(err, merge.ErrCounted) {
		return &InputError{in.Name, repeatedError{}}
	}
	if err == nil {
		m.result.Builder = all
	}
	return err
}

func (m *importing) mergeArchive(all, dump *builder.Builder, name string, run merge.Run) error {
	s, err := dump.Open(name)
	if err != nil {
		return err
	}
	defer s.Close()
	return merge.Into(m.ctx, all, s, run)
}

// countUnmerged counts the entries that could not be summed.
func (m *importing) countUnmerged() {
	n := int(m.result.Builder.Internal().Unmerged())
	if n == 0 {
		return
	}
	m.result.Lost = append(m.result.Lost, codec.Loss{What: codec.LossKind(merging.Unmerged(m.asLLVM)), Count: n,
		First: m.result.Builder.Internal().FirstUnmerged()})
}

// sumLosses adds the losses of another input. Kinds are in the order of their first occurrence. Line numbers are
// dropped, since they mean nothing across inputs.
func sumLosses(all, more codec.Losses) codec.Losses {
	sum := codec.Losses{}
	for _, l := range slices.Concat(all, more) {
		i := slices.IndexFunc(sum, func(s codec.Loss) bool { return s.What == l.What && s.Unit == l.Unit })
		if i < 0 {
			i = len(sum)
			sum = append(sum, codec.Loss{What: l.What, Unit: l.Unit})
		}
		sum[i].Count += l.Count
		sum[i].Amount += l.Amount // modulo 2^64, as totals
		sum[i].First = append(sum[i].First, l.First...)
		sum[i].First = sum[i].First[:min(len(sum[i].First), shownFirst)]
	}
	return sum
}

// shownFirst is the number of lost things that are named.
const shownFirst = 3

// addAccounts adds an input and its losses to the accounts of the sets that have its profiles. The losses belong to
// the first.
func addAccounts(r *codec.Report, in ledger.Input) {
	if r.Salvaged != "" {
		in.State = ledger.Salvaged
		in.Reason = r.Salvaged
	}
	if r.Sum != nil {
		addAccount(r.Sum.Internal(), in, r.Lost)
		return
	}
	lost := r.Lost
	for i, dump := range r.Dumps {
		if i < len(r.RunTotals) {
			in.Totals = r.RunTotals[i]
		}
		addAccount(dump.Internal(), in, lost)
		lost = nil
	}
}

func addAccount(b *profileset.Set, in ledger.Input, lost codec.Losses) {
	b.AddInput(in)
	b.AddLoss(ledger.Loss{Operation: ledger.OperationImport})
	for _, l := range lost {
		b.AddLoss(ledger.Loss{Operation: ledger.OperationImport, Reason: string(l.What), Unit: l.Unit,
			Things: uint64(l.Count), Amount: l.Amount, First: strings.Join(l.First, "\n")})
	}
}

// accountForSkipped adds the inputs that were left out to the account.
func (m *importing) accountForSkipped() {
	for _, skipped := range m.result.Skipped {
		in := ledger.LeftOut(skipped.Name, withoutPlace(skipped.Err),
			errors.Is(skipped.Err, ErrEmpty) || errors.Is(skipped.Err, merge.ErrCounted))
		m.result.Builder.Internal().AddInput(in)
	}
}

// addExpected adds the expected inputs to the account.
func addExpected(b *profileset.Set, e *ledger.Expectation) {
	if e.Expected > 0 {
		b.AddInput(ledger.Input{State: ledger.Expected, Times: e.Expected})
	}
	for _, in := range e.MissingInputs() {
		b.AddInput(in)
	}
}

// identify derives the identity of a dump from the hashes of its inputs, unless it has one. So two files are two dumps
// even if they have the same counts, and one file is one dump whatever its name.
func identify(b *profileset.Set, hashes []uint64) {
	text := []byte(ledger.OperationImport)
	for _, h := range hashes {
		text = binary.LittleEndian.AppendUint64(text, h)
	}
	b.Locked(func() {
		if b.Heading.DumpID == ([16]byte{}) {
			b.Heading.DumpID = disk.ContentID(text)
		}
	})
}
