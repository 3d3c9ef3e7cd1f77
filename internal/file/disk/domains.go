package disk

import (
	"slices"

	"github.com/profarc/profarc/layout"
)

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
