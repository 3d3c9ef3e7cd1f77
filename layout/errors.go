package layout

import (
	"errors"
	"fmt"
	"strings"
)

// The sentinels that errors of this module match with errors.Is.
var (
	// ErrCorrupt: the bytes are not a sound archive.
	ErrCorrupt = errors.New("corrupt archive")
	// ErrChecksum: bytes differ from their sum. It matches ErrCorrupt too.
	ErrChecksum = fmt.Errorf("%w: checksum mismatch", ErrCorrupt)
	// ErrTruncated: the file is shorter than it says. It matches ErrCorrupt too.
	ErrTruncated = fmt.Errorf("%w: truncated", ErrCorrupt)
	// ErrFormat: not an archive at all.
	ErrFormat = errors.New("not a profarc archive")
	// ErrVersion: an archive, but of a version or with features this code
	// does not read.
	ErrVersion = errors.New("unsupported archive version")
	// ErrIdentity: a sound archive, but not the one that was expected.
	ErrIdentity = errors.New("archive does not match what was expected")
	// ErrTooLarge: a limit of the format is exceeded.
	ErrTooLarge = errors.New("limit of the archive format exceeded")
)

// An Error says what is wrong with an archive, and where.
type Error struct {
	File   string // the archive's name, empty if it has none
	Region Region // the region in which the offset lies
	Offset int64  // from the start of the file, in bytes; negative if no single place is meant
	Kind   error  // the sentinel that the error matches
	Detail string // what was found there
	Advice string // what to do about it; empty if Kind alone decides that
}

// Error returns "app.parc: rw: at 0x1a40: detail".
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s: ", e.File)
	}
	fmt.Fprintf(&b, "%s: ", e.Region)
	if e.Offset >= 0 {
		fmt.Fprintf(&b, "at 0x%x: ", e.Offset)
	}
	fmt.Fprintf(&b, "%v", e.Kind)
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	if e.Advice != "" {
		fmt.Fprintf(&b, ": %s", e.Advice)
	}
	return b.String()
}

// HasAdvice reports whether the message says what to do about the error. Other
// errors of this module that do have the same method.
func (e *Error) HasAdvice() bool { return e.Advice != "" }

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Kind }
