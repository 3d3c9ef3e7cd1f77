package disk

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/profarc/profarc/layout"
)

// RefOf returns the reference to an offset, which must be a multiple of 8 below [MaxFileSize].
func RefOf(offset int64) layout.Ref { return layout.Ref(offset / Unit) }

// Tag bits of a type word, a cell of CallType, VirtualCallType and ParametersType entries. HotSpot defines them.
const (
	TypeNullSeen = 1 << 0
	TypeUnknown  = 1 << 1 // several types were seen
	TypeTags     = TypeNullSeen | TypeUnknown
)

// A pointer cell holds base plus the offset of a type or method record. Records are aligned to 8, so the low bits can
// hold tags.

// Pointer returns the cell value for the record at offset in an archive mapped at base.
func Pointer(base uint64, offset int64) uint64 { return base + uint64(offset) }

// PointerOffset returns the offset that cell value v points to; ok is false outside [0, size). It does not remove tags.
func PointerOffset(v, base uint64, size int64) (offset int64, ok bool) {
	d := v - base
	return int64(d), d < uint64(size)
}

// The window of requested bases. On linux/amd64 it is above the highest base of Go's heap (2^46) and below the
// loader's area. The distance of slots is twice the maximum archive size, so that several archives fit.
const (
	baseWindow = 0x5000_0000_0000
	baseStride = 2 * MaxFileSize
	baseSlots  = 256
)

// RequestedBase returns the base for an archive whose fingerprint and keys hash to h.
func RequestedBase(h uint64) uint64 { return baseWindow + (h%baseSlots)*baseStride }

type Protection uint32

const (
	ProtShared   Protection = 1 // read-only, shared between processes
	ProtPrivate  Protection = 2 // private, copy-on-write, for adoption
	ProtOnDemand Protection = 3 // read on demand
)

const NumRegions = len(layout.Header{}.Regions)

var protections = [...]Protection{
	RegionPS: ProtShared, RegionIX: ProtShared, RegionRO: ProtShared,
	RegionBM: ProtOnDemand, RegionEX: ProtOnDemand, RegionRW: ProtPrivate,
}

// Sizes and alignments of the format. The alignment of rw grows with its size.
const (
	Unit        = 8  // unit of references and alignment of records
	LineSize    = 64 // index line, and alignment of regions
	PageShift   = 12 // log2 of the size of a checksummed page
	PageSize    = 1 << PageShift
	LineShift   = 6  // log2 of the alignment of a small rw
	PagesShift  = 16 // log2 of the alignment from PagesRW on, a multiple of every system's page size
	PagesRW     = 64 << 10
	LargeShift  = 21 // log2 of the alignment from LargeRW on
	LargeRW     = 64 << 20
	MaxFileSize = 32 << 30 // limit of a 32-bit reference
)

// RWShift returns log2 of the alignment of an rw region of size bytes.
func RWShift(size int64) uint32 {
	switch {
	case size >= LargeRW:
		return LargeShift
	case size >= PagesRW:
		return PagesShift
	}
	return LineShift
}

func AlignUp(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }

// checkHeader checks the offsets and sizes of all regions and sections. Its cost does not depend on the file size.
func checkHeader(h *layout.Header, p []byte) error {
	if !KnownDomain(h.Domain) {
		return headerError(offDomain, layout.ErrVersion, "use a newer profarc",
			"the archive is of domain %d, which this program does not know", uint32(h.Domain))
	}
	if custom := h.Domain == layout.DomainCustom; custom != (h.ProducerID != [16]byte{}) {
		return Corrupt(RegionHeader, offProducerID, "producer id %x in an archive of domain %s", h.ProducerID, h.Domain)
	}
	if bytes.IndexByte([]byte(h.Producer), 0) >= 0 {
		return Corrupt(RegionHeader, offProducer, "the producer %q holds a NUL byte", h.Producer)
	}
	if h.Flags&^KnownFlags != 0 {
		return Corrupt(RegionHeader, offFlags, "unknown flags %#x", h.Flags&^KnownFlags)
	}
	if s := le.Uint32(p[offPageShift:]); s != PageShift {
		return Corrupt(RegionHeader, offPageShift, "page shift is %d, want %d", s, PageShift)
	}
	if h.FileSize < HeaderSize || h.FileSize > MaxFileSize {
		return Corrupt(RegionHeader, offFileSize, "file size is %d", h.FileSize)
	}
	if h.Base%PageSize != 0 || h.Base > 1<<62 {
		return Corrupt(RegionHeader, offBase, "requested base is 0x%x", h.Base)
	}
	if err := CheckParams(&h.Params); err != nil {
		return err
	}
	if err := checkRegions(h, p); err != nil {
		return err
	}
	if err := checkSections(h); err != nil {
		return err
	}
	return checkIndex(h)
}

