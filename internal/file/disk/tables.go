package disk

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/layout"
)

// ex begins with u32 number of tables, u32 zero, and per table u32 kind, u32 zero, u64 offset in the file, u64 size.
// The tables follow in that order, each
//
//	 0 u32 kind
//	 4 u32 flags
//	 8 u32 columns
//	12 u32 rows
//	16 u8  column kinds, zero-padded to a multiple of 8
//	   then column by column: rows x u64 for words, rows x u32 for references,
//	   zero-padded to a multiple of 8
//
// Tables are sorted by kind, at most one of a kind.

func columnWidth(k ColumnKind) int64 {
	switch {
	case k == ColumnWord:
		return 8
	case k >= ColumnSymbol && k <= ColumnContext:
		return 4
	}
	return 0
}

// Sizes and limits of ex.
const (
	TablesHeaderSize = 8
	TableRowSize     = 24
	tableHeaderSize  = 16
	MaxColumns       = 64
	MaxTables        = 1024
)

// OrderOfFile is the flag of an LLVM order table that records the order of an indexed file. Without it the order is
// the one in which llvm-profdata first sees functions when it merges files.
const OrderOfFile = 1

type TablePlace struct {
	Kind TableKind
	Span layout.Span
}

// ReadTablePlaces reads the directory of ex with read. The tables must follow it without gaps, to the end of ex.
func ReadTablePlaces(h *layout.Header, read func(r layout.Region, offset, size int64) ([]byte,
	error)) ([]TablePlace, error) {
	ex := RegionOf(h, RegionEX)
	if ex.Size == 0 {
		return nil, nil
	}
	head, err := read(RegionEX, ex.Offset, TablesHeaderSize)
	if err != nil {
		return nil, err
	}
	n := int64(le.Uint32(head))
	size := TablesHeaderSize + n*TableRowSize
	if n > MaxTables || size > ex.Size {
		return nil, Corrupt(RegionEX, ex.Offset, "a directory of %d tables in %d bytes", n, ex.Size)
	}
	directory, err := read(RegionEX, ex.Offset, size)
	if err != nil {
		return nil, err
	}
	return parseTablePlaces(directory[TablesHeaderSize:], ex)
}

func parseTablePlaces(rows []byte, ex layout.Span) ([]TablePlace, error) {
	var places []TablePlace
	end := ex.Offset + TablesHeaderSize + int64(len(rows))
	for last := TableKind(0); len(rows) > 0; rows = rows[TableRowSize:] {
		p := TablePlace{TableKind(le.Uint32(rows)),
			layout.Span{Offset: int64(le.Uint64(rows[8:])), Size: int64(le.Uint64(rows[16:]))}}
		if p.Kind <= last || p.Span.Offset != end || p.Span.Size%Unit != 0 || !ex.Holds(p.Span.Offset, p.Span.Size) {
			return nil, Corrupt(RegionEX, ex.Offset, "table %d is [0x%x, +0x%x) after table %d, which ends at 0x%x",
				p.Kind, p.Span.Offset, p.Span.Size, last, end)
		}
		last = p.Kind
		end = p.Span.End()
		places = append(places, p)
	}
	if end != ex.End() {
		return nil, Corrupt(RegionEX, ex.Offset, "the tables end at 0x%x, ex at 0x%x", end, ex.End())
	}
	return places, nil
}

// ReadDeclared reads the shapes that an archive declares. It returns nil if the archive has no such table.
func ReadDeclared(h *layout.Header, read func(r layout.Region, offset, size int64) ([]byte, error)) (*Declared, error) {
	t, at, err := ReadTable(h, TableShapes, read)
	if err != nil || at == 0 {
		return nil, err
	}
	if t.Flags != 0 || t.Columns() != ShapeRowWords {
		err = fmt.Errorf("table %d with flags %#x and %d columns", t.Kind, t.Flags, t.Columns())
	}
	var d *Declared
	if err == nil {
		d, err = ParseDeclared(&t)
	}
	if err != nil {
		return nil, Corrupt(RegionEX, at, "shapes of entries: %v", err)
	}
	return d, nil
}

