// Package archive is the container: it writes a file and publishes it in one
// step, opens and checks it, maps it for reading, maps it once more for
// adoption, verifies it, and lets go of it.
//
// # Opening
//
// [Open] checks the header and the geometry of all regions, which costs the
// same for a file of any size. Every other page is checked against its sum when
// [Mapping.Bytes] touches it first; see [Check] for other choices.
//
// # Page checks
//
// The sums of the pages lie in the region ps and are summed themselves, 64 at a
// time, in levels up to the root, which is in the header:
//
//	header: root
//	   |
//	level 2   one sum for 64 sums of level 1     (16 MiB of the file)
//	   |
//	level 1   one sum for 64 sums of level 0     (256 KiB of the file)
//	   |
//	level 0   one sum for a page                 (4 KiB of the file)
//
// The first touch of a page checks what is not checked yet on the way down from
// the root. One bit in ordinary memory remembers each page and each 64 sums, so
// that nothing is hashed twice, unless two goroutines meet at its first touch.
//
// # Lifetimes
//
// What [Mapping.Bytes] returns is memory of the mapping. It stays valid as long
// as the [Mapping] is reachable: a value that keeps such bytes must keep the
// Mapping too, and call runtime.KeepAlive after its last access. After
// [Mapping.Close] every call fails with [ErrClosed]; the memory itself goes when
// no Mapping is reachable any more, so that a stale view never reads memory
// that belongs to something else. [Adopted] keeps its Mapping, and its own
// memory goes with it in the same way.
//
// On Windows a file cannot be replaced or removed while a mapping of it exists,
// which may be some time after Close: open with [ModeHeap] what is to be replaced
// by the same program.
//
// # Publishing
//
// [Publish] writes to a temporary file in the same directory, syncs it, renames
// it and syncs the directory: a program that is killed leaves the old archive or
// the new one.
//
// # Trust
//
// No file makes a call of this package read outside the mapping, or allocate
// more than the file is long. A file that others cut short while it is mapped
// faults where it ends: Open, Verify and, with CheckOnTouch, the first touch of
// a page turn that into an error, and [Mapping.Guard] does for everything else.
// Elsewhere such a fault ends the process, as it does with every mapped file:
// replace archives by renaming, as Publish does, and never write into them.
package archive
