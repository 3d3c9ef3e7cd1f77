package coverage

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Coverage joins the mappings of programs with the counters of an archive. It is safe for concurrent use.
type Coverage struct {
	store    *reader.Store
	mappings []*Mapping
	ones     bool // counters are 0 or 1
	load     func() (*fileIndex, error)
}

// A Function is the coverage of one function.
type Function struct {
	Program string // program with the function
	Name    string // PGO name; "" if unknown
	Hash    uint64 // FuncHash of the program's code
	Count   uint64 // number of entries into the function
	// Profiled reports whether the archive has counters of the function. It lacks unused functions of the program, and
	// functions that never ran if the archive leaves those out.
	Profiled bool

	files      []string // names by file id
	main       int      // file in which the function begins; -1 if all files are macros
	regions    []countedRegion
	conditions []condition // conditions in main; like llvm-cov none in macros
	ones       bool
}

// New joins mappings with an archive. If several programs have a function, the first one whose code was counted wins.
// The error matches ErrDomain if the archive has no counters of a front end.
func New(s *reader.Store, mappings ...*Mapping) (*Coverage, error) {
	h := s.Header()
	if h.Domain != layout.DomainLLVMFrontend {
		return nil, fmt.Errorf("%s has profiles of domain %s: %w", s.Mapping().Name(), h.Domain, ErrDomain)
	}
	c := &Coverage{store: s, mappings: mappings, ones: llvm.Variant(h.Params.LLVMVariant)&llvm.VariantByteCoverage != 0}
	c.load = sync.OnceValues(c.loadFiles)
	return c, nil
}

// Function returns the coverage of a function in the archive. The error matches ErrNotMapped if no program has the
// function, and is a [*Mismatch] if the program has other code for it.
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
		f, err := c.joinFunction(p, r, m, name.String())
		if mismatch := (*Mismatch)(nil); !errors.As(err, &mismatch) {
			return f, err
		} else if other == nil || !r.isDummy() {
			other = mismatch // a later program can have the counted code
		}
	}
	if other != nil {
		return nil, other
	}
	return nil, fmt.Errorf("%s: %q: %w", c.programs(), name.String(), ErrNotMapped)
}

// Maps reports whether a program has a mapping of a function, for any code.
func (c *Coverage) Maps(m reader.Method) bool {
	return slices.ContainsFunc(c.mappings, func(p *Mapping) bool { _, ok := p.records[m.ID()]; return ok })
}

func (c *Coverage) programs() string {
	return lists.Join(c.mappings, ", ", func(m *Mapping) string { return m.program })
}

// joinFunction decodes a function and adds the counters of m, or none if m is invalid.
func (c *Coverage) joinFunction(p *Mapping, r record, m reader.Method, name string) (*Function, error) {
	files, ok := p.tables[r.files]
	if !ok {
		return nil, p.malformed("__llvm_covfun", r.at, "a list of files that no translation unit has")
	}
	decoded, err := decodeFunction(r.data, files)
	if err != nil {
		return nil, p.malformed("__llvm_covfun", r.at, "%v", err)
	}
	f := &Function{Program: p.program, Name: name, Hash: r.hash, files: decoded.files, main: decoded.mainFile(),
		ones: c.ones}
	counters, err := f.countersOf(m)
	if err != nil {
		return nil, err
	}
	err = f.countRegions(decoded, counters)
	switch {
	case errors.Is(err, errNoCounter):
		return nil, &Mismatch{p.program, name, r.hash, len(counters)}
	case err != nil:
		return nil, p.malformed("__llvm_covfun", r.at, "%v", err)
	}
	return f, nil
}

// countersOf returns the counters of the function's code. It returns nil for a function that never ran.
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

