package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A class says what an entry records, in whatever form.
type class uint8

const (
	classInvocations class = iota
	classBackedges
	classCount
	classJump
	classBranch
	classSwitch
	classRet
	classCounters
	classSuccessors
	classReceivers
	classTypeCheck
	classValues
	classCallees
	classOther // of a tag that is known by its schema alone
)

// ofMethod is the point of counts of the whole method. No entry has it.
const ofMethod = math.MinInt32

// A site is one entry, or one counter of a profile, as a list of counts.
type site struct {
	point int32
	class class
	tag   layout.Tag // of classOther
	sub   layout.Sub
	key   uint64 // of the identity of an entry of classOther
	kind  Kind
	cells []cell // sorted by key
	entry reader.Entry
	// untyped counts executions without a recorded type, and failed the failed type checks among them.
	untyped, failed uint64
}

// compareTo orders sites. Sites that compare equal match.
func (s *site) compareTo(t *site) int {
	return cmp.Or(cmp.Compare(s.point, t.point), cmp.Compare(s.class, t.class), cmp.Compare(s.sub, t.sub),
		cmp.Compare(s.tag, t.tag), cmp.Compare(s.key, t.key))
}

// A cell is a count of a site with its key.
type cell struct{ key, count uint64 }

// otherTypes is the key of the count of types without a row.
const otherTypes = math.MaxUint64

// sites has the sites of one profile. Its memory is reused for the next profile.
type sites struct {
	list  []site
	cells []cell
	names naming
	of    layout.Ref // the profile
	// marks is whether LLVM's counters can be a mark that a function is hot or warm, and
	// marked whether the profile has such a mark.
	marks, marked bool
	shape         disk.Shape // of the archive
}

// open prepares for the profiles of an archive, with the archive's own keys.
func (s *sites) open(archive *reader.Store) {
	s.marks, s.shape = knowsMarks(archive), archive.Mapping().Shape()
	s.names.typeKey = func(t reader.Type) (uint64, error) { return uint64(t.Ordinal()), nil }
	s.names.methodKey = func(m reader.Method) (uint64, error) { return uint64(m.Ref()), nil }
}

// naming returns the keys of types and methods, which both archives number differently.
type naming struct {
	typeKey   func(reader.Type) (uint64, error)
	methodKey func(reader.Method) (uint64, error)
}

// read reads the sites of a profile, unless it has them already. The cells may be
// reallocated meanwhile, so they are assigned to the sites at the end.
func (s *sites) read(p reader.Profile) error {
	if s.of == p.Ref() {
		return nil
	}
	s.of, s.list, s.cells, s.marked = 0, s.list[:0], s.cells[:0], false
	if c, ok := p.Invocations(); ok {
		s.add(site{point: ofMethod, class: classInvocations, kind: KindEdges}, cell{count: c.Trained()})
	}
	if c, ok := p.Backedges(); ok {
		s.add(site{point: ofMethod, class: classBackedges, kind: KindEdges}, cell{count: c.Trained()})
	}
	for e := range p.Entries() {
		if err := s.entry(e); err != nil {
			return err
		}
	}
	rest := s.cells
	for i := range s.list {
		n := len(s.list[i].cells)
		s.list[i].cells, rest = rest[:n:n], rest[n:]
		slices.SortStableFunc(s.list[i].cells, func(a, b cell) int { return cmp.Compare(a.key, b.key) })
	}
	inOrder := func(a, b site) int { return a.compareTo(&b) }
	if !slices.IsSortedFunc(s.list, inOrder) {
		slices.SortStableFunc(s.list, inOrder)
	}
	s.of = p.Ref()
	return nil
}

// add adds a site with its cells.
func (s *sites) add(t site, cells ...cell) {
	from := len(s.cells)
	s.cells = append(s.cells, cells...)
	t.cells = s.cells[from:]
	s.list = append(s.list, t)
}

