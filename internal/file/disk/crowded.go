package disk

import (
	"sort"

	"github.com/profarc/profarc/layout"
)

// TableCrowded has the methods and types that have no slot in the index, sorted by id, methods before types, in the
// order of the file. An archive has it if too many records share an id or a bucket.

// A CrowdedRow is a row of TableCrowded.
type CrowdedRow struct {
	ID   uint64
	Kind RecordKind
	Ref  layout.Ref // method or type record
}

// CrowdedRowOf returns a row of TableCrowded. Ref is 0 if the row has not exactly one record.
func CrowdedRowOf(t *Table, row int) CrowdedRow {
	id, method, of := t.Cell(0, row), layout.Ref(t.Cell(1, row)), layout.Ref(t.Cell(2, row))
	switch {
	case method == 0:
		return CrowdedRow{id, KindType, of}
	case of != 0:
		return CrowdedRow{ID: id, Kind: KindMethod}
	}
	return CrowdedRow{id, KindMethod, method}
}

// CrowdedRows returns the rows [from, to) of TableCrowded with an id and a kind.
func CrowdedRows(t *Table, id uint64, kind RecordKind) (from, to int) {
	bound := func(kind RecordKind) int {
		return sort.Search(t.Rows, func(row int) bool {
			r := CrowdedRowOf(t, row)
			return r.ID > id || r.ID == id && r.Kind >= kind
		})
	}
	return bound(kind), bound(kind + 1)
}

// LivePages are the words of an adopted archive at one moment, on some pages of rw. The zero value has no page.
type LivePages struct {
	Start int64              // file offset of rw
	Words map[int64][]uint64 // by the number of the page in rw
}

// Word returns the word at a file offset; ok is false if its page is missing.
func (p LivePages) Word(offset int64) (n uint64, ok bool) {
	at := offset - p.Start
	page := p.Words[at/PageSize]
	if page == nil {
		return 0, false
	}
	return page[at%PageSize/CellSize], true
}
