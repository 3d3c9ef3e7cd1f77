package layout

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Magic opens every archive. Its first byte is not ASCII, and its CR LF and
// ^Z are damaged by a transfer in text mode.
var Magic = [8]byte{0x89, 'P', 'A', 'R', 'C', '\r', '\n', 0x1a}

const (
	// ByteOrderMark reads as this number where the byte order is right.
	ByteOrderMark = 0x0a0b0c0d
	// Draft is set in the version of a format that is not final yet. A reader
	// takes only its own draft.
	Draft = 1 << 31
	// Version is the format version that this code reads and writes.
	Version = Draft | 3
	// HeaderSize is the size of this version's header in bytes.
	HeaderSize = 640
	// genericSize is the part of the header that never changes.
	genericSize = 64
	// maxHeaderSize bounds what any version may claim.
	maxHeaderSize = 1 << 16
)

// Offsets of the header's fields. docs/format.md has the same table.
const (
	offMagic       = 0   // 8 bytes
	offByteOrder   = 8   // u32
	offVersion     = 12  // u32
	offHeaderSize  = 16  // u32
	offZero1       = 20  // u32
	offFileSize    = 24  // u64
	offHeaderSum   = 32  // u64
	offRequired    = 40  // u64
	offOptional    = 48  // u64
	offZero2       = 56  // u64
	offDomain      = 64  // u32
	offPageShift   = 68  // u32
	offBase        = 72  // u64
	offRWShift     = 80  // u32
	offMaxProbe    = 84  // u32
	offSeed        = 88  // u64
	offSumRoot     = 96  // u64
	offBuckets     = 104 // u64
	offFingerprint = 112 // 16 bytes
	offDumpID      = 128 // 16 bytes
	offDumpTime    = 144 // i64
	offFlags       = 152 // u64
	offParams      = 160 // 16 x u32
	offProducer    = 224 // 64 bytes
	offRegions     = 288 // 6 x 24 bytes
	offSections    = 432 // 5 x 16 bytes
	offCounts      = 512 // 8 x u64
	offSummary     = 576 // 8 x u64
)

// Feature bits. A reader refuses an archive with a required feature that it
// does not know, and ignores optional ones.
const (
	// KnownRequired are the required features this code knows: none yet.
	KnownRequired = 0
)

// Flags say what the archive is a record of.
const (
	FlagDelta  = 1 << 0 // counts are what was added since a dump, not totals
	FlagMerged = 1 << 1 // made from several dumps; table TableDumps names them
)

// KnownFlags are the flags of this version.
const KnownFlags = FlagDelta | FlagMerged

// Counts says how much of everything the archive holds.
type Counts struct {
	Methods  uint64 `json:"methods"`   // method records, and rows of methods that never ran
	NeverRan uint64 `json:"never_ran"` // of these, methods that were seen and never ran
	Profiles uint64 `json:"profiles"`  // MethodData blocks
	Contexts uint64 `json:"contexts"`  // context nodes
	Types    uint64 `json:"types"`     // type records
	Symbols  uint64 `json:"symbols"`   // symbols of the symbol section
	Entries  uint64 `json:"entries"`   // profile entries of all blocks and sections
	Pointers uint64 `json:"pointers"`  // pointer slots of rw
}

// Summary is what a reader may want to know before it looks at a profile.
// Sums saturate.
type Summary struct {
	TotalInvocations uint64 `json:"invocations"` // sum of all invocation counters
	MaxInvocations   uint64 `json:"max_invocations"`
	TotalCount       uint64 `json:"counts"` // sum of all count cells of data entries
	MaxCount         uint64 `json:"max_count"`
}

// A Section is a part of ro.
type Section int

// The sections of ro, in file order.
const (
	SectionSymbols Section = iota
	SectionTypes
	SectionMethods
	SectionNeverRan // methods of which nothing is known but that they never ran
	SectionContexts
	NumSections = 5
)

