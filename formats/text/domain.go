package text

import (
	"slices"
	"strings"

	"github.com/profarc/profarc/layout"
)

// What archives of a domain can hold. A text whose line "domain" was changed by
// hand would else become an archive that no exporter of that domain takes.

type domains []layout.Domain

var (
	ofHotSpot = domains{layout.DomainHotSpot}
	ofLLVM    = domains{layout.DomainLLVMIR, layout.DomainLLVMFrontend}
	ofGraal   = domains{layout.DomainGraal}
	ofJamaica = domains{layout.DomainJamaica}
)

// tableDomains are the domains of tables that not all have.
var tableDomains = map[layout.TableKind]domains{
	layout.TableMonitors: ofGraal, layout.TableSamples: ofGraal, layout.TableOrderRuns: ofGraal,
	layout.TableBinaryIDs: ofLLVM, layout.TableTraces: ofLLVM, layout.TableVTables: ofLLVM,
	layout.TableHeapRefs: ofJamaica, layout.TableHeapUse: ofJamaica, layout.TableInstances: ofJamaica,
	layout.TableThreads: ofJamaica, layout.TableReflected: ofJamaica,
}

// tagDomains are the domains of this format's own entries; the others are
// HotSpot's, which has some of these after a merge.
var tagDomains = map[layout.Tag]domains{
	layout.TagCounters: ofLLVM, layout.TagValueSite: ofLLVM, layout.TagBitmap: ofLLVM,
	layout.TagSuccessors: {layout.DomainGraal, layout.DomainHotSpot},
	layout.TagReceivers:  {layout.DomainGraal, layout.DomainHotSpot},
	layout.TagCallees:    ofJamaica,
	layout.TagCount:      {layout.DomainGraal, layout.DomainJamaica, layout.DomainHotSpot},
}

func domainsOf(tag layout.Tag) domains {
	if !tag.Wide() {
		return ofHotSpot
	}
	return tagDomains[tag]
}

// hold reports whether a domain is one of them, or they are not named.
func (l domains) hold(d layout.Domain) bool { return l == nil || slices.Contains(l, d) }

func (l domains) String() string {
	var names []string
	for _, d := range l {
		names = append(names, d.String())
	}
	return strings.Join(names, " or ")
}

// orderFits reports whether a table of the source order with these columns can
// be of a domain: only that of an iprof file lists more than profiles.
func orderFits(d layout.Domain, columns []layout.ColumnKind) bool {
	return d == layout.DomainGraal || len(columns) == 1 && columns[0] == layout.ColumnProfile
}
