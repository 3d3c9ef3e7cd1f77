// Package vectors tests the archives of version 1 in testdata/v1, with their JSON dumps, and their damaged variants with
// the required errors. It runs all readers on them. testdata/v1/README.md describes the files for readers in other
// languages.
//
// The archives of version 1 never change. A test compares them with a checksum in its source.
package vectors
