package disk

import (
	"slices"

	"github.com/profarc/profarc/layout"
)

// Sets of domains.
var (
	hotSpotDomains = []layout.Domain{layout.DomainHotSpot}
	llvmDomains    = []layout.Domain{layout.DomainLLVMIR, layout.DomainLLVMFrontend}
	graalDomains   = []layout.Domain{layout.DomainGraal, layout.DomainHotSpot} // HotSpot has these after a merge
	jamaicaDomains = []layout.Domain{layout.DomainJamaica}
	sampledDomains = []layout.Domain{layout.DomainSampled}
	listedDomains  = slices.Concat(llvmDomains, graalDomains, jamaicaDomains, sampledDomains)
)

// tagDomains are the domains of this format's own entries.
var tagDomains = map[layout.Tag][]layout.Domain{
	layout.TagCounters: llvmDomains, layout.TagValueSite: llvmDomains, layout.TagBitmap: llvmDomains,
	layout.TagSuccessors: graalDomains, layout.TagReceivers: graalDomains,
	layout.TagCallees: {layout.DomainJamaica, layout.DomainSampled},
	layout.TagCount:   {layout.DomainGraal, layout.DomainJamaica, layout.DomainHotSpot, layout.DomainSampled},

	TagUndecoded: hotSpotDomains,
}

// KnownDomain reports whether d is a domain of this format version.
func KnownDomain(d layout.Domain) bool { return d >= layout.DomainHotSpot && d <= layout.DomainSampled }

// TagDomains returns the domains whose archives hold entries of a tag.
func TagDomains(tag layout.Tag) []layout.Domain {
	if !IsWide(tag) {
		return hotSpotDomains
	}
	return tagDomains[tag]
}

// HoldsTag reports whether archives of a domain hold entries of a tag. A domain that is
// none of the profilers here may hold all of this format's own but TagUndecoded, and every
// domain subs of tags that are not listed here.
func HoldsTag(d layout.Domain, tag layout.Tag) bool {
	domains := TagDomains(tag)
	if domains == nil || slices.Contains(domains, d) {
		return true
	}
	return IsWide(tag) && tag != TagUndecoded && KnownDomain(d) && !slices.Contains(listedDomains, d)
}

// HeldTags returns the tags of this format's own that archives of a domain hold.
func HeldTags(d layout.Domain) (tags []layout.Tag) {
	for tag := layout.TagCounters; schemas[tag] != nil; tag++ {
		if HoldsTag(d, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}