func checkRegions(h *layout.Header, p []byte) error {
	end := int64(HeaderSize)
	for i, s := range h.Regions {
		r := layout.Region(i + 1)
		at := int64(offRegions + 24*i)
		if kind := le.Uint32(p[at+20:]); kind != uint32(r) {
			return Corrupt(RegionHeader, at+20, "region row %d is of kind %d", i, kind)
		}
		if prot := le.Uint32(p[at+16:]); prot != uint32(protections[r]) {
			return Corrupt(RegionHeader, at+16, "region %s has protection %d", r, prot)
		}
		if s.Size < 0 || s.Offset != AlignUp(end, regionAlign(h, r)) || s.Size > h.FileSize-s.Offset || s.Size%Unit != 0 {
			return Corrupt(RegionHeader, at, "region %s is [0x%x, +0x%x) behind 0x%x in a file of 0x%x", r, s.Offset,
				s.Size, end, h.FileSize)
		}
		end = s.End()
	}
	if end != h.FileSize {
		return Corrupt(RegionHeader, offFileSize, "regions end at 0x%x, the file at 0x%x", end, h.FileSize)
	}
	if want := expectedRWShift(h); h.RWShift != want {
		return Corrupt(RegionHeader, offRWShift, "rw alignment is 2^%d, want 2^%d", h.RWShift, want)
	}
	ps := RegionOf(h, RegionPS).Size
	want := SumTreeOf(h).Size()
	if ps < want || ps > want+SumSlack(want) {
		return Corrupt(RegionHeader, offRegions, "page sums take %d bytes, want %d", ps, want)
	}
	return nil
}

func regionAlign(h *layout.Header, r layout.Region) int64 {
	if r == RegionRW && (h.Version != oldestDraft || RegionOf(h, r).Size > 0) {
		return 1 << expectedRWShift(h)
	}
	return LineSize
}

// expectedRWShift returns log2 of rw's alignment. Draft 7 has no small alignment.
func expectedRWShift(h *layout.Header) uint32 {
	shift := RWShift(RegionOf(h, RegionRW).Size)
	if h.Version == oldestDraft {
		return max(shift, PagesShift)
	}
	return shift
}

func checkSections(h *layout.Header) error {
	end := RegionOf(h, RegionRO).Offset
	for i, s := range h.Parts {
		if s.Offset != end || s.Size < 0 || s.Size%Unit != 0 || !RegionOf(h, RegionRO).Holds(s.Offset, s.Size) {
			return Corrupt(RegionHeader, int64(offSections+16*i), "section %s is [0x%x, +0x%x) behind 0x%x", Part(i),
				s.Offset, s.Size, end)
		}
		end = s.End()
	}
	if end != RegionOf(h, RegionRO).End() {
		return Corrupt(RegionHeader, offSections, "sections end at 0x%x, ro at 0x%x", end, RegionOf(h, RegionRO).End())
	}
	if got := h.Parts[PartTypes].Size; h.Counts.Types > MaxTypes || got != int64(h.Counts.Types)*TypeSize {
		return Corrupt(RegionHeader, offCounts, "%d types in %d bytes", h.Counts.Types, got)
	}
	if got := h.Parts[PartContexts].Size; h.Counts.Contexts > MaxContexts || got != int64(h.Counts.Contexts)*ContextSize {
		return Corrupt(RegionHeader, offCounts, "%d contexts in %d bytes", h.Counts.Contexts, got)
	}
	return nil
}

func checkIndex(h *layout.Header) error {
	size := RegionOf(h, RegionIX).Size
	if h.Buckets > MaxFileSize/LineSize || int64(h.Buckets)*LineSize != size {
		return Corrupt(RegionHeader, offBuckets, "%d index lines in %d bytes", h.Buckets, size)
	}
	if h.MaxProbe > MaxProbe || uint64(h.MaxProbe) > h.Buckets {
		return Corrupt(RegionHeader, offMaxProbe, "a look-up of %d lines in an index of %d", h.MaxProbe, h.Buckets)
	}
	return nil
}

// ChecksummedSpan returns the span that page checksums cover: everything after ps, including padding.
func ChecksummedSpan(h *layout.Header) layout.Span {
	from := RegionOf(h, RegionIX).Offset
	return layout.Span{Offset: from, Size: h.FileSize - from}
}

func SumTreeOf(h *layout.Header) SumTree { return NewSumTree(ChecksummedSpan(h)) }

