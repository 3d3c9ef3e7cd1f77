package hexdump

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

var archiveFile = flag.String("archive", "", "archive to print")

// TestMain prints the archive that a flag names, instead of running the tests.
func TestMain(m *testing.M) {
	flag.Parse()
	if *archiveFile == "" {
		os.Exit(m.Run())
	}
	data, err := os.ReadFile(*archiveFile)
	if err == nil {
		err = writeDump(os.Stdout, data)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hexdump:", err)
		os.Exit(1)
	}
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
