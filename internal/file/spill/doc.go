// Package spill keeps millions of byte strings in memory up to a budget, and in a file beyond it.
//
// The strings are the profiles of a builder, which are most of an archive: 90% if methods have 1,000 bytes of profiles
// each, 70% for a run of javac. Other data that grows with the archive stays in memory, since sorting and lookups need
// it: the texts of names, types, methods and contexts, the tables that find them, and the location and pointer words of
// each profile. This is 100 to 250 bytes per method, and the same again while an archive is laid out.
//
//	up to the budget    memory  | slab | slab | slab being filled |
//
//	beyond it           file    | slab | slab | slab | slab |
//	                    memory                              | slab being filled |
//
// Strings are appended to slabs. Once the slabs exceed the budget, all of them go to the file, and from then on each
// slab when it is full, at a multiple of its size. Keeping the first slabs in memory would take memory when it is
// scarce, while the archive is laid out. A string in the file never changes. To change it, the owner keeps a new
// string and frees the old one. When most strings are freed, the owner copies the others to another Store.
//
// While an archive is recorded, strings in the file are mostly requested in order, since runs of one program record
// profiles in the same order. [Store.Read] reads ahead while that helps. An archive is laid out from a [View], which
// maps the file. Profiles are then read twice, in the order of arrival and in the order of the archive, which may be
// any. Mapped file pages do not count as the process's own memory, and the system can reclaim them.
//
// The file has no name (on Windows it is deleted when it is closed), so that it does not outlive the process.
package spill
