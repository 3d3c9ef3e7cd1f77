// Package inventory lists the instrumented functions of a program without running it.
//
// A program or object file that was built with -fprofile-generate, -fprofile-instr-generate or -C profile-generate has
// a record of each function for its raw profile, with the hashes of its name and of its control flow. A program with a
// coverage mapping has the same hashes there:
//
//	__llvm_prf_data   records { u64 NameRef, u64 FuncHash, pointers, u32 number of counters, ... }; their size depends on
//	                  the version of raw profiles and on the size of pointers
//	__llvm_covfun     { u64 NameRef, u32 size, u64 FuncHash, u64 hash of files, mapping of size bytes }, aligned to 8
//	__llvm_prf_names  the names, see [llvm.SplitNames]
//
// A NameRef is the first 8 bytes of the MD5 of the name.
package inventory

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/formats/llvm/object"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
)

// ErrNotInstrumented is returned for programs without records of functions.
var ErrNotInstrumented = errors.New("it has no records of instrumented functions: compile and link it with " +
	"-fprofile-generate, -fprofile-instr-generate or, for Rust, -C profile-generate")

// A Program has the instrumented functions of a program. It implements fit.Code.
type Program struct {
	name      string
	domain    layout.Domain // 0 if it is not known which instrumentation the program has
	functions map[string][]methodcode.Version
	unused    map[string]bool // functions of the coverage mapping without code
	order     []string
	unlisted  string // the reason why it can have functions that are not listed, or ""
}