var sectionNames = [NumSections]string{"symbols", "types", "methods", "never ran", "contexts"}

func (s Section) String() string { return sectionNames[s] }

// A Header is the decoded header.
type Header struct {
	Version     uint32
	FileSize    int64
	Required    uint64 // required feature bits
	Optional    uint64 // optional feature bits
	Domain      Domain
	Base        uint64 // requested base: the address that pointers in rw are made for
	RWShift     uint32 // log2 of the alignment of rw
	MaxProbe    uint32 // index: the most lines a look-up touches
	Seed        uint64 // index: what ids are mixed with
	SumRoot     uint64 // sum of the top of the page sum tree
	Buckets     uint64 // index: number of lines
	Fingerprint [16]byte
	DumpID      [16]byte
	DumpTime    int64 // nanoseconds since 1970, 0 if not known
	Flags       uint64
	Params      Params
	Producer    string // at most 64 bytes of UTF-8
	Regions     [NumRegions]Span
	Sections    [NumSections]Span
	Counts      Counts
	Summary     Summary
}

// Region gives the place of a region; the header itself is one.
func (h *Header) Region(r Region) Span {
	if r == RegionHeader {
		return Span{0, HeaderSize}
	}
	return h.Regions[r-1]
}

// SetRegion sets the place of a region.
func (h *Header) SetRegion(r Region, s Span) { h.Regions[r-1] = s }

// MethodPlaces is the part of the file where methods are: their records, then
// the rows of those that never ran.
func (h *Header) MethodPlaces() Span {
	first := h.Sections[SectionMethods]
	return Span{first.Offset, h.Sections[SectionNeverRan].End() - first.Offset}
}

// RegionAt names the region that holds the byte at offset; bytes between
// regions belong to the one before them.
func (h *Header) RegionAt(offset int64) Region {
	at := RegionHeader
	for r := RegionPS; r < regionEnd; r++ {
		if s := h.Region(r); s.Size > 0 && offset >= s.Offset {
			at = r
		}
	}
	return at
}

// Time is the time of the dump, or the zero time if it is not known.
func (h *Header) Time() time.Time {
	if h.DumpTime == 0 {
		return time.Time{}
	}
	return time.Unix(0, h.DumpTime)
}

// Append appends the encoded header, its sum filled in.
func (h *Header) Append(b []byte) []byte {
	start := len(b)
	b = append(b, make([]byte, HeaderSize)...)
	p := b[start:]
	h.encodeGeneric(p)
	h.encodeIdentity(p)
	h.encodeGeometry(p)
	h.encodeCounts(p)
	le.PutUint64(p[offHeaderSum:], headerSum(p))
	return b
}

var le = binary.LittleEndian

func (h *Header) encodeGeneric(p []byte) {
	copy(p[offMagic:], Magic[:])
	le.PutUint32(p[offByteOrder:], ByteOrderMark)
	le.PutUint32(p[offVersion:], Version)
	le.PutUint32(p[offHeaderSize:], HeaderSize)
	le.PutUint64(p[offFileSize:], uint64(h.FileSize))
	le.PutUint64(p[offRequired:], h.Required)
	le.PutUint64(p[offOptional:], h.Optional)
}

func (h *Header) encodeIdentity(p []byte) {
	le.PutUint32(p[offDomain:], uint32(h.Domain))
	le.PutUint32(p[offPageShift:], PageShift)
	le.PutUint64(p[offBase:], h.Base)
	le.PutUint32(p[offRWShift:], h.RWShift)
	le.PutUint32(p[offMaxProbe:], h.MaxProbe)
	le.PutUint64(p[offSeed:], h.Seed)
	le.PutUint64(p[offSumRoot:], h.SumRoot)
	le.PutUint64(p[offBuckets:], h.Buckets)
	copy(p[offFingerprint:], h.Fingerprint[:])
	copy(p[offDumpID:], h.DumpID[:])
	le.PutUint64(p[offDumpTime:], uint64(h.DumpTime))
	le.PutUint64(p[offFlags:], h.Flags)
	for i, v := range h.Params {
		le.PutUint32(p[offParams+4*i:], v)
	}
	copy(p[offProducer:offProducer+64], h.Producer)
}

