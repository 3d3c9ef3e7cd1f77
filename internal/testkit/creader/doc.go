// Package creader has an independent reader of the archive format in C, which tests docs/format.md. It was written from
// this page alone, uses only the C library, and prints the same bytes as internal/formats/jsondump. So the page defines
// the format, not the Go code.
//
// The reader must not use libprofarc, which is tested against the Go packages and would share a misreading of the page.
//
// The test compiles the reader and compares its output on archives of all domains. There is no other Go code.
package creader
