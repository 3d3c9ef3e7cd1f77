package formats

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// ImportOptions say how inputs are imported. The zero value imports with the defaults.
type ImportOptions struct {
	Config builder.Config // what the archive says of itself
	// Unordered forgets the order of the profiles in the input: inputs that differ
	// in nothing else then give the same archive.
	Unordered bool
	// Importers are importers with options, such as &LLVMImporter{Release: 22}. Each takes the place of the
	// one of its format in Importers(); importers of formats of your own are asked before those.
	Importers []codec.Importer
	// SkipBad leaves bad inputs out if there are several and one is good.
	// Otherwise the first bad input fails the import. Empty inputs among several
	// are always left out: a process that was killed leaves such files.
	SkipBad bool
	// OnSkip, if not nil, is called for each input when it is left out.
	OnSkip func(in Input, why error)
	// MaxExpansion is how many times the size of its compressed form an input may
	// have: 0 for 64, negative for no bound.
	MaxExpansion int64
	// Accept, if not nil, is called with each input and its importer before it is
	// read. An error ends the import.
	Accept func(in Input, i codec.Importer) error
	// Progress, if not nil, is called with how many bytes of how many were read of
	// an input. It may be called by another goroutine.
	Progress func(name string, done, total int64)
}

// Imported is what Import made of its inputs.
type Imported struct {
	Format string // the name of the importer's format
	// Builder has the profiles of all inputs.
	Builder *builder.Builder
	// Runs are the builders of the dumps of the input, if its importer keeps them
	// apart, as jamaica.Importer.Runs asks for; Builder is the first.
	Runs    []*builder.Builder
	Methods int          // sum over all inputs
	Entries int          // likewise
	Lost    codec.Losses // of all inputs, the kinds in the order in which they came; not nil
	// Notes tell, in sentences, which facts of the inputs the archive keeps in another form.
	Notes   []string
	Inputs  []ImportedInput // what was read, in the order in which it was read
	Skipped []InputError    // what was left out, and why
}

