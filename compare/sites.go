package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A class is what an entry records, whatever form it has.
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
	classOther // of a tag that only the schema tells about
)

// ofMethod is the point of counts that belong to no profile point: no entry has
// it.
const ofMethod = math.MinInt32

// A site is one entry, or one counter of a profile, as a list of counts.
type site struct {
	point int32
	class class
	tag   layout.Tag // of classOther
	sub   layout.Sub
	key   uint64 // of the keys that stand once in an entry of classOther
	kind  Kind
	cells []cell // sorted by key
	entry reader.Entry
	// untyped counts what a site met without that its type was recorded, and
	// failed the type checks of these that failed.
	untyped, failed uint64
}

// compareTo orders sites by what must be the same for two to match.
func (s *site) compareTo(t *site) int {
	return cmp.Or(cmp.Compare(s.point, t.point), cmp.Compare(s.class, t.class), cmp.Compare(s.sub, t.sub),
		cmp.Compare(s.tag, t.tag), cmp.Compare(s.key, t.key))
}

// A cell is a count; the key says which of the site's.
type cell struct{ key, count uint64 }

// otherTypes is the key of the count of types that found no row.
const otherTypes = math.MaxUint64

// sites are those of one profile. They are read again and again into the same
// memory.
type sites struct {
	list  []site
	cells []cell
	names naming
	of    layout.Ref // the profile that they are of
	// marks is whether LLVM's counters can be a mark that a function is hot or
	// warm, and marked whether those of the profile are.
	marks, marked bool
	shape         disk.Shape // of the archive
}

// isOf says which archive the sites are of.
func (s *sites) isOf(archive *reader.Store) {
	h := archive.Header()
	s.marks, s.shape = knowsMarks(archive), disk.ShapeOf(&h.Params)
}

// naming returns the keys of what both archives have under different numbers. Nil
// functions give the archive's own numbers.
type naming struct {
	typeKey   func(reader.Type) (uint64, error)
	methodKey func(reader.Method) (uint64, error)
}

// read takes the sites of a profile, unless they are at hand. Cells move while
// they are gathered, so that sites get theirs at the end.
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
		t.class, t.sub, t.kind = classCount, e.Sub(), unitKinds[disk.Entry(e.Bytes()).CountUnit()]
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

// receivers adds an entry that has types.
func (s *sites) receivers(t site) error {
	r, ok := t.entry.Receivers()
	if !ok {
		return nil
	}
	t.class, t.kind = classReceivers, KindReceivers
	if tag := t.entry.Tag(); tag == layout.TagReceiverType || tag == layout.TagReceivers && t.entry.Sub() == layout.SubTypeCheck {
		t.class, t.kind = classTypeCheck, KindTypeChecks
	}
	from := len(s.cells)
	beside := r.Unlisted(r.Other().Trained())
	t.untyped, t.failed = disk.SaturatingAdd(beside.Untyped, beside.Failed), beside.Failed
	if beside.Types > 0 {
		s.cells = append(s.cells, cell{otherTypes, beside.Types})
	}
	for row := range r.All() {
		key, err := s.typeKey(row.Type)
		if err != nil {
			return err
		}
		s.cells = append(s.cells, cell{key, row.Count.Trained()})
	}
	t.cells = s.cells[from:]
	s.list = append(s.list, t)
	return nil
}

func (s *sites) typeKey(t reader.Type) (uint64, error) {
	if s.names.typeKey == nil {
		return uint64(t.Ordinal()), nil
	}
	return s.names.typeKey(t)
}
