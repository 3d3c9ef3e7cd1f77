// Package layout is the vocabulary of profarc archives: keys and ids of methods,
// domains, tags of profile entries, the header, flags, tables, and the errors that
// all packages share. It does no I/O. The encoding of records, blocks, index and
// sums is internal; docs/format.md specifies it.
//
// # Format
//
// An archive is one file. All integers are little-endian. The normative
// description is docs/format.md; the drawing here is the map to it.
//
//	0 +---------------------------------------------------------------+
//	  | header   generic part (64 B, never changes) | this version's   |
//	  +---------------------------------------------------------------+
//	  | ps       page sums: a tree of XXH64, the root is in the header |
//	  +---------------------------------------------------------------+
//	  | ix       hash index: lines of 64 B over methods and types      |
//	  +---------------------------------------------------------------+
//	  | ro       symbols | types | methods | unexecuted | contexts     |
//	  +---------------------------------------------------------------+
//	  | bm       relocation bitmaps of rw, one Roaring bitmap a chunk  |
//	  +---------------------------------------------------------------+
//	  | ex       tables of data that belongs to no method              |
//	  +---------------------------------------------------------------+
//	  | (zeros up to 64 KiB, or 2 MiB for a large rw)                  |
//	  +---------------------------------------------------------------+
//	  | rw       MethodData blocks: the profiles themselves            |
//	  +---------------------------------------------------------------+
//
// A MethodData block holds the profile of one method, for one version of its
// code, in one calling context:
//
//	+--------------------+----------------------------------------------+
//	| 16 B block header  | u32 units, u32 method, u32 presence, u32 data |
//	| optional fields    | in the order of their presence bits           |
//	| data entries       | in the order of the profile points            |
//	| extra entries      | traps without an entry of their own, ArgInfo  |
//	| parameters         | one ParametersType entry                      |
//	| handlers           | Bit entries of exception handlers             |
//	| point directory    | (i32 point, u32 unit), sorted                 |
//	+--------------------+----------------------------------------------+
//
// # Addresses
//
// Inside ix, ro and ex, and between MethodData blocks, a place in the file is
// a [Ref]: its offset in units of 8 bytes, 32 bits wide, 0 for none. It
// reaches 32 GiB and never needs relocation. Inside the cells of rw a type or
// a method is a real 64-bit pointer: the requested base plus the offset of
// its record. Every such slot, null or not, has its bit in bm.
//
// # Alignment
//
// Every record, field and cell is a multiple of 8 bytes and is on a multiple
// of 8, so that whatever is counted in place is naturally aligned. Regions
// begin on a multiple of 64; rw begins on a boundary of its own.
//
// # Trust
//
// Nothing in a file is trusted. Every offset and size is checked before it is
// used, and every walk must end exactly at its stated end. What does not fit is
// an [*Error] that matches [ErrCorrupt] and names region and offset.
package layout

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/internal/file/extent"
)

// headerSize is disk.HeaderSize.
const headerSize = 640

// A Header is the decoded header.
type Header struct {
	Version     uint32
	FileSize    int64
	Sum         uint64 // of the header, and by way of SumRoot of the whole file
	Required    uint64 // required feature bits
	Optional    uint64 // optional feature bits
	ReadOnly    uint64 // bits of features without which the archive must not be adopted or copied
	Domain      Domain
	Base        uint64 // requested base: the address at which pointers in rw are right as stored
	RWShift     uint32 // log2 of the alignment of rw
	MaxProbe    uint32 // index: the most lines that a lookup reads
	Seed        uint64 // index: mixed into ids
	SumRoot     uint64 // sum of the top of the page sum tree
	Buckets     uint64 // index: number of lines
	Fingerprint [16]byte
	DumpID      [16]byte
	DumpTime    int64  // nanoseconds since 1970, 0 if unknown
	Flags       uint64 // bit 0: counts are those since another dump; bit 1: made from several dumps
	Params      Params
	Producer    string // at most 64 bytes of UTF-8
	// of DomainCustom: what the producer's points, keys and shapes mean; zero in all others
	ProducerID [16]byte
	Regions    [6]extent.Span // by Region-1
	Parts      [5]extent.Span // of ro: symbols, types, methods, unexecuted methods, contexts
	Counts     Counts
	Summary    Summary
}

