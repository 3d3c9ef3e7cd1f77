package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ofMethod is the point number of counts of the whole method. No entry has it.
const ofMethod = math.MinInt32

// A site is an entry or a counter of a profile, as a list of counts.
type site struct {
	point int32
	group string       // Group of the analyze.Point, or a group of a profile's counters
	guess analyze.Site // guess that compilers make
	sub   layout.Sub
	tag   layout.Tag // tag of an entry that only its schema describes, else 0
	key   uint64     // hash of the identity of such an entry
	kind  kind
	cells []cell // sorted by key
	entry reader.Entry
	null  bool // the site saw null
	// untyped counts executions without a recorded type, including failed type checks. failed counts only those checks.
	untyped, failed uint64
}

// Groups of a profile's counters, and of points with special treatment.
const (
	groupInvocations = "invocations"
	groupBackedges   = "backedges"
	groupCounters    = "counters"
	groupSuccessors  = "successors"
	groupValues      = "values"
	groupCallees     = "callees"
)

// compareTo orders sites. Equal sites match.
func (s *site) compareTo(t *site) int {
	return cmp.Or(cmp.Compare(s.point, t.point), cmp.Compare(s.group, t.group), cmp.Compare(s.guess, t.guess),
		cmp.Compare(s.sub, t.sub), cmp.Compare(s.tag, t.tag), cmp.Compare(s.key, t.key))
}

type cell struct{ key, count uint64 }

// otherTypes is the key of the count of types without a row.
const otherTypes = math.MaxUint64

// sites holds the sites of one profile. Its memory is reused for the next profile.
type sites struct {
	list  []site
	cells []cell
	names keyFuncs
	of    layout.Ref // reference of the profile
	// marks reports whether LLVM's counters can be a mark for hot or warm, marked whether this profile has one.
	marks, marked bool
	shape         disk.Shape // shape of the archive
}

// openArchive prepares for the profiles of an archive, with keys of that archive.
func (s *sites) openArchive(archive *reader.Store) {
	h := archive.Header()
	s.marks, s.shape = h.Domain.LLVM() && disk.LLVMMarks(&h.Params), (*mapped.Mapping)(archive.Mapping()).Shape()
	s.names.typeKey = func(ordinal uint32) (uint64, error) { return uint64(ordinal), nil }
	s.names.methodKey = func(m reader.Method) (uint64, error) { return uint64(m.Ref()), nil }
}

// keyFuncs map types and methods to keys, because the archives number them differently.
type keyFuncs struct {
	typeKey   func(ordinal uint32) (uint64, error)
	methodKey func(reader.Method) (uint64, error)
}

// readProfile reads the sites of a profile unless they are already read. It assigns cells to sites at the end, since
// appending may reallocate them.
func (s *sites) readProfile(p reader.Profile) error {
	if s.of == p.Ref() {
		return nil
	}
	s.of = 0
	s.list = s.list[:0]
	s.cells = s.cells[:0]
	s.marked = false
	if c, ok := p.Invocations(); ok {
		s.addSite(site{point: ofMethod, group: groupInvocations}, cell{count: c.Trained()})
	}
	if c, ok := p.Backedges(); ok {
		s.addSite(site{point: ofMethod, group: groupBackedges}, cell{count: c.Trained()})
	}
	for e, at := range analyze.Trained(p) {
		if err := s.addPoint(e, at); err != nil {
			return err
		}
	}
	rest := s.cells
	for i := range s.list {
		n := len(s.list[i].cells)
		s.list[i].cells = rest[:n:n]
		rest = rest[n:]
		slices.SortStableFunc(s.list[i].cells, func(a, b cell) int { return cmp.Compare(a.key, b.key) })
	}
	inOrder := func(a, b site) int { return a.compareTo(&b) }
	if !slices.IsSortedFunc(s.list, inOrder) {
		slices.SortStableFunc(s.list, inOrder)
	}
	s.of = p.Ref()
	return nil
}

func (s *sites) addSite(t site, cells ...cell) {
	from := len(s.cells)
	s.cells = append(s.cells, cells...)
	t.cells = s.cells[from:]
	s.list = append(s.list, t)
}

