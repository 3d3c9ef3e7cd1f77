// Package relocate keeps account of the pointers in rw and moves them.
//
// # Format
//
// The region bm is a directory and, behind it, one Roaring bitmap for every
// chunk of rw. A chunk is 65,536 words (512 KiB) of rw: the reach of a single
// Roaring container. Bit n of a chunk's bitmap stands for word n of the chunk,
// and is set where the word is a pointer slot, null or not.
//
//	0 u32 number of chunks, u32 zero
//	8 for each chunk: u32 Narrow of its bitmap (0 if no slot), u32 size in bytes
//	  the bitmaps, in Roaring's portable serialization, each padded with zeros
//	  to a multiple of 8
//
// # Trust
//
// A bitmap that is not a sound Roaring bitmap of one container, or that names
// a word outside rw, is an error, never a crash. A slot whose value does not
// point into the archive is an error too, found before anything is written.
package relocate
