package coverage

import (
	"errors"
	"fmt"
)

// The sentinels that errors match.
var (
	// ErrNotProgram: the file is no program, library or object file of ELF, Mach-O or PE.
	ErrNotProgram = errors.New("not a program, library or object file (ELF, Mach-O, PE)")
	// ErrNoMapping: the program has no coverage mapping.
	ErrNoMapping = errors.New("no coverage mapping: compile and link the program with " +
		"clang -fprofile-instr-generate -fcoverage-mapping, or rustc -C instrument-coverage")
	// ErrVersion: the mapping is of an LLVM that is too old or too new.
	ErrVersion = errors.New("unsupported version of a coverage mapping")
	// ErrMalformed: the mapping has invalid data.
	ErrMalformed = errors.New("malformed coverage mapping: the program was changed after it was linked; build it again")
	// ErrDomain: the archive's counters have no mapping to source code.
	ErrDomain = errors.New("only counters of a front end (clang -fprofile-instr-generate, rustc -C instrument-coverage) " +
		"have a mapping to source lines; those of -fprofile-generate are of edges that the compiler alone knows")
	// ErrNotMapped: the mapping has no such function or file.
	ErrNotMapped = errors.New("not in the coverage mapping")
	// ErrMismatch: the program's function is not the code that was counted.
	ErrMismatch = errors.New("the program has other code than was counted")
)

// An Error describes invalid data in a program, with its place.
type Error struct {
	Program string // name of the file
	Section string // "" for the file as a whole
	Offset  int64  // in the sections of that name, one after the other
	Kind    error  // the sentinel that the error matches
	Detail  string // the fault
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

// A Mismatch is a function of the program whose code was not counted, because the program
// was built from other source or by another compiler.
type Mismatch struct {
	Program string
	Name    string // of the function
	Hash    uint64 // FuncHash of the program's code
	// Counters is how many counters the archive has for Hash, if they are fewer than the
	// mapping refers to; -1 if it has profiles of other hashes alone.
	Counters int
}

// Error names the program and the function.
func (e *Mismatch) Error() string {
	if e.Counters >= 0 {
		return fmt.Sprintf("%s: %q: %v: its mapping refers to more than the %d counters of the profile", e.Program, e.Name,
			ErrMismatch, e.Counters)
	}
	return fmt.Sprintf("%s: %q: %v: the profile has no counters of hash 0x%016x", e.Program, e.Name, ErrMismatch, e.Hash)
}

// Unwrap returns ErrMismatch.
func (e *Mismatch) Unwrap() error { return ErrMismatch }
