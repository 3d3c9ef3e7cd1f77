package layout

import (
	"fmt"
	"maps"
	"slices"
)

// A Column is a column that tables of a kind begin with.
type Column struct {
	Name string // unique within its table
	Kind ColumnKind
	Form CellForm
}

// A CellForm says how people read a cell: its column kind alone does not tell a
// count from an address.
type CellForm uint8

// The forms of cells.
const (
	FormPlain    CellForm = iota // an unsigned number, or the text of a symbol
	FormSigned                   // a two's complement number, as a profile point
	FormHex                      // an id or an address
	FormBytes                    // a symbol whose bytes are no text
	FormTime                     // nanoseconds since 1970-01-01 UTC, signed, 0 if not known
	FormWeight                   // billionths
	FormFunction                 // the id of an LLVM function
	FormExit                     // an Exit
)

// A tableForm is what is known of the tables of a kind. An order table has the
// columns that its importer needs.
type tableForm struct {
	name    string
	columns []Column
}

// tableForms are the tables of this version: the one place that names them and
// their columns. docs/format.md has the same list.
var tableForms = map[TableKind]tableForm{
	TableOrder:      {"order", nil},
	TableProperties: {"properties", []Column{symbol("key"), symbol("value")}},
	TableDumps: {"dumps", []Column{{"id-low", ColumnWord, FormHex}, {"id-high", ColumnWord, FormHex},
		{"time", ColumnWord, FormTime}, {"weight", ColumnWord, FormWeight}}},
	TableMonitors: {"monitors", []Column{ofType, word("count")}},
	TableSamples: {"samples", []Column{word("stack"), {"method", ColumnMethod, FormPlain},
		{"point", ColumnWord, FormSigned}, word("count")}},
	TableBinaryIDs: {"binary-ids", []Column{{"bytes", ColumnSymbol, FormBytes}}},
	TableTraces:    {"traces", []Column{word("trace"), word("weight"), {"function-id", ColumnWord, FormFunction}}},
	TableVTables:   {"vtables", []Column{symbol("name"), {"address", ColumnWord, FormHex}, word("size")}},
	TableHeapRefs:  {"heap-refs", []Column{word("references"), word("words")}},
	TableHeapUse: {"heap-use", []Column{ofType, word("objects"), word("blocks-an-object"), word("block-bytes"),
		word("bytes"), word("tree-objects")}},
	TableInstances: {"instances", []Column{ofType, word("objects"), word("blocks-an-object"), word("blocks"),
		word("bytes"), word("tree-objects"), symbol("loader")}},
	TableThreads: {"threads", []Column{word("priority"), word("cycles"), word("interpreted"), word("compiled"),
		word("JNI"), word("GC"), word("C-stack"), word("Java-stack")}},
	TableReflected: {"reflected", []Column{ofType}},
	TableForeign:   {"foreign", []Column{symbol("key"), symbol("value")}},
	TableCode:      {"code", []Column{{"method", ColumnMethod, FormPlain}, {"sketch", ColumnSymbol, FormBytes}}},
	TableRuns: {"runs", []Column{hex("dump-low"), hex("dump-high"), hex("since-low"), hex("since-high"), hex("boot-low"), hex("boot-high"),
		word("namespace"), word("process"), word("start"), {"begun", ColumnWord, FormTime}, {"time", ColumnWord, FormTime},
		{"exit", ColumnWord, FormExit}, hex("class-path"),
		symbol("VM"), symbol("vendor"), symbol("main"), symbol("command"), symbol("options"), symbol("selection")}},
	TableClassPath: {"class-path", []Column{hex("class-path"), word("position"), symbol("path"), word("kind"), word("size"), hex("sum")}},
}

func word(name string) Column   { return Column{name, ColumnWord, FormPlain} }
func hex(name string) Column    { return Column{name, ColumnWord, FormHex} }
func symbol(name string) Column { return Column{name, ColumnSymbol, FormPlain} }

var ofType = Column{"type", ColumnType, FormPlain}

// TableKinds are the kinds of this version, in their order.
func TableKinds() []TableKind { return slices.Sorted(maps.Keys(tableForms)) }

// Name is the name of a kind, empty if this version does not know it.
func (k TableKind) Name() string { return tableForms[k].name }

// String is the name of a kind, or its number.
func (k TableKind) String() string {
	if name := k.Name(); name != "" {
		return name
	}
	return fmt.Sprint(uint32(k))
}

// Form is what is known of column i of a table of a kind, whose cells are of
// the kind column. Columns that have no name are named by their number, from 1.
func (k TableKind) Form(i int, column ColumnKind) Column {
	if known := tableForms[k].columns; i < len(known) {
		return known[i]
	}
	return Column{fmt.Sprint(i + 1), column, FormPlain}
}

// Columns are the kinds of the columns that a table of a kind must begin with.
func (k TableKind) Columns() []ColumnKind {
	var kinds []ColumnKind
	for _, c := range tableForms[k].columns {
		kinds = append(kinds, c.Kind)
	}
	return kinds
}

var columnKindNames = map[ColumnKind]string{ColumnWord: "word", ColumnSymbol: "symbol", ColumnType: "type",
	ColumnMethod: "method", ColumnProfile: "profile", ColumnContext: "context"}

func (k ColumnKind) String() string {
	if name, ok := columnKindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("column(%d)", uint8(k))
}
