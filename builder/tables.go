package builder

import (
	"fmt"
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A Table gathers the rows of one table of ex, in the order in which they are
// added.
type Table struct {
	b       *Builder
	kind    layout.TableKind
	flags   uint32
	columns []layout.ColumnKind
	cells   []uint64 // row by row
	run     uint32   // that added the last row
	base    uint64   // of its groups

	firsts map[uint64]bool // the first cell of each row, for RowOnce; nil if it has to be made
}

// Table gives the table of a kind, with those columns; it is made if the
// builder does not have it yet. Asking for other columns than before is an
// error of the builder.
func (b *Builder) Table(kind layout.TableKind, flags uint32, columns ...layout.ColumnKind) *Table {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tables[kind]
	if t == nil {
		t = &Table{b: b, kind: kind, flags: flags, columns: slices.Clone(columns)}
		if err := b.newTable(kind, columns); err != nil {
			b.fail(err)
			return t
		}
		b.tables[kind] = t
	}
	if !slices.Equal(t.columns, columns) || t.flags != flags {
		b.fail(fmt.Errorf("%w: table %d has columns %v and flags %#x, asked for %v and %#x", ErrMismatch, kind, t.columns, t.flags, columns, flags))
	}
	return t
}

// newTable says why there can be no further table of that kind and columns.
func (b *Builder) newTable(kind layout.TableKind, columns []layout.ColumnKind) error {
	if len(b.tables) >= disk.MaxTables {
		return fmt.Errorf("%w: more than %d tables", layout.ErrTooLarge, disk.MaxTables)
	}
	return disk.CheckColumns(kind, columns)
}

// Row adds a row. A cell is a number, or a reference of the builder as a
// number (uint64(ref)), as its column says. Each run may number the groups of
// samples and traces from 0.
func (t *Table) Row(cells ...uint64) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.addRow(cells)
}

// RowOnce adds a row unless the table has one with the same first cell.
func (t *Table) RowOnce(cells ...uint64) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.firsts == nil {
		t.firsts = map[uint64]bool{}
		for at := 0; at < len(t.cells); at += len(t.columns) {
			t.firsts[t.cells[at]] = true
		}
	}
	if len(cells) == 0 || !t.firsts[cells[0]] {
		t.addRow(cells)
	}
}

// addRow adds a row. The caller holds mu.
func (t *Table) addRow(cells []uint64) {
	if len(cells) != len(t.columns) || len(cells) == 0 {
		t.b.fail(fmt.Errorf("table %d has %d columns, a row has %d", t.kind, len(t.columns), len(cells)))
		return
	}
	for i, c := range cells {
		if !t.b.holds(t.columns[i], c) {
			t.b.fail(fmt.Errorf("table %d, column %d: reference %d is not of this builder", t.kind, i, c))
			return
		}
	}
	t.cells = append(t.cells, cells...)
	if t.firsts != nil {
		t.firsts[cells[0]] = true
	}
	if groupedTables[t.kind] {
		t.keepApart(t.cells[len(t.cells)-len(cells):])
	}
}

// keepApart numbers the group of a row that a run has added, so that it is none
// of the runs before.
func (t *Table) keepApart(row []uint64) {
	if run := t.b.run.number; t.run != run {
		t.run, t.base = run, 0
		if before := len(t.cells) - 2*len(row); before >= 0 {
			t.base = t.cells[before] + 1
		}
	}
	row[0] += t.base
}

func (t *Table) rows() int { return len(t.cells) / len(t.columns) }

// holds reports whether a cell of that kind of column means something here.
func (b *Builder) holds(kind layout.ColumnKind, cell uint64) bool {
	var n int
	switch kind {
	case layout.ColumnWord:
		return true
	case layout.ColumnSymbol:
		n = b.symbols.len()
	case layout.ColumnType:
		n = b.types.len()
	case layout.ColumnMethod:
		n = b.methods.len()
	case layout.ColumnProfile:
		n = b.profiles.len()
	case layout.ColumnContext:
		n = b.contexts.len()
	default:
		return false
	}
	return cell <= uint64(n)
}

// eachSymbolCell goes through the symbols that tables refer to.
func (b *Builder) eachSymbolCell(yield func(SymbolRef)) {
	for _, t := range b.tables {
		for i, cell := range t.cells {
			if t.columns[i%len(t.columns)] == layout.ColumnSymbol {
				yield(SymbolRef(cell))
			}
		}
	}
}

// tablesSize is the size in bytes of ex.
func (b *Builder) tablesSize() int64 {
	size := int64(disk.TablesHeaderSize)
	for _, t := range b.tables {
		size += disk.TableRowSize + disk.TableSize(t.columns, int64(t.rows()))
	}
	return size
}

// sortedTables gives the tables by kind.
func (b *Builder) sortedTables() []*Table {
	kinds := slices.Sorted(maps.Keys(b.tables))
	tables := make([]*Table, len(kinds))
	for i, k := range kinds {
		tables[i] = b.tables[k]
	}
	return tables
}
