// Package archivewriter writes a profileset.Set as an archive.
//
// It works in steps, and each needs the results of the steps before:
//
//	order      the canonical order of everything (order.go)
//	decide     which records there are and what they hold (plan.go, signature.go, unexecuted.go)
//	measure    the size of every region (plan.go)
//	place      where regions, records and blocks lie (place.go)
//	encode     the bytes, from front to back (encode.go, index.go)
//	write      pages summed and written by several goroutines (write.go)
//
// Nothing is written before all is placed, so that the file is written once, in
// order, without seeking back but for the sums and the header.
package archivewriter