func (s *sites) addPoint(e reader.Entry, at *analyze.Point) error {
	t := site{point: at.Point, group: at.Group, guess: at.Site, kind: kindEdges, entry: e, null: at.NullSeen}
	switch {
	case at.BySchema:
		return s.addSchemaSite(t)
	case at.Group == "":
		return nil
	case at.Site == analyze.SiteReceivers:
		t.kind = kindReceivers
	case at.Site == analyze.SiteChecked:
		t.kind = kindTypeChecks
	default:
		t.sub = e.Sub()
		t.kind = s.kindOfCounts(e, at)
	}
	from := len(s.cells)
	for i := range at.Outcomes {
		if err := s.addOutcome(&t, &at.Outcomes[i]); err != nil {
			return err
		}
	}
	t.cells = s.cells[from:]
	if at.Group == groupCounters {
		s.clearMarks(t.cells)
	}
	s.list = append(s.list, t)
	return nil
}

func (s *sites) kindOfCounts(e reader.Entry, at *analyze.Point) kind {
	switch at.Group {
	case groupValues:
		return valueKinds[e.Sub()]
	case groupCallees:
		return kindCalls
	}
	return unitKinds[s.shape.CountUnit(e.Bytes())]
}

// addOutcome adds a count of a site. Counts without a row become the type otherTypes or are left out.
func (s *sites) addOutcome(t *site, o *analyze.Outcome) (err error) {
	key := o.ID
	switch o.Kind {
	case analyze.Unlooked:
		return nil
	case analyze.Untyped, analyze.Failed:
		t.untyped = disk.SaturatingAdd(t.untyped, o.Count)
		if o.Kind == analyze.Failed {
			t.failed = o.Count
		}
		return nil
	case analyze.Others:
		key = otherTypes
		if t.guess == "" {
			return nil
		}
	case analyze.NotTaken:
		key = 1
	case analyze.Events:
		key = uint64(o.Index)
	case analyze.OfType:
		key, err = s.names.typeKey(uint32(o.ID))
	case analyze.Call:
		if o.Callee.Valid() {
			key, err = s.names.methodKey(o.Callee)
		}
	}
	s.cells = append(s.cells, cell{key, o.Count})
	return err
}

func (s *sites) clearMarks(counters []cell) {
	s.marked = s.marks && len(counters) > 0 && counters[0].count > disk.LLVMMaxCount
	if !s.marked {
		return
	}
	for i := range counters {
		counters[i].count = 0
	}
}

// addSchemaSite adds an entry that only its schema describes, if it has counts. Keys outside rows identify the site,
// keys of a row identify its counts.
func (s *sites) addSchemaSite(t site) error {
	raw := disk.Entry(t.entry.Bytes())
	t.tag, t.sub, t.kind = raw.Tag(), raw.Sub(), unitKinds[s.shape.CountUnit(raw)]
	var err error
	for at, kind := range s.shape.Identity(raw) {
		t.key, err = s.mixCellKey(t.key, t.entry, at, kind)
		if err != nil {
			return err
		}
	}
	from := len(s.cells)
	column := uint64(0)
	for rows := range s.shape.Groups(raw) {
		for row := range rows.N {
			if err := s.addRowCounts(t.entry, rows, row, column); err != nil {
				return err
			}
		}
		column += uint64(len(rows.Cells))
	}
	t.cells = s.cells[from:]
	if len(t.cells) > 0 {
		s.list = append(s.list, t)
	}
	return nil
}

// addRowCounts adds the counts of a row. Their keys combine the column with the row's keys, or else its number.
func (s *sites) addRowCounts(e reader.Entry, rows disk.Rows, row int, column uint64) (err error) {
	key := uint64(0)
	keyed := false
	for i, c := range rows.Cells {
		if disk.IsKey(c.Kind) {
			keyed = true
			key, err = s.mixCellKey(key, e, rows.Cell(row, i), c.Kind)
			if err != nil {
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
		s.cells = append(s.cells, cell{mixHash(key, column+uint64(i)), count})
	}
	return nil
}

func (s *sites) mixCellKey(key uint64, e reader.Entry, at int, kind disk.CellKind) (uint64, error) {
	own := e.Cell(at).Trained()
	err := error(nil)
	switch kind {
	case disk.CellType, disk.CellTypeWord:
		if w := e.TypeCell(at); w.Type.Valid() {
			own, err = s.names.typeKey(w.Type.Ordinal())
			own = mixHash(own+1, e.Cell(at).Trained()&disk.TypeTags)
		}
	case disk.CellMethod:
		var m reader.Method
		m, err = e.MethodCell(at)
		if err == nil && m.Valid() {
			own, err = s.names.methodKey(m)
		}
	}
	return mixHash(key, own), err
}

func mixHash(a, b uint64) uint64 {
	h := (a ^ a>>29 ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>32 ^ b) * 0x94d049bb133111eb
	return h ^ h>>31
}
