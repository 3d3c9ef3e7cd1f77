// Package llvm takes LLVM's instrumentation profiles in and gives them out
// again.
//
// [Read] reads all three forms into a builder:
//
//	raw      .profraw: what an instrumented program writes when it ends
//	indexed  .profdata: what llvm-profdata merge makes of it
//	text     .proftext: what llvm-profdata merge --text makes of it
//
// # Raw, versions 7 to 11
//
// A memory dump in the byte order and pointer size of the machine, which the
// magic tells; one after the other for every module of the process:
//
//	header      magic, version and variant, sizes of all sections, deltas
//	binary ids  { u64 length, bytes, padding }
//	data        a record for each function: NameRef, FuncHash, where its counters are
//	counters    u64 or, for coverage of single bytes, u8
//	bitmaps     of MC/DC, from version 9
//	names       joined by 0x01, in chunks that zlib may have packed
//	vtables     name, address and size, and their names, from version 10
//	values      a block for each function that has value sites
//
// # Indexed, versions 1 to 13
//
//	header      magic, version and variant, offset of the table and of sections
//	summary     from version 4; a second one for context-sensitive records
//	buckets     { u16 items, { u64 hash, key length, data length, key, data } }
//	table       of offsets of buckets: not needed, and checked all the same
//	sections    memory profiles, binary ids, names of vtables, temporal traces
//
// # In an archive
//
// The domain is llvm-ir or llvm-frontend. ParamLLVMVariant has the variant
// bits ([Variant]), ParamLLVMVersion the indexed version that the LLVM writes
// that made the profile, 0 if that is not known. A raw file can be of one of
// several LLVMs: ParamLLVMNewest is the version of the newest then.
//
// A function is a method whose key has the PGO name alone. Each of its
// FuncHashes is one profile whose code id is the hash, and whose entries are
//
//	Counters   at point 0: the counters
//	ValueSite  sub is the kind, the point is the number of the site within its
//	           kind, from 0. Every site has one, also one without values; the
//	           values stand in the order of the input
//	Bitmap     at point 0, if there are bytes
//
// Values of indirect calls and vtables are NameRefs: the id of a method, and of
// the name of a vtable in TableVTables. 0 is one that nobody knows.
//
// Tables: TableBinaryIDs; TableTraces, with the number of traces that they were
// chosen from as [PropertyStreamSize] in TableProperties, several of which add
// up; TableVTables, with address and size 0 where the input has names alone.
// TableOrder has the profiles in the order in which they first came, if the files
// were merged as llvm-profdata does, or in that of a single indexed file of LLVM
// 16 or before: those orders show in the files that llvm-profdata writes.
//
// # What is not kept
//
// Timestamps of temporal profiles become one trace a file, as in LLVM. Functions
// whose name a raw file does not have cannot be found by a compiler and are left
// out. Memory profiles (memprof) are of another kind and are left out of an
// indexed file. Each is counted in [Report.Lost].
//
// # Trust
//
// Nothing in a file is trusted: every size is held against what was read, and
// memory grows with what was read. What does not fit is an [*Error] with the
// offset. A builder that an input was being read into when the error came has
// some of its functions: it is of no use. Where that matters, because several
// files go into one builder and a bad one shall be skipped, [Check] reads a file
// first without a builder: what it accepts, Read accepts.
package llvm
