package profileset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/layout"
)

// A Table holds the rows of one table of region ex, in the order in which they were added.
type Table struct {
	b       *Set
	Kind    disk.TableKind
	Flags   uint32
	Columns []disk.ColumnKind
	Cells   []uint64 // row by row
	run     uint32   // number of the run that added the last row
	base    uint64   // number added to the groups of that run

	firsts map[uint64]bool // first cell of each row, for RowOnce; nil if unknown
}

// Table returns the table of a kind, and creates it if needed. Without columns, it has the columns of its kind.
// Different columns or flags than before are an error of the set.
func (b *Set) Table(kind disk.TableKind, flags uint32, columns ...disk.ColumnKind) *Table {
	if len(columns) == 0 {
		columns = disk.TableColumns(kind)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.table(kind, flags, columns)
}

// table implements Table. The caller holds mu.
func (b *Set) table(kind disk.TableKind, flags uint32, columns []disk.ColumnKind) *Table {
	t := b.Tables[kind]
	if t == nil {
		t = &Table{b: b, Kind: kind, Flags: flags, Columns: slices.Clone(columns)}
		if err := b.newTable(kind, flags, columns); err != nil {
			b.failWith(err)
			return t
		}
		b.Tables[kind] = t
	}
	if !slices.Equal(t.Columns, columns) || t.Flags != flags {
		b.failWith(fmt.Errorf("%w: table %d has columns %v and flags %#x, asked for %v and %#x", ErrMismatch, kind, t.Columns,
			t.Flags, columns, flags))
	}
	return t
}

func (b *Set) newTable(kind disk.TableKind, flags uint32, columns []disk.ColumnKind) error {
	switch {
	case kind == disk.TableShapes:
		return errors.New("the table of shapes is the builder's own: see DeclareShape")
	case kind == disk.TableCrowded:
		return errors.New("the table crowded belongs to the index, which each archive has anew: leave it out")
	case disk.TableByProducer(kind) && b.Domain != layout.DomainCustom:
		return fmt.Errorf("a table of a producer's kind %d in an archive of domain %s: only %s has those", kind, b.Domain,
			layout.DomainCustom)
	case len(b.Tables) >= disk.MaxTables:
		return fmt.Errorf("%w: more than %d tables", layout.ErrTooLarge, disk.MaxTables)
	}
	return disk.CheckTable(kind, flags, columns)
}

// Row adds a row. A cell is a number or, as its column requires, a reference of the set. Each run can number the groups
// of samples and traces from 0.
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
		for at := 0; at < len(t.Cells); at += len(t.Columns) {
			t.firsts[t.Cells[at]] = true
		}
	}
	if len(cells) == 0 || !t.firsts[cells[0]] {
		t.addRow(cells)
	}
}

// addRow adds a row. The caller holds mu.
func (t *Table) addRow(cells []uint64) {
	if len(cells) != len(t.Columns) || len(cells) == 0 {
		t.b.failWith(fmt.Errorf("table %d has %d columns, a row has %d", t.Kind, len(t.Columns), len(cells)))
		return
	}
	for i, c := range cells {
		if !t.b.holds(t.Columns[i], c) {
			t.b.failWith(fmt.Errorf("table %d, column %d: reference %d is not of this builder", t.Kind, i, c))
			return
		}
	}
	if t.firsts != nil {
		t.firsts[cells[0]] = true
	}
	t.Cells = append(t.Cells, cells...)
	if Grouped(t.Kind) {
		t.renumberGroup(t.Cells[len(t.Cells)-len(cells):])
	}
}

func (t *Table) renumberGroup(row []uint64) {
	if run := t.b.Run.number; t.run != run {
		t.run, t.base = run, 0
		if before := len(t.Cells) - 2*len(row); before >= 0 {
			t.base = t.Cells[before] + 1
		}
	}
	row[0] += t.base
}

// AddProperty adds a row to the table of properties.
func (b *Set) AddProperty(key, value string) {
	b.Table(disk.TableProperties, 0).Row(uint64(b.Symbol(key)), uint64(b.Symbol(value)))
}

func (t *Table) Rows() int { return len(t.Cells) / len(t.Columns) }

func (b *Set) holds(kind disk.ColumnKind, cell uint64) bool {
	var n int
	switch kind {
	case disk.ColumnWord:
		return true
	case disk.ColumnSymbol:
		n = b.Symbols.Len()
	case disk.ColumnType:
		n = b.Types.Len()
	case disk.ColumnMethod:
		n = b.Methods.Len()
	case disk.ColumnProfile:
		n = b.Profiles.Len()
	case disk.ColumnContext:
		n = b.Contexts.Len()
	default:
		return false
	}
	return cell <= uint64(n)
}

