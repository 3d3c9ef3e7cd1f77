package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/layout"
)

// printShapes prints the shapes of a producer's entries in readable form.
func printShapes(w io.Writer, shapes []layout.EntryShape) error {
	var b strings.Builder
	for _, s := range shapes {
		fmt.Fprintf(&b, "tag %d  %s, counts of %s\n", s.Tag, s.Name, s.Unit)
		printCells(&b, "once", s.Cells)
		printCells(&b, "row", s.Rows)
	}
	fmt.Fprintf(&b, "\n%s\n", cli.Amount(len(shapes), "shape"))
	_, err := io.WriteString(w, b.String())
	return err
}

// printCells prints the cells that stand once, or each row's.
func printCells(b *strings.Builder, where string, cells []layout.CellShape) {
	for _, c := range cells {
		fmt.Fprintf(b, "  %-4s  %s: %s", where, c.Name, c.Kind)
		separator := " "
		for i, name := range c.Bits {
			if name != "" {
				fmt.Fprintf(b, "%s%d=%s", separator, i, name)
				separator = ", "
			}
		}
		b.WriteByte('\n')
	}
}
