// Package llvm reads and writes LLVM's instrumentation profiles.
//
// [Read] reads three formats into a builder:
//
//	raw      .profraw: what an instrumented program writes when it ends
//	indexed  .profdata: what llvm-profdata merge makes of it
//	text     .proftext: what llvm-profdata merge --text makes of it
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
//	table       offsets of buckets: not needed, but checked
//	sections    memory profiles, binary ids, names of vtables, temporal traces
//
// # In an archive
//
// The domain is llvm-ir or llvm-frontend. ParamLLVMVariant has the variant bits ([Variant]). ParamLLVMVersion
// is the indexed version that the LLVM that made the profile writes, or 0 if that is not known. If a raw file
// can be of several LLVMs, ParamLLVMNewest is the version of the newest.
//
// A function is a method whose key has only the PGO name. Each of its FuncHashes is a
// profile whose code id is the hash, with the entries
//
//	Counters   at point 0: the counters
//	ValueSite  sub is the kind, the point is the number of the site within its
//	           kind, from 0. Every site has an entry, even without values; the
//	           values have the order of the input
//	Bitmap     at point 0, if there are bytes
//
// Values of indirect calls and vtables are NameRefs: the id of a method, or of the name
// of a vtable in TableVTables. 0 is an unknown one.
//
// Tables: TableBinaryIDs; TableTraces, with the number of traces that they were sampled from as
// [PropertyStreamSize] in TableProperties, where several add up; TableVTables, with address and size 0 if the
// input has only names. TableAllocations and TableAllocationCalls have the memory profiles (MemProf) of an
// indexed file: what each function allocates, by stack, and its calls that lead there. TableOrder has the
// profiles in the order in which they first occurred, if the files were merged as by llvm-profdata, or in the
// order of a single indexed file of LLVM 16 or before. The files that llvm-profdata writes depend on these
// orders.
//
// # Not kept
//
// Timestamps of temporal profiles become one trace for each file, as in LLVM. Functions
// of a raw file without a name are left out, since no compiler could find them. So are memory profiles of
// a version that is not known. [Report.Lost] counts all of these.
//
// # Trust
//
// Nothing in a file is trusted: every size is checked against what was read, and memory grows with what was
// read. Invalid data is an [*Error] with the offset. After an error, a builder has some functions of the
// input and cannot be used, unless they are rolled back (see profileset.Batch).
package llvm
