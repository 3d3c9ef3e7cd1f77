// Package layout defines the vocabulary of profarc archives. It has keys and ids of methods, domains, tags of profile
// entries, the header, flags, and the errors that all packages share. It does no I/O. The encoding of records, blocks,
// index and checksums is internal, and docs/format.md specifies it.
//
// # Format
//
// An archive is one file with little-endian integers. This is an overview of the description in docs/format.md.
//
//	0 +---------------------------------------------------------------+
//	  | header   generic part (64 B, never changes) | this version's   |
//	  +---------------------------------------------------------------+
//	  | ps       page checksums, a tree of XXH64; header has its root  |
//	  +---------------------------------------------------------------+
//	  | ix       hash index: lines of 64 B over methods and types      |
//	  +---------------------------------------------------------------+
//	  | ro       symbols | types | methods | unexecuted | contexts     |
//	  +---------------------------------------------------------------+
//	  | bm       relocation bitmaps of rw, one Roaring bitmap a chunk  |
//	  +---------------------------------------------------------------+
//	  | ex       tables of data outside methods                        |
//	  +---------------------------------------------------------------+
//	  | (zeros up to 64 KiB, or 2 MiB for a large rw)                  |
//	  +---------------------------------------------------------------+
//	  | rw       profiles as MethodData blocks                         |
//	  +---------------------------------------------------------------+
//
// A MethodData block has the profile of one version of a method's code in one calling context:
//
//	+--------------------+----------------------------------------------+
//	| 16 B block header  | u32 units, u32 method, u32 presence, u32 data |
//	| optional fields    | in the order of their presence bits           |
//	| data entries       | in the order of the profile points            |
//	| extra entries      | traps at points without an entry, ArgInfo     |
//	| parameters         | one ParametersType entry                      |
//	| handlers           | Bit entries of exception handlers             |
//	| point directory    | (i32 point, u32 unit), sorted                 |
//	+--------------------+----------------------------------------------+
//
// # Addresses
//
// In ix, ro and ex, and between MethodData blocks, a reference to a record is a [Ref]. It is 32 bits wide and counts
// 8-byte units from the start of the file, which covers 32 GiB. It never needs relocation. In the cells of rw, a
// reference to a type or method is a 64-bit pointer with the value requested base + offset of the record. Each such
// slot, null or not, has a bit in bm.
//
// # Alignment
//
// Each record, field and cell has a size and an offset that are multiples of 8, so that counters are
// naturally aligned. Regions begin at multiples of 64. RWShift in the header has the larger alignment of rw.
//
// # Trust
//
// Files are untrusted. Each offset and size is checked before use, and each walk over records must end exactly at the
// end of its section. Otherwise there is an [*Error] that matches [ErrCorrupt] and has region and offset.
package layout

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Header is the decoded header.
type Header struct {
	Version     uint32
	FileSize    int64
	Sum         uint64 // checksum of the header, which includes SumRoot and so covers the file
	Required    uint64 // required feature bits
	Optional    uint64 // optional feature bits
	ReadOnly    uint64 // feature bits; readers that do not know all of them must not adopt or copy the archive
	Domain      Domain
	Base        uint64 // requested base, the address for which the pointers in rw are stored
	RWShift     uint32 // log2 of the alignment of rw
	MaxProbe    uint32 // maximum number of index lines that a lookup reads
	Seed        uint64 // seed of the index hash
	SumRoot     uint64 // checksum of the top of the page checksum tree
	Buckets     uint64 // number of index lines
	Fingerprint [16]byte
	DumpID      [16]byte
	DumpTime    int64  // nanoseconds since 1970, 0 if unknown
	Flags       uint64 // bit 0 is set if counts are the difference to another dump, bit 1 if several dumps were merged
	Params      Params
	Producer    string   // UTF-8 of at most 64 bytes
	ProducerID  [16]byte // meaning of points, keys and shapes in DomainCustom; zero in other domains
	Regions     [6]Span  // ps, ix, ro, bm, ex and rw; the index is Region-1
	Parts       [5]Span  // sections of ro, in the order symbols, types, methods, unexecuted methods, contexts
	Counts      Counts
	Summary     Summary
}

// Time returns the time of the dump; zero if unknown.
func (h *Header) Time() time.Time {
	if h.DumpTime == 0 {
		return time.Time{}
	}
	return time.Unix(0, h.DumpTime)
}

