package layout

import (
	"fmt"
	"slices"
	"strings"
)

// ex begins with u32 number of tables, u32 zero, and for each table u32 kind,
// u32 zero, u64 offset, u64 size: its place in the file. The tables follow in
// that order, each
//
//	 0 u32 kind
//	 4 u32 flags
//	 8 u32 columns
//	12 u32 rows
//	16 u8  column kinds, zeros up to a multiple of 8
//	   then column by column: rows x u64 for words, rows x u32 for references,
//	   zeros up to a multiple of 8
//
// Tables are sorted by kind; there is at most one of a kind.

// A TableKind says what a table of ex records. Columns are in brackets.
type TableKind uint32

// The tables of this version.
const (
	TableOrder      TableKind = 1  // source order of a single import [profile]
	TableProperties TableKind = 2  // facts about the run [key symbol, value symbol]
	TableDumps      TableKind = 3  // identities of merged dumps [id low, id high, time, weight in billionths]
	TableMonitors   TableKind = 4  // Graal: contended types [type, count]
	TableSamples    TableKind = 5  // Graal: sampled stacks, leaf first [stack, method, point, count]
	TableBinaryIDs  TableKind = 6  // LLVM: binary ids [bytes symbol]
	TableTraces     TableKind = 7  // LLVM: temporal traces [trace, weight, id of a function]
	TableVTables    TableKind = 8  // LLVM: vtables [name symbol, address, size]
	TableHeapRefs   TableKind = 9  // Jamaica: HEAP_REFS [references, words]
	TableHeapUse    TableKind = 10 // Jamaica: HEAP_USE [type, objects, blocks an object, block bytes, bytes, tree objects]
	TableInstances  TableKind = 11 // Jamaica: INSTANTIATION_COUNT [type, objects, blocks an object, blocks, bytes, tree objects, loader symbol]
	TableThreads    TableKind = 12 // Jamaica: PROFILE_THREAD [priority, cycles, interpreted, compiled, JNI, GC, C stack, Java stack]
	TableReflected  TableKind = 13 // Jamaica: classes used via reflection [type]
	TableForeign    TableKind = 14 // keys that the importer does not know [key symbol, value symbol]
	TableCode       TableKind = 15 // sketches of the code of methods [method, sketch symbol]
	TableRuns       TableKind = 16 // which runs the dumps are of: see RunRow
	TableClassPath  TableKind = 17 // class paths of runs [class path, position, path symbol, kind, size, sum]
)

// A PropertyRule says what becomes of a property that several merged runs have.
type PropertyRule int

// The rules. Properties without a rule are kept, equal ones once.
const (
	PropertyKept    PropertyRule = iota
	PropertySummed               // a number of what happened
	PropertyHighest              // a number, of which the highest stays
)

// Properties with a meaning of their own.
const (
	// PropertyTraceStream says of how many temporal traces of LLVM those in the
	// table of traces are a sample.
	PropertyTraceStream = "llvm.trace_stream_size"
	// PropertyJamaicaTotal begins the keys of the totals that Jamaica's
	// percentages are of.
	PropertyJamaicaTotal = "jamaica.total."
	// PropertyRun is the name of the run, which tells it from another that
	// counted just the same.
	PropertyRun = "run.name"
	// PropertyJamaicaThreads is the number of threads of a Jamaica VM.
	PropertyJamaicaThreads = "jamaica.threads"
)

// MergedProperty gives the rule of a property.
func MergedProperty(key string) PropertyRule {
	switch {
	case key == PropertyTraceStream, strings.HasPrefix(key, PropertyJamaicaTotal):
		return PropertySummed
	case key == PropertyJamaicaThreads:
		return PropertyHighest
	}
	return PropertyKept
}

// A ColumnKind says what the cells of a column are.
type ColumnKind uint8

// The kinds of columns.
const (
	ColumnWord    ColumnKind = 1 // a 64-bit number
	ColumnSymbol  ColumnKind = 2 // a Narrow of a symbol, 0 for none
	ColumnType    ColumnKind = 3 // a Narrow of a type record, 0 for none
	ColumnMethod  ColumnKind = 4 // a Narrow of a method record, 0 for none
	ColumnProfile ColumnKind = 5 // a Narrow of a MethodData block, 0 for none
	ColumnContext ColumnKind = 6 // a Narrow of a context node, 0 for none
)

// width is the size of a cell in bytes, 0 for an unknown kind.
func (k ColumnKind) width() int64 {
	switch {
	case k == ColumnWord:
		return 8
	case k >= ColumnSymbol && k <= ColumnContext:
		return 4
	}
	return 0
}