func (b *Set) EachSymbolCell(yield func(intern.SymbolRef)) {
	for _, t := range b.Tables {
		for i, cell := range t.Cells {
			if t.Columns[i%len(t.Columns)] == disk.ColumnSymbol {
				yield(intern.SymbolRef(cell))
			}
		}
	}
}

// TablesSize returns the size of region ex in bytes.
func (b *Set) TablesSize() int64 {
	size := int64(disk.TablesHeaderSize)
	for _, t := range b.Tables {
		size += disk.TableRowSize + disk.TableSize(t.Columns, int64(t.Rows()))
	}
	return size
}

func (b *Set) SortedTables() []*Table {
	return slices.SortedFunc(maps.Values(b.Tables), func(x, y *Table) int { return cmp.Compare(x.Kind, y.Kind) })
}

// AppendRows adds rows of another run and renumbers their groups. It does not check the cells.
func (t *Table) AppendRows(cells []uint64) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	at := len(t.Cells)
	t.Cells = append(t.Cells, cells...)
	t.firsts = nil
	if !Grouped(t.Kind) || at == 0 {
		return
	}
	base := t.Cells[at-len(t.Columns)] + 1
	for ; at < len(t.Cells); at += len(t.Columns) {
		t.Cells[at] += base
	}
}

// Grouped reports whether tables of a kind number groups of rows in their first column. The rows of a group stay
// together and in order.
func Grouped(kind disk.TableKind) bool { return kind == disk.TableSamples || kind == disk.TableTraces }

// sortSets sorts the tables in which the order of calls does not matter, and unites equal rows. The caller holds mu.
func (b *Set) sortSets() {
	for _, kind := range []disk.TableKind{disk.TableCode, disk.TableCompilations, disk.TableInlining,
		disk.TableFunctions, disk.TableBase, disk.TableMoved, disk.TableCertain, disk.TableObjects, disk.TableInputs,
		disk.TableLosses, disk.TableVersions, disk.TableAdvice} {
		if t := b.Tables[kind]; t != nil {
			t.uniteRows()
		}
	}
}

// keepTablesOfCode drops the sketches and the moved points of code that has no profile. The caller holds mu.
func (b *Set) keepTablesOfCode() {
	versions := map[MethodRef][]uint64{}
	for _, d := range b.Profiles.All {
		versions[d.Method] = append(versions[d.Method], d.Code)
	}
	b.keepGroups(disk.TableCode, func(row rowGroup) bool {
		sketch := []byte(b.Text(intern.SymbolRef(row[1])))
		return slices.ContainsFunc(versions[MethodRef(row[0])], func(code uint64) bool {
			return disk.SketchMayBeOf(sketch, code)
		})
	})
	for _, kind := range []disk.TableKind{disk.TableMoved, disk.TableVersions} {
		b.keepGroups(kind, func(row rowGroup) bool { return slices.Contains(versions[MethodRef(row[0])], row[1]) })
	}
}

// keepGroups drops the groups of rows of a table for which keep is false. The caller holds mu.
func (b *Set) keepGroups(kind disk.TableKind, keep func(g rowGroup) bool) {
	t := b.Tables[kind]
	if t == nil {
		return
	}
	var cells []uint64
	for _, g := range t.rowGroups() {
		if keep(g) {
			cells = append(cells, g...)
		}
	}
	t.Cells = cells
}

// addCertain adds a row for each site that was certain in one of the last two merged profiles. The caller holds mu.
func (b *Set) addCertain(ref ProfileRef) {
	for _, c := range b.merger.Certain {
		b.table(disk.TableCertain, 0, disk.TableColumns(disk.TableCertain)).addRow([]uint64{uint64(ref),
			uint64(int64(c.Point)), c.Outcome, c.Count})
	}
	b.merger.Certain = b.merger.Certain[:0]
}

// renumberProfiles replaces the references in tables of profiles, and drops the rows of dropped profiles. became has
// the new references by the old ones. The caller holds mu.
func (b *Set) renumberProfiles(became []ProfileRef) {
	for _, kind := range []disk.TableKind{disk.TableCertain, disk.TableObjects, disk.TableAdvice} {
		b.keepGroups(kind, func(g rowGroup) bool {
			ofNone := g[0] == 0 && kind == disk.TableObjects
			g[0] = uint64(became[g[0]])
			return g[0] != 0 || ofNone
		})
	}
}
