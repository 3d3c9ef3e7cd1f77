package reduce

import (
	"errors"
	"strconv"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// rowCut decides which rows of a table stay.
type rowCut struct {
	*cut
	s     *reader.Store
	t     *disk.Table
	whole bool // the table goes
	group bool // the last stack that began stays
}

func (c *cut) rowsOf(s *reader.Store, t *disk.Table) *rowCut {
	return &rowCut{cut: c, s: s, t: t, whole: c.dropsTable(t)}
}

// dropsTable reports whether nothing of a table can stay. The dumps of a merged
// archive are listed anew.
func (c *cut) dropsTable(t *disk.Table) bool {
	switch t.Kind {
	case layout.TableOrder, layout.TableOrderRuns, layout.TableDumps:
		return true
	case layout.TableForeign, layout.TableClassPath, layout.TableCode:
		return c.names != nil
	case layout.TableProperties, layout.TableMonitors, layout.TableSamples, layout.TableBinaryIDs, layout.TableTraces, layout.TableVTables,
		layout.TableHeapRefs, layout.TableHeapUse, layout.TableInstances, layout.TableThreads, layout.TableReflected, layout.TableRuns:
		return false
	}
	return c.names != nil // nobody knows what it names
}

// stay reports whether a row stays, and counts it if it does not.
func (c *rowCut) stay(row int) (bool, error) {
	stays, err := c.decide(row)
	relisted := c.t.Kind == layout.TableDumps && c.s.Header().Flags&layout.FlagMerged != 0
	if err == nil && !stays && !relisted {
		c.out.Rows[c.t.Kind]++
	}
	return stays, err
}

func (c *rowCut) decide(row int) (bool, error) {
	switch {
	case c.whole:
		return false, nil
	case c.t.Kind == layout.TableProperties && c.names != nil:
		return c.harmless(row)
	case c.t.Kind == layout.TableSamples && c.selective():
		return c.sampled(row), nil
	case c.t.Kind == layout.TableTraces && c.selective():
		return c.traced(row)
	case c.t.Kind == layout.TableCode:
		return c.keeps(layout.Ref(c.t.Cell(0, row))), nil
	}
	return true, nil
}

// harmless reports whether a property is a number that runs are summed by.
func (c *rowCut) harmless(row int) (bool, error) {
	if c.t.Columns() != 2 || c.t.Column(0) != layout.ColumnSymbol || c.t.Column(1) != layout.ColumnSymbol {
		return false, nil
	}
	key, err1 := c.symbolText(c.t.Cell(0, row))
	value, err2 := c.symbolText(c.t.Cell(1, row))
	_, notNumber := strconv.ParseUint(value, 10, 64)
	return disk.MergedProperty(key) != disk.PropertyKept && notNumber == nil, errors.Join(err1, err2)
}

func (c *rowCut) symbolText(cell uint64) (string, error) {
	if cell == 0 {
		return "", nil
	}
	name, err := c.s.SymbolAt(layout.Ref(cell))
	return name.String(), err
}

// sampled reports whether the stack that a row belongs to was chosen: it stays or
// goes as a whole.
func (c *rowCut) sampled(row int) bool {
	if row == 0 || c.t.Cell(0, row) != c.t.Cell(0, row-1) {
		c.group = c.stacks[row]
	}
	return c.group
}

// traced reports whether the function of a row of a trace stays, or is none of
// the archive.
func (c *rowCut) traced(row int) (bool, error) {
	if c.t.Columns() != 3 {
		return false, nil
	}
	m, err := c.s.Lookup(c.t.Cell(2, row))
	if errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous) {
		return true, nil
	}
	return err == nil && c.keeps(m.Ref()), err
}
