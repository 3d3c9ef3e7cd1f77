package profileset

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/layout"
)

// summedColumns are the columns of a table whose cells are summed when rows
// agree in all the others. Of other tables equal rows become one.
var summedColumns = map[layout.TableKind][]int{
	layout.TableMonitors:  {1},
	layout.TableSamples:   {3},
	layout.TableHeapRefs:  {0, 1},
	layout.TableHeapUse:   {1, 4, 5},
	layout.TableInstances: {1, 3, 4, 5},
	layout.TableThreads:   {1},
}

// groupedTables number groups of rows in their first column; rows of a group
// belong together, in their order.
var groupedTables = map[layout.TableKind]bool{layout.TableSamples: true, layout.TableTraces: true}

// ScaleRow gives the counts of a row a weight.
func ScaleRow(kind layout.TableKind, row []uint64, w layout.Weight) {
	for _, i := range summedColumns[kind] {
		if i < len(row) {
			row[i] = w.Of(row[i])
		}
	}
}

// UniteGrown unites the tables when they have doubled, so that they do not grow
// with the number of runs. The error is the set's.
func (b *Set) UniteGrown() error {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	rows := 0
	for _, t := range b.Tables {
		rows += t.Rows()
	}
	if rows > 2*b.united {
		b.united = b.uniteTables()
	}
	return b.err
}

// uniteTables brings the tables of several runs into an order that does not
// depend on which came first, and gives the number of rows. Traces of runs that
// are merged as llvm-profdata does stay in the order of the runs. The caller
// holds mu.
func (b *Set) uniteTables() (rows int) {
	b.dropSourceOrder()
	b.listDumps()
	for _, t := range b.Tables {
		if b.Ordered != mergeOrder || t.Kind != layout.TableTraces {
			groups := t.groups()
			slices.SortFunc(groups, t.compareGroups)
			t.Cells, t.firsts = t.sum(groups), nil
		}
		rows += t.Rows()
	}
	return rows
}

// dropSourceOrder drops the tables that only an archive of one source has. The
// caller holds mu.
func (b *Set) dropSourceOrder() {
	maps.DeleteFunc(b.Tables, func(k layout.TableKind, _ *Table) bool { return k.IsSourceOrder() })
}

// listDumps makes the table of dumps, by time and id.
func (b *Set) listDumps() {
	if len(b.Dumps) == 0 {
		return
	}
	dumps := slices.SortedFunc(maps.Values(b.Dumps), func(x, y Dump) int {
		return cmp.Or(cmp.Compare(x.Time, y.Time), slices.Compare(x.ID[:], y.ID[:]))
	})
	word := layout.ColumnWord
	t := &Table{b: b, Kind: layout.TableDumps, Columns: []layout.ColumnKind{word, word, word, word}}
	for _, d := range dumps {
		t.Cells = append(t.Cells, binary.LittleEndian.Uint64(d.ID[:]), binary.LittleEndian.Uint64(d.ID[8:]), uint64(d.Time), uint64(d.Weight))
	}
	b.Tables[layout.TableDumps] = t
}

// AppendRows adds rows of another run, which are not checked; groups keep apart
// from those before.
func (t *Table) AppendRows(cells []uint64) {
	t.b.Mu.Lock()
	defer t.b.Mu.Unlock()
	at := len(t.Cells)
	t.Cells, t.firsts = append(t.Cells, cells...), nil
	if !groupedTables[t.Kind] || at == 0 {
		return
	}
	base := t.Cells[at-len(t.Columns)] + 1
	for ; at < len(t.Cells); at += len(t.Columns) {
		t.Cells[at] += base
	}
}

// A rowGroup is the cells of rows that belong together.
type rowGroup []uint64

// groups cuts the table into what is compared and summed as a whole.
func (t *Table) groups() (groups []rowGroup) {
	width := len(t.Columns)
	for at := 0; at < len(t.Cells); {
		to := at + width
		for groupedTables[t.Kind] && to < len(t.Cells) && t.Cells[to] == t.Cells[at] {
			to += width
		}
		groups = append(groups, t.Cells[at:to])
		at = to
	}
	return groups
}

// same are the columns that rows must agree in.
func (t *Table) same(column int) bool {
	return !slices.Contains(summedColumns[t.Kind], column) && (column > 0 || !groupedTables[t.Kind])
}

func (t *Table) compareGroups(x, y rowGroup) int {
	for i := range min(len(x), len(y)) {
		if column := i % len(t.Columns); t.same(column) {
			if c := t.compareCells(column, x[i], y[i]); c != 0 {
				return c
			}
		}
	}
	return cmp.Compare(len(x), len(y))
}

func (t *Table) compareCells(column int, x, y uint64) int {
	switch {
	case x == y:
		return 0
	case t.Columns[column] == layout.ColumnSymbol:
		return cmp.Or(cmp.Compare(t.b.Text(intern.SymbolRef(x)), t.b.Text(intern.SymbolRef(y))), cmp.Compare(x, y))
	case t.Columns[column] == layout.ColumnType:
		return t.b.CompareTypes(uint32(x), uint32(y))
	case t.Columns[column] == layout.ColumnMethod:
		return t.b.CompareMethods(uint32(x), uint32(y))
	}
	return cmp.Compare(x, y)
}

// sum puts groups that agree together, and numbers those that have numbers
// anew. A trace is kept as often as it was recorded.
func (t *Table) sum(groups []rowGroup) (cells []uint64) {
	last := -1 // where the group before begins
	number := uint64(0)
	for i, g := range groups {
		if i > 0 && (t.addProperty(cells[last:], g) || t.addEqual(cells[last:], groups[i-1], g)) {
			continue
		}
		last = len(cells)
		cells = append(cells, g...)
		if groupedTables[t.Kind] {
			for j := last; j < len(cells); j += len(t.Columns) {
				cells[j] = number
			}
			number++
		}
	}
	return cells
}

// addEqual sums what is summed if g agrees with the group before it.
func (t *Table) addEqual(cells, before, g rowGroup) bool {
	if t.Kind == layout.TableTraces || t.compareGroups(before, g) != 0 {
		return false
	}
	for i, v := range g {
		if column := i % len(t.Columns); slices.Contains(summedColumns[t.Kind], column) {
			cells[i] = disk.SaturatingAdd(cells[i], v)
		}
	}
	return true
}

// addProperty merges the numbers of a property, where it is of that kind.
func (t *Table) addProperty(cells, g []uint64) bool {
	b := t.b
	if t.Kind != layout.TableProperties || len(g) != 2 || cells[0] != g[0] {
		return false
	}
	rule := disk.MergedProperty(b.Text(intern.SymbolRef(g[0])))
	if rule == disk.PropertyKept {
		return false
	}
	x, errX := strconv.ParseUint(b.Text(intern.SymbolRef(cells[1])), 10, 64)
	y, errY := strconv.ParseUint(b.Text(intern.SymbolRef(g[1])), 10, 64)
	if errX != nil || errY != nil {
		return false
	}
	both := max(x, y)
	if rule == disk.PropertySummed {
		both = disk.SaturatingAdd(x, y)
	}
	cells[1] = uint64(b.symbol(strconv.FormatUint(both, 10), disk.MaxBlob))
	return true
}
