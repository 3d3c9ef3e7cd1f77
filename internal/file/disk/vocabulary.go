package disk

import (
	"fmt"
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

// A TableKind identifies the content of a table of the region ex. docs/format.md lists the kinds.
type TableKind uint32

const TableProducer TableKind = 1 << 31

// The tables of this version. Their columns are in tables.
const (
	TableOrder           TableKind = 1  // source order of one import; the format determines the columns
	TableProperties      TableKind = 2  // facts about the run
	TableDumps           TableKind = 3  // identities of merged dumps
	TableMonitors        TableKind = 4  // Graal: contended types
	TableSamples         TableKind = 5  // Graal: sampled stacks, leaf first
	TableBinaryIDs       TableKind = 6  // LLVM: binary ids
	TableTraces          TableKind = 7  // LLVM: temporal traces
	TableVTables         TableKind = 8  // LLVM: vtables
	TableHeapRefs        TableKind = 9  // Jamaica: HEAP_REFS
	TableHeapUse         TableKind = 10 // Jamaica: HEAP_USE
	TableInstances       TableKind = 11 // Jamaica: INSTANTIATION_COUNT
	TableThreads         TableKind = 12 // Jamaica: PROFILE_THREAD
	TableReflected       TableKind = 13 // Jamaica: classes used via reflection
	TableForeign         TableKind = 14 // keys that the importer does not recognize
	TableCode            TableKind = 15 // sketches of the code of methods
	TableRuns            TableKind = 16 // runs of the dumps: see layout.Provenance
	TableClassPath       TableKind = 17 // class paths of runs
	TableOrderRuns       TableKind = 18 // Graal: source order of the keys and items of an iprof file
	TableShapes          TableKind = 19 // shapes of a producer's entries
	TableCompilations    TableKind = 20 // HotSpot: compiled code of methods
	TableInlining        TableKind = 21 // HotSpot: calls that a compiler inlined
	TableFunctions       TableKind = 22 // Sampled: declarations of functions
	TableBase            TableKind = 23 // base archive: see layout.BaseArchive
	TableMoved           TableKind = 25 // points whose counts come from other code
	TableCertain         TableKind = 26 // counts of runs with one outcome, for branches and type checks that have several
	TableAllocations     TableKind = 27 // LLVM: allocations of a function, by stack
	TableAllocationCalls TableKind = 28 // LLVM: calls of a function that lead to allocations
	TableObjects         TableKind = 29 // object files of a program and their functions
	TableInputs          TableKind = 30 // inputs of the archive
	TableLosses          TableKind = 31 // operations and their losses
	TableVersions        TableKind = 32 // last runs of versions of code
	TableAdvice          TableKind = 33 // notes of a VM's runs on their functions
	TableHot             TableKind = 34 // profiles with 99% of the weight, the heaviest first
	TableCrowded         TableKind = 35 // methods and types without a slot in the index
)

// IsStructure reports whether tables of the kind describe the file itself. Each writer makes its own.
func IsStructure(k TableKind) bool { return k == TableShapes || k == TableCrowded }

// IsSourceOrder reports whether tables of the kind only record the order of an imported file. A merge drops them.
func IsSourceOrder(k TableKind) bool { return k == TableOrder || k == TableOrderRuns }

// IsListedAnew reports whether a merge drops the tables of the kind or lists them anew.
func IsListedAnew(k TableKind) bool {
	return IsStructure(k) || IsSourceOrder(k) || k == TableDumps || k == TableVersions || k == TableHot
}

func TableByProducer(k TableKind) bool { return k >= TableProducer }

// String returns the name of the kind, or its number if this version does not know it.
func (k TableKind) String() string {
	if t, known := tables[k]; known {
		return t.name
	}
	return fmt.Sprint(uint32(k))
}

// A ColumnKind is the kind of the cells in a column of a table.
type ColumnKind uint8

// The kinds of columns.
const (
	ColumnWord    ColumnKind = 1 // a 64-bit number
	ColumnSymbol  ColumnKind = 2 // a reference to a symbol, 0 for none
	ColumnType    ColumnKind = 3 // a reference to a type record, 0 for none
	ColumnMethod  ColumnKind = 4 // a reference to a method record, 0 for none
	ColumnProfile ColumnKind = 5 // a reference to a MethodData block, 0 for none
	ColumnContext ColumnKind = 6 // a reference to a context node, 0 for none
)

var columnKindNames = map[ColumnKind]string{ColumnWord: "word", ColumnSymbol: "symbol", ColumnType: "type",
	ColumnMethod: "method", ColumnProfile: "profile", ColumnContext: "context"}

func (k ColumnKind) String() string {
	if name, ok := columnKindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("column(%d)", uint8(k))
}
