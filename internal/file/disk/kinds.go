package disk

import (
	"fmt"
)

// A TableKind identifies the content of a table of the region ex. docs/format.md lists the kinds.
type TableKind uint32

const TableProducer TableKind = 1 << 31

// The tables of this version, with their columns in brackets.
const (
	TableOrder      TableKind = 1 // source order of one import; the format determines the columns
	TableProperties TableKind = 2 // facts about the run [key symbol, value symbol]
	// identities of merged dumps [id low, id high, time, weight in billionths]
	TableDumps     TableKind = 3
	TableMonitors  TableKind = 4 // Graal: contended types [type, count]
	TableSamples   TableKind = 5 // Graal: sampled stacks, leaf first [stack, method, point, count]
	TableBinaryIDs TableKind = 6 // LLVM: binary ids [bytes symbol]
	TableTraces    TableKind = 7 // LLVM: temporal traces [trace, weight, id of a function]
	TableVTables   TableKind = 8 // LLVM: vtables [name symbol, address, size]
	TableHeapRefs  TableKind = 9 // Jamaica: HEAP_REFS [references, words]
	// Jamaica: HEAP_USE [type, objects, blocks an object, block bytes, bytes, tree objects]
	TableHeapUse TableKind = 10
	// Jamaica: INSTANTIATION_COUNT [type, objects, blocks an object, blocks, bytes, tree objects, loader symbol]
	TableInstances TableKind = 11
	// Jamaica: PROFILE_THREAD [priority, cycles, interpreted, compiled, JNI, GC, C stack, Java stack]
	TableThreads   TableKind = 12
	TableReflected TableKind = 13 // Jamaica: classes used via reflection [type]
	TableForeign   TableKind = 14 // keys that the importer does not recognize [key symbol, value symbol]
	TableCode      TableKind = 15 // sketches of the code of methods [method, sketch symbol]
	TableRuns      TableKind = 16 // runs of the dumps: see layout.Provenance
	TableClassPath TableKind = 17 // class paths of runs [class path, position, path symbol, kind, size, sum]
	// Graal: source order of the keys and items of an iprof file [key symbol, kept, items, first]
	TableOrderRuns TableKind = 18
	TableShapes    TableKind = 19 // shapes of a producer's entries [head, name in four words]
	// HotSpot: compiled code of methods [method, level, point, number, id, size, runs, installed]
	TableCompilations TableKind = 20
	TableInlining     TableKind = 21 // HotSpot: calls that a compiler inlined [context, level, runs]
	// Sampled: declarations of functions [method, system name symbol, file symbol, start line]
	TableFunctions TableKind = 22
	TableBase      TableKind = 23 // base archive: see layout.BaseArchive
	// points whose counts come from other code [method, code, point, derived, confidence in billionths]
	TableMoved TableKind = 25
	// counts of runs with one outcome, for branches and type checks that have several [profile, point, outcome, count]
	TableCertain TableKind = 26
	// LLVM: allocations of a function, by stack [function id, stack symbol, record, HeapFields]
	TableAllocations TableKind = 27
	// LLVM: calls of a function that lead to allocations [function id, stack symbol, record]
	TableAllocationCalls TableKind = 28
	// object files of a program and their functions [profile, file, stamp, checksum, runs, maximum, place]
	TableObjects TableKind = 29
	// inputs of the archive [name, format, state, reason, hash, times, unit, total]
	TableInputs TableKind = 30
	// operations and their losses [operation, reason, unit, sense, things, amount, first]
	TableLosses TableKind = 31
	// last runs of versions of code [method, code, last]
	TableVersions TableKind = 32
	// notes of a VM's runs on their functions [profile, first, runs, changed]
	TableAdvice  TableKind = 33
	TableHot     TableKind = 34 // profiles with 99% of the weight, the heaviest first [profile, weight]
	TableCrowded TableKind = 35 // methods and types without a slot in the index [id, method, type]
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
