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
// # Lifetimes
//
// What [Mapping.Bytes] gives is memory of the mapping. It stays valid as long
// as the [Mapping] is reachable: a value that keeps such bytes must keep the
// Mapping too, and call runtime.KeepAlive behind its last access. After
// [Mapping.Close] every call fails with [ErrClosed]; the memory itself goes when
// no Mapping is reachable any more, so that a stale view never reads memory
// that belongs to something else.
//
// # Publishing
//
// [Publish] writes to a temporary file in the same folder, syncs it, renames
// it and syncs the folder: a program that is killed leaves the old archive or
// the new one.
package archive