// ReadTable reads a table with read, and returns its offset; 0 if the archive lacks it.
func ReadTable(h *layout.Header, kind TableKind, read func(r layout.Region, offset, size int64) ([]byte, error)) (
	t Table, offset int64, err error) {
	places, err := ReadTablePlaces(h, read)
	at := slices.IndexFunc(places, func(p TablePlace) bool { return p.Kind == kind })
	if err != nil || at < 0 {
		return Table{}, 0, err
	}
	t, err = places[at].ReadTable(read)
	return t, places[at].Span.Offset, err
}

// ReadTable reads the table with read.
func (p TablePlace) ReadTable(read func(r layout.Region, offset, size int64) ([]byte, error)) (Table, error) {
	b, err := read(RegionEX, p.Span.Offset, p.Span.Size)
	if err != nil {
		return Table{}, err
	}
	t, err := ParseTable(b)
	if err == nil && t.Kind != p.Kind {
		err = fmt.Errorf("table %d is listed as %d", t.Kind, p.Kind)
	}
	if err != nil {
		return t, Corrupt(RegionEX, p.Span.Offset, "%v", err)
	}
	return t, nil
}

// CheckTable returns an error if a table of kind k cannot have these flags and columns.
func CheckTable(k TableKind, flags uint32, columns []ColumnKind) error {
	if k == 0 || len(columns) < 1 || len(columns) > MaxColumns {
		return fmt.Errorf("a table of kind %d with %d columns", k, len(columns))
	}
	for _, c := range columns {
		if columnWidth(c) == 0 {
			return fmt.Errorf("a column of kind %d", c)
		}
	}
	if want := TableColumns(k); len(columns) < len(want) || !slices.Equal(columns[:len(want)], want) {
		return fmt.Errorf("table %d has columns of the kinds %d, it begins with %d", k, columns, want)
	}
	if unknown := flags &^ TableFlags(k); unknown != 0 {
		return fmt.Errorf("table %d with unknown flags %#x", k, unknown)
	}
	return nil
}

// TableFlags returns the flags that a table of a kind may have, all bits for an unknown kind.
func TableFlags(k TableKind) uint32 {
	if _, known := tables[k]; !known {
		return math.MaxUint32
	}
	if k == TableOrder {
		return OrderOfFile
	}
	return 0
}

// TableSize returns the encoded size of a table in bytes.
func TableSize(columns []ColumnKind, rows int64) int64 {
	n := tableHeaderSize + AlignUp(int64(len(columns)), Unit)
	for _, c := range columns {
		n += AlignUp(columnWidth(c)*rows, Unit)
	}
	return n
}

func AppendTable(b []byte, kind TableKind, flags uint32, columns []ColumnKind, rows int,
	cell func(column, row int) uint64) []byte {
	for _, v := range []uint32{uint32(kind), flags, uint32(len(columns)), uint32(rows)} {
		b = le.AppendUint32(b, v)
	}
	start := len(b)
	for _, c := range columns {
		b = append(b, byte(c))
	}
	b = padToUnit(b, start)
	for i, c := range columns {
		start = len(b)
		for r := range rows {
			if c == ColumnWord {
				b = le.AppendUint64(b, cell(i, r))
			} else {
				b = le.AppendUint32(b, uint32(cell(i, r)))
			}
		}
		b = padToUnit(b, start)
	}
	return b
}

func padToUnit(b []byte, start int) []byte {
	for (len(b)-start)%Unit != 0 {
		b = append(b, 0)
	}
	return b
}

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

// ParseTable parses the table that is all of b. The error describes the defect without an offset.
func ParseTable(b []byte) (Table, error) {
	if len(b) < tableHeaderSize {
		return Table{}, fmt.Errorf("a table of %d bytes", len(b))
	}
	rows := le.Uint32(b[12:]) // may exceed int until the size is checked
	t := Table{Kind: TableKind(le.Uint32(b)), Flags: le.Uint32(b[4:]), Rows: int(rows)}
	n := int64(le.Uint32(b[8:]))
	if n < 1 || n > MaxColumns || tableHeaderSize+AlignUp(n, Unit) > int64(len(b)) {
		return Table{}, fmt.Errorf("a table of %d columns in %d bytes", n, len(b))
	}
	kinds := make([]ColumnKind, n)
	for i, k := range b[tableHeaderSize : tableHeaderSize+n] {
		kinds[i] = ColumnKind(k)
	}
	if err := CheckTable(t.Kind, t.Flags, kinds); err != nil {
		return Table{}, err
	}
	rest := b[tableHeaderSize+AlignUp(n, Unit):]
	for _, k := range kinds {
		width := columnWidth(k) * int64(rows)
		size := AlignUp(width, Unit)
		if size > int64(len(rest)) {
			return Table{}, fmt.Errorf("a column of kind %d and %d rows in %d bytes", k, rows, len(rest))
		}
		t.columns = append(t.columns, column{k, rest[:width]})
		rest = rest[size:]
	}
	if len(rest) != 0 {
		return Table{}, fmt.Errorf("%d bytes behind the last column of a table", len(rest))
	}
	return t, nil
}

