package iprof

import (
	"errors"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// readOrder reads the source order, and forgets it where it does not fit what
// the archive has.
func (e *exporter) readOrder() error {
	t, err := e.s.Table(layout.TableOrder)
	if errors.Is(err, reader.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if t.Rows == 0 || t.Column(0) != layout.ColumnSymbol {
		e.report.Lost.Add(LossOrder, 1)
		return nil
	}
	text, err := e.symbol(t.Cell(0, 0))
	if err != nil {
		return err
	}
	e.unwrap(t)
	most := max(len(e.listed[0]), len(e.listed[1]), len(e.listed[2]))
	order, wrong := parseOrder([]byte(text), most)
	if wrong == nil {
		e.source = order
		ok, err := e.orderFits()
		if err != nil || ok {
			return err
		}
	}
	e.source = nil
	e.report.Lost.Add(LossOrder, 1)
	return nil
}

// unwrap reads the lists of types, methods and profiles.
func (e *exporter) unwrap(t disk.Table) {
	list := map[layout.ColumnKind]int{layout.ColumnType: 0, layout.ColumnMethod: 1, layout.ColumnProfile: 2}
	for column := 1; column < t.Columns(); column++ {
		to, ok := list[t.Column(column)]
		for row := 0; ok && row < t.Rows; row++ {
			if cell := t.Cell(column, row); cell != 0 {
				e.listed[to] = append(e.listed[to], layout.Ref(cell))
			}
		}
	}
}

// orderFits reports whether the order lists all that the archive has, each
// once.
func (e *exporter) orderFits() (bool, error) {
	var typed [sectionKinds]int
	for _, s := range e.source.sections {
		if s.kind == foreign {
			if _, ok := e.raws[keyPath(s.key)]; !ok {
				return false, nil
			}
			continue
		}
		if typed[s.kind] != 0 {
			return false, nil
		}
		typed[s.kind] = s.typed()
		for _, r := range s.raws {
			if _, ok := e.raws[itemPath(s.kind, r.item)]; !ok || r.item >= s.items {
				return false, nil
			}
		}
	}
	for k := calls; k <= samples; k++ {
		if k != monitors && typed[k] != e.found[k] {
			return false, nil
		}
	}
	if typed[monitors] < e.found[monitors] || typed[types] != len(e.listed[0]) || typed[methods] != len(e.listed[1]) {
		return false, nil
	}
	if ok, err := e.rowsFit(); !ok || err != nil {
		return false, err
	}
	return e.profilesFit()
}

// rowsFit reports whether every type and method that has a row in a file is
// listed once.
func (e *exporter) rowsFit() (bool, error) {
	seen := map[layout.Ref]bool{}
	for _, list := range e.listed[:2] {
		for _, n := range list {
			if seen[n] {
				return false, nil
			}
			seen[n] = true
		}
	}
	for _, n := range e.listed[0] {
		if _, err := e.s.TypeAt(n); err != nil {
			return false, err
		}
	}
	for _, t := range e.types {
		_, dangling, err := e.typeKey(t)
		if err != nil {
			return false, err
		}
		if !dangling && !seen[e.typePlace(t)] {
			return false, nil
		}
	}
	for _, m := range e.methods {
		_, dangling, err := e.danglingMethod(m)
		if err != nil || !dangling && !seen[m.Ref()] {
			return false, err
		}
		delete(seen, m.Ref())
	}
	for _, n := range e.listed[1] {
		if seen[n] { // a place where no method begins
			return false, nil
		}
	}
	return true, nil
}

// typePlace is the place of the record of a type.
func (e *exporter) typePlace(t reader.Type) layout.Ref {
	section := e.s.Header().Parts[disk.PartTypes]
	return disk.RefOf(section.Offset + int64(t.Ordinal())*disk.TypeSize)
}

// profilesFit reports whether every entry of the profiles is listed once.
func (e *exporter) profilesFit() (bool, error) {
	list := e.listed[2]
	for _, s := range e.source.sections {
		if !s.kind.inProfiles() {
			continue
		}
		if len(list) < s.typed() {
			return false, nil
		}
		next, seen := map[layout.Ref]int{}, map[layout.Ref]map[int]bool{}
		walk := ordinalWalk{rest: s.ordinals, next: next}
		for i, n := range list[:s.typed()] {
			ordinal := walk.ordinal(i, n)
			p, err := e.itemsOf(n)
			if err != nil {
				return false, err
			}
			if seen[n] == nil {
				seen[n] = map[int]bool{}
			}
			if ordinal >= len(p.of[s.kind]) || seen[n][ordinal] {
				return false, nil
			}
			seen[n][ordinal] = true
		}
		list = list[s.typed():]
	}
	return len(list) == 0, nil
}

// An ordinalWalk gives the number of each listed record among those of its
// section in its profile.
type ordinalWalk struct {
	rest []placedEntry
	next map[layout.Ref]int
}

func (w *ordinalWalk) ordinal(item int, profile layout.Ref) int {
	n := w.next[profile]
	if len(w.rest) > 0 && w.rest[0].item == item {
		n = w.rest[0].ordinal
		w.rest = w.rest[1:]
	}
	w.next[profile] = n + 1
	return n
}
