// Package relocate says which words of an archive are pointers, and moves them.
//
// The cells of MethodData hold real 64-bit pointers: the requested base of the archive plus the offset of a
// type or method record. An archive that is mapped at its requested base needs no relocation. Elsewhere the
// difference of the bases is added to each pointer, for the whole region rw at once ([Map.ApplyAll]) or for a
// block when it is first claimed ([Map.Apply]). Package reader does this for Go programs. A VM that maps
// archives by its own means can use this package alone.
//
//   - A [Collector] takes the offsets of the pointer slots while an archive is laid out, and
//     encodes them as the region bm.
//   - A [Map] reads the region bm of an archive: it yields the slots in a range of rw
//     ([Map.Slots]), compares them with a set ([Map.Matches]) and moves the pointers in them.
//
// # Format
//
// The region bm is a directory and, after it, one Roaring bitmap for every chunk of rw that has a slot. A
// chunk is 65,536 words (512 KiB) of rw: the reach of a single Roaring container. Bit n of a chunk's bitmap
// stands for word n of the chunk, and is set where the word is a pointer slot, null or not. An archive whose
// rw is empty has a bm of the first 8 bytes.
//
//	0 u32 number of chunks (rw's size / 512 KiB, rounded up), u32 zero
//	8 for each chunk: u32 reference to its bitmap (0 if no slot), u32 size in bytes
//	  the bitmaps, in the order of the chunks, each padded with zeros to a
//	  multiple of 8
//
// The serialization is Roaring's portable one, with exactly one container and without run containers: slots
// alternate with counts, so that runs do not occur, and a bitmap can be read where it is. That makes a bitmap
//
//	 0 u32 12346, the cookie of a bitmap without run containers
//	 4 u32 1, the number of containers
//	 8 u16 0, the container's key; u16 number of slots - 1
//	12 u32 16, the offset of the container
//	16 up to 4096 slots: u16 for each, strictly ascending
//	   more: 1024 x u64, bit n of the chunk in word n/64 at n%64
//
// RoaringBitmap/roaring encodes, checks and iterates whole bitmaps. Only the slots of a
// single block are found by code of this package (container.go), which says why.
//
// # Relocation
//
// A slot holds requested base + offset of a record, with the tag bits of HotSpot's type
// words in its low bits, and 0 (or tag bits alone) for none. Relocating adds the difference
// of the bases; a slot without a pointer keeps its value.
//
// # Trust
//
// A bitmap that is not a sound Roaring bitmap of one container, or that names a word outside
// rw, is an error, never a crash. It is checked when its chunk is used first, at the cost of
// a pass over it, and is at most 8,208 bytes. A slot whose value does not point into the
// archive is an error too. [Map.Apply] finds it before it writes anything of the range.
package relocate