// Region returns the place of a region; the header itself is one.
func (h *Header) Region(r extent.Region) extent.Span {
	if r == 0 {
		return extent.Span{Offset: 0, Size: headerSize}
	}
	return h.Regions[r-1]
}

// Time returns the time of the dump, or the zero time if it is not known.
func (h *Header) Time() time.Time {
	if h.DumpTime == 0 {
		return time.Time{}
	}
	return time.Unix(0, h.DumpTime)
}

// Counts is how many records of each kind the archive has.
type Counts struct {
	Methods    uint64 `json:"methods"`   // method records, and rows of unexecuted methods
	Unexecuted uint64 `json:"never_ran"` // of these, methods that the run saw and did not execute
	Profiles   uint64 `json:"profiles"`  // MethodData blocks
	Contexts   uint64 `json:"contexts"`  // context nodes
	Types      uint64 `json:"types"`     // type records
	Symbols    uint64 `json:"symbols"`   // symbols of the symbol section
	Entries    uint64 `json:"entries"`   // profile entries of all blocks and sections
	Pointers   uint64 `json:"pointers"`  // pointer slots of rw
}

// Summary is totals and maxima over all profiles. Sums saturate.
type Summary struct {
	TotalInvocations uint64 `json:"invocations"` // sum of all invocation counters
	MaxInvocations   uint64 `json:"max_invocations"`
	TotalCount       uint64 `json:"counts"` // sum of all count cells of data entries
	MaxCount         uint64 `json:"max_count"`
}

// A Ref refers to a record in the file by its offset in units of 8 bytes. 0 is
// none: no record is at the start of the file.
type Ref uint32

// Offset returns the offset in bytes from the start of the file.
func (n Ref) Offset() int64 { return int64(n) * 8 }

// TypeFlags qualify a type.
type TypeFlags uint32

// The flags of a type.
const (
	TypeHidden       TypeFlags = 1 << 0 // a hidden class: its name is made up by the VM
	TypeNotMatchable TypeFlags = 1 << 1 // the name does not identify the type in another run
)

// MethodFlags are the flags of a method. The bits that are not listed here are internal to the encoding.
type MethodFlags uint16

// The flags of a method.
const (
	MethodNotMatchable MethodFlags = 1 << 4 // the key does not identify the method in another run
)

// The sentinels that errors of this module match with errors.Is.
var (
	// ErrCorrupt: the bytes are not a sound archive.
	ErrCorrupt = errors.New("corrupt archive")
	// ErrChecksum: bytes differ from their sum. It matches ErrCorrupt too.
	ErrChecksum = fmt.Errorf("%w: checksum mismatch", ErrCorrupt)
	// ErrTruncated: the file is shorter than its header says. It matches ErrCorrupt too.
	ErrTruncated = fmt.Errorf("%w: truncated", ErrCorrupt)
	// ErrFormat: not an archive.
	ErrFormat = errors.New("not a profarc archive")
	// ErrVersion: an archive, but of a version or with features this code does not read.
	ErrVersion = errors.New("unsupported archive version")
	// ErrIdentity: a sound archive, but not the one that was expected.
	ErrIdentity = errors.New("archive does not match what was expected")
	// ErrTooLarge: a limit of the format is exceeded.
	ErrTooLarge = errors.New("limit of the archive format exceeded")
)

// An Error is a defect of an archive, with its place.
type Error struct {
	File   string        // the archive's name, empty if it has none
	Region extent.Region // the region in which the offset is
	Offset int64         // from the start of the file, in bytes; negative if there is no single place
	Kind   error         // the sentinel that the error matches
	Detail string        // what was found there
	Advice string        // what the user can do about it; empty if that depends on Kind alone
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

// HasAdvice reports whether the message has advice. Other errors of this module with
// advice have the same method.
func (e *Error) HasAdvice() bool { return e.Advice != "" }

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Kind }
