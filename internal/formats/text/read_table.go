package text

import (
	"fmt"
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
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
	wordAt         int // where the last word began

	began        bool   // of samples: there was a row,
	stack, count uint64 // with these
}

func (p *parser) newTableLine() {
	p.nextToken()
	start := p.At
	kind := layout.TableKind(p.listed(tableWords, math.MaxUint32, "a table"))
	var flags uint32
	if p.skipToken("flags=") {
		flags = uint32(p.number(math.MaxUint32))
	}
	columns := p.columns()
	if p.OK() && kind == 0 {
		p.MissAt(start, "a table: a number from 1 on")
	}
	p.limitTables(start, kind)
	p.tableOfDomain(start, kind, columns)
	if !p.OK() {
		return
	}
	p.table = openTable{kind: kind, columns: columns, cells: make([]uint64, len(columns))}
	if !p.o.Unordered || !disk.IsSourceOrder(kind) {
		p.table.Table = p.b.Table(kind, flags, columns...)
	}
}

// limitTables counts the tables of the text.
func (p *parser) limitTables(start int, kind layout.TableKind) {
	if p.tables == nil {
		p.tables = map[layout.TableKind]bool{}
	}
	p.tables[kind] = true
	if len(p.tables) > maxTables {
		p.MissAt(start, "no more tables: an archive has at most 1024")
	}
}

// tableOfDomain refuses a table that the domain cannot have.
func (p *parser) tableOfDomain(start int, kind layout.TableKind, columns []layout.ColumnKind) {
	domain := p.head.domain
	if of := tableDomains[kind]; !of.hold(domain) {
		p.MissAt(start, "a table that domain "+domain.String()+" has: this one is of "+of.String())
	} else if kind == disk.TableOrder && !p.o.Unordered && !orderFits(domain, columns) {
		p.MissAt(start, "an order of domain "+domain.String()+", which has one column of profiles: this one is of another")
		p.misordered = true
	}
}

func (p *parser) columns() (columns []layout.ColumnKind) {
	for p.nextToken() || len(columns) == 0 {
		start := p.At
		kind, ok := columnWords.number(p.takeWord("the kind of a column"))
		if !ok {
			p.MissAt(start, "the kind of a column: word, symbol, type, method, profile or context")
			return nil
		}
		if len(columns) == maxColumns {
			p.MissAt(start, "no more columns: a table has at most 64")
			return nil
		}
		columns = append(columns, layout.ColumnKind(kind))
	}
	return columns
}

// tableLine reads a row of the open table. It returns false for any other line.
func (p *parser) tableLine(word []byte) bool {
	if p.table.columns == nil || string(word) != "row" {
		return false
	}
	t := &p.table
	for i, kind := range t.columns {
		p.nextToken()
		t.cells[i] = p.tableCell(kind, wordsOf(t.kind, i))
		p.oneCount(i)
	}
	if p.OK() && t.Table != nil {
		t.Row(t.cells...)
	}
	return true
}

// A tableWord is what the words of a column are.
type tableWord int

const (
	wordNumber   tableWord = iota // a count, size or the like
	wordFunction                  // the id of a function
	wordPoint                     // a profile point, which may be negative
)

func wordsOf(kind layout.TableKind, column int) tableWord {
	switch {
	case kind == disk.TableTraces && column == 2:
		return wordFunction
	case kind == disk.TableSamples && column == samplePoint:
		return wordPoint
	}
	return wordNumber
}

// Columns of the table of samples.
const (
	sampleStack = 0
	samplePoint = 2
	sampleCount = 3
)

// oneCount refuses a row of a stack whose count, just read, differs from the stack's row before it.
func (p *parser) oneCount(column int) {
	t := &p.table
	if t.kind != disk.TableSamples || column != sampleCount {
		return
	}
	stack := t.cells[sampleStack]
	count := t.cells[sampleCount]
	if t.began && stack == t.stack && count != t.count {
		p.MissAt(t.wordAt, fmt.Sprintf("%d samples, as in the row above: all rows of a stack have its count", t.count))
	}
	t.began, t.stack, t.count = true, stack, count
}

// tableWord takes a word of a table.
func (p *parser) tableWord(word tableWord) uint64 {
	p.table.wordAt = p.At
	switch {
	case word == wordFunction:
		return p.value()
	case word == wordPoint:
		return p.count64()
	case p.At < len(p.Line) && p.Line[p.At] == '-':
		p.Miss("a number from 0 on")
		return 0
	}
	return p.uint64()
}

func (p *parser) tableCell(kind layout.ColumnKind, word tableWord) uint64 {
	switch {
	case kind == layout.ColumnWord:
		return p.tableWord(word)
	case p.skipWord("-"):
		return 0
	}
	switch kind {
	case layout.ColumnSymbol:
		return uint64(p.b.Symbol(string(p.takeName())))
	case layout.ColumnType:
		return uint64(p.typeRef())
	case layout.ColumnMethod:
		return uint64(p.methodRef())
	case layout.ColumnContext:
		return uint64(p.contextCell())
	}
	return uint64(p.profileCell())
}

// placeCell takes a method, a code id if it is of a profile, and a context, all in parentheses.
func (p *parser) placeCell(profile bool) (key profileKey) {
	p.expectToken("(")
	key.method = p.someMethod()
	if profile && p.skipToken("code=") {
		key.code = p.Hex(math.MaxUint64)
	}
	if p.OK() {
		key.context = p.context(key.method)
	}
	p.expectToken(")")
	return key
}

func (p *parser) contextCell() builder.ContextRef {
	start := p.At
	key := p.placeCell(false)
	if key.context == builder.NoContext {
		p.MissAt(start, "a context: ( a method and its callers )")
	}
	return key.context
}

// profileCell takes a profile that the text has above.
func (p *parser) profileCell() builder.ProfileRef {
	start := p.At
	key := p.placeCell(true)
	if !p.OK() {
		return 0
	}
	ref, ok := p.profiles.find(key)
	if !ok {
		p.MissAt(start, "a profile that the text has above: add it, or delete this row")
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
// so the index is built at the first lookup.
type profileIndex struct {
	keys  []profileKey
	refs  []builder.ProfileRef
	found map[profileKey]builder.ProfileRef
}

func (x *profileIndex) addProfile(k profileKey, ref builder.ProfileRef) {
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
