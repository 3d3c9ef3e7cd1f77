package disk

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/layout"
)

// Magic begins every archive. Its first byte is not ASCII, and a transfer in text mode damages its CR LF and ^Z.
var Magic = [8]byte{0x89, 'P', 'A', 'R', 'C', '\r', '\n', 0x1a}

const (
	// HeaderSize is the header size of this version in bytes.
	HeaderSize = 640
	// ByteOrderMark is the mark's value in the correct byte order.
	ByteOrderMark = 0x0a0b0c0d
	// Draft is the version bit of formats that are not final.
	Draft = 1 << 31
	// Version is the format version that this code writes. It reads all versions from 1 on.
	Version = 1
	// oldestDraft and newestDraft are the range of drafts that can be converted. See [CheckFinal].
	oldestDraft = Draft | 7
	newestDraft = Draft | 8
	// genericSize is the size of the header part that never changes.
	genericSize   = 64
	maxHeaderSize = 1 << 16
)

// Offsets of the header's fields, as in docs/format.md.
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
	offReadOnly    = 56  // u64
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
	offSummary     = 576 // 4 x u64
	offProducerID  = 608 // 16 bytes
	offZero3       = 624 // 16 bytes
)

// Feature bits. A reader rejects an archive with an unknown required feature and ignores optional ones. For read-only
// features see [CheckWritable].
const (
	// FeatureCrowded is the required feature of an archive with rows in TableCrowded. Bit 0 stays unknown, because
	// archives of testdata/v1 have it as an unknown feature.
	FeatureCrowded = 2
	// KnownRequired and KnownReadOnly are the features that this code supports.
	KnownRequired = FeatureCrowded
	KnownReadOnly = 0
)

const KnownFlags = FlagDelta | FlagMerged

// A Part is a section of ro.
type Part int

// The sections of ro, in file order.
const (
	PartSymbols Part = iota
	PartTypes
	PartMethods
	PartUnexecuted // methods that never ran and have only a key
	PartContexts
	NumParts = 5
)

var sectionNames = [NumParts]string{"symbols", "types", "methods", "never ran", "contexts"}

func (s Part) String() string { return sectionNames[s] }

func SetRegion(h *layout.Header, r layout.Region, s layout.Span) { h.Regions[r-1] = s }

// MethodPlaces returns the span of all methods: their records and the rows of methods that never ran.
func MethodPlaces(h *layout.Header) layout.Span {
	first := h.Parts[PartMethods]
	return layout.Span{Offset: first.Offset, Size: h.Parts[PartUnexecuted].End() - first.Offset}
}

// RegionAt returns the region of the byte at offset. A gap belongs to the region before it.
func RegionAt(h *layout.Header, offset int64) layout.Region {
	at := RegionHeader
	for r := range layout.Region(len(h.Regions) + 1) {
		if s := RegionOf(h, r); s.Size > 0 && offset >= s.Offset {
			at = r
		}
	}
	return at
}

func AppendHeader(b []byte, h *layout.Header) []byte {
	start := len(b)
	b = append(b, make([]byte, HeaderSize)...)
	p := b[start:]
	encodeFields(h, p)
	encodeGeometry(h, p)
	le.PutUint64(p[offHeaderSum:], headerChecksum(p))
	return b
}

var le = binary.LittleEndian

type headerWord struct {
	offset int
	field  *uint64
}

func headerWords(h *layout.Header) [20]headerWord {
	c := &h.Counts
	s := &h.Summary
	return [...]headerWord{
		{offRequired, &h.Required}, {offOptional, &h.Optional}, {offReadOnly, &h.ReadOnly}, {offBase, &h.Base},
		{offSeed, &h.Seed}, {offSumRoot, &h.SumRoot}, {offBuckets, &h.Buckets}, {offFlags, &h.Flags},
		{offCounts, &c.Methods}, {offCounts + 8, &c.Unexecuted}, {offCounts + 16, &c.Profiles},
		{offCounts + 24, &c.Contexts}, {offCounts + 32, &c.Types}, {offCounts + 40, &c.Symbols},
		{offCounts + 48, &c.Entries}, {offCounts + 56, &c.Pointers},
		{offSummary, &s.TotalInvocations}, {offSummary + 8, &s.MaxInvocations}, {offSummary + 16, &s.TotalCount},
		{offSummary + 24, &s.MaxCount}}
}

