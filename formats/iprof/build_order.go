package iprof

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/layout"
)

// orderColumns is how many columns the lists of a source order may take: those
// that a table can have but for the symbol, and one for the last, shorter column
// of each list.
const orderColumns = 60

// surplus keeps what is more than profiles: the order of the file, and what
// means nothing here.
func (b *build) surplus() {
	b.report.Lost.Add(LossOldOdd, b.oldOdd)
	properties := b.b.Table(layout.TableProperties, 0, layout.ColumnSymbol, layout.ColumnSymbol)
	properties.Row(uint64(b.b.Symbol(versionProperty)), uint64(b.b.Symbol(b.version)))
	b.countSurplus()
	b.foreign()
	if !b.o.Unordered {
		b.order()
	}
}

// versionProperty is the fact under which an archive keeps the version of the
// file that it was made of.
const versionProperty = "iprof version"

// countSurplus counts what is not kept in full.
func (b *build) countSurplus() {
	for _, s := range b.sections {
		b.report.Items += s.items
		for _, r := range s.raws {
			switch {
			case !b.o.Unordered:
				b.report.odd(&s, r)
			case r.typed:
				b.report.Lost.Add(LossForeign, 1)
			default:
				b.report.Lost.Add(LossOdd, 1)
			}
		}
	}
}

// odd counts an item that is kept as text.
func (r *Report) odd(s *section, item raw) {
	r.Odd++
	if !item.typed {
		r.TextOnly++
	}
	if r.Odd == 1 || r.TextOnly == 1 && !item.typed {
		r.FirstOdd = itemPath(s.kind, item.item)
	}
}

// foreign keeps keys, and items, that mean nothing here, as text.
func (b *build) foreign() {
	row := func(key, value string) {
		t := b.b.Table(layout.TableForeign, 0, layout.ColumnSymbol, layout.ColumnSymbol)
		t.Row(uint64(b.b.Symbol(key)), uint64(b.b.Symbol(value)))
	}
	for _, s := range b.sections {
		if s.kind == foreign {
			row(keyPath(s.key), s.text)
		}
		for _, r := range s.raws {
			if !b.o.Unordered {
				row(itemPath(s.kind, r.item), r.text)
			}
		}
	}
}

// keyPath names a key among foreign ones, and itemPath an item: as JSON pointers.
func keyPath(key string) string { return "/" + pointerEscapes.Replace(key) }

func itemPath(k sectionKind, item int) string { return fmt.Sprintf("/%s/%d", sectionKeys[k], item) }

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// order keeps the order of the file.
func (b *build) order() {
	o := sourceOrder{version: b.version}
	var lists [3][]uint64
	lists[0], lists[1] = make([]uint64, 0, len(b.types)), make([]uint64, 0, b.methods.len())
	lists[2] = make([]uint64, 0, len(b.records))
	for i := range b.sections {
		s := &b.sections[i]
		o.sections = append(o.sections, b.ordered(s))
		for j := range s.count {
			lists[2] = append(lists[2], uint64(b.profileRef[b.records[s.first+j].node-1]))
		}
	}
	for _, ref := range b.typeRefs[:len(b.types)] {
		lists[0] = append(lists[0], uint64(ref))
	}
	for _, ref := range b.methodRefs[:b.methods.len()] {
		lists[1] = append(lists[1], uint64(ref))
	}
	b.wrap(uint64(b.b.Symbol(string(o.append(nil)))), lists)
}

// ordered is the order of one section.
func (b *build) ordered(s *section) orderedSection {
	o := orderedSection{kind: s.kind, items: s.items, raws: s.raws}
	switch {
	case s.kind == foreign:
		o.key = s.key
	case s.kind == types:
		o.ids = make([]int64, 0, len(b.types))
		for _, t := range b.types {
			o.ids = append(o.ids, t.id)
		}
	case s.kind == methods:
		o.ids = make([]int64, 0, b.methods.len())
		for _, batch := range b.methods {
			for i := range batch.rows {
				o.ids = append(o.ids, batch.rows[i].id)
			}
		}
	}
	for i := range s.count {
		if ordinal, ok := b.ordinals[s.first+i]; ok {
			o.ordinals = append(o.ordinals, placedEntry{i, ordinal})
		}
	}
	return o
}

// wrap writes the lists side by side, each in as many columns as it needs.
func (b *build) wrap(symbol uint64, lists [3][]uint64) {
	total := len(lists[0]) + len(lists[1]) + len(lists[2])
	rows := max(1, (total+orderColumns-1)/orderColumns)
	kinds := [...]layout.ColumnKind{layout.ColumnType, layout.ColumnMethod, layout.ColumnProfile}
	columns := []layout.ColumnKind{layout.ColumnSymbol}
	for i, list := range lists {
		for range (len(list) + rows - 1) / rows {
			columns = append(columns, kinds[i])
		}
	}
	t := b.b.Table(layout.TableOrder, 0, columns...)
	cells := make([]uint64, 0, len(columns))
	for row := range rows {
		cells = append(cells[:0], 0)
		if row == 0 {
			cells[0] = symbol
		}
		for _, list := range lists {
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