func (h *Header) encodeGeometry(p []byte) {
	for i, s := range h.Regions {
		q := p[offRegions+24*i:]
		le.PutUint64(q, uint64(s.Offset))
		le.PutUint64(q[8:], uint64(s.Size))
		le.PutUint32(q[16:], uint32(protections[i+1]))
		le.PutUint32(q[20:], uint32(i+1))
	}
	for i, s := range h.Sections {
		q := p[offSections+16*i:]
		le.PutUint64(q, uint64(s.Offset))
		le.PutUint64(q[8:], uint64(s.Size))
	}
}

func (h *Header) encodeCounts(p []byte) {
	c, s := h.Counts, h.Summary
	for i, v := range []uint64{c.Methods, c.NeverRan, c.Profiles, c.Contexts, c.Types, c.Symbols, c.Entries, c.Pointers} {
		le.PutUint64(p[offCounts+8*i:], v)
	}
	for i, v := range []uint64{s.TotalInvocations, s.MaxInvocations, s.TotalCount, s.MaxCount} {
		le.PutUint64(p[offSummary+8*i:], v)
	}
}

// headerSum is XXH64 of the header with the sum's own eight bytes left out.
func headerSum(p []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	d.Write(p[:offHeaderSum])
	d.Write(p[offHeaderSum+8:])
	return d.Sum64()
}

// Resum writes the sum of the header at the front of b anew. It is for tests
// and tools that change a header on purpose.
func Resum(b []byte) { le.PutUint64(b[offHeaderSum:], headerSum(b[:HeaderSize])) }

// ParseHeader decodes and checks the header at the front of b, the first bytes
// of a file of fileSize bytes. b need not be the whole file. Errors match
// ErrFormat, ErrVersion, ErrTruncated, ErrChecksum or ErrCorrupt.
func ParseHeader(b []byte, fileSize int64) (*Header, error) {
	size, err := parseGeneric(b, fileSize)
	if err != nil {
		return nil, err
	}
	h := &Header{}
	h.decode(b[:size])
	if err := h.check(b[:size]); err != nil {
		return nil, err
	}
	return h, nil
}

func parseGeneric(b []byte, fileSize int64) (size int, err error) {
	switch {
	case fileSize == 0:
		return 0, &Error{Offset: 0, Kind: ErrFormat, Detail: "the file is empty"}
	case len(b) < 8 || !bytes.Equal(b[:8], Magic[:]):
		return 0, &Error{Offset: 0, Kind: ErrFormat, Detail: magicDetail(b)}
	case len(b) < genericSize:
		return 0, &Error{Offset: int64(len(b)), Kind: ErrTruncated, Detail: "the header is cut off"}
	case le.Uint32(b[offByteOrder:]) != ByteOrderMark:
		return 0, Corrupt(RegionHeader, offByteOrder, "byte order mark is 0x%08x, want 0x%08x", le.Uint32(b[offByteOrder:]), ByteOrderMark)
	}
	n := le.Uint32(b[offHeaderSize:])
	if n < genericSize || n > maxHeaderSize {
		return 0, Corrupt(RegionHeader, offHeaderSize, "header size is %d", n)
	}
	if want := le.Uint64(b[offFileSize:]); want != uint64(fileSize) {
		return 0, sizeError(want, fileSize)
	}
	if len(b) < int(n) {
		return 0, &Error{Offset: int64(len(b)), Kind: ErrTruncated, Detail: "the header is cut off"}
	}
	if got, want := headerSum(b[:n]), le.Uint64(b[offHeaderSum:]); got != want {
		return 0, &Error{Offset: offHeaderSum, Kind: ErrChecksum, Detail: fmt.Sprintf("header sums to %016x, recorded is %016x", got, want)}
	}
	return int(n), parseVersion(b, n)
}