func encodeFields(h *layout.Header, p []byte) {
	copy(p[offMagic:], Magic[:])
	le.PutUint32(p[offByteOrder:], ByteOrderMark)
	le.PutUint32(p[offVersion:], Version)
	le.PutUint32(p[offHeaderSize:], HeaderSize)
	le.PutUint64(p[offFileSize:], uint64(h.FileSize))
	le.PutUint32(p[offDomain:], uint32(h.Domain))
	le.PutUint32(p[offPageShift:], PageShift)
	le.PutUint32(p[offRWShift:], h.RWShift)
	le.PutUint32(p[offMaxProbe:], h.MaxProbe)
	copy(p[offFingerprint:], h.Fingerprint[:])
	copy(p[offDumpID:], h.DumpID[:])
	le.PutUint64(p[offDumpTime:], uint64(h.DumpTime))
	for _, w := range headerWords(h) {
		le.PutUint64(p[w.offset:], *w.field)
	}
	for i, v := range Settings(&h.Params) {
		le.PutUint32(p[offParams+4*i:], *v)
	}
	copy(p[offProducer:offProducer+64], h.Producer)
	copy(p[offProducerID:], h.ProducerID[:])
}

func encodeGeometry(h *layout.Header, p []byte) {
	for i, s := range h.Regions {
		q := p[offRegions+24*i:]
		le.PutUint64(q, uint64(s.Offset))
		le.PutUint64(q[8:], uint64(s.Size))
		le.PutUint32(q[16:], uint32(protections[i+1]))
		le.PutUint32(q[20:], uint32(i+1))
	}
	for i, s := range h.Parts {
		q := p[offSections+16*i:]
		le.PutUint64(q, uint64(s.Offset))
		le.PutUint64(q[8:], uint64(s.Size))
	}
}

func headerChecksum(p []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	d.Write(p[:offHeaderSum])
	d.Write(p[offHeaderSum+8:])
	return d.Sum64()
}

// UpdateChecksum updates the checksum of the header at the front of b, which a test or tool has changed.
func UpdateChecksum(b []byte) { le.PutUint64(b[offHeaderSum:], headerChecksum(b[:HeaderSize])) }

// ParseHeader decodes and checks the header at the front of b. b is the whole file or its beginning, and fileSize is
// the size of the file. Errors match ErrFormat, ErrVersion, ErrTruncated, ErrChecksum or ErrCorrupt.
func ParseHeader(b []byte, fileSize int64) (*layout.Header, error) {
	size, err := parseGeneric(b, fileSize)
	if err != nil {
		return nil, err
	}
	h := &layout.Header{}
	decodeHeader(h, b[:size])
	if err := checkHeader(h, b[:size]); err != nil {
		return nil, err
	}
	return h, nil
}

func parseGeneric(b []byte, fileSize int64) (size int, err error) {
	switch {
	case fileSize == 0:
		return 0, headerError(0, layout.ErrFormat, "", "the file is empty")
	case len(b) < 8 || !bytes.Equal(b[:8], Magic[:]):
		return 0, magicError(b)
	case len(b) < genericSize:
		return 0, headerError(int64(len(b)), layout.ErrTruncated, "", "the header is cut off")
	case le.Uint32(b[offByteOrder:]) != ByteOrderMark:
		return 0, Corrupt(RegionHeader, offByteOrder, "byte order mark is 0x%08x, want 0x%08x",
			le.Uint32(b[offByteOrder:]), ByteOrderMark)
	}
	n := le.Uint32(b[offHeaderSize:])
	if n < genericSize || n > maxHeaderSize {
		return 0, Corrupt(RegionHeader, offHeaderSize, "header size is %d", n)
	}
	if want := le.Uint64(b[offFileSize:]); want != uint64(fileSize) {
		return 0, sizeError(want, fileSize)
	}
	if len(b) < int(n) {
		return 0, headerError(int64(len(b)), layout.ErrTruncated, "", "the header is cut off")
	}
	if got, want := headerChecksum(b[:n]), le.Uint64(b[offHeaderSum:]); got != want {
		return 0, headerError(offHeaderSum, layout.ErrChecksum, "", "header sums to %016x, recorded is %016x", got, want)
	}
	return int(n), parseVersion(b, n)
}

