// Package relocate finds and relocates the pointers of an archive.
//
// The cells of MethodData have 64-bit pointers with the value requested base + offset of a type or method record. An
// archive mapped at its requested base needs no relocation. At another base, the difference of the bases is added to
// each pointer. [Map.ApplyAll] does so for the whole region rw, and [Map.Apply] for a block that is claimed. Package
// reader uses both. A VM that maps archives itself can use this package directly.
//
//   - A [Collector] gathers the offsets of pointer slots during layout and encodes them as the region bm.
//   - A [Map] reads the region bm. It yields the slots in a range of rw ([Map.Slots]), compares them with a set
//     ([Map.Matches]) and relocates their pointers.
//
// # Format
//
// The region bm is a directory and, after it, one Roaring bitmap for every chunk of rw that has a slot. A
// chunk is 65,536 words (512 KiB) of rw, the range of a single Roaring container. Bit n of a chunk's bitmap
// is set if word n of the chunk is a pointer slot, null or not. If rw is empty, bm has only the first 8 bytes.
//
//	0 u32 number of chunks (rw's size / 512 KiB, rounded up), u32 zero
//	8 for each chunk: u32 reference to its bitmap (0 if no slot), u32 size in bytes
//	  the bitmaps, in the order of the chunks, each padded with zeros to a
//	  multiple of 8
//
// Bitmaps use Roaring's portable serialization with exactly one container and no run containers. Runs do not occur,
// because slots alternate with counts. Bitmaps can be used without copying. The format of a bitmap is
//
//	 0 u32 12346, the cookie of a bitmap without run containers
//	 4 u32 1, the number of containers
//	 8 u16 0, the container's key; u16 number of slots - 1
//	12 u32 16, the offset of the container
//	16 up to 4096 slots: u16 for each, strictly ascending
//	   more: 1024 x u64, bit n of the chunk in word n/64 at n%64
//
// RoaringBitmap/roaring encodes, checks and iterates whole bitmaps. This package finds the slots of single blocks
// itself, because that is much faster, see container.go.
//
// # Relocation
//
// A slot has the value requested base + offset of a record, with the tag bits of HotSpot's type words in its low bits.
// A null slot is 0 or has only tag bits. Relocation adds the difference of the bases and does not change null slots.
//
// # Trust
//
// A bitmap must be a sound Roaring bitmap of one container and must not have words outside rw. Otherwise there is an
// error and never a crash. The check is one pass over at most 8,208 bytes when a chunk is first used. Slots must point
// into the archive. [Map.Apply] checks all slots of a range before it writes.
package relocate
