// Package limit states how much of one thing importers take. What a tool writes
// is far below each limit; what goes beyond one is made to use up memory, or is
// not the file that was meant. Memory is then a multiple of the input, since an
// importer never makes room for what it has not read.
package limit

import (
	"errors"
	"fmt"
)

// The limits. docs/design.md lists them.
const (
	// Line is the longest line in bytes of the text of an archive, of LLVM's text
	// and of a replay file. The longest that tools write have all counters or all
	// names of a function or trace.
	Line = 64 << 20
	// JamaicaLine is the longest line of a JamaicaVM's profile in bytes.
	JamaicaLine = 1 << 20
	// Item is the longest item of an iprof file in bytes: a type, method or record,
	// or all that stands under a key that means nothing here.
	Item = 16 << 20
	// Nesting is how deep JSON may be nested.
	Nesting = 1000
	// Keys is the number of keys of an iprof file that mean nothing here.
	Keys = 4096
	// SmallItems is the number of items of an iprof file that are kept as text and
	// have fewer than SmallItem bytes.
	SmallItems = 1 << 18
	SmallItem  = 16
	// ValueSites is the number of value sites of one kind in a function: LLVM counts
	// them in 16 bits.
	ValueSites = 1<<16 - 1
	// Expansion is how many times as long as its compressed form an input may be,
	// once it is longer than Expanded bytes. The names in LLVM's files are held to
	// it, too.
	Expansion = 64
	Expanded  = 16 << 20
	// FewNames is the number of names that a section of LLVM's files may have beside
	// one for each of its bytes, packed or not.
	FewNames = 4096
	// Window is the memory in bytes that a zstd stream may ask for at once.
	Window = 128 << 20
)

// Err is what every [*Error] matches.
var Err = errors.New("a limit of the importer is exceeded")

// An Error says which limit a file exceeds. The error of the importer that wraps
// it says where.
type Error struct {
	What   string // of which there is too much, as "a line of more than %d bytes"
	Most   int64
	Advice string // what to do
}

// Error returns `a line of more than 67108864 bytes: check that ...`.
func (e *Error) Error() string { return fmt.Sprintf(e.What, e.Most) + ": " + e.Advice }

// Is reports whether target is Err.
func (e *Error) Is(target error) bool { return target == Err }

// Exceeded returns the error of a file that no tool writes. What has a verb for
// the limit.
func Exceeded(what string, most int64) *Error {
	return &Error{what, most, "no tool writes such a file; check that it is the one that you mean, and make it again"}
}