// countRegions computes the counts of the regions and conditions.
func (f *Function) countRegions(decoded *function, counters []uint64) error {
	v := newValuation(decoded, counters)
	v.unprofiled = !f.Profiled
	for _, r := range decoded.regions {
		n, err := v.valueOf(r.count)
		if err != nil {
			return err
		}
		switch {
		case r.kind < branchRegion:
			f.regions = append(f.regions, countedRegion{r, n})
		case (r.kind == branchRegion || r.kind == mcdcRegion) && int(r.file) == f.main:
			otherwise, err := v.valueOf(r.otherwise)
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

// Start returns the file and line in which the function begins.
func (f *Function) Start() (file string, line int) {
	if len(f.regions) == 0 {
		return f.files[0], 0
	}
	return f.files[0], int(f.regions[0].start.line)
}

// LineOf returns the line in which the code of a counter begins, or 0 if no region in the function's file has the
// counter. For a loop this is the body instead of the increment, which ends earlier.
func (f *Function) LineOf(index int) (line int) {
	var end position
	for _, r := range f.regions {
		if r.kind == codeRegion && int(r.file) == f.main && r.count == (counter{counterReference, uint32(index)}) &&
			end.isBefore(r.end) {
			line = int(r.start.line)
			end = r.end
		}
	}
	return line
}

// View returns the lines of the function in its main file. Macros count where the function uses them.
func (f *Function) View() *View {
	if f.main < 0 {
		return &View{}
	}
	v := &View{File: f.files[f.main]}
	v.addFunctions([]*Function{f}, func(_ *Function, file uint32) bool { return int(file) == f.main }, f.ones)
	return v
}

// Files returns the sorted names of source files with code.
func (c *Coverage) Files() ([]string, error) {
	l, err := c.load()
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(l.byFile)), nil
}

// View returns the lines of a source file with the counts of all functions in it. Instantiations of a template are
// added. Macros also count where they are defined. The error matches ErrNotMapped if no program has the file.
func (c *Coverage) View(file string) (*View, error) {
	l, err := c.load()
	if err != nil {
		return nil, err
	}
	functions, ok := l.byFile[file]
	if !ok {
		return nil, fmt.Errorf("%s: %q: %w", c.programs(), file, ErrNotMapped)
	}
	v := &View{File: file}
	v.addFunctions(functions, func(f *Function, in uint32) bool { return f.files[in] == file }, c.ones)
	return v, nil
}

// Functions returns the functions of the programs in program order.
func (c *Coverage) Functions() ([]*Function, error) {
	l, err := c.load()
	if err != nil {
		return nil, err
	}
	return l.functions, nil
}

// Mismatches returns the functions omitted from the files because their counted code differs.
func (c *Coverage) Mismatches() ([]*Mismatch, error) {
	l, err := c.load()
	if err != nil {
		return nil, err
	}
	return l.mismatches, nil
}

// A fileIndex has all functions of the programs, and the functions in each source file.
type fileIndex struct {
	byFile     map[string][]*Function // functions with regions in the file, by name
	functions  []*Function
	mismatches []*Mismatch
	seen       map[string]bool
}

func (c *Coverage) loadFiles() (*fileIndex, error) {
	l := &fileIndex{byFile: map[string][]*Function{}, seen: map[string]bool{}}
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

// loadFunction adds a function of a program, unless other code of it was counted or the index already has it.
func (c *Coverage) loadFunction(l *fileIndex, p *Mapping, ref uint64, name string) error {
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
	f, err := c.joinFunction(p, p.records[ref], m, name)
	var mismatch *Mismatch
	switch {
	case errors.As(err, &mismatch) && p.records[ref].isDummy():
		return nil // another program uses the function
	case errors.As(err, &mismatch):
		l.mismatches = append(l.mismatches, mismatch)
		return nil
	case err != nil:
		return err
	case p.records[ref].isDummy() && f.Count > 0:
		return nil // another program runs the function
	}
	l.addFunction(f)
	return nil
}

// addFunction adds a function to its files, unless these have a function with the same name.
func (l *fileIndex) addFunction(f *Function) {
	key := strings.Join(f.files, "\x00") + "\x00\x00" + f.plainName()
	if l.seen[key] {
		return
	}
	l.seen[key] = true
	l.functions = append(l.functions, f)
	for _, r := range f.regions {
		name := f.files[r.file]
		if in := l.byFile[name]; len(in) == 0 || in[len(in)-1] != f {
			l.byFile[name] = append(in, f)
		}
	}
}

// plainName returns the name without the prefix of a local function, which is its first file.
func (f *Function) plainName() string {
	if after, ok := strings.CutPrefix(f.Name, f.files[0]); ok && after != "" {
		return after[1:]
	}
	return f.Name
}

// Sentinels that errors match.
var (
	// ErrNotProgram is returned for files other than programs, libraries and object files of ELF, Mach-O or PE.
	ErrNotProgram = errors.New("not a program, library or object file (ELF, Mach-O, PE)")
	// ErrNoMapping is returned for a program without a coverage mapping.
	ErrNoMapping = errors.New("no coverage mapping: compile and link the program with " +
		"clang -fprofile-instr-generate -fcoverage-mapping, or rustc -C instrument-coverage")
	// ErrVersion is returned for the mapping of an unsupported LLVM.
	ErrVersion = errors.New("unsupported version of a coverage mapping")
	// ErrMalformed is returned for invalid data in a mapping.
	ErrMalformed = errors.New("malformed coverage mapping: the program was changed after it was linked; build it again")
	// ErrDomain is returned for archives whose counters have no mapping to source code.
	ErrDomain = errors.New("only counters of a front end (clang -fprofile-instr-generate, rustc -C instrument-coverage) " +
		"have a mapping to source lines; those of -fprofile-generate are of edges that the compiler alone knows")
	// ErrNotMapped is returned for a function or file that the mapping lacks.
	ErrNotMapped = errors.New("not in the coverage mapping")
	// ErrMismatch is returned if the program's function has other code than was counted.
	ErrMismatch = errors.New("the program has other code than was counted")
)

// An Error describes invalid data in a program.
type Error struct {
	Program string // file name
	Section string // "" for the file as a whole
	Offset  int64  // offset in the concatenated sections with the name
	Kind    error  // sentinel that the error matches
	Detail  string // description of the fault, or ""
}

// Error returns, for example, `app: __llvm_covfun: byte 28: malformed coverage mapping: ...: 7 regions in 3 bytes`.
func (e *Error) Error() string {
	text := e.Program + ": "
	if e.Section != "" {
		text += fmt.Sprintf("%s: byte %d: ", e.Section, e.Offset)
	}
	text += e.Kind.Error()
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Unwrap returns Kind.
func (e *Error) Unwrap() error { return e.Kind }

// A Mismatch is a function whose code was not counted, because the program was built from other source or by another
// compiler.
type Mismatch struct {
	Program string
	Name    string // function name
	Hash    uint64 // FuncHash of the program's code
	// Counters is the number of counters for Hash in the archive if the mapping needs more, or -1 if the archive has only
	// profiles of other hashes.
	Counters int
}

// Error returns the program, the function and the reason.
func (e *Mismatch) Error() string {
	if e.Counters >= 0 {
		return fmt.Sprintf("%s: %q: %v: its mapping refers to more than the %d counters of the profile", e.Program, e.Name,
			ErrMismatch, e.Counters)
	}
	return fmt.Sprintf("%s: %q: %v: the profile has no counters of hash 0x%016x", e.Program, e.Name, ErrMismatch, e.Hash)
}

// Unwrap returns ErrMismatch.
func (e *Mismatch) Unwrap() error { return ErrMismatch }
