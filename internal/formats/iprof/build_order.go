package iprof

import (
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
)

// listColumns is the number of columns that the lists of a source order share, if all are full. Each list may need one
// more for its rest.
const listColumns = disk.MaxColumns - int(orderLists)

// addMetadata adds the version and the order of the file, and its unknown keys.
func (b *build) addMetadata() {
	ledger.Totals(b.report.Totals).AddAll(b.lost)
	parse.AddLoss(&b.report.Lost, codec.Loss{What: LossOdd, Count: b.odd, First: b.firstOdd}, b.lost)
	b.b.Internal().AddProperty(versionProperty, b.version)
	b.addForeign()
	if !b.options.Unordered {
		b.addOrder()
	}
}

const versionProperty = "iprof version"

func (b *build) addForeign() {
	for _, s := range b.sections {
		if s.kind == foreign {
			set := b.b.Internal()
			set.Table(disk.TableForeign, 0).Row(uint64(set.Symbol(foreignPointer(s.key))), uint64(set.Symbol(s.text)))
		}
	}
}

func foreignPointer(key string) string { return "/" + pointerEscapes.Replace(key) }

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// The source order of an archive consists of two tables.
//
// TableOrderRuns has a row for each run of adjacent items in the file, with its key, a keptAs, the number of items,
// and the id or ordinal of the first item. The runs of a key are adjacent. Keys and items are in file order.
//
// TableOrder has columns of types, methods and profiles. The columns of one kind form one list: the type rows, the
// method rows, and the profiles of the records. Wrapping the lists avoids empty cells. In a run of types or methods
// the ids increase by 1 from the id of the first item. An empty cell skips an id.

// A keptAs tells where the archive has the items of a run. The numbers are stored.
type keptAs uint64

const (
	keptWhole  keptAs = 0 // the whole value is a text in TableForeign
	keptListed keptAs = 1 // items are rows or records
)

// maxSkippedIDs is the longest gap between ids to fill with empty cells, which take less space than another run.
const maxSkippedIDs = 7

type orderList int

const (
	listTypes orderList = iota
	listMethods
	listProfiles
	orderLists
)

func (k sectionKind) sourceList() (list orderList, ok bool) {
	switch {
	case k == types:
		return listTypes, true
	case k == methods:
		return listMethods, true
	}
	return listProfiles, k.inProfiles()
}

type orderWriter struct {
	*build
	runs  *profileset.Table
	lists [orderLists][]uint64
}

func (b *build) addOrder() {
	w := orderWriter{build: b}
	w.runs = b.b.Internal().Table(disk.TableOrderRuns, 0)
	w.lists[listTypes] = make([]uint64, 0, len(b.types)+len(b.types)/8)
	w.lists[listMethods] = make([]uint64, 0, b.methods.rowCount()+b.methods.rowCount()/8)
	w.lists[listProfiles] = make([]uint64, 0, len(b.records))
	for i := range b.sections {
		s := &b.sections[i]
		switch s.kind {
		case foreign:
			w.runs.Row(uint64(b.b.Internal().Symbol(s.key)), uint64(keptWhole), 0, 0)
		case version:
			w.runs.Row(uint64(b.b.Internal().Symbol(sectionKeys[version])), uint64(keptListed), 1, 0)
		default:
			w.addItems(s, w.listedItems(s))
		}
	}
	w.writeLists()
}

type listedItem struct {
	ref     uint64 // reference in the list of its section
	first   uint64 // last column of TableOrderRuns if the item begins a run
	skipped uint64 // number of ids skipped since the previous item
	begins  bool   // the item cannot continue the current run
}

func (w *orderWriter) addItems(s *section, next func() listedItem) {
	var n, first uint64
	key := uint64(w.b.Internal().Symbol(sectionKeys[s.kind]))
	endRun := func() { w.runs.Row(key, uint64(keptListed), n, first) }
	list, inList := s.kind.sourceList()
	for item := range s.items {
		it := next()
		if it.begins {
			if item > 0 {
				endRun()
			}
			n = 0
			first = it.first
		} else {
			for range it.skipped {
				w.lists[list] = append(w.lists[list], 0)
			}
		}
		if inList && it.ref != 0 {
			w.lists[list] = append(w.lists[list], it.ref)
		}
		n++
	}
	endRun()
}

func (w *orderWriter) listedItems(s *section) func() listedItem {
	i := -1
	switch {
	case s.kind == types:
		return splitIDRuns(func() (id int64, ref uint64) {
			i++
			return w.types[i].id, uint64(w.typeRefs[i])
		})
	case s.kind == methods:
		return splitIDRuns(func() (id int64, ref uint64) {
			i++
			batch, place := w.methods.batchOfRow(i)
			return batch.rows[place].id, uint64(w.methodRefs[i])
		})
	case s.kind.inProfiles():
		return func() listedItem {
			i++
			it := listedItem{ref: uint64(w.profileRef[w.records[s.first+i].node-1])}
			if ordinal, ok := w.ordinals[s.first+i]; ok {
				it.begins = true
				it.first = uint64(ordinal) + 1
			}
			return it
		}
	}
	return func() listedItem { return listedItem{} }
}

// splitIDRuns returns an iterator over type or method rows with the bounds of their runs.
func splitIDRuns(next func() (id int64, ref uint64)) func() listedItem {
	before := int64(0)
	begun := false
	return func() listedItem {
		id, ref := next()
		it := listedItem{ref: ref, first: uint64(id), skipped: uint64(id) - uint64(before) - 1}
		it.begins = !begun || id <= before || it.skipped > maxSkippedIDs
		before, begun = id, true
		return it
	}
}

// writeLists stores each list in as few columns as the rows permit.
func (w *orderWriter) writeLists() {
	total := 0
	for _, list := range w.lists {
		total += len(list)
	}
	if total == 0 {
		return
	}
	rows := (total + listColumns - 1) / listColumns
	kinds := [orderLists]disk.ColumnKind{disk.ColumnType, disk.ColumnMethod, disk.ColumnProfile}
	var columns []disk.ColumnKind
	for i, list := range w.lists {
		for range (len(list) + rows - 1) / rows {
			columns = append(columns, kinds[i])
		}
	}
	t := w.b.Internal().Table(disk.TableOrder, 0, columns...)
	cells := make([]uint64, 0, len(columns))
	for row := range rows {
		cells = cells[:0]
		for _, list := range w.lists {
			for at := row; at < row+(len(list)+rows-1)/rows*rows; at += rows {
				cell := uint64(0)
				if at < len(list) {
					cell = list[at]
				}
				cells = append(cells, cell)
			}
		}
		t.Row(cells...)
	}
}
