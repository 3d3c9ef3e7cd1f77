// Package mmap is the one place that asks the operating system for memory:
// read-only views of files, private writable mappings of archives at an address
// of choice, and the guard that turns a memory fault into an error. It knows
// nothing of what the files hold.
//
// # A private mapping
//
// The whole span is reserved first, so that nothing else can come to lie in it;
// then its parts are put over the reservation:
//
//	base                 base+RW                base+Size
//	 +--------------------+----------------------+------+----------------+
//	 | file, shared,      | file, private,       | rest | zeroed memory, |
//	 | read-only          | copy-on-write        | page | Late bytes     |
//	 +--------------------+----------------------+------+----------------+
//
// Huge pages are not asked for: the kernel maps files that were written in
// aligned blocks of 2 MiB with huge pages of its own accord, and a copied page
// of the private part is an ordinary one in any case.
//
// # Unsafe
//
// This package and the words of package layout are the only ones in which
// unsafe stands.
package mmap