func parseVersion(b []byte, size uint32) error {
	if v := le.Uint32(b[offVersion:]); v != Version {
		return &Error{Offset: offVersion, Kind: ErrVersion,
			Detail: fmt.Sprintf("the archive has format version %s, this program reads %s: write it again with a matching profarc", VersionString(v), VersionString(Version))}
	}
	if r := le.Uint64(b[offRequired:]); r&^uint64(KnownRequired) != 0 {
		return &Error{Offset: offRequired, Kind: ErrVersion,
			Detail: fmt.Sprintf("the archive needs features 0x%x that this program does not know: use a newer profarc", r&^uint64(KnownRequired))}
	}
	if size != HeaderSize {
		return Corrupt(RegionHeader, offHeaderSize, "header size is %d, version %s has %d", size, VersionString(Version), HeaderSize)
	}
	return nil
}

// VersionString gives "draft 3" or "1".
func VersionString(v uint32) string {
	if v&Draft != 0 {
		return fmt.Sprintf("draft %d", v&^Draft)
	}
	return fmt.Sprint(v)
}

func magicDetail(b []byte) string {
	if len(b) >= 5 && bytes.Equal(b[1:5], Magic[1:5]) {
		return "the first bytes were changed, as a transfer in text mode does: copy the file again in binary mode"
	}
	return "the file does not begin with the archive magic"
}

func sizeError(want uint64, have int64) error {
	if want > uint64(have) {
		return &Error{Offset: have, Kind: ErrTruncated, Detail: fmt.Sprintf("the file has %d bytes, its header says %d: copy or write it again", have, want)}
	}
	return Corrupt(RegionHeader, offFileSize, "the file has %d bytes, its header says %d", have, want)
}

func (h *Header) decode(p []byte) {
	h.Version = le.Uint32(p[offVersion:])
	h.FileSize = int64(le.Uint64(p[offFileSize:]))
	h.Required = le.Uint64(p[offRequired:])
	h.Optional = le.Uint64(p[offOptional:])
	h.Domain = Domain(le.Uint32(p[offDomain:]))
	h.Base = le.Uint64(p[offBase:])
	h.RWShift = le.Uint32(p[offRWShift:])
	h.MaxProbe = le.Uint32(p[offMaxProbe:])
	h.Seed = le.Uint64(p[offSeed:])
	h.SumRoot = le.Uint64(p[offSumRoot:])
	h.Buckets = le.Uint64(p[offBuckets:])
	copy(h.Fingerprint[:], p[offFingerprint:])
	copy(h.DumpID[:], p[offDumpID:])
	h.DumpTime = int64(le.Uint64(p[offDumpTime:]))
	h.Flags = le.Uint64(p[offFlags:])
	for i := range h.Params {
		h.Params[i] = le.Uint32(p[offParams+4*i:])
	}
	h.Producer = string(bytes.TrimRight(p[offProducer:offProducer+64], "\x00"))
	for i := range h.Regions {
		h.Regions[i] = decodeSpan(p[offRegions+24*i:])
	}
	for i := range h.Sections {
		h.Sections[i] = decodeSpan(p[offSections+16*i:])
	}
	h.decodeCounts(p)
}

func decodeSpan(p []byte) Span {
	return Span{int64(le.Uint64(p)), int64(le.Uint64(p[8:]))}
}

func (h *Header) decodeCounts(p []byte) {
	at := func(off, i int) uint64 { return le.Uint64(p[off+8*i:]) }
	h.Counts = Counts{at(offCounts, 0), at(offCounts, 1), at(offCounts, 2), at(offCounts, 3),
		at(offCounts, 4), at(offCounts, 5), at(offCounts, 6), at(offCounts, 7)}
	h.Summary = Summary{at(offSummary, 0), at(offSummary, 1), at(offSummary, 2), at(offSummary, 3)}
}
