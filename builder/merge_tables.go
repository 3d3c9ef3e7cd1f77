package builder

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/profarc/profarc/internal/disk"
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

// scaleRow gives the counts of a row a weight.
func scaleRow(kind layout.TableKind, row []uint64, w Weight) {
	for _, i := range summedColumns[kind] {
		if i < len(row) {
			row[i] = w.of(row[i])
		}
	}
}

// uniteGrown unites the tables when they have doubled, so that they do not grow
// with the number of runs. The caller holds mu.
func (b *Builder) uniteGrown() {
	rows := 0
	for _, t := range b.tables {
		rows += t.rows()
	}
	if rows > 2*b.united {
		b.united = b.uniteTables()
	}
}

// uniteTables brings the tables of several runs into an order that does not
// depend on which came first, and gives the number of rows. Traces of runs that
// are merged as llvm-profdata does stay in the order of the runs. The caller
// holds mu.
func (b *Builder) uniteTables() (rows int) {
	b.dropSourceOrder()
	b.listDumps()
	for _, t := range b.tables {
		if b.ordered != mergeOrder || t.kind != layout.TableTraces {
			groups := t.groups()
			slices.SortFunc(groups, t.compareGroups)
			t.cells, t.firsts = t.sum(groups), nil
		}
		rows += t.rows()
	}
	return rows
}

// dropSourceOrder drops the tables that only an archive of one source has. The
// caller holds mu.
func (b *Builder) dropSourceOrder() {
	maps.DeleteFunc(b.tables, func(k layout.TableKind, _ *Table) bool { return k.IsSourceOrder() })
}

// listDumps makes the table of dumps, by time and id.
func (b *Builder) listDumps() {
	if len(b.dumps) == 0 {
		return
	}
	dumps := slices.SortedFunc(maps.Values(b.dumps), func(x, y dump) int {
		return cmp.Or(cmp.Compare(x.time, y.time), slices.Compare(x.id[:], y.id[:]))
	})
	word := layout.ColumnWord
	t := &Table{b: b, kind: layout.TableDumps, columns: []layout.ColumnKind{word, word, word, word}}
	for _, d := range dumps {
		t.cells = append(t.cells, le.Uint64(d.id[:]), le.Uint64(d.id[8:]), uint64(d.time), uint64(d.weight))
	}
	b.tables[layout.TableDumps] = t
}

// appendRows adds rows of another run; groups keep apart from those before. The
// caller holds mu.
func (t *Table) appendRows(cells []uint64) {
	at := len(t.cells)
	t.cells, t.firsts = append(t.cells, cells...), nil
	if !groupedTables[t.kind] || at == 0 {
		return
	}
	base := t.cells[at-len(t.columns)] + 1
	for ; at < len(t.cells); at += len(t.columns) {
		t.cells[at] += base
	}
}

// A rowGroup is the cells of rows that belong together.
type rowGroup []uint64

// groups cuts the table into what is compared and summed as a whole.
func (t *Table) groups() (groups []rowGroup) {
	width := len(t.columns)
	for at := 0; at < len(t.cells); {
		to := at + width
		for groupedTables[t.kind] && to < len(t.cells) && t.cells[to] == t.cells[at] {
			to += width
		}
		groups = append(groups, t.cells[at:to])
		at = to
	}
	return groups
}

// same are the columns that rows must agree in.
func (t *Table) same(column int) bool {
	return !slices.Contains(summedColumns[t.kind], column) && (column > 0 || !groupedTables[t.kind])
}

func (t *Table) compareGroups(x, y rowGroup) int {
	for i := range min(len(x), len(y)) {
		if column := i % len(t.columns); t.same(column) {
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
	case t.columns[column] == layout.ColumnSymbol:
		return cmp.Or(cmp.Compare(t.b.text(SymbolRef(x)), t.b.text(SymbolRef(y))), cmp.Compare(x, y))
	case t.columns[column] == layout.ColumnType:
		return t.b.compareTypes(TypeRef(x), TypeRef(y))
	case t.columns[column] == layout.ColumnMethod:
		return t.b.compareMethods(MethodRef(x), MethodRef(y))
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
		if groupedTables[t.kind] {
			for j := last; j < len(cells); j += len(t.columns) {
				cells[j] = number
			}
			number++
		}
	}
	return cells
}

// addEqual sums what is summed if g agrees with the group before it.
func (t *Table) addEqual(cells, before, g rowGroup) bool {
	if t.kind == layout.TableTraces || t.compareGroups(before, g) != 0 {
		return false
	}
	for i, v := range g {
		if column := i % len(t.columns); slices.Contains(summedColumns[t.kind], column) {
			cells[i] = disk.SaturatingAdd(cells[i], v)
		}
	}
	return true
}

// addProperty merges the numbers of a property, where it is of that kind.
func (t *Table) addProperty(cells, g []uint64) bool {
	b := t.b
	if t.kind != layout.TableProperties || len(g) != 2 || cells[0] != g[0] {
		return false
	}
	rule := disk.MergedProperty(b.text(SymbolRef(g[0])))
	if rule == disk.PropertyKept {
		return false
	}
	x, errX := strconv.ParseUint(b.text(SymbolRef(cells[1])), 10, 64)
	y, errY := strconv.ParseUint(b.text(SymbolRef(g[1])), 10, 64)
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
