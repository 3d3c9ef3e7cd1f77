package verify

import (
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
)

// tables follows every reference of the tables of ex.
func (c *check) tables() error {
	for t, err := range c.s.Tables() {
		if err != nil {
			return err
		}
		c.report.Tables++
		for row := range t.Rows {
			if err := c.interrupted(); err != nil {
				return err
			}
			for column := range t.Columns() {
				if err := c.reference(t.Column(column), t.Cell(column, row)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// reference follows a cell that is one, and is not none.
func (c *check) reference(kind layout.ColumnKind, cell uint64) (err error) {
	n := layout.Ref(cell)
	if kind == layout.ColumnWord || n == 0 {
		return nil
	}
	switch kind {
	case layout.ColumnSymbol:
		if _, err = c.s.SymbolAt(n); err == nil && !c.known(&c.starts.texts, n) {
			err = disk.Corrupt(disk.RegionRO, n.Offset(), "a table leads here, where no text begins")
		}
	case layout.ColumnType:
		_, err = c.s.TypeAt(n)
	case layout.ColumnMethod:
		if _, err = c.s.MethodAt(n); err == nil && !c.starts.rows.has(n) && !c.known(&c.starts.methods, n) {
			err = disk.Corrupt(disk.RegionRO, n.Offset(), "a table leads here, where no method begins")
		}
	case layout.ColumnProfile:
		if _, err = c.s.ProfileAt(n); err == nil && !c.known(&c.starts.blocks, n) {
			err = disk.Corrupt(disk.RegionRW, n.Offset(), "a table leads here, where no profile begins")
		}
	case layout.ColumnContext:
		_, err = c.s.ContextAt(n)
	}
	if err != nil {
		return c.problem(err)
	}
	return nil
}
