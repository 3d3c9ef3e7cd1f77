package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

func (c *copier) copyTables() error {
	for t, err := range c.s.Tables() {
		if err != nil {
			return err
		}
		if c.take == Delta && t.Kind != layout.TableProperties && t.Kind != layout.TableCode {
			continue // tables are of the whole run, not of what came since
		}
		if c.merging && (t.Kind.IsSourceOrder() || t.Kind == layout.TableDumps) {
			continue // of one source; of all dumps
		}
		if err := c.copyTable(&t); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) copyTable(t *disk.Table) error {
	kinds := make([]layout.ColumnKind, t.Columns())
	for i := range kinds {
		kinds[i] = t.Column(i)
	}
	var cells []uint64
	rows := c.cut.rowsOf(c.s, t)
	for r := range t.Rows {
		if err := c.poll.Err(); err != nil {
			return err
		}
		if stays, err := rows.stay(r); !stays {
			if err != nil {
				return err
			}
			continue
		}
		for i, kind := range kinds {
			cell, err := c.tableCell(t.Kind, i, kind, t.Cell(i, r))
			if err != nil {
				return err
			}
			cells = append(cells, cell)
		}
		if names := c.cut.anonymizer(); names != nil && t.Kind == layout.TableRuns {
			names.anonymousRun(cells[len(cells)-len(kinds):])
		}
		if c.merging {
			scaleRow(t.Kind, cells[len(cells)-len(kinds):], c.of.Weight)
		}
	}
	if len(cells) == 0 && t.Rows > 0 {
		return nil
	}
	to := c.b.Table(t.Kind, t.Flags, kinds...)
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	to.appendRows(cells)
	return nil
}

// tableCell is the builder's reference for a cell of a table.
func (c *copier) tableCell(of layout.TableKind, column int, kind layout.ColumnKind, v uint64) (uint64, error) {
	n := layout.Ref(v)
	if v == 0 {
		return v, nil
	}
	switch kind {
	case layout.ColumnWord:
		return c.word(of, column, v), nil
	case layout.ColumnSymbol:
		text, err := c.s.SymbolAt(n)
		return uint64(c.b.Symbol(c.cut.anonymizer().symbol(of, text.String()))), err
	case layout.ColumnType:
		t, err := c.s.TypeAt(n)
		if err != nil {
			return 0, err
		}
		ref, err := c.typeRef(t)
		return uint64(ref), err
	case layout.ColumnMethod:
		ref, err := c.methodRef(n)
		return uint64(ref), err
	case layout.ColumnContext:
		return uint64(c.contexts[n]), nil
	case layout.ColumnProfile:
		return uint64(c.profiles[n]), nil
	}
	return 0, fmt.Errorf("builder: unknown column kind %d", kind)
}
