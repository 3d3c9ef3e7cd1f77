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
func (s *sites) rows(t site) error {
	rows, ok := t.entry.Rows()
	shape, known := listShapes[t.entry.Tag()]
	if !ok || !known {
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
	if s.names.methodKey == nil {
		return uint64(m.Ref()), nil
	}
	return s.names.methodKey(m)
}