// ImportedInput says what was read of one input.
type ImportedInput struct {
	Name   string
	Codec  string // gzip, zstd, or empty
	Weight layout.Weight
	Facts  map[string]any // what its format says of it, by the key in JSON
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

// A repeatedError says that an input has the same content as one before it.
type repeatedError struct{}

func (repeatedError) Error() string {
	return "it says the same as a file before it: leave it out, or give one of them the weight 2"
}

// HasAdvice reports true: see layout.Error.
func (repeatedError) HasAdvice() bool { return true }

func (repeatedError) Unwrap() error { return merge.ErrCounted }

// Import reads inputs of one format into a builder. Several are summed: as llvm-profdata merge does if they
// are LLVM's, otherwise as archives are merged, none counted twice. The error is of the first input that
// cannot be imported, an [*OptionError], or matches one of the errors of this package.
func Import(ctx context.Context, inputs []Input, o ImportOptions) (*Imported, error) {
	o.Importers = withDefaults(o.Importers)
	for _, i := range o.Importers {
		if err := checkOptions(i.Format().Options); err != nil {
			return nil, err
		}
	}
	m := &importing{ctx: ctx, o: o, several: len(inputs) > 1, result: Imported{Lost: codec.Losses{}}}
	for _, in := range inputs {
		err := m.add(in)
		if err == nil {
			continue
		}
		if !m.maySkip(err) {
			return nil, err
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
	m.done = true
	return &m.result, nil
}

// importing is the state of one call of Import.
type importing struct {
	ctx     context.Context
	o       ImportOptions
	several bool
	asLLVM  bool // the inputs are merged as llvm-profdata does
	result  Imported
	done    bool
}

// A fatalError is not answered by leaving the input out.
type fatalError struct{ error }

func (e fatalError) Unwrap() error { return e.error }

// maySkip reports whether the import goes on without an input.
func (m *importing) maySkip(err error) bool {
	var fatal fatalError
	if m.ctx.Err() != nil || !m.several || errors.As(err, &fatal) {
		return false
	}
	return m.o.SkipBad || errors.Is(err, ErrEmpty)
}

// add imports one input.
func (m *importing) add(in Input) error {
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
	return withoutPlace(m.read(in, s, i))
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

// read reads an input and adds its profiles to the result.
func (m *importing) read(in Input, s *stream, i codec.Importer) error {
	input := &codec.Input{Reader: s, Name: in.Name, Several: m.several, Config: m.o.Config, Unordered: m.o.Unordered}
	input.Sum = m.result.Builder
	input.Weight = in.Weight
	input.Config.Progress = m.progress
	if m.merges(in) {
		input.Unordered = true // an order is of one input
	}
	var report *codec.Report
	err := m.allOrNothing(func() (err error) {
		report, err = i.Import(input)
		if err != nil {
			return err
		}
		return m.take(report, in)
	})
	if err != nil {
		return err
	}
	r := &m.result
	r.Format = i.Format().Name
	r.Methods, r.Entries, r.Notes = r.Methods+report.Methods, r.Entries+report.Entries, append(r.Notes, report.Notes...)
	r.Inputs = append(r.Inputs, ImportedInput{in.Name, s.codec, in.Weight, report.Facts})
	if len(r.Inputs) == 1 {
		r.Lost = append(r.Lost, report.Lost...)
	} else {
		r.Lost = sumLosses(r.Lost, report.Lost)
	}
	m.asLLVM = report.AsLLVM
	return nil
}

// merges reports whether the dump of an input is merged with others.
func (m *importing) merges(in Input) bool { return m.several || in.Weight != 0 }

// progress passes on the progress of the commit that comes after the import, not
// that of laying out single dumps.
func (m *importing) progress(done, total int64) {
	if m.done && m.o.Config.Progress != nil {
		m.o.Config.Progress(done, total)
	}
}

// allOrNothing has the builder keep what work adds only if work succeeds. An import that ends with the first
// bad input does not need this, since it drops the builder.
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

// take adds what an importer made of an input to the result.
func (m *importing) take(r *codec.Report, in Input) error {
	dumps := r.Dumps
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
		return m.merge(dumps[0], in.Name, merge.Run{Weight: in.Weight, AsLLVM: r.AsLLVM})
	}
	return nil
}

// merge merges a dump with those before it, as archives are merged.
func (m *importing) merge(dump *builder.Builder, name string, run merge.Run) error {
	s, err := dump.Open(name)
	if err != nil {
		return err
	}
	defer s.Close()
	all := m.result.Builder
	if all == nil {
		h := s.Header()
		c := &m.o.Config
		all = builder.New(h.Domain, builder.Config{Params: h.Params, Workers: c.Workers, Progress: m.progress,
			MemoryBudget: c.MemoryBudget, SpillFolder: c.SpillFolder})
	}
	err = merge.Into(m.ctx, all, s, run)
	if errors.Is(err, merge.ErrCounted) {
		return &InputError{name, repeatedError{}}
	}
	if err == nil {
		m.result.Builder = all
	}
	return err
}

// countUnmerged counts the entries that could not be summed.
func (m *importing) countUnmerged() {
	n := int(m.result.Builder.Internal().Unmerged())
	if n == 0 {
		return
	}
	m.result.Lost = append(m.result.Lost, codec.Loss{What: codec.LossKind(merging.Unmerged(m.asLLVM)), Count: n})
}

// sumLosses adds the losses of a further input, in the order in which the kinds
// came first. Lines mean nothing across inputs.
func sumLosses(all, more codec.Losses) codec.Losses {
	sum := codec.Losses{}
	at := map[codec.LossKind]int{}
	for _, l := range slices.Concat(all, more) {
		i, ok := at[l.What]
		if !ok {
			i = len(sum)
			at[l.What] = i
			sum = append(sum, codec.Loss{What: l.What})
		}
		sum[i].Count += l.Count
	}
	return sum
}