// Open reads a program, library, object file or static library, or several of one program. The error matches
// object.ErrUnknown for files of other kinds, and ErrNotInstrumented.
func Open(names ...string) (*Program, error) {
	p := &Program{name: strings.Join(names, ", "), functions: map[string][]methodcode.Version{}, unused: map[string]bool{}}
	for _, name := range names {
		if err := p.addFile(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return p, nil
}

func (p *Program) addFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s, err := object.Read(f, info.Size())
	if err != nil {
		return err
	}
	return p.readFunctions(name, s)
}

func (p *Program) readFunctions(name string, s *object.Sections) error {
	before := len(p.order)
	names := map[uint64]string{}
	for _, section := range s.Names {
		if err := llvm.AddNamesByRef(names, section.Data); err != nil {
			return fmt.Errorf("section of names: %w", err)
		}
	}
	for _, section := range s.Data {
		if err := p.readRecords(section.Data, s, names); err != nil {
			return err
		}
	}
	if len(p.order) == before && len(s.Covmap) > 0 {
		if err := p.readMapping(name, s); err != nil {
			return err
		}
	}
	if len(p.order) == 0 {
		return ErrNotInstrumented
	}
	return p.setDomain(s)
}

// setDomain finds the kind of instrumentation. Instrumented IR has a version word with a bit for it in each object
// file.
func (p *Program) setDomain(s *object.Sections) error {
	domain := layout.Domain(0)
	variant := llvm.Variant(s.RawVersion >> llvm.VariantShift)
	switch {
	case s.RawVersion != 0:
		domain = variant.Domain()
	case len(s.Covfun) > 0 || s.HasSymbols && s.IsPart:
		domain = layout.DomainLLVMFrontend
	}
	if domain != 0 && p.domain != 0 && domain != p.domain {
		return fmt.Errorf("it is instrumented as profiles of domain %s are, the other files as those of %s", domain, p.domain)
	}
	p.domain = cmp.Or(p.domain, domain)
	if s.IsPart {
		p.unlisted = "not in the object file or static library: name the linked program"
	}
	if variant&llvm.VariantContextSensitive != 0 {
		p.unlisted = "the program counts what is left after inlining: build it with -fprofile-generate"
	}
	return nil
}

// Sizes of records: from 36 bytes with pointers of 4 bytes to 64 bytes with bitmaps and pointers of 8.
const (
	smallestRecord = 32
	largestRecord  = 96
	recordStep     = 4
)

// readRecords reads a section of records. Their size is the one by which every record has the hash of a known name, or
// is empty, as the first one of PE is.
func (p *Program) readRecords(data []byte, s *object.Sections, names map[uint64]string) error {
	size := 0
	for n := smallestRecord; n <= largestRecord && size == 0; n += recordStep {
		if len(data)%n == 0 && namedRecords(data, n, s, names) {
			size = n
		}
	}
	if size == 0 {
		return fmt.Errorf("%d bytes of records whose names are not in the program: it was stripped of its section of names, "+
			"or is of a version of LLVM that is not known", len(data))
	}
	for ; len(data) > 0; data = data[size:] {
		if name, ok := names[s.Order.Uint64(data)]; ok {
			p.addFunction(name, s.Order.Uint64(data[8:]))
		}
	}
	return nil
}

func namedRecords(data []byte, size int, s *object.Sections, names map[uint64]string) bool {
	for ; len(data) > 0; data = data[size:] {
		ref := s.Order.Uint64(data)
		if _, ok := names[ref]; !ok && ref != 0 {
			return false
		}
	}
	return true
}

// readMapping takes the functions of the coverage mapping. Its records of unused functions have no code.
func (p *Program) readMapping(name string, s *object.Sections) error {
	mapping, err := coverage.FromSections(name, s)
	if err != nil {
		return err
	}
	return mapping.EachFunction(func(name string, hash uint64, used bool) {
		if used {
			p.addFunction(name, hash)
		} else {
			p.unused[name] = true
		}
	})
}

func (p *Program) addFunction(name string, hash uint64) {
	versions, ok := p.functions[name]
	if !ok {
		p.order = append(p.order, name)
	}
	for _, v := range versions {
		if v.ID == hash {
			return
		}
	}
	p.functions[name] = append(versions, methodcode.Version{ID: hash, Opaque: true})
}

// IsDomainKnown reports whether it is known which instrumentation the program has. A stripped one does not say so.
func (p *Program) IsDomainKnown() bool { return p.domain != 0 }

// CheckDomain returns an error if the program has another instrumentation than the profiles of a domain, whose hashes
// cannot be compared.
func (p *Program) CheckDomain(d layout.Domain) error {
	if p.domain == 0 || p.domain == d {
		return nil
	}
	return fmt.Errorf("%s is instrumented as profiles of domain %s are, and the archive is of %s: their hashes cannot be "+
		"compared: build the program with %s", p.name, p.domain, d, instrumentation[d])
}

var instrumentation = map[layout.Domain]string{
	layout.DomainLLVMIR:       "-fprofile-generate",
	layout.DomainLLVMFrontend: "-fprofile-instr-generate",
}

// Method looks up a function. A linked program has every function that is instrumented, so one that it lacks is gone.
func (p *Program) Method(k layout.Key) (methodcode.Answer, error) {
	if versions, ok := p.functions[k.Name]; ok {
		return methodcode.Answer{Presence: methodcode.Present, Versions: versions}, nil
	}
	if p.unused[k.Name] {
		return methodcode.UnknownBecause("the program declares it and has no code of it"), nil
	}
	if p.unlisted != "" {
		return methodcode.UnknownBecause(p.unlisted), nil
	}
	return methodcode.Answer{Presence: methodcode.NoMethod}, nil
}

// Functions calls yield with the functions in the order of the program.
func (p *Program) Functions(yield func(name string, versions []methodcode.Version) bool) {
	for _, name := range p.order {
		if !yield(name, p.functions[name]) {
			return
		}
	}
}

// IsProgram reports whether a file begins as a program, library, object file or static library.
func IsProgram(name string, head []byte) bool {
	for _, magic := range []string{"\x7fELF", "!<ar", "!<th", "BC\xc0\xde", "MZ", "\xca\xfe\xba\xbe",
		"\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe",
		"\xfe\xed\xfa\xcf", "\xfe\xed\xfa\xce"} {
		if strings.HasPrefix(string(head), magic) {
			return true
		}
	}
	return strings.HasSuffix(name, ".obj")
}