// Columns returns the number of columns.
func (t *Table) Columns() int            { return len(t.columns) }
func (t *Table) Column(i int) ColumnKind { return t.columns[i].kind }

// Cell returns a cell, a number or a reference.
func (t *Table) Cell(column, row int) uint64 {
	c := t.columns[column]
	if c.kind == ColumnWord {
		return le.Uint64(c.cells[8*row:])
	}
	return uint64(le.Uint32(c.cells[4*row:]))
}

type Column struct {
	Name string // unique within its table
	Kind ColumnKind
	Form CellForm
}

// A CellForm is the display format of a cell. The column kind alone does not distinguish a count from an address.
type CellForm uint8

// The display formats.
const (
	FormPlain    CellForm = iota // unsigned number, or text of a symbol
	FormSigned                   // two's complement number, such as a profile point
	FormHex                      // id or address
	FormBytes                    // symbol of arbitrary bytes
	FormTime                     // nanoseconds since 1970-01-01 UTC, signed, 0 if unknown
	FormWeight                   // billionths
	FormFunction                 // id of an LLVM function
	FormExit                     // layout.Exit
	FormStack                    // symbol with HeapFrames
)

// tables has the names and columns of the tables of this version, as in docs/format.md. The importer determines the
// columns of an order table.
var tables = map[TableKind]tableSpec{
	TableOrder:      {"order", nil},
	TableProperties: {"properties", columnsOf("key:symbol value:symbol")},
	TableDumps:      {"dumps", columnsOf("id-low:hex id-high:hex time:time weight:weight")},
	TableMonitors:   {"monitors", columnsOf("type:type count")},
	TableSamples:    {"samples", columnsOf("stack method:method point:signed count")},
	TableBinaryIDs:  {"binary-ids", columnsOf("bytes:bytes")},
	TableTraces:     {"traces", columnsOf("trace weight function-id:function")},
	TableVTables:    {"vtables", columnsOf("name:symbol address:hex size")},
	TableHeapRefs:   {"heap-refs", columnsOf("references words")},
	TableHeapUse:    {"heap-use", columnsOf("type:type objects blocks-an-object block-bytes bytes tree-objects")},
	TableInstances: {"instances", columnsOf("type:type objects blocks-an-object blocks bytes tree-objects " +
		"loader:symbol")},
	TableThreads:   {"threads", columnsOf("priority cycles interpreted compiled JNI GC C-stack Java-stack")},
	TableReflected: {"reflected", columnsOf("type:type")},
	TableForeign:   {"foreign", columnsOf("key:symbol value:symbol")},
	TableCode:      {"code", columnsOf("method:method sketch:bytes")},
	TableRuns: {"runs", columnsOf("dump-low:hex dump-high:hex since-low:hex since-high:hex boot-low:hex " +
		"boot-high:hex namespace process start begun:time time:time exit:exit class-path:hex VM:symbol vendor:symbol " +
		"main:symbol command:symbol options:symbol selection:symbol")},
	TableClassPath: {"class-path", columnsOf("class-path:hex position path:symbol kind size sum:hex")},
	TableShapes:    {"shapes", columnsOf("head:hex name-1:hex name-2:hex name-3:hex name-4:hex")},
	TableCompilations: {"compilations", columnsOf("method:method level point:signed number id size runs " +
		"installed")},
	TableInlining:        {"inlining", columnsOf("context:context level runs")},
	TableFunctions:       {"functions", columnsOf("method:method system-name:symbol file:symbol start-line")},
	TableBase:            {"base", columnsOf("dump-low:hex dump-high:hex sum:hex time:time producer:symbol")},
	TableMoved:           {"moved", columnsOf("method:method code:hex point:signed derived confidence:weight")},
	TableCertain:         {"certain", columnsOf("profile:profile point:signed outcome:signed count")},
	TableOrderRuns:       {"order-runs", columnsOf("key:symbol kept items first:signed")},
	TableAllocations:     {"allocations", allocationColumns()},
	TableAllocationCalls: {"allocation-calls", columnsOf(heapColumns)},
	TableObjects:         {"objects", columnsOf("profile:profile file:symbol stamp:hex checksum:hex runs maximum place")},
	TableInputs: {"inputs", columnsOf("name:symbol format:symbol state reason:symbol hash:hex times " +
		"unit:symbol total")},
	TableLosses: {"losses", columnsOf("operation:symbol reason:symbol unit:symbol sense things amount " +
		"first:symbol")},
	TableVersions: {"versions", columnsOf("method:method code:hex last")},
	TableAdvice:   {"advice", columnsOf("profile:profile first runs changed")},
	TableHot:      {"hot", columnsOf("profile:profile weight")},
	TableCrowded:  {"crowded", columnsOf("id:hex method:method type:type")},
}

