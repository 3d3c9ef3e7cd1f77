package coverage

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Coverage joins the mappings of programs with the counters of an archive. It may be used
// by several goroutines.
type Coverage struct {
	store    *reader.Store
	mappings []*Mapping
	ones     bool // counters are 0 or 1
	load     func() (*files, error)
}

// A Function is the coverage of one function.
type Function struct {
	Program string // that has it
	Name    string // PGO name; "" if neither the program nor the archive has it
	Hash    uint64 // FuncHash of its code
	Count   uint64 // how often it was entered
	// Profiled reports whether the archive has its counters. It has none of a function that
	// the program has, but does not use, or that never ran if the archive leaves these out.
	Profiled bool

	files      []string // by file id
	main       int      // the file that it begins in; -1 if all are texts of macros
	regions    []counted
	conditions []condition // in main, as llvm-cov has them: none of macros
	ones       bool
}

// New joins mappings with an archive. Of several programs that have a function the first
// counts whose code was counted. The error matches ErrDomain if the archive has no counters of a front end.
func New(s *reader.Store, mappings ...*Mapping) (*Coverage, error) {
	h := s.Header()
	if h.Domain != layout.DomainLLVMFrontend {
		return nil, fmt.Errorf("%s has profiles of domain %s: %w", s.Mapping().Name(), h.Domain, ErrDomain)
	}
	c := &Coverage{store: s, mappings: mappings, ones: llvm.Variant(h.Params.LLVMVariant)&llvm.VariantByteCoverage != 0}
	c.load = sync.OnceValues(c.loadFiles)
	return c, nil
}

// Function returns the coverage of a function of the archive. The error matches
// ErrNotMapped if no program has it, and is a [*Mismatch] if it has other code there.
func (c *Coverage) Function(m reader.Method) (*Function, error) {
	name, err := m.Name()
	if err != nil {
		return nil, err
	}
	var other *Mismatch
	for _, p := range c.mappings {
		r, ok := p.records[m.ID()]
		if !ok {
			continue
		}
		f, err := c.join(p, r, m, name.String())
		if mismatch := (*Mismatch)(nil); !errors.As(err, &mismatch) {
			return f, err
		} else if other == nil || !r.isDummy() {
			other = mismatch // of another program the code may be what was counted
		}
	}
	if other != nil {
		return nil, other
	}
	return nil, fmt.Errorf("%s: %q: %w", c.programs(), name.String(), ErrNotMapped)
}

// Maps reports whether a program has a mapping of a function, of whatever code.
func (c *Coverage) Maps(m reader.Method) bool {
	return slices.ContainsFunc(c.mappings, func(p *Mapping) bool { _, ok := p.records[m.ID()]; return ok })
}

// programs names the programs for errors.
func (c *Coverage) programs() string {
	var names []string
	for _, m := range c.mappings {
		names = append(names, m.program)
	}
	return strings.Join(names, ", ")
}

// join decodes a function and gives it the counters of a method, which may be none.
func (c *Coverage) join(p *Mapping, r record, m reader.Method, name string) (*Function, error) {
	files, ok := p.tables[r.files]
	if !ok {
		return nil, p.malformed("__llvm_covfun", r.at, "a list of files that no translation unit has")
	}
	decoded, err := decode(r.data, files)
	if err != nil {
		return nil, p.malformed("__llvm_covfun", r.at, "%v", err)
	}
	f := &Function{Program: p.program, Name: name, Hash: r.hash, files: decoded.files, main: decoded.main(), ones: c.ones}
	counters, err := f.countersOf(m)
	if err != nil {
		return nil, err
	}
	err = f.count(decoded, counters)
	switch {
	case errors.Is(err, errNoCounter):
		return nil, &Mismatch{p.program, name, r.hash, len(counters)}
	case err != nil:
		return nil, p.malformed("__llvm_covfun", r.at, "%v", err)
	}
	return f, nil
}

// countersOf returns the counters of the function's code. nil means that it never ran.
func (f *Function) countersOf(m reader.Method) ([]uint64, error) {
	others := false
	if !m.Valid() {
		return nil, nil
	}
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		if p.Code() != f.Hash {
			others = true
			continue
		}
		for e := range p.Entries() {
			if rows, ok := e.Rows(); ok && e.Tag() == layout.TagCounters {
				f.Profiled = true
				counters := make([]uint64, rows.Len())
				for i := range counters {
					counters[i] = rows.Cell(i, 0).Trained()
				}
				return counters, nil
			}
		}
	}
	if others {
		return nil, &Mismatch{f.Program, f.Name, f.Hash, -1}
	}
	return nil, nil
}

// count returns the regions of lines their counts.
func (f *Function) count(decoded *function, counters []uint64) error {
	v := newValuation(decoded, counters)
	v.none = !f.Profiled
	for _, r := range decoded.regions {
		n, err := v.of(r.count)
		if err != nil {
			return err
		}
		switch {
		case r.kind < branchRegion:
			f.regions = append(f.regions, counted{r, n})
		case r.isBranch() && int(r.file) == f.main:
			otherwise, err := v.of(r.otherwise)
			if err != nil {
				return err
			}
			f.conditions = append(f.conditions, condition{r, n, otherwise})
		}
	}
	if len(f.regions) > 0 {
		f.Count = f.regions[0].n
	}
	return nil
}

