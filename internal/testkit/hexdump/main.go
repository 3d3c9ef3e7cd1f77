// Hexdump prints an archive as hexadecimal bytes with annotations. It helps to write a reader or writer of the format,
// and generates the annotated archive of testdata/v1.
//
//	go run ./internal/testkit/hexdump app.parc | less
//
// Each line has an offset, up to eight bytes, and a description. A run of more than eight zeros is one line with "*"
// and the number of bytes. Lines that begin with "#" are headings. The lines cover all bytes of the file, so that the
// file can be restored from its dump.
//
// Hexdump expects a sound archive and does not verify checksums.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
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
	return errors.Join(writeDump(out, data), out.Flush())
}

func writeDump(out io.Writer, data []byte) error {
	return annotate(data, func(l line) { fmt.Fprintln(out, formatLine(l)) })
}

func formatLine(l line) string {
	hex := fmt.Sprintf("% x", l.Bytes)
	switch {
	case len(l.Bytes) == 0:
		return "# " + l.Text
	case l.Zeros:
		hex = fmt.Sprintf("00 * %d", len(l.Bytes))
	}
	return strings.TrimRight(fmt.Sprintf("%06x  %-23s  %s", l.Offset, hex, l.Text), " ")
}