// entry adds an entry, if it has counts.
func (s *sites) entry(e reader.Entry) error {
	t := site{point: e.Point(), kind: KindEdges, entry: e}
	switch e.Tag() {
	case layout.TagCounter, layout.TagCallType:
		t.class = classCount
		s.add(t, cell{count: e.Cell(0).Trained()})
	case layout.TagJump:
		t.class = classJump
		s.add(t, cell{count: e.Cell(0).Trained()})
	case layout.TagBranch:
		t.class = classBranch
		s.add(t, cell{0, e.Cell(0).Trained()}, cell{1, e.Cell(2).Trained()})
	case layout.TagCount:
		t.class, t.sub, t.kind = classCount, e.Sub(), unitKinds[s.shape.CountUnit(disk.Entry(e.Bytes()))]
		s.add(t, cell{count: e.Cell(0).Trained()})
	case layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType, layout.TagReceivers:
		return s.receivers(t)
	default:
		if list, ok := listShapes[e.Tag()]; ok {
			return s.rows(t, list)
		}
		return s.schemaCounts(t)
	}
	return nil
}

// receivers adds an entry with types.
func (s *sites) receivers(t site) error {
	r, ok := t.entry.Receivers()
	if !ok {
		return nil
	}
	t.class, t.kind = classReceivers, KindReceivers
	if tag := t.entry.Tag(); tag == layout.TagReceiverType ||
		tag == layout.TagReceivers && t.entry.Sub() == layout.SubTypeCheck {
		t.class, t.kind = classTypeCheck, kindTypeChecks
	}
	from := len(s.cells)
	unlisted := r.Unlisted(r.Other().Trained())
	t.untyped, t.failed = disk.SaturatingAdd(unlisted.Untyped, unlisted.Failed), unlisted.Failed
	if unlisted.Types > 0 {
		s.cells = append(s.cells, cell{otherTypes, unlisted.Types})
	}
	for row := range r.All() {
		key, err := s.names.typeKey(row.Type)
		if err != nil {
			return err
		}
		s.cells = append(s.cells, cell{key, row.Count.Trained()})
	}
	t.cells = s.cells[from:]
	s.list = append(s.list, t)
	return nil
}

// A listShape describes entries that are lists: which cell of a row is the count, and
// whether rows are identified by their first cell or by their place.
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
		t.kind = kindCalls
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

// unmark clears counters that are a mark: a mark says that a function is hot or warm, and counts nothing.
func (s *sites) unmark(counters []cell) {
	if s.marked = s.marks && len(counters) > 0 && counters[0].count > disk.LLVMMaxCount; !s.marked {
		return
	}
	for i := range counters {
		counters[i].count = 0
	}
}

// rowKey returns the key of a row that is identified by its first cell.
func (s *sites) rowKey(rows reader.Rows, i int) (uint64, error) {
	m, err := rows.Method(i)
	if err != nil || !m.Valid() {
		return rows.Cell(i, 0).Trained(), err
	}
	return s.names.methodKey(m)
}

// schemaCounts adds an entry of a tag that is known by its schema alone, if it has
// counts. Keys outside rows belong to the site, keys of a row to its counts.
func (s *sites) schemaCounts(t site) error {
	raw := disk.Entry(t.entry.Bytes())
	t.class, t.tag, t.sub, t.kind = classOther, raw.Tag(), raw.Sub(), unitKinds[s.shape.CountUnit(raw)]
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

// rowCounts adds the counts of a row. They are identified by the keys of the row, or by
// its place if it has none, and by their columns.
func (s *sites) rowCounts(e reader.Entry, rows disk.Rows, row int, column uint64) (err error) {
	key, keyed := uint64(0), false
	for i, c := range rows.Cells {
		if disk.IsKey(c.Kind) {
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

// addKey returns a key mixed with the key of one more cell.
func (s *sites) addKey(key uint64, e reader.Entry, at int, kind disk.CellKind) (uint64, error) {
	own, err := e.Cell(at).Trained(), error(nil)
	switch kind {
	case disk.CellType, disk.CellTypeWord:
		if w := e.TypeCell(at); w.Type.Valid() {
			own, err = s.names.typeKey(w.Type)
			own = mixed(own+1, e.Cell(at).Trained()&disk.TypeTags)
		}
	case disk.CellMethod:
		var m reader.Method
		if m, err = e.MethodCell(at); err == nil && m.Valid() {
			own, err = s.names.methodKey(m)
		}
	}
	return mixed(key, own), err
}

// mixed mixes two numbers.
func mixed(a, b uint64) uint64 {
	h := (a ^ a>>29 ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>32 ^ b) * 0x94d049bb133111eb
	return h ^ h>>31
}