// Start returns the file and the line in which the function begins.
func (f *Function) Start() (file string, line int) {
	if len(f.regions) == 0 {
		return f.files[0], 0
	}
	return f.files[0], int(f.regions[0].start.line)
}

// LineOf returns the line where the code begins that a counter of the function counts: of
// the body of a loop, not of its increment, which ends earlier. It returns 0 if no
// region of the function's file has that counter.
func (f *Function) LineOf(index int) (line int) {
	var end position
	for _, r := range f.regions {
		if r.kind == codeRegion && int(r.file) == f.main && r.count == (counter{counterReference, uint32(index)}) &&
			end.before(r.end) {
			line = int(r.start.line)
			end = r.end
		}
	}
	return line
}

// View returns the lines of the function in the file that it begins in. Macros that it uses
// are counted where it uses them.
func (f *Function) View() *View {
	if f.main < 0 {
		return &View{}
	}
	v := &View{File: f.files[f.main]}
	v.fill([]*Function{f}, func(_ *Function, file uint32) bool { return int(file) == f.main }, f.ones)
	return v
}

// Files returns the names of the source files that have code, sorted.
func (c *Coverage) Files() ([]string, error) {
	l, err := c.load()
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(l.in)), nil
}

// View returns the lines of a source file, with the counts of all functions in it: of the
// instantiations of a template the sum. Macros are counted where they are defined, too. The
// error matches ErrNotMapped if no program has the file.
func (c *Coverage) View(file string) (*View, error) {
	l, err := c.load()
	if err != nil {
		return nil, err
	}
	functions, ok := l.in[file]
	if !ok {
		return nil, fmt.Errorf("%s: %q: %w", c.programs(), file, ErrNotMapped)
	}
	v := &View{File: file}
	v.fill(functions, func(f *Function, in uint32) bool { return f.files[in] == file }, c.ones)
	return v, nil
}

// Functions returns the functions of the programs, as they lie there.
func (c *Coverage) Functions() ([]*Function, error) {
	l, err := c.load()
	if err != nil {
		return nil, err
	}
	return l.functions, nil
}

// Mismatches returns the functions of the programs that were left out of the files, because
// other code of theirs was counted.
func (c *Coverage) Mismatches() ([]*Mismatch, error) {
	l, err := c.load()
	if err != nil {
		return nil, err
	}
	return l.mismatches, nil
}

// files has all functions of the programs, and the functions of each source file.
type files struct {
	in         map[string][]*Function // that have regions in the file
	functions  []*Function
	mismatches []*Mismatch
	seen       map[string]bool
}

// loadFiles joins all functions.
func (c *Coverage) loadFiles() (*files, error) {
	l := &files{in: map[string][]*Function{}, seen: map[string]bool{}}
	for _, p := range c.mappings {
		names, err := p.names()
		if err != nil {
			return nil, err
		}
		for _, ref := range p.refs {
			if err := c.loadFunction(l, p, ref, names[ref]); err != nil {
				return nil, err
			}
		}
	}
	l.seen = nil
	return l, nil
}

// loadFunction joins a function of a program, unless other code of it was counted, or the
// files have it already.
func (c *Coverage) loadFunction(l *files, p *Mapping, ref uint64, name string) error {
	m, err := c.store.FindID(ref)
	if errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous) {
		m = reader.Method{}
		err = nil
	}
	if err != nil {
		return err
	}
	if name == "" && m.Valid() {
		known, err := m.Name()
		if err != nil {
			return err
		}
		name = known.String()
	}
	f, err := c.join(p, p.records[ref], m, name)
	var mismatch *Mismatch
	switch {
	case errors.As(err, &mismatch) && p.records[ref].isDummy():
		return nil // it is used in another program
	case errors.As(err, &mismatch):
		l.mismatches = append(l.mismatches, mismatch)
		return nil
	case err != nil:
		return err
	case p.records[ref].isDummy() && f.Count > 0:
		return nil // used elsewhere: not uncovered
	}
	l.add(f)
	return nil
}

// add adds a function to its files, unless a function of the same name in the same files is there.
func (l *files) add(f *Function) {
	key := strings.Join(f.files, "\x00") + "\x00\x00" + f.plainName()
	if l.seen[key] {
		return
	}
	l.seen[key] = true
	l.functions = append(l.functions, f)
	for _, r := range f.regions {
		name := f.files[r.file]
		if in := l.in[name]; len(in) == 0 || in[len(in)-1] != f {
			l.in[name] = append(in, f)
		}
	}
}

// plainName returns the name without the file that a local function has before it, if that is its first file.
func (f *Function) plainName() string {
	if after, ok := strings.CutPrefix(f.Name, f.files[0]); ok && after != "" {
		return after[1:]
	}
	return f.Name
}
