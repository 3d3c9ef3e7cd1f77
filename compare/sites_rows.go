package compare

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A listShape says of an entry that is a list which cell of a row is the count,
// and how rows are told apart: by their first cell, or by their place.
type listShape struct {
	class class
	count int
	keyed bool
}

var listShapes = map[layout.Tag]listShape{
	layout.TagMultiBranch: {class: classSwitch},
	layout.TagCounters:    {class: classCounters},
	layout.TagRet:         {class: classRet, count: 1, keyed: true},
	layout.TagSuccessors:  {class: classSuccessors, count: 1, keyed: true},
	layout.TagValueSite:   {class: classValues, count: 1, keyed: true},
	layout.TagCallees:     {class: classCallees, count: 1, keyed: true},
}

// rows adds an entry that is a list of counts.
func (s *sites) rows(t site, shape listShape) error {
	rows, ok := t.entry.Rows()
	if !ok {
		return nil
	}
	t.class, t.sub = shape.class, t.entry.Sub()
	from := len(s.cells)
	switch t.class {
	case classSwitch: // the default comes before the cases
		s.cells = append(s.cells, cell{0, rows.Head(0).Trained()})
	case classValues:
		t.kind = valueKinds[t.sub]
	case classCallees:
		t.kind = KindCalls
	}
	first := uint64(len(s.cells) - from)
	for i := range rows.Len() {
		key := first + uint64(i)
		if shape.keyed {
			var err error
			if key, err = s.rowKey(rows, i); err != nil {
				return err
			}
		}
		s.cells = append(s.cells, cell{key, rows.Cell(i, shape.count).Trained()})
	}
	t.cells = s.cells[from:]
	if t.class == classCounters {
		s.unmark(t.cells)
	}
	s.list = append(s.list, t)
	return nil
}

// unmark makes counters that are a mark counters of nothing: a mark says that a
// function is hot or warm, and not how often anything ran.
func (s *sites) unmark(counters []cell) {
	if s.marked = s.marks && len(counters) > 0 && counters[0].count > disk.LLVMMaxCount; !s.marked {
		return
	}
	for i := range counters {
		counters[i].count = 0
	}
}

// rowKey is the key of a row that its first cell tells apart.
func (s *sites) rowKey(rows reader.Rows, i int) (uint64, error) {
	m, err := rows.Method(i)
	if err != nil || !m.Valid() {
		return rows.Cell(i, 0).Trained(), err
	}
	return s.methodKey(m)
}

func (s *sites) methodKey(m reader.Method) (uint64, error) {
	if s.names.methodKey == nil {
		return uint64(m.Ref()), nil
	}
	return s.names.methodKey(m)
}

// schemaCounts adds an entry of which only the schema tells what its cells are,
// if it has counts. Keys that stand once are the site's; those of a row are its
// counts'.
func (s *sites) schemaCounts(t site) error {
	raw := disk.Entry(t.entry.Bytes())
	t.class, t.tag, t.sub, t.kind = classOther, raw.Tag(), raw.Sub(), unitKinds[raw.CountUnit()]
	var err error
	for at, kind := range s.shape.Identity(raw) {
		if t.key, err = s.addKey(t.key, t.entry, at, kind); err != nil {
			return err
		}
	}
	from := len(s.cells)
	column := uint64(0)
	for rows := range s.shape.Groups(raw) {
		for row := range rows.N {
			if err := s.rowCounts(t.entry, rows, row, column); err != nil {
				return err
			}
		}
		column += uint64(len(rows.Cells))
	}
	if t.cells = s.cells[from:]; len(t.cells) > 0 {
		s.list = append(s.list, t)
	}
	return nil
}

// rowCounts adds the counts of a row. They are told apart by its keys, by its
// place if it has none, and by their columns.
func (s *sites) rowCounts(e reader.Entry, rows disk.Rows, row int, column uint64) (err error) {
	key, keyed := uint64(0), false
	for i, c := range rows.Cells {
		if c.Kind.IsKey() {
			keyed = true
			if key, err = s.addKey(key, e, rows.Cell(row, i), c.Kind); err != nil {
				return err
			}
		}
	}
	if !keyed {
		key = uint64(row)
	}
	signed := s.shape.SignedCell(disk.Entry(e.Bytes()))
	for i, c := range rows.Cells {
		if c.Kind != disk.CellCount {
			continue
		}
		at := rows.Cell(row, i)
		count := e.Cell(at).Trained()
		if at == signed {
			count = uint64(max(int64(count), 0))
		}
		s.cells = append(s.cells, cell{mixed(key, column+uint64(i)), count})
	}
	return nil
}

// addKey returns a key together with that of one more cell.
func (s *sites) addKey(key uint64, e reader.Entry, at int, kind disk.CellKind) (uint64, error) {
	own, err := e.Cell(at).Trained(), error(nil)
	switch kind {
	case disk.CellType, disk.CellTypeWord:
		if w := e.TypeCell(at); w.Type.Valid() {
			own, err = s.typeKey(w.Type)
			own = mixed(own+1, e.Cell(at).Trained()&disk.TypeTags)
		}
	case disk.CellMethod:
		var m reader.Method
		if m, err = e.MethodCell(at); err == nil && m.Valid() {
			own, err = s.methodKey(m)
		}
	}
	return mixed(key, own), err
}

// mixed is one number for two.
func mixed(a, b uint64) uint64 {
	h := (a ^ a>>29 ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>32 ^ b) * 0x94d049bb133111eb
	return h ^ h>>31
}