// Sizes of the directory of ex, and limits.
const (
	TablesHeaderSize = 8
	TableRowSize     = 24
	tableHeaderSize  = 16
	MaxColumns       = 64
	MaxTables        = 1024
)

// OrderOfFile is set in the flags of an order table of LLVM's profiles that has
// the order of an indexed file. Without it the table has the order in which
// llvm-profdata, merging files, saw them first.
const OrderOfFile = 1

// CheckColumns says why a table of a kind cannot have these columns: their
// number, a kind of column that there is not, or others than the kind of table
// begins with.
func (k TableKind) CheckColumns(columns []ColumnKind) error {
	if k == 0 || len(columns) < 1 || len(columns) > MaxColumns {
		return fmt.Errorf("a table of kind %d with %d columns", k, len(columns))
	}
	for _, c := range columns {
		if c.width() == 0 {
			return fmt.Errorf("a column of kind %d", c)
		}
	}
	if want := k.Columns(); len(columns) < len(want) || !slices.Equal(columns[:len(want)], want) {
		return fmt.Errorf("table %d has columns of the kinds %d, it begins with %d", k, columns, want)
	}
	return nil
}

// TableSize is the size in bytes of a table.
func TableSize(columns []ColumnKind, rows int64) int64 {
	n := tableHeaderSize + AlignUp(int64(len(columns)), Unit)
	for _, c := range columns {
		n += AlignUp(c.width()*rows, Unit)
	}
	return n
}

// AppendTable appends an encoded table; cell gives the cells.
func AppendTable(b []byte, kind TableKind, flags uint32, columns []ColumnKind, rows int, cell func(column, row int) uint64) []byte {
	for _, v := range []uint32{uint32(kind), flags, uint32(len(columns)), uint32(rows)} {
		b = le.AppendUint32(b, v)
	}
	start := len(b)
	for _, c := range columns {
		b = append(b, byte(c))
	}
	b = pad(b, start)
	for i, c := range columns {
		start = len(b)
		for r := range rows {
			if c == ColumnWord {
				b = le.AppendUint64(b, cell(i, r))
			} else {
				b = le.AppendUint32(b, uint32(cell(i, r)))
			}
		}
		b = pad(b, start)
	}
	return b
}

// pad appends zeros until what was appended since start is a multiple of 8.
func pad(b []byte, start int) []byte {
	for (len(b)-start)%Unit != 0 {
		b = append(b, 0)
	}
	return b
}

// A Table is an overlay on one table.
type Table struct {
	Kind    TableKind
	Flags   uint32
	Rows    int
	columns []column
}

type column struct {
	kind  ColumnKind
	cells []byte
}

// ParseTable checks the geometry of the table that is all of b. The error says
// what is wrong, without a place.
func ParseTable(b []byte) (Table, error) {
	if len(b) < tableHeaderSize {
		return Table{}, fmt.Errorf("a table of %d bytes", len(b))
	}
	t := Table{Kind: TableKind(le.Uint32(b)), Flags: le.Uint32(b[4:]), Rows: int(le.Uint32(b[12:]))}
	n := int64(le.Uint32(b[8:]))
	if n < 1 || n > MaxColumns || tableHeaderSize+AlignUp(n, Unit) > int64(len(b)) {
		return Table{}, fmt.Errorf("a table of %d columns in %d bytes", n, len(b))
	}
	kinds := make([]ColumnKind, n)
	for i, k := range b[tableHeaderSize : tableHeaderSize+n] {
		kinds[i] = ColumnKind(k)
	}
	if err := t.Kind.CheckColumns(kinds); err != nil {
		return Table{}, err
	}
	rest := b[tableHeaderSize+AlignUp(n, Unit):]
	for _, k := range kinds {
		width := k.width() * int64(t.Rows)
		size := AlignUp(width, Unit)
		if size > int64(len(rest)) {
			return Table{}, fmt.Errorf("a column of kind %d and %d rows in %d bytes", k, t.Rows, len(rest))
		}
		t.columns = append(t.columns, column{k, rest[:width]})
		rest = rest[size:]
	}
	if len(rest) != 0 {
		return Table{}, fmt.Errorf("%d bytes behind the last column of a table", len(rest))
	}
	return t, nil
}

// Columns is the number of columns.
func (t *Table) Columns() int { return len(t.columns) }

// Column is the kind of column i.
func (t *Table) Column(i int) ColumnKind { return t.columns[i].kind }

// Cell is the cell of a column in a row: a number, or a Narrow.
func (t *Table) Cell(column, row int) uint64 {
	c := t.columns[column]
	if c.kind == ColumnWord {
		return le.Uint64(c.cells[8*row:])
	}
	return uint64(le.Uint32(c.cells[4*row:]))
}