// Counts are the numbers of records in the archive.
type Counts struct {
	Methods    uint64 `json:"methods"`   // method records and rows of unexecuted methods
	Unexecuted uint64 `json:"never_ran"` // methods that the run loaded and did not execute, included in Methods
	Profiles   uint64 `json:"profiles"`  // MethodData blocks
	Contexts   uint64 `json:"contexts"`  // context nodes
	Types      uint64 `json:"types"`     // type records
	Symbols    uint64 `json:"symbols"`   // symbols
	Entries    uint64 `json:"entries"`   // profile entries in all sections of blocks
	Pointers   uint64 `json:"pointers"`  // pointer slots in rw
}

// Summary has totals and maxima over all profiles. Totals saturate.
type Summary struct {
	TotalInvocations uint64 `json:"invocations"`
	MaxInvocations   uint64 `json:"max_invocations"`
	TotalCount       uint64 `json:"counts"` // total of the count cells of data entries
	MaxCount         uint64 `json:"max_count"`
}

// A Ref is a reference to a record. It is the offset of the record in units of 8 bytes; 0 is the null reference.
type Ref uint32

// Offset returns the offset of the record in bytes from the start of the file.
func (n Ref) Offset() int64 { return int64(n) * 8 }

// TypeFlags qualify a type.
type TypeFlags uint32

// The flags of a type.
const (
	TypeHidden       TypeFlags = 1 << 0 // hidden class with a name generated by the VM
	TypeNotMatchable TypeFlags = 1 << 1 // the name does not identify the type in another run
)

// MethodFlags are the flags of a method. All bits but MethodNotMatchable are internal to the encoding.
type MethodFlags uint16

// The flags of a method.
const (
	MethodNotMatchable MethodFlags = 1 << 4 // the key does not identify the method in another run
)

// The sentinels that errors of this module match with errors.Is.
var (
	// ErrCorrupt is the error of bytes that are not a sound archive.
	ErrCorrupt = errors.New("corrupt archive")
	// ErrChecksum is the error of bytes that do not match their checksum. It also matches ErrCorrupt.
	ErrChecksum = fmt.Errorf("%w: checksum mismatch", ErrCorrupt)
	// ErrTruncated is the error of a file shorter than the size in its header. It also matches ErrCorrupt.
	ErrTruncated = fmt.Errorf("%w: truncated", ErrCorrupt)
	// ErrFormat is the error of a file that is not an archive.
	ErrFormat = errors.New("not a profarc archive")
	// ErrVersion is the error of an archive with a version or a feature that this module cannot read.
	ErrVersion = errors.New("unsupported archive version")
	// ErrIdentity is the error of a sound archive that is not the expected one.
	ErrIdentity = errors.New("archive does not match what was expected")
	// ErrTooLarge is the error of exceeding a limit of the format.
	ErrTooLarge = errors.New("limit of the archive format exceeded")
)

// An Error describes a defect of an archive.
type Error struct {
	File   string // name of the archive; "" if it is unnamed
	Region Region // region that contains Offset
	Offset int64  // offset in bytes from the start of the file; negative if the defect has no single offset
	Kind   error  // sentinel that the error matches
	Detail string // description of the defect
	Advice string // advice for the user; "" if it follows from Kind
}

// Error returns a string such as "app.parc: rw: at 0x1a40: corrupt archive: DETAIL".
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

// HasAdvice reports whether the message contains advice. Other errors of this module that contain advice have the same
// method.
func (e *Error) HasAdvice() bool { return e.Advice != "" }

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Kind }

// A Region is one of the parts of the file: 0 the header, 1 ps, 2 ix, 3 ro, 4 bm, 5 ex, 6 rw (docs/format.md, The
// file).
type Region uint32

// regionNames are in the order of the file. The header has no row in the region table.
var regionNames = [...]string{"header", "ps", "ix", "ro", "bm", "ex", "rw"}

func (r Region) String() string {
	if int(r) < len(regionNames) {
		return regionNames[r]
	}
	return fmt.Sprintf("region(%d)", uint32(r))
}

// A Span is a range of bytes of the file.
type Span struct{ Offset, Size int64 }

// End returns the offset of the first byte after the span.
func (s Span) End() int64 { return s.Offset + s.Size }

// Holds reports whether [offset, offset+size) is inside the span.
func (s Span) Holds(offset, size int64) bool {
	return offset >= s.Offset && size >= 0 && size <= s.Size && offset-s.Offset <= s.Size-size
}
