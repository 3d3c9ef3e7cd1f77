// Package creader holds a second reader of the archive format, in C. It was written from docs/format.md
// alone, uses nothing but the C library, and prints an archive as internal/formats/json does, byte for byte: so the
// page, and not the Go code, is what the format is.
//
// It is no client of libprofarc, and must not become one: libprofarc is tested against the
// Go packages, byte for byte, and would share a misreading of the page with them. This
// reader shares no line with either, and has no other purpose than to judge.
//
// Its test compiles it and compares the output of both on archives of every
// domain; there is no Go code but the test.
package creader