// Settings returns pointers to the settings, in the order of the header.
func Settings(p *layout.Params) (settings [16]*uint32) {
	copy(settings[:], []*uint32{&p.TypeProfileWidth, &p.BciProfileWidth, &p.ReceiverGap, &p.TypeProfileLevel,
		&p.VMRelease, &p.LLVMVersion, &p.LLVMVariant, &p.ProfileTraps, &p.LLVMNewest})
	for i := range p.Other {
		settings[len(settings)-len(p.Other)+i] = &p.Other[i]
	}
	return settings
}

// Indices of the settings in the header.
const (
	SettingTypeProfileWidth = iota
	SettingBciProfileWidth
	SettingReceiverGap
	SettingTypeProfileLevel
	SettingVMRelease
	SettingLLVMVersion
	SettingLLVMVariant
	SettingProfileTraps
	SettingLLVMNewest
)

// MaxRows limits the settings that determine entry sizes, so that no size can overflow.
const MaxRows = 64

// CheckParams returns an error if a setting that determines entry sizes is too large.
func CheckParams(p *layout.Params) error {
	for i, v := range []uint32{p.TypeProfileWidth, p.BciProfileWidth, p.ReceiverGap} {
		if v > MaxRows {
			return Corrupt(RegionHeader, offParams+int64(i)*4, "parameter %d is %d, at most %d is possible", i, v, MaxRows)
		}
	}
	return nil
}

// LLVMCoverage reports whether the counters of a variant of LLVM tell whether code ran but not how often. That is
// single-byte coverage, of blocks or of function entries.
func LLVMCoverage(variant uint32) bool {
	const coverageOnly = 1<<(60-55) | 1<<(61-55)
	return variant&coverageOnly != 0
}

// LLVMCountsEntries reports whether the first counter of each function counts its entries. Instrumentation of IR
// puts it on the entry only with -pgo-instrument-entry, and elsewhere on any block.
func LLVMCountsEntries(h *layout.Header) bool {
	const entryFirst = 1 << (58 - 55)
	return h.Domain == layout.DomainLLVMFrontend ||
		h.Domain == layout.DomainLLVMIR && h.Params.LLVMVariant&entryFirst != 0
}

// LLVMContextSensitive is the bit of a function's hash for counters that were inserted after inlining. They belong to
// the same code as those without it.
const LLVMContextSensitive = 1 << 60

// LLVMMaxCount is the maximum value of an LLVM counter. As a function's first counter, the two larger values mark it
// as warm and as hot.
const LLVMMaxCount = math.MaxUint64 - 2

// JoinLLVMVersions adds the version of another producer, and the newest version that it can have, to the settings. The
// zero version is not known. The settings then have the lowest and the highest version.
func JoinLLVMVersions(p *layout.Params, version, newest uint32) {
	if version == 0 {
		return
	}
	if p.LLVMVersion == 0 {
		p.LLVMVersion = version
	}
	newest = max(p.LLVMVersion, p.LLVMNewest, version, newest)
	p.LLVMVersion = min(p.LLVMVersion, version)
	p.LLVMNewest = 0
	if newest > p.LLVMVersion {
		p.LLVMNewest = newest
	}
}

// llvmMarksSince is the indexed format version of LLVM 16, which introduced these marks.
const llvmMarksSince = 9

// LLVMMarks reports whether the LLVM version of the profiles has these marks. An unknown version has them.
func LLVMMarks(p *layout.Params) bool { return p.LLVMVersion == 0 || p.LLVMVersion >= llvmMarksSince }

// Corrupt returns an [*Error] that matches [ErrCorrupt].
func Corrupt(r layout.Region, offset int64, format string, args ...any) *layout.Error {
	return &layout.Error{Region: r, Offset: offset, Kind: layout.ErrCorrupt, Detail: fmt.Sprintf(format, args...)}
}

// WithFileName sets the file of err if err is an [*Error] without one.
func WithFileName(err error, file string) error {
	var e *layout.Error
	if errors.As(err, &e) && e.File == "" {
		named := *e
		named.File = file
		return &named
	}
	return err
}

// The regions, in file order. RegionHeader has no row in the region table.
const (
	RegionHeader layout.Region = iota
	RegionPS                   // page sums
	RegionIX                   // hash index
	RegionRO                   // symbols, types, methods, contexts
	RegionBM                   // relocation bitmaps
	RegionEX                   // tables of data that belongs to no method
	RegionRW                   // MethodData blocks
)

// Method flags that the encoding sets. Producers set the others.
const (
	MethodUnexecuted layout.MethodFlags = 1 << 3 // the run saw the method but did not execute it
	MethodSharedID   layout.MethodFlags = 1 << 5 // another key of the archive has the same id
)