type tableSpec struct {
	name    string
	columns []Column
}

// columnTypes has the kinds and forms of columns by their names in tables.
var columnTypes = map[string]Column{
	"": {Kind: ColumnWord}, "signed": {Kind: ColumnWord, Form: FormSigned}, "hex": {Kind: ColumnWord, Form: FormHex},
	"time": {Kind: ColumnWord, Form: FormTime}, "weight": {Kind: ColumnWord, Form: FormWeight},
	"function": {Kind: ColumnWord, Form: FormFunction}, "exit": {Kind: ColumnWord, Form: FormExit},
	"symbol": {Kind: ColumnSymbol}, "bytes": {Kind: ColumnSymbol, Form: FormBytes},
	"stack": {Kind: ColumnSymbol, Form: FormStack}, "type": {Kind: ColumnType}, "method": {Kind: ColumnMethod},
	"profile": {Kind: ColumnProfile}, "context": {Kind: ColumnContext},
}

// columnsOf returns the columns in a list of names. A name without a type has plain numbers.
func columnsOf(list string) (columns []Column) {
	for _, entry := range strings.Fields(list) {
		name, of, _ := strings.Cut(entry, ":")
		c := columnTypes[of]
		c.Name = name
		columns = append(columns, c)
	}
	return columns
}

// Columns of the tables inputs and losses.
const (
	InputName   = 0
	InputReason = 3
	InputHash   = 4
	LossFirst   = 6
)

// OutcomeNoNull is the outcome of a type check that saw no null, in a row of TableCertain. A branch outcome is an
// index.
const OutcomeNoNull = 1<<64 - 1

func TableKinds() []TableKind { return slices.Sorted(maps.Keys(tables)) }

// TableColumn returns the description of column i of a table of kind k. An unknown column is named by its number,
// from 1, and has the kind column.
func TableColumn(k TableKind, i int, column ColumnKind) Column {
	if known := tables[k].columns; i < len(known) {
		return known[i]
	}
	return Column{fmt.Sprint(i + 1), column, FormPlain}
}

func TableColumns(k TableKind) []ColumnKind {
	var kinds []ColumnKind
	for _, c := range tables[k].columns {
		kinds = append(kinds, c.Kind)
	}
	return kinds
}

// A PropertyRule is the rule for merging a property of several runs.
type PropertyRule int

// The merge rules.
const (
	PropertyKept    PropertyRule = iota
	PropertySummed               // number; values are added
	PropertyHighest              // number; the maximum is kept
)

// Properties with a defined meaning.
const (
	// PropertyTraceStream is the total number of LLVM temporal traces. The table of traces has a sample.
	PropertyTraceStream = "llvm.trace_stream_size"
	// PropertyJamaicaTotal is the key prefix of the totals that are 100% in Jamaica's formats.
	PropertyJamaicaTotal = "jamaica.total."
	// PropertyMemProf is the version of the section with LLVM's memory profiles, from 0.
	PropertyMemProf = "llvm.memprof_version"
	// PropertyVTableNames marks an import of an indexed LLVM profile with vtable names. An export then has them, too.
	PropertyVTableNames      = "llvm.vtable_names"
	PropertyJamaicaBytecodes = PropertyJamaicaTotal + "bytecodes"
	PropertyJamaicaNative    = PropertyJamaicaTotal + "native"
	// PropertySampledTotal is the key prefix of the totals of sampled profiles.
	PropertySampledTotal = "pprof.total."
	// PropertyRun is the name of the run. It distinguishes runs with equal counts.
	PropertyRun = "run.name"
	// PropertyJamaicaThreads is the number of threads of a Jamaica VM.
	PropertyJamaicaThreads = "jamaica.threads"
	// PropertyTrapReasons lists a HotSpot VM's names of trap reasons, by number from 0 and separated by commas. An
	// unknown name is empty.
	PropertyTrapReasons = "hotspot.trap_reasons"
)

