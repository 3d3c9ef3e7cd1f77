// Package hexdump prints archives as hexadecimal bytes with annotations. It is code of tests, which compare the
// annotated archive of testdata/v1 with it. It also helps to write a reader or writer of the format:
//
//	go test -v ./internal/testkit/hexdump -archive $PWD/app.parc | less
//
// Each line has an offset, up to eight bytes, and a description. A run of more than eight zeros is one line with "*"
// and the number of bytes. Lines that begin with "#" are headings. The lines cover all bytes of the file, so that the
// file can be restored from its dump. The archive must be sound; checksums are not verified.
package hexdump
