package disk

import (
	"slices"

	"github.com/profarc/profarc/layout"
)

// Sets of domains.
var (
	ofHotSpot = []layout.Domain{layout.DomainHotSpot}
	ofLLVM    = []layout.Domain{layout.DomainLLVMIR, layout.DomainLLVMFrontend}
	ofGraal   = []layout.Domain{layout.DomainGraal, layout.DomainHotSpot} // HotSpot has these after a merge
	ofJamaica = []layout.Domain{layout.DomainJamaica}
	ofSampled = []layout.Domain{layout.DomainSampled}
	listed    = slices.Concat(ofLLVM, ofGraal, ofJamaica, ofSampled)
)

// tagDomains are the domains of this format's own entries.
var tagDomains = map[layout.Tag][]layout.Domain{
	layout.TagCounters: ofLLVM, layout.TagValueSite: ofLLVM, layout.TagBitmap: ofLLVM,
	layout.TagSuccessors: ofGraal, layout.TagReceivers: ofGraal,
	layout.TagCallees: {layout.DomainJamaica, layout.DomainSampled},
	layout.TagCount:   {layout.DomainGraal, layout.DomainJamaica, layout.DomainHotSpot, layout.DomainSampled},

	TagUndecoded: ofHotSpot,
}

// KnownDomain reports whether d is a domain of this format version.
func KnownDomain(d layout.Domain) bool { return d >= layout.DomainHotSpot && d <= layout.DomainSampled }

// TagDomains returns the domains whose archives hold entries of a tag.
func TagDomains(tag layout.Tag) []layout.Domain {
	if !IsWide(tag) {
		return ofHotSpot
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
	return IsWide(tag) && tag != TagUndecoded && KnownDomain(d) && !slices.Contains(listed, d)
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
