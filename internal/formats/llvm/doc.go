// Package llvm reads and writes LLVM's instrumentation profiles.
//
// [Read] reads three formats into a builder:
//
//	raw      .profraw, from an instrumented program at its end
//	indexed  .profdata, from llvm-profdata merge
//	text     .proftext, from llvm-profdata merge --text
//
// # Raw, versions 7 to 11
//
// A memory dump in the byte order and pointer size of the machine, which the magic
// identifies; one after the other for every module of the process:
//
//	header      magic, version and variant, sizes of all sections, deltas
//	binary ids  { u64 length, bytes, padding }
//	data        a record for each function: NameRef, FuncHash, pointers to its counters
//	counters    u64 or, for coverage of single bytes, u8
//	bitmaps     of MC/DC, from version 9
//	names       joined by 0x01, in chunks that may be compressed by zlib
//	vtables     name, address and size, and their names, from version 10
//	values      a block for each function that has value sites
//
// # Indexed, versions 1 to 13
//
//	header      magic, version and variant, offset of the table and of sections
//	summary     from version 4; a second one for context-sensitive records
//	buckets     { u16 items, { u64 hash, key length, data length, key, data } }
//	table       offsets of buckets, which are checked but not used
//	sections    memory profiles, binary ids, names of vtables, temporal traces
//
// # In an archive
//
// The domain is llvm-ir or llvm-frontend. ParamLLVMVariant has the variant bits ([Variant]). ParamLLVMVersion is the
// indexed version that the producing LLVM writes, or 0 if unknown. If several LLVMs can have written a raw file,
// ParamLLVMNewest is the newest one's version.
//
// A function is a method whose key has only the PGO name. Each of its FuncHashes is a
// profile whose code id is the hash, with the entries
//
//	Counters   the counters, at point 0
//	ValueSite  values in input order; sub is the kind, the point is the number of
//	           the site in its kind, from 0. Sites without values have an entry, too
//	Bitmap     the bytes, if any, at point 0
//
// A value of an indirect call or a vtable is a NameRef, which is the id of a method or of a name in TableVTables,
// or 0 if unknown.
//
// The tables are TableBinaryIDs, TableTraces and TableVTables, where address and size are 0 if the input has only
// names. [PropertyStreamSize] in TableProperties has the number of traces from which those in TableTraces were
// sampled. TableAllocations has the allocations of each function by stack from the memory profiles (MemProf) of an
// indexed file, and TableAllocationCalls has the calls that lead to them. If the files were merged like
// llvm-profdata merges them, TableOrder has the profiles in the order of their first occurrence. For a single
// indexed file of LLVM 16 or before it has the file's order. The output of llvm-profdata depends on these orders.
//
// # Not kept
//
// Timestamps of temporal profiles become one trace per file, as in LLVM. Functions of a raw file without a name are
// dropped, since no compiler could find them. Memory profiles of unknown versions are dropped, too, and so
// are counters that no function has and the uniform counters of a GPU. [Report.Lost] counts all of these, and
// [Report.Totals] has the counts of the whole file.
//
// # Salvage
//
// A truncated file is an error. With [Importer].Salvage, the functions of a text or an indexed file before its end
// are read. Of a raw file that has all records, the functions are read whose counters begin before its end. The rest of
// the last one's counters is taken as 0. Names behind the end can come from the program.
//
// # Trust
//
// Files are not trusted. Every size is checked against the bytes read, and memory is proportional to them. Invalid
// data is an [*Error] with the offset. After an error, the builder has some functions of the input and cannot be
// used unless they are rolled back (see profileset.Batch).
package llvm