func MergedProperty(key string) PropertyRule {
	switch {
	case key == PropertyTraceStream, strings.HasPrefix(key, PropertyJamaicaTotal),
		strings.HasPrefix(key, PropertySampledTotal):
		return PropertySummed
	case key == PropertyJamaicaThreads, key == PropertyMemProf:
		return PropertyHighest
	}
	return PropertyKept
}

// Numbers of words and texts in a row of TableRuns.
const (
	RunWords = 13
	RunTexts = 6
)

const RunClassPath = 12

// Columns of TableRuns with a command line and with options of the VM.
const (
	RunCommand = RunWords + 3
	RunOptions = RunWords + 4
)

// A RunRow is a row of TableRuns. In a file its texts are symbols.
type RunRow struct {
	Words [RunWords]uint64
	Texts [RunTexts]string
}

// RunRowOf returns the row for a run. The entries of the class path are rows of TableClassPath.
func RunRowOf(p *layout.Provenance) (r RunRow) {
	words := append(splitID(p.DumpID), splitID(p.Since)...)
	words = append(words, splitID(p.Process.Boot)...)
	words = append(words, p.Process.Namespace, p.Process.PID, p.Process.Start,
		uint64(unixNanoOrZero(p.Begun)), uint64(unixNanoOrZero(p.Time)), uint64(p.Exit), ClassPathID(p.ClassPath))
	copy(r.Words[:], words)
	r.Texts = [RunTexts]string{p.VM, p.Vendor, p.Main, p.Command, p.Options, p.Selection}
	return r
}

func (r *RunRow) Provenance() layout.Provenance {
	w := &r.Words
	t := &r.Texts
	return layout.Provenance{
		DumpID: joinID(w[0], w[1]), Since: joinID(w[2], w[3]),
		Process: layout.Process{Boot: joinID(w[4], w[5]), Namespace: w[6], PID: w[7], Start: w[8]},
		Begun:   timeFromNano(int64(w[9])), Time: timeFromNano(int64(w[10])), Exit: layout.Exit(w[11]),
		VM: t[0], Vendor: t[1], Main: t[2], Command: t[3], Options: t[4], Selection: t[5],
	}
}

func splitID(id [16]byte) []uint64 { return []uint64{le.Uint64(id[:]), le.Uint64(id[8:])} }

func joinID(low, high uint64) (id [16]byte) {
	le.PutUint64(id[:], low)
	le.PutUint64(id[8:], high)
	return id
}

func unixNanoOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func timeFromNano(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// ClassPathID returns the hash by which TableRuns refers to a class path; 0 if it is unknown.
func ClassPathID(classPath []layout.ClassPathEntry) uint64 {
	if classPath == nil {
		return 0
	}
	var d xxhash.Digest
	d.Reset()
	for _, e := range classPath {
		_, _ = d.WriteString(e.Path)
		_, _ = d.Write(appendContent([]byte{0}, e.Content))
	}
	return max(d.Sum64(), 1)
}

// BaseWords is the number of words of a row of TableBase. The producer's text follows.
const BaseWords = 4

// BaseRowOf returns the words of an archive's row, without the producer.
func BaseRowOf(b layout.BaseArchive) [BaseWords]uint64 {
	id := splitID(b.DumpID)
	return [BaseWords]uint64{id[0], id[1], b.Sum, uint64(unixNanoOrZero(b.Time))}
}

func BaseOfRow(w [BaseWords]uint64, producer string) layout.BaseArchive {
	return layout.BaseArchive{DumpID: joinID(w[0], w[1]), Sum: w[2], Time: timeFromNano(int64(w[3])), Producer: producer}
}
