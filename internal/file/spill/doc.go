// Package spill keeps millions of byte strings, in memory as far as a budget goes and beyond it in a file.
//
// The strings are the profiles of a builder, which are most of an archive: nine tenths of one whose methods
// have 1,000 bytes of profiles each, seven tenths of one of a run of javac. What else grows with the archive
// stays in memory, since it is needed to put profiles into their order or is asked for all the time: the
// texts of names, types, methods, contexts, the tables that find these, and for each profile where it is, and
// which of its words are pointers. That is 100 to 250 bytes a method, and as many again while an archive is
// laid out.
//
//	up to the budget    memory  | slab | slab | slab being filled |
//
//	beyond it           file    | slab | slab | slab | slab |
//	                    memory                              | slab being filled |
//
// Strings are appended to slabs. Once these exceed the budget, all of them go to the file, and from then on
// each when it is full, in one piece on a multiple of its size. To keep the first in memory would need more
// of it when it is scarce, while the archive is laid out. A string in the file is never changed: who changes
// it keeps it anew and frees the old one, and once most of all strings are freed the owner copies the others
// to another Store.
//
// While an archive is recorded, strings of the file are asked for in order, if at all:
// runs of one program come in one order. [Store.Read] reads ahead as far as that has
// paid. An archive is laid out from a [View], which maps the file: profiles are read
// once in the order of their arrival and once in the order of the archive, which may be any.
// Mapped pages of a file are not the process's own, and the system can take them back.
//
// The file has no name (on Windows: is deleted when it is closed), so that it does not outlive the process.
package spill
