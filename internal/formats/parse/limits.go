package parse

import (
	"errors"
	"fmt"
	"strings"
)

// The limits of importers. What tools write is far below them; a file that exceeds one is not the file that
// was meant, or was made to use up memory. docs/design.md lists them.
const (
	// MaxLine is the length of a line in bytes, in the text of an archive and LLVM's text. The longest lines
	// that tools write hold all counters or all names of a function or a trace.
	MaxLine = 64 << 20
	// MaxJamaicaLine is the length of a line in bytes in a JamaicaVM's profile.
	MaxJamaicaLine = 1 << 20
	// MaxItem is the size in bytes of one item of an iprof file: a type, a method, a
	// record, or the value of an unknown key.
	MaxItem = 16 << 20
	// MaxNesting is how deep JSON may be nested.
	MaxNesting = 1000
	// MaxKeys is the number of unknown keys in an iprof file.
	MaxKeys = 4096
	// MaxSmallItems is the number of items of an iprof file that are left out and
	// are shorter than SmallItem bytes.
	MaxSmallItems = 1 << 18
	SmallItem     = 16
	// MaxValueSites is the number of value sites of one kind in a function; LLVM counts them in 16 bits.
	MaxValueSites = 1<<16 - 1
	// MaxExpansion is the ratio of an input's size to its compressed size, once the input is larger than
	// FreeExpansion bytes. It also holds for the names in LLVM's files.
	MaxExpansion  = 64
	FreeExpansion = 16 << 20
	// FreeNames is the number of names that a section of LLVM's files may hold in
	// addition to one for each of its bytes, compressed or not.
	FreeNames = 4096
	// MaxWindow is the memory in bytes that a zstd stream may request at once.
	MaxWindow = 128 << 20
)

// ErrLimit is matched by every [*LimitError].
var ErrLimit = errors.New("a limit of the importer is exceeded")

// ErrExpansion is matched by the [*LimitError] of an input that expands too much.
var ErrExpansion = errors.New("a compressed input expands too much")

// A LimitError says which limit a file exceeds. An importer wraps it in an error that says where.
type LimitError struct {
	What   string // what there is too much of, with a verb for Most: "a line of more than %d bytes"
	Most   int64
	Advice string // what to do; empty if that is the caller's to say
	Kind   error  // a further error to match beside ErrLimit, or nil
}

// Error returns `a line of more than 67108864 bytes: no tool writes ...`.
func (e *LimitError) Error() string {
	return strings.TrimSuffix(fmt.Sprintf(e.What, e.Most)+": "+e.Advice, ": ")
}

// Is reports whether target is ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// Unwrap returns the kind.
func (e *LimitError) Unwrap() error { return e.Kind }

// Exceeded returns the error for a file that no tool writes. What has a verb for the limit.
func Exceeded(what string, most int64) *LimitError {
	return &LimitError{What: what, Most: most,
		Advice: "no tool writes such a file; check that it is the right file, and make it again"}
}
