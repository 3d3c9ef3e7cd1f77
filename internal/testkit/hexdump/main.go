// Hexdump prints an archive as hexadecimal bytes and names every range of them. It is for people who write a
// reader or a writer of the format, and it wrote the annotated archive of testdata/v1:
//
//	go run ./internal/testkit/hexdump app.parc | less
//
// Each line has an offset, up to eight bytes, and what they are. A run of more than eight zeros is one line,
// with the number of bytes behind a "*". Lines that begin with "#" are headings. The ranges follow each other
// without a gap, so that the bytes of a file can be had back from its dump.
//
// Hexdump expects a sound archive. It checks no sums; "profarc verify" does.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: hexdump ARCHIVE")
		os.Exit(2)
	}
	if err := dumpFile(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "hexdump:", err)
		os.Exit(1)
	}
}

func dumpFile(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	return errors.Join(print(out, data), out.Flush())
}
