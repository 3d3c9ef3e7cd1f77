// Package vectors runs all readers on testdata/v1. These are archives of version 1 with their JSON dumps, and damaged
// variants with the required error. testdata/v1/README.md describes the files for readers in other languages.
//
// The archives of version 1 never change. A test compares them with a checksum in its source.
package vectors
