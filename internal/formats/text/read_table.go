package text

import (
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// Limits on tables that every reader of an archive has.
const (
	maxTables  = 1 << 10
	maxColumns = 64
)

// An openTable is the table whose rows are being read.
type openTable struct {
	*builder.Table // nil for one that is left out
	kind           layout.TableKind
	columns        []layout.ColumnKind
	cells          []uint64
}

func (p *parser) newTableLine() {
	p.token()
	start := p.at
	kind := layout.TableKind(p.listed(tableWords, math.MaxUint32, "a table"))
	var flags uint32
	if p.try("flags=") {
		flags = uint32(p.number(math.MaxUint32))
	}
	columns := p.columns()
	if p.ok() && kind == 0 {
		p.missAt(start, "a table: a number from 1 on")
	}
	p.limitTables(start, kind)
	if !p.ok() {
		return
	}
	p.table = openTable{kind: kind, columns: columns, cells: make([]uint64, len(columns))}
	if !p.o.Unordered || kind != layout.TableOrder {
		p.table.Table = p.b.Table(kind, flags, columns...)
	}
}

// limitTables counts the tables of the text.
func (p *parser) limitTables(start int, kind layout.TableKind) {
	if p.tables == nil {
		p.tables = map[layout.TableKind]bool{}
	}
	if p.tables[kind] = true; len(p.tables) > maxTables {
		p.missAt(start, "no more tables: an archive has at most 1024")
	}
}

func (p *parser) columns() (columns []layout.ColumnKind) {
	for p.token() || len(columns) == 0 {
		start := p.at
		kind, ok := columnWords.number(p.word("the kind of a column"))
		if !ok {
			p.missAt(start, "the kind of a column: word, symbol, type, method, profile or context")
			return nil
		}
		if len(columns) == maxColumns {
			p.missAt(start, "no more columns: a table has at most 64")
			return nil
		}
		columns = append(columns, layout.ColumnKind(kind))
	}
	return columns
}

// tableLine reads a row of the open table. It gives false for any other line.
func (p *parser) tableLine(word []byte) bool {
	if p.table.columns == nil || string(word) != "row" {
		return false
	}
	t := &p.table
	for i, kind := range t.columns {
		p.token()
		t.cells[i] = p.tableCell(kind, functionIDs(t.kind, i))
	}
	if p.ok() && t.Table != nil {
		t.Row(t.cells...)
	}
	return true
}

// functionIDs reports whether the words of a column are ids of functions.
func functionIDs(kind layout.TableKind, column int) bool {
	return kind == layout.TableTraces && column == 2
}

func (p *parser) tableCell(kind layout.ColumnKind, function bool) uint64 {
	switch {
	case kind == layout.ColumnWord && function:
		return p.value()
	case kind == layout.ColumnWord:
		return p.count64()
	case p.tryWord("-"):
		return 0
	}
	switch kind {
	case layout.ColumnSymbol:
		return uint64(p.b.Symbol(string(p.name())))
	case layout.ColumnType:
		return uint64(p.typeRef())
	case layout.ColumnMethod:
		return uint64(p.methodRef())
	case layout.ColumnContext:
		return uint64(p.contextCell())
	}
	return uint64(p.profileCell())
}

// placeCell takes a method, a code id if it is of a profile, and a context, all
// in parentheses.
func (p *parser) placeCell(profile bool) (key profileKey) {
	p.want("(")
	key.method = p.someMethod()
	if profile && p.try("code=") {
		key.code = p.hex(math.MaxUint64)
	}
	if p.ok() {
		key.context = p.context(key.method)
	}
	p.want(")")
	return key
}

func (p *parser) contextCell() builder.ContextRef {
	start := p.at
	key := p.placeCell(false)
	if key.context == builder.NoContext {
		p.missAt(start, "a context: ( a method and its callers )")
	}
	return key.context
}

// profileCell takes a profile that stands in the text before.
func (p *parser) profileCell() builder.ProfileRef {
	start := p.at
	key := p.placeCell(true)
	if !p.ok() {
		return 0
	}
	ref, ok := p.profiles.find(key)
	if !ok {
		p.missAt(start, "a profile that stands above: add it, or delete this row")
	}
	return ref
}

// A profileKey names a profile.
type profileKey struct {
	method  builder.MethodRef
	context builder.ContextRef
	code    uint64
}

// A profileIndex finds the profiles of the text. Most texts never ask for one,
// and so the index is made when the first is asked for.
type profileIndex struct {
	keys  []profileKey
	refs  []builder.ProfileRef
	found map[profileKey]builder.ProfileRef
}

func (x *profileIndex) add(k profileKey, ref builder.ProfileRef) {
	x.keys, x.refs, x.found = append(x.keys, k), append(x.refs, ref), nil
}

func (x *profileIndex) find(k profileKey) (ref builder.ProfileRef, ok bool) {
	if x.found == nil {
		x.found = make(map[profileKey]builder.ProfileRef, len(x.keys))
		for i, k := range x.keys {
			x.found[k] = x.refs[i]
		}
	}
	ref, ok = x.found[k]
	return ref, ok
}
