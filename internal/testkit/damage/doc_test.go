// Package damage has tests of all readers, in Go, C and Python, with sound, damaged and forged archives.
//
// The tests of damaged archives first make all possible queries to a sound archive. Then they change or truncate bytes.
// Each result must stay the same or be a typed error with region and offset. A damaged archive must not report a record
// as missing that it contains.
//
// Forged archives have invalid references or numbers, but valid checksums. A forger changes one field at a time, and a
// mutator up to three. All readers and commands must accept what verify accepts.
//
// The vectors of testdata/v1 are archives of version 1 with their JSON dumps, and damaged variants with the required
// error. testdata/v1/README.md describes the files for readers in other languages. They never change, and a test
// compares them with a checksum in its source.
//
// By default the tests check a seeded sample of the changes. With PROFARC_EXHAUSTIVE=1 they check all of them.
package damage
