// Package archivewriter writes a profileset.Set as an archive.
//
// Each step needs the results of the steps before it:
//
//	order      sorts all records canonically (order.go)
//	decide     chooses the records and their contents (plan.go, signature.go, unexecuted.go)
//	measure    computes the size of each region (plan.go)
//	lay out    assigns offsets to regions, records and blocks (place.go)
//	encode     produces the bytes from front to back (encode.go, index.go)
//	write      computes page checksums and writes pages in several goroutines (write.go)
//
// All offsets are known before the first byte is written. The file is therefore written once and in order, except
// for the checksums and the header, which come last.
package archivewriter
