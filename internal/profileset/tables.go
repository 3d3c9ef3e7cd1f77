package profileset

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/layout"
)

// A Table gathers the rows of one table of ex, in the order in which they are
// added.
type Table struct {
	b       *Set
	Kind    layout.TableKind
	Flags   uint32
	Columns []layout.ColumnKind
	Cells   []uint64 // row by row
	run     uint32   // that added the last row
	base    uint64   // of its groups

	firsts map[uint64]bool // the first cell of each row, for RowOnce; nil if it has to be made
}

// Table returns the table of a kind, with those columns or, if none are named, with
// those of its kind; it is made if the builder does not have it yet. Asking for other
// columns than before is an error of the builder.
func (b *Set) Table(kind layout.TableKind, flags uint32, columns ...layout.ColumnKind) *Table {
	if len(columns) == 0 {
		columns = disk.TableColumns(kind)
	}
	b.Mu.Lock()
	defer b.Mu.Unlock()
	t := b.Tables[kind]
	if t == nil {
		t = &Table{b: b, Kind: kind, Flags: flags, Columns: slices.Clone(columns)}
		if err := b.newTable(kind, columns); err != nil {
			b.fail(err)
			return t
		}
		b.Tables[kind] = t
	}
	if !slices.Equal(t.Columns, columns) || t.Flags != flags {
		b.fail(fmt.Errorf("%w: table %d has columns %v and flags %#x, asked for %v and %#x", ErrMismatch, kind, t.Columns, t.Flags, columns, flags))
	}
	return t
}

// newTable says why there can be no further table of that kind and columns.
func (b *Set) newTable(kind layout.TableKind, columns []layout.ColumnKind) error {
	if len(b.Tables) >= disk.MaxTables {
		return fmt.Errorf("%w: more than %d tables", layout.ErrTooLarge, disk.MaxTables)
	}
	return disk.CheckColumns(kind, columns)
}

// Row adds a row. A cell is a number, or a reference of the builder as a
// number (uint64(ref)), as its column says. Each run may number the groups of
// samples and traces from 0.
func (t *Table) Row(cells ...uint64) {
	t.b.Mu.Lock()
	defer t.b.Mu.Unlock()
	t.addRow(cells)
}

// RowOnce adds a row unless the table has one with the same first cell.
func (t *Table) RowOnce(cells ...uint64) {
	t.b.Mu.Lock()
	defer t.b.Mu.Unlock()
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
		t.b.fail(fmt.Errorf("table %d has %d columns, a row has %d", t.Kind, len(t.Columns), len(cells)))
		return
	}
	for i, c := range cells {
		if !t.b.holds(t.Columns[i], c) {
			t.b.fail(fmt.Errorf("table %d, column %d: reference %d is not of this builder", t.Kind, i, c))
			return
		}
	}
	if t.firsts != nil {
		t.firsts[cells[0]] = true
	}
	t.Cells = append(t.Cells, cells...)
	if groupedTables[t.Kind] {
		t.keepApart(t.Cells[len(t.Cells)-len(cells):])
	}
}

// keepApart numbers the group of a row that a run has added, so that it is none
// of the runs before.
func (t *Table) keepApart(row []uint64) {
	if run := t.b.Run.number; t.run != run {
		t.run, t.base = run, 0
		if before := len(t.Cells) - 2*len(row); before >= 0 {
			t.base = t.Cells[before] + 1
		}
	}
	row[0] += t.base
}

func (t *Table) Rows() int { return len(t.Cells) / len(t.Columns) }

// holds reports whether a cell of that kind of column means something here.
func (b *Set) holds(kind layout.ColumnKind, cell uint64) bool {
	var n int
	switch kind {
	case layout.ColumnWord:
		return true
	case layout.ColumnSymbol:
		n = b.Symbols.Len()
	case layout.ColumnType:
		n = b.Types.Len()
	case layout.ColumnMethod:
		n = b.Methods.Len()
	case layout.ColumnProfile:
		n = b.Profiles.Len()
	case layout.ColumnContext:
		n = b.Contexts.Len()
	default:
		return false
	}
	return cell <= uint64(n)
}

