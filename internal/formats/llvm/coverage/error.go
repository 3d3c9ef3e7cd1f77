package coverage

import (
	"errors"
	"fmt"
)

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
