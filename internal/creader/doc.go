// Package creader holds a second reader of the archive format, in C. It was
// written from docs/format.md alone, uses nothing but the C library, and prints
// an archive as internal/dump does, byte for byte: so the page, and not the Go
// code, is what the format is.
//
// Its test compiles it and compares the output of both on archives of every
// domain; there is no Go code but the test.
package creader
