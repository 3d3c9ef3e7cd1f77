// Package layout is the vocabulary of profarc archives: keys and ids of methods,
// domains, tags of profile entries, the header, flags, tables, and the errors that
// all packages share. It does no I/O. The encoding of records, blocks, index and
// sums is internal; docs/format.md specifies it.
//
// # Format
//
// An archive is one file. All integers are little-endian. The normative
// description is docs/format.md; the drawing here is the map to it.
//
//	0 +---------------------------------------------------------------+
//	  | header   generic part (64 B, never changes) | this version's   |
//	  +---------------------------------------------------------------+
//	  | ps       page sums: a tree of XXH64, the root is in the header |
//	  +---------------------------------------------------------------+
//	  | ix       hash index: lines of 64 B over methods and types      |
//	  +---------------------------------------------------------------+
//	  | ro       symbols | types | methods | unexecuted | contexts     |
//	  +---------------------------------------------------------------+
//	  | bm       relocation bitmaps of rw, one Roaring bitmap a chunk  |
//	  +---------------------------------------------------------------+
//	  | ex       tables of what belongs to no method                   |
//	  +---------------------------------------------------------------+
//	  | (zeros up to 64 KiB, or 2 MiB for a large rw)                  |
//	  +---------------------------------------------------------------+
//	  | rw       MethodData blocks: the profiles themselves            |
//	  +---------------------------------------------------------------+
//
// A MethodData block holds the profile of one method, for one version of its
// code, in one calling context:
//
//	+--------------------+----------------------------------------------+
//	| 16 B block header  | u32 units, u32 method, u32 presence, u32 data |
//	| optional fields    | in the order of their presence bits           |
//	| data entries       | in the order of the profile points            |
//	| extra entries      | traps without an entry of their own, ArgInfo  |
//	| parameters         | one ParametersType entry                      |
//	| handlers           | Bit entries of exception handlers             |
//	| point directory    | (i32 point, u32 unit), sorted                 |
//	+--------------------+----------------------------------------------+
//
// # Addresses
//
// Inside ix, ro and ex, and between MethodData blocks, a place in the file is
// a [Ref]: its offset in units of 8 bytes, 32 bits wide, 0 for none. It
// reaches 32 GiB and never needs relocation. Inside the cells of rw a type or
// a method is a real 64-bit pointer: the requested base plus the offset of
// its record. Every such slot, null or not, has its bit in bm.
//
// # Alignment
//
// Every record, field and cell is a multiple of 8 bytes and lies on a multiple
// of 8, so that whatever is counted in place is naturally aligned. Regions
// begin on a multiple of 64; rw begins on a boundary of its own.
//
// # Trust
//
// Nothing in a file is trusted. Every offset and size is checked before it is
// used, and every walk must end exactly at its stated end. What does not fit is
// an [*Error] that matches [ErrCorrupt] and names region and offset.
package layout
