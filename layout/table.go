package layout

import "fmt"

// A TableKind says what a table of ex records. Columns are in brackets.
type TableKind uint32

// The tables of this version.
const (
	TableOrder      TableKind = 1  // source order of a single import: columns depend on the format
	TableProperties TableKind = 2  // facts about the run [key symbol, value symbol]
	TableDumps      TableKind = 3  // identities of merged dumps [id low, id high, time, weight in billionths]
	TableMonitors   TableKind = 4  // Graal: contended types [type, count]
	TableSamples    TableKind = 5  // Graal: sampled stacks, leaf first [stack, method, point, count]
	TableBinaryIDs  TableKind = 6  // LLVM: binary ids [bytes symbol]
	TableTraces     TableKind = 7  // LLVM: temporal traces [trace, weight, id of a function]
	TableVTables    TableKind = 8  // LLVM: vtables [name symbol, address, size]
	TableHeapRefs   TableKind = 9  // Jamaica: HEAP_REFS [references, words]
	TableHeapUse    TableKind = 10 // Jamaica: HEAP_USE [type, objects, blocks an object, block bytes, bytes, tree objects]
	TableInstances  TableKind = 11 // Jamaica: INSTANTIATION_COUNT [type, objects, blocks an object, blocks, bytes, tree objects, loader symbol]
	TableThreads    TableKind = 12 // Jamaica: PROFILE_THREAD [priority, cycles, interpreted, compiled, JNI, GC, C stack, Java stack]
	TableReflected  TableKind = 13 // Jamaica: classes used via reflection [type]
	TableForeign    TableKind = 14 // keys that the importer does not know [key symbol, value symbol]
	TableCode       TableKind = 15 // sketches of the code of methods [method, sketch symbol]
	TableRuns       TableKind = 16 // which runs the dumps are of: see Provenance
	TableClassPath  TableKind = 17 // class paths of runs [class path, position, path symbol, kind, size, sum]
	TableOrderRuns  TableKind = 18 // Graal: source order of the keys and items of an iprof file [key symbol, kept, items, first]
)

// IsSourceOrder reports whether a table has the order of the file that an archive
// was imported from alone. A merge drops such tables.
func (k TableKind) IsSourceOrder() bool { return k == TableOrder || k == TableOrderRuns }

var tableNames = map[TableKind]string{
	TableOrder:      "order",
	TableProperties: "properties",
	TableDumps:      "dumps",
	TableMonitors:   "monitors",
	TableSamples:    "samples",
	TableBinaryIDs:  "binary-ids",
	TableTraces:     "traces",
	TableVTables:    "vtables",
	TableHeapRefs:   "heap-refs",
	TableHeapUse:    "heap-use",
	TableInstances:  "instances",
	TableThreads:    "threads",
	TableReflected:  "reflected",
	TableForeign:    "foreign",
	TableCode:       "code",
	TableRuns:       "runs",
	TableClassPath:  "class-path",
	TableOrderRuns:  "order-runs",
}

// String returns the name of the kind, or its number if this version does not know it.
func (k TableKind) String() string {
	if name, ok := tableNames[k]; ok {
		return name
	}
	return fmt.Sprint(uint32(k))
}

// A ColumnKind says what the cells of a column are.
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