// EachSymbolCell goes through the symbols that tables refer to.
func (b *Set) EachSymbolCell(yield func(intern.SymbolRef)) {
	for _, t := range b.Tables {
		for i, cell := range t.Cells {
			if t.Columns[i%len(t.Columns)] == layout.ColumnSymbol {
				yield(intern.SymbolRef(cell))
			}
		}
	}
}

// TablesSize is the size in bytes of ex.
func (b *Set) TablesSize() int64 {
	size := int64(disk.TablesHeaderSize)
	for _, t := range b.Tables {
		size += disk.TableRowSize + disk.TableSize(t.Columns, int64(t.Rows()))
	}
	return size
}

// SortedTables returns the tables by kind.
func (b *Set) SortedTables() []*Table {
	kinds := slices.Sorted(maps.Keys(b.Tables))
	tables := make([]*Table, len(kinds))
	for i, k := range kinds {
		tables[i] = b.Tables[k]
	}
	return tables
}

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

// ScaleRow returns the counts of a row a weight.
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
// depend on which came first, and returns the number of rows. Traces of runs that
// are merged as llvm-profdata does stay in the order of the runs. The caller
// holds mu.
func (b *Set) uniteTables() (rows int) {
	b.dropSourceOrder()
	b.listDumps()
	for _, t := range b.Tables {
		if b.Ordered != mergeOrder || t.Kind != layout.TableTraces {
			t.unite()
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

// unite sorts the rows by their content and sums those that agree.
func (t *Table) unite() {
	contexts := t.contextRanks()
	groups := t.groups()
	slices.SortFunc(groups, func(x, y rowGroup) int { return t.compareGroups(x, y, contexts) })
	t.Cells, t.firsts = t.sum(groups, contexts), nil
}

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

func (t *Table) compareGroups(x, y rowGroup, contexts contextRanks) int {
	for i := range min(len(x), len(y)) {
		if column := i % len(t.Columns); t.same(column) {
			if c := t.compareCells(column, x[i], y[i], contexts); c != 0 {
				return c
			}
		}
	}
	return cmp.Compare(len(x), len(y))
}

func (t *Table) compareCells(column int, x, y uint64, contexts contextRanks) int {
	switch {
	case x == y:
		return 0
	case t.Columns[column] == layout.ColumnSymbol:
		return cmp.Or(cmp.Compare(t.b.Text(intern.SymbolRef(x)), t.b.Text(intern.SymbolRef(y))), cmp.Compare(x, y))
	case t.Columns[column] == layout.ColumnType:
		return t.b.CompareTypes(uint32(x), uint32(y))
	case t.Columns[column] == layout.ColumnMethod:
		return t.b.CompareMethods(uint32(x), uint32(y))
	case t.Columns[column] == layout.ColumnContext:
		return cmp.Compare(contexts.of(ContextRef(x)), contexts.of(ContextRef(y)))
	case t.Columns[column] == layout.ColumnProfile:
		return t.b.compareProfiles(ProfileRef(x), ProfileRef(y), contexts)
	}
	return cmp.Compare(x, y)
}

// compareProfiles orders profiles by method, context and code.
func (b *Set) compareProfiles(x, y ProfileRef, contexts contextRanks) int {
	if x == 0 || y == 0 {
		return cmp.Compare(x, y)
	}
	s, t := b.Profiles.At(uint32(x)), b.Profiles.At(uint32(y))
	return cmp.Or(b.CompareMethods(uint32(s.Method), uint32(t.Method)),
		cmp.Compare(contexts.of(s.Context), contexts.of(t.Context)), cmp.Compare(s.Code, t.Code))
}

// contextRanks are the places of calling contexts, by reference, in an order that
// does not depend on which was interned first.
type contextRanks []uint32

// of returns the rank of a context from 1 on, 0 for NoContext.
func (r contextRanks) of(c ContextRef) uint32 {
	if c == NoContext {
		return 0
	}
	return r[c-1] + 1
}

// contextRanks ranks the contexts if rows refer to contexts or profiles. It ranks
// level by level, so that its time does not grow with the depth of a context
// times the number of comparisons.
func (t *Table) contextRanks() contextRanks {
	if !slices.Contains(t.Columns, layout.ColumnContext) && !slices.Contains(t.Columns, layout.ColumnProfile) {
		return nil
	}
	b := t.b
	ranks := make(contextRanks, b.Contexts.Len())
	levels := map[uint32][]uint32{}
	for ref, c := range b.Contexts.All {
		levels[c.Depth] = append(levels[c.Depth], ref)
	}
	rank := uint32(0)
	for _, depth := range slices.Sorted(maps.Keys(levels)) {
		slices.SortFunc(levels[depth], func(x, y uint32) int {
			s, t := b.Contexts.At(x), b.Contexts.At(y)
			return cmp.Or(b.CompareMethods(uint32(s.Method), uint32(t.Method)), cmp.Compare(ranks.of(s.Parent), ranks.of(t.Parent)),
				b.CompareMethods(uint32(s.Caller), uint32(t.Caller)), cmp.Compare(s.Point, t.Point))
		})
		for _, ref := range levels[depth] {
			ranks[ref-1] = rank
			rank++
		}
	}
	return ranks
}

// sum puts groups that agree together, and numbers those that have numbers
// anew. A trace is kept as often as it was recorded.
func (t *Table) sum(groups []rowGroup, contexts contextRanks) (cells []uint64) {
	last := -1 // where the group before begins
	number := uint64(0)
	for i, g := range groups {
		if i > 0 && (t.addProperty(cells[last:], g) || t.addEqual(cells[last:], groups[i-1], g, contexts)) {
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
func (t *Table) addEqual(cells, before, g rowGroup, contexts contextRanks) bool {
	if t.Kind == layout.TableTraces || t.compareGroups(before, g, contexts) != 0 {
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

// sortCode brings the sketches of code into an order that does not depend on when
// they came, each once. The caller holds mu.
func (b *Set) sortCode() {
	t := b.Tables[layout.TableCode]
	if t == nil {
		return
	}
	t.unite()
}

// keepCode drops the sketches of code that no profile is of. The caller holds mu.
func (b *Set) keepCode() {
	t := b.Tables[layout.TableCode]
	if t == nil {
		return
	}
	versions := map[MethodRef][]uint64{}
	for _, d := range b.Profiles.All {
		versions[d.Method] = append(versions[d.Method], d.Code)
	}
	var cells []uint64
	for _, g := range t.groups() {
		sketch := []byte(b.Text(intern.SymbolRef(g[1])))
		if slices.ContainsFunc(versions[MethodRef(g[0])], func(code uint64) bool { return disk.SketchMayBeOf(sketch, code) }) {
			cells = append(cells, g...)
		}
	}
	t.Cells = cells
}

// errNoIdentity: rows about a dump need its identity before it is written.
var errNoIdentity = errors.New("a run is described and its dump has no identity: " +
	"set Config.DumpID, for instance to RandomDumpID, or the process of the run and Config.DumpTime")

// DescribeRun says which run the dump is of, as Config.Run does: its DumpID and
// Time are those of the archive. A dump without an identity gets one by the run's
// process and the archive's time. An archive without a fingerprint gets that of
// the run's program.
func (b *Set) DescribeRun(run layout.Provenance) {
	b.Mu.Lock()
	c := &b.Heading
	if c.DumpID == ([16]byte{}) && run.Process.Known() && !c.DumpTime.IsZero() {
		c.DumpID = disk.DumpID(run.Process, run.Since, c.DumpTime)
	}
	if c.Fingerprint == ([16]byte{}) {
		c.Fingerprint = disk.Fingerprint(run.VM, run.ClassPath)
	}
	if c.DumpID == ([16]byte{}) {
		b.fail(errNoIdentity)
	}
	run.DumpID, run.Time = c.DumpID, c.DumpTime
	b.Mu.Unlock()
	row := disk.RunRowOf(&run)
	cells := append([]uint64(nil), row.Words[:]...)
	for _, text := range row.Texts {
		cells = append(cells, uint64(b.optionalSymbol(text)))
	}
	b.Table(layout.TableRuns, 0).Row(cells...)
	for i, e := range run.ClassPath {
		b.Table(layout.TableClassPath, 0).Row(
			row.Words[disk.RunClassPath], uint64(i), uint64(b.optionalSymbol(e.Path)), uint64(e.Kind), e.Size, e.Sum)
	}
}

// optionalSymbol interns a text of a table; no text is no symbol.
func (b *Set) optionalSymbol(text string) intern.SymbolRef {
	if text == "" {
		return 0
	}
	return b.Symbol(text)
}