func parseVersion(b []byte, size uint32) error {
	if v := le.Uint32(b[offVersion:]); v != Version && (v < oldestDraft || v > newestDraft) {
		madeBy, advice := "an older", "make it again with this profarc"
		if v&Draft == 0 { // newer than any draft
			madeBy, advice = "a newer", "use that profarc"
		}
		return headerError(offVersion, layout.ErrVersion, advice, "made by %s profarc (format %s), this one reads %s",
			madeBy, VersionString(v), VersionString(Version))
	}
	if r := le.Uint64(b[offRequired:]); r&^uint64(KnownRequired) != 0 {
		return headerError(offRequired, layout.ErrVersion, "",
			"the archive needs features 0x%x that this program does not know: use a newer profarc", r&^uint64(KnownRequired))
	}
	if size != HeaderSize {
		return Corrupt(RegionHeader, offHeaderSize, "header size is %d, version %s has %d", size,
			VersionString(Version), HeaderSize)
	}
	return nil
}

// CheckFinal returns an error for an archive in a draft format, which only converters read.
func CheckFinal(h *layout.Header) error {
	if h.Version&Draft == 0 {
		return nil
	}
	return headerError(offVersion, layout.ErrVersion, "merge it into a new archive, which converts it",
		"made by an older profarc (format %s), this one reads %s", VersionString(h.Version), VersionString(Version))
}

// CheckWritable returns an error for an unknown read-only feature. Such an archive cannot be adopted or copied.
func CheckWritable(h *layout.Header) error {
	unknown := h.ReadOnly &^ uint64(KnownReadOnly)
	if unknown == 0 {
		return nil
	}
	return headerError(offReadOnly, layout.ErrVersion, "use a newer profarc",
		"the archive has features 0x%x that this program does not know: it can be shown, not adopted or copied", unknown)
}

// VersionString formats a version, such as "draft 7" or "1".
func VersionString(v uint32) string {
	if v&Draft != 0 {
		return fmt.Sprintf("draft %d", v&^Draft)
	}
	return fmt.Sprint(v)
}

func headerError(offset int64, kind error, advice, format string, args ...any) *layout.Error {
	return &layout.Error{Offset: offset, Kind: kind, Detail: fmt.Sprintf(format, args...), Advice: advice}
}

func magicError(b []byte) error {
	if len(b) >= 5 && bytes.Equal(b[1:5], Magic[1:5]) {
		return headerError(0, layout.ErrFormat, "copy the file again in binary mode",
			"the first bytes were changed, as a transfer in text mode does")
	}
	return headerError(0, layout.ErrFormat, "", "the file does not begin with the archive magic")
}

func sizeError(want uint64, have int64) error {
	if want > uint64(have) {
		return headerError(have, layout.ErrTruncated, "copy or write it again",
			"the file has %d bytes, its header says %d", have, want)
	}
	return Corrupt(RegionHeader, offFileSize, "the file has %d bytes, its header says %d", have, want)
}

func decodeHeader(h *layout.Header, p []byte) {
	h.Version = le.Uint32(p[offVersion:])
	h.FileSize = int64(le.Uint64(p[offFileSize:]))
	h.Sum = le.Uint64(p[offHeaderSum:])
	for _, w := range headerWords(h) {
		*w.field = le.Uint64(p[w.offset:])
	}
	h.Domain = layout.Domain(le.Uint32(p[offDomain:]))
	h.RWShift = le.Uint32(p[offRWShift:])
	h.MaxProbe = le.Uint32(p[offMaxProbe:])
	copy(h.Fingerprint[:], p[offFingerprint:])
	copy(h.DumpID[:], p[offDumpID:])
	h.DumpTime = int64(le.Uint64(p[offDumpTime:]))
	for i, v := range Settings(&h.Params) {
		*v = le.Uint32(p[offParams+4*i:])
	}
	h.Producer = string(bytes.TrimRight(p[offProducer:offProducer+64], "\x00"))
	copy(h.ProducerID[:], p[offProducerID:])
	for i := range h.Regions {
		h.Regions[i] = decodeSpan(p[offRegions+24*i:])
	}
	for i := range h.Parts {
		h.Parts[i] = decodeSpan(p[offSections+16*i:])
	}
}

func decodeSpan(p []byte) layout.Span {
	return layout.Span{Offset: int64(le.Uint64(p)), Size: int64(le.Uint64(p[8:]))}
}
