package text

import (
	"fmt"
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
)

// Limits of the archive format.
const (
	maxTables  = 1 << 10
	maxColumns = 64
)

// An openTable is the table whose rows are being read.
type openTable struct {
	*profileset.Table // nil for a dropped table
	kind              disk.TableKind
	columns           []disk.ColumnKind
	cells             []uint64
	wordAt            int // column of the last word
}

// A stackRow is the last row of the table samples.
type stackRow struct {
	began        bool // there is one
	stack, count uint64
}

func (p *parser) readNewTableLine() {
	p.nextToken()
	start := p.At
	kind := disk.TableKind(p.takeListedWord(tableWords, math.MaxUint32, "a table"))
	var flags uint32
	if p.skipToken("flags=") {
		flags = uint32(p.takeUint(math.MaxUint32))
	}
	columns := p.takeColumns()
	if p.OK() && kind == 0 {
		p.MissAt(start, "a table: a number from 1 on")
	}
	p.tables[kind] = true
	if len(p.tables) > maxTables {
		p.MissAt(start, "no more tables: an archive has at most 1024")
	}
	p.checkTableDomain(start, kind, columns)
	if !p.OK() {
		return
	}
	p.table = openTable{kind: kind, columns: columns, cells: make([]uint64, len(columns))}
	if !p.in.Unordered || !disk.IsSourceOrder(kind) {
		p.table.Table = p.b.Internal().Table(kind, flags, columns...)
	}
}

// checkTableDomain rejects a table that the domain cannot have.
func (p *parser) checkTableDomain(start int, kind disk.TableKind, columns []disk.ColumnKind) {
	domain := p.head.domain
	if of := tableDomains[kind]; !of.contains(domain) {
		p.MissAt(start, "a table that domain "+domain.String()+" has: this one is of "+of.String())
	} else if kind == disk.TableOrder && !p.in.Unordered && !orderFits(domain, columns) {
		p.MissAt(start, "an order of domain "+domain.String()+", which has one column of profiles: this one is of another")
		p.misordered = true
	}
}

func (p *parser) takeColumns() (columns []disk.ColumnKind) {
	for p.nextToken() || len(columns) == 0 {
		start := p.At
		kind, ok := columnWords.numberOf(p.takeWord("the kind of a column"))
		if !ok {
			p.MissAt(start, "the kind of a column: word, symbol, type, method, profile or context")
			return nil
		}
		if len(columns) == maxColumns {
			p.MissAt(start, "no more columns: a table has at most 64")
			return nil
		}
		columns = append(columns, disk.ColumnKind(kind))
	}
	return columns
}

// readRowLine reads a row of the open table. It returns false for other lines.
func (p *parser) readRowLine(word []byte) bool {
	if p.table.columns == nil || string(word) != "row" {
		return false
	}
	t := &p.table
	for i, kind := range t.columns {
		p.nextToken()
		t.cells[i] = p.takeTableCell(kind, meaningOfWords(t.kind, i))
		p.checkStackCount(i)
	}
	if p.OK() && t.Table != nil {
		t.Row(t.cells...)
		if t.kind == disk.TableMonitors {
			p.counts.Totals.Add(ledger.Monitors, t.cells[len(disk.TableColumns(t.kind))-1])
		}
	}
	return true
}

type wordMeaning int

const (
	wordNumber   wordMeaning = iota
	wordFunction             // id of a function
	wordPoint                // profile point, which can be negative
)

func meaningOfWords(kind disk.TableKind, column int) wordMeaning {
	switch {
	case kind == disk.TableTraces && column == 2:
		return wordFunction
	case kind == disk.TableSamples && column == samplePoint:
		return wordPoint
	}
	return wordNumber
}

// Columns of the table samples.
const (
	sampleStack = 0
	samplePoint = 2
	sampleCount = 3
)

// checkStackCount adds the count just read to the totals. It rejects the count if it differs from the previous row of
// the same stack.
func (p *parser) checkStackCount(column int) {
	t := &p.table
	if t.kind != disk.TableSamples || column != sampleCount {
		return
	}
	before := p.stack
	p.stack = stackRow{true, t.cells[sampleStack], t.cells[sampleCount]}
	switch {
	case !before.began || before.stack != p.stack.stack:
		p.counts.Totals.Add(ledger.Samples, p.stack.count)
	case before.count != p.stack.count:
		p.MissAt(t.wordAt, fmt.Sprintf("%d samples, as in the row above: all rows of a stack have its count", before.count))
	}
}

func (p *parser) takeTableWord(word wordMeaning) uint64 {
	p.table.wordAt = p.At
	switch {
	case word == wordFunction:
		return p.takeValue()
	case word == wordPoint:
		return p.takeCount()
	case p.At < len(p.Line) && p.Line[p.At] == '-':
		p.Miss("a number from 0 on")
		return 0
	}
	return p.takeUint64()
}

func (p *parser) takeTableCell(kind disk.ColumnKind, word wordMeaning) uint64 {
	switch {
	case kind == disk.ColumnWord:
		return p.takeTableWord(word)
	case p.skipWord("-"):
		return 0
	}
	switch kind {
	case disk.ColumnSymbol:
		return uint64(p.b.Internal().Symbol(string(p.takeName())))
	case disk.ColumnType:
		return uint64(p.takeTypeRef())
	case disk.ColumnMethod:
		return uint64(p.takeMethodRef())
	case disk.ColumnContext:
		return uint64(p.takeContextCell())
	}
	return uint64(p.takeProfileCell())
}

// takeProfileKey consumes a method and its context in parentheses. If profile is set, a code id can follow the method.
func (p *parser) takeProfileKey(profile bool) (key profileKey) {
	p.expectToken("(")
	key.method = p.takeMethodToken()
	if profile && p.skipToken("code=") {
		key.code = p.Hex(math.MaxUint64)
	}
	if p.OK() {
		key.context = p.takeContext(key.method)
	}
	p.expectToken(")")
	return key
}

func (p *parser) takeContextCell() builder.ContextRef {
	start := p.At
	key := p.takeProfileKey(false)
	if key.context == profileset.NoContext {
		p.MissAt(start, "a context: ( a method and its callers )")
	}
	return key.context
}

// takeProfileCell consumes a reference to a profile that occurred before.
func (p *parser) takeProfileCell() profileset.ProfileRef {
	start := p.At
	key := p.takeProfileKey(true)
	if !p.OK() {
		return 0
	}
	ref, ok := p.profiles[key]
	if !ok {
		p.MissAt(start, "a profile that the text has above: add it, or delete this row")
	}
	return ref
}

type profileKey struct {
	method  builder.MethodRef
	context builder.ContextRef
	code    uint64
}
