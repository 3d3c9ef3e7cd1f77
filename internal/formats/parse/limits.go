package parse

import (
	"errors"
	"fmt"
	"strings"
)

// Limits of importers. The files of real tools are far below them. They stop wrong files and files that were made
// to exhaust memory. docs/design.md lists them.
const (
	// MaxLine is the maximum length in bytes of a line of an archive's text and of LLVM's text. The longest lines of
	// real tools have all counters of a function or all names of a trace.
	MaxLine = 64 << 20
	// MaxJamaicaLine is the maximum length in bytes of a line of a JamaicaVM profile.
	MaxJamaicaLine = 1 << 20
	// MaxItem is the maximum size in bytes of an item of an iprof file, such as a type, a method, a record, or the
	// value of an unknown key.
	MaxItem = 16 << 20
	// MaxNesting is the maximum nesting depth of JSON.
	MaxNesting = 1000
	// MaxKeys is the maximum number of unknown keys in an iprof file.
	MaxKeys = 4096
	// MaxSmallItems is the maximum number of dropped items of an iprof file that are shorter than SmallItem bytes.
	MaxSmallItems = 1 << 18
	SmallItem     = 16
	// MaxValueSites is the maximum number of value sites of one kind in a function. LLVM has 16 bits for it.
	MaxValueSites = 1<<16 - 1
	// MaxExpansion is the maximum ratio of decompressed to compressed size of an input of more than FreeExpansion
	// bytes. It also applies to the names in LLVM's files.
	MaxExpansion  = 64
	FreeExpansion = 16 << 20
	// FreeNames is the number of names that a section of LLVM's files can have in addition to one per byte.
	FreeNames = 4096
	// MaxWindow is the maximum window of a zstd stream in bytes.
	MaxWindow = 128 << 20
)

// ErrLimit is matched by every [*LimitError].
var ErrLimit = errors.New("a limit of the importer is exceeded")

// ErrExpansion is matched by the [*LimitError] of an input that exceeds MaxExpansion.
var ErrExpansion = errors.New("a compressed input expands too much")

// A LimitError reports that a file exceeds a limit. Importers wrap it in an [*Error].
type LimitError struct {
	What   string // format of the message, such as "a line of more than %d bytes"
	Most   int64  // the limit, argument of the format
	Advice string // advice to the user, or ""
	Kind   error  // error that it matches besides ErrLimit, or nil
}

// Error returns `a line of more than 67108864 bytes: no tool writes ...`.
func (e *LimitError) Error() string {
	return strings.TrimSuffix(fmt.Sprintf(e.What, e.Most)+": "+e.Advice, ": ")
}

// Is reports whether target is ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// Unwrap returns e.Kind.
func (e *LimitError) Unwrap() error { return e.Kind }

// Exceeded returns an error with the advice to check the file. what must have a verb for most.
func Exceeded(what string, most int64) *LimitError {
	return &LimitError{What: what, Most: most,
		Advice: "no tool writes such a file; check that it is the right file, and make it again"}
}
