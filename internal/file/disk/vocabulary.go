package disk

import (
	"slices"

	"github.com/profarc/profarc/layout"
)

// Values that only readers and writers in this module need. layout has the types, and the values that other
// producers use.
const (
	// TagUndecoded is the tag of the words of a HotSpot MethodData from the first entry on that the writer could
	// not decode.
	TagUndecoded layout.Tag = 71

	// EntryInterpreted is the flag of a TagCount entry whose producer marked the count as interpreted.
	EntryInterpreted layout.EntryFlags = 1 << 1

	// SubReturn is the sub of a TagSuccessors entry of jsr/ret. Its successors are return points.
	SubReturn layout.Sub = 2
	// SubUnprofiled is the sub of a TagCount entry of the calls that HotSpot counts as not profiled. They come
	// from a HotSpot type profile that became a TagReceivers entry.
	SubUnprofiled layout.Sub = 7
	// SubTotal is the sub of a TagCount entry of the samples in a function and in the calls that are inlined in it.
	SubTotal layout.Sub = 10
	// SubProducer is the first sub, up to 65535, that a producer defines for tags below layout.TagProducer.
	SubProducer layout.Sub = 1 << 15

	TypeLoaded      layout.TypeFlags = 1 << 2 // the class was loaded when a run was dumped
	TypeInitialized layout.TypeFlags = 1 << 3 // the class was initialized when a run was dumped
)

// The flags of a header.
const (
	FlagDelta  = 1 << 0 // counts are those since another dump, not totals
	FlagMerged = 1 << 1 // made from several dumps, which TableDumps lists
)

// The kinds of class path content.
const (
	ContentMissing   layout.ContentKind = 0
	ContentFile      layout.ContentKind = 1
	ContentDirectory layout.ContentKind = 2
	ContentUnknown   layout.ContentKind = 3 // could not be read, or is too large
)

// The units of counts.
const (
	UnitExecutions   layout.CountUnit = iota // calls, branches, types seen
	UnitBytecodes                            // bytecodes executed
	UnitCycles                               // processor cycles
	UnitNativeCalls                          // calls of native methods
	UnitArrays                               // arrays created
	UnitPointSamples                         // samples taken at a point
	UnitNanoseconds                          // nanoseconds of processor time
)

func ExitCode(code int) layout.Exit { return layout.Exit(uint32(code))<<32 | 1 }

func ExitSignal(number int) layout.Exit { return layout.Exit(uint32(number))<<32 | 2 }

func RegionOf(h *layout.Header, r layout.Region) layout.Span {
	if r == 0 {
		return layout.Span{Offset: 0, Size: HeaderSize}
	}
	return h.Regions[r-1]
}

func IsSameBase(b, c layout.BaseArchive) bool { return b.DumpID == c.DumpID && b.Sum == c.Sum }

func IsWide(t layout.Tag) bool { return t >= layout.TagCounters }

func TagByProducer(t layout.Tag) bool { return t >= layout.TagProducer }

// EntryOneOf is the flag of a merged TagUndecoded entry. Its words come from one of the entries.
const EntryOneOf layout.EntryFlags = 1 << 2

// EntryTrapMany is the reason in a traps word after several different reasons.
const EntryTrapMany = layout.EntryTrapRecompiled - 1

var domainUnits = map[layout.Domain]map[layout.CountUnit]string{
	layout.DomainJamaica: {UnitExecutions: "calls"},
	layout.DomainSampled: {UnitExecutions: "samples of calls", UnitPointSamples: "samples"},
}

func UnitName(u layout.CountUnit, d layout.Domain) string {
	if name := domainUnits[d][u]; name != "" {
		return name
	}
	return u.String()
}

// IsInclusive reports whether callers' counts include a method's counts, so that counts of different methods must not
// be added.
func IsInclusive(u layout.CountUnit) bool { return u == UnitCycles }

var (
	hotSpotDomains = []layout.Domain{layout.DomainHotSpot}
	llvmDomains    = []layout.Domain{layout.DomainLLVMIR, layout.DomainLLVMFrontend}
	graalDomains   = []layout.Domain{layout.DomainGraal, layout.DomainHotSpot} // HotSpot archives have them after a merge
	jamaicaDomains = []layout.Domain{layout.DomainJamaica}
	sampledDomains = []layout.Domain{layout.DomainSampled}
	listedDomains  = slices.Concat(llvmDomains, graalDomains, jamaicaDomains, sampledDomains)
)

var tagDomains = map[layout.Tag][]layout.Domain{
	layout.TagCounters: llvmDomains, layout.TagValueSite: llvmDomains, layout.TagBitmap: llvmDomains,
	layout.TagSuccessors: graalDomains, layout.TagReceivers: graalDomains,
	layout.TagCallees: {layout.DomainJamaica, layout.DomainSampled},
	layout.TagCount:   {layout.DomainGraal, layout.DomainJamaica, layout.DomainHotSpot, layout.DomainSampled},

	TagUndecoded: hotSpotDomains,
}

func KnownDomain(d layout.Domain) bool { return d >= layout.DomainHotSpot && d <= layout.DomainSampled }

func TagDomains(tag layout.Tag) []layout.Domain {
	if !IsWide(tag) {
		return hotSpotDomains
	}
	return tagDomains[tag]
}

// HoldsTag reports whether archives of a domain may contain entries of a tag. Domains that are not listed here may
// contain every wide tag except TagUndecoded, and every domain may contain tags that are not listed.
func HoldsTag(d layout.Domain, tag layout.Tag) bool {
	domains := TagDomains(tag)
	if domains == nil || slices.Contains(domains, d) {
		return true
	}
	return IsWide(tag) && tag != TagUndecoded && KnownDomain(d) && !slices.Contains(listedDomains, d)
}

// HeldTags returns the wide tags of this version that archives of a domain may contain.
func HeldTags(d layout.Domain) (tags []layout.Tag) {
	for tag := layout.TagCounters; schemas[tag] != nil; tag++ {
		if HoldsTag(d, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}
