package disk

import "github.com/profarc/profarc/layout"

// The tables of this version. Columns are in brackets.
const (
	TableOrder      layout.TableKind = 1 // source order of a single import: columns depend on the format
	TableProperties layout.TableKind = 2 // facts about the run [key symbol, value symbol]
	// identities of merged dumps [id low, id high, time, weight in billionths]
	TableDumps     layout.TableKind = 3
	TableMonitors  layout.TableKind = 4 // Graal: contended types [type, count]
	TableSamples   layout.TableKind = 5 // Graal: sampled stacks, leaf first [stack, method, point, count]
	TableBinaryIDs layout.TableKind = 6 // LLVM: binary ids [bytes symbol]
	TableTraces    layout.TableKind = 7 // LLVM: temporal traces [trace, weight, id of a function]
	TableVTables   layout.TableKind = 8 // LLVM: vtables [name symbol, address, size]
	TableHeapRefs  layout.TableKind = 9 // Jamaica: HEAP_REFS [references, words]
	// Jamaica: HEAP_USE [type, objects, blocks an object, block bytes, bytes, tree objects]
	TableHeapUse layout.TableKind = 10
	// Jamaica: INSTANTIATION_COUNT [type, objects, blocks an object, blocks, bytes, tree objects, loader symbol]
	TableInstances layout.TableKind = 11
	// Jamaica: PROFILE_THREAD [priority, cycles, interpreted, compiled, JNI, GC, C stack, Java stack]
	TableThreads   layout.TableKind = 12
	TableReflected layout.TableKind = 13 // Jamaica: classes used via reflection [type]
	TableForeign   layout.TableKind = 14 // keys that the importer does not know [key symbol, value symbol]
	TableCode      layout.TableKind = 15 // sketches of the code of methods [method, sketch symbol]
	TableRuns      layout.TableKind = 16 // the runs of the dumps: see layout.Provenance
	TableClassPath layout.TableKind = 17 // class paths of runs [class path, position, path symbol, kind, size, sum]
	// Graal: source order of the keys and items of an iprof file [key symbol, kept, items, first]
	TableOrderRuns layout.TableKind = 18
	TableShapes    layout.TableKind = 19 // shapes of a producer's entries [head, name in four words]
	// HotSpot: compiled code of methods [method, level, point, number, id, size, runs, installed]
	TableCompilations layout.TableKind = 20
	TableInlining     layout.TableKind = 21 // HotSpot: calls that a compiler inlined [context, level, runs]
	// Sampled: where functions are declared [method, system name symbol, file symbol, start line]
	TableFunctions layout.TableKind = 22
	TableBase      layout.TableKind = 23 // the archive beneath: see layout.BaseArchive
	// points whose counts are of other code [method, code, point, derived, confidence in billionths]
	TableMoved layout.TableKind = 25
	// of branches and type checks with several outcomes, the counts of runs with one [profile, point, outcome, count]
	TableCertain layout.TableKind = 26
	// LLVM: memory profiles: what a function allocates, by stack [function id, stack symbol, record, HeapFields]
	TableAllocations layout.TableKind = 27
	// LLVM: memory profiles: calls of a function that lead to allocations [function id, stack symbol, record]
	TableAllocationCalls layout.TableKind = 28
	// objects of a program, and the functions in each [profile, file, stamp, checksum, runs, maximum, place]
	TableObjects layout.TableKind = 29
)

// IsSourceOrder reports whether a table only has the order of the file that the archive
// was imported from. A merge drops such tables.
func IsSourceOrder(k layout.TableKind) bool { return k == TableOrder || k == TableOrderRuns }

// TableByProducer reports whether tables of the kind are what a producer defines.
func TableByProducer(k layout.TableKind) bool { return k >= layout.TableProducer }
