package disk

import (
	"fmt"
)

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
