package fit

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type profiledCode struct {
	points  []methodcode.Point
	entries []reader.Entry
	weights []float64         // total counts of the entries
	size    int               // code size, 0 if unknown
	names   []methodcode.Name // Names of the methodcode.Version

	targeted    []bool  // whether a branch or jump leads to each point
	entered     bool    // whether the number of invocations is known
	invocations float64 // invocations that the points counted, too
}

// pointsOf returns the points of a HotSpot profile. Displacements in the VM's MethodData become indices of points.
func pointsOf(p reader.Profile, shape disk.Shape) profiledCode {
	var out profiledCode
	var offsets []int64
	at := int64(0)
	for e := range p.Entries() {
		kind := pointKindOf(e)
		if kind == 0 {
			continue
		}
		out.points = append(out.points, methodcode.Point{Bci: e.Point(), Kind: kind})
		out.entries = append(out.entries, e)
		out.weights = append(out.weights, weightOf(e, shape))
		offsets = append(offsets, at)
		at += nativeSize(disk.Entry(e.Bytes()), shape)
	}
	offsets = append(offsets, at)
	for i, e := range out.entries {
		raw := disk.Entry(e.Bytes())
		for _, cell := range displacements(raw, shape) {
			target, ok := slices.BinarySearch(offsets, offsets[i]+int64(raw.Cell(cell)))
			if !ok {
				target = -1
			}
			out.points[i].Targets = append(out.points[i].Targets, int32(target))
		}
	}
	size, _ := p.Size()
	out.size = int(size)
	out.setInvocations(p)
	return out
}

func (d *profiledCode) setInvocations(p reader.Profile) {
	if n, ok := p.Invocations(); ok {
		early, _ := p.Interpreted() // before the VM allocated a MethodData
		d.entered, d.invocations = true, float64(n.Trained()-min(n.Trained(), early.Trained()))
	}
	d.targeted = make([]bool, len(d.points)+1)
	for i := range d.points {
		for _, to := range d.points[i].Targets {
			if to >= 0 {
				d.targeted[to] = true
			}
		}
	}
}

func weightOfProfile(p reader.Profile, shape disk.Shape) (sum float64) {
	for _, get := range []func() (reader.Counter, bool){p.Invocations, p.Backedges} {
		if c, ok := get(); ok {
			sum += float64(c.Trained())
		}
	}
	for e := range p.Entries() {
		sum += weightOf(e, shape)
	}
	return sum
}

// sketches reads descriptions of the profiled code from an archive's disk.TableCode.
type sketches struct {
	s    *reader.Store
	rows []sketchRow // sorted by method and header
}

type sketchRow struct {
	method, sketch layout.Ref
	header         uint16
}

func (r sketchRow) compareRow(method layout.Ref, header uint16) int {
	return cmp.Or(cmp.Compare(r.method, method), cmp.Compare(r.header, header))
}

// openSketches reads the sketches of an archive, if it has any. halted returns an error once the check is canceled.
func openSketches(s *reader.Store, halted func() error) (*sketches, error) {
	k := &sketches{s: s}
	t, err := s.TableOrEmpty(disk.TableCode)
	if err != nil {
		return nil, err
	}
	for r := range t.Rows {
		row := sketchRow{method: layout.Ref(t.Cell(0, r)), sketch: layout.Ref(t.Cell(1, r))}
		b, err := k.sketchBytes(row)
		if err = cmp.Or(err, halted()); err != nil {
			return nil, err
		}
		var ok bool
		row.header, ok = disk.SketchHeader(b)
		if ok {
			k.rows = append(k.rows, row)
		}
	}
	slices.SortStableFunc(k.rows, func(a, b sketchRow) int { return a.compareRow(b.method, b.header) })
	return k, nil
}

func (k *sketches) sketchBytes(r sketchRow) ([]byte, error) {
	if r.sketch == 0 {
		return nil, nil
	}
	text, err := k.s.SymbolAt(r.sketch)
	return []byte(text.String()), err
}

// maxRows is the maximum number of sketches to read for a profile. Programs with equal bytecodes have several.
const maxRows = 16

// describe sets the sketches of a profile's points, except points that differ in programs with equal bytecodes.
func (k *sketches) describe(m reader.Method, p reader.Profile, points []methodcode.Point) error {
	header := disk.SketchHeaderOf(p.Code())
	at, _ := slices.BinarySearchFunc(k.rows, m.Ref(),
		func(r sketchRow, method layout.Ref) int { return r.compareRow(method, header) })
	described := false
	for n, r := range k.rows[at:] {
		if r.method != m.Ref() || r.header != header {
			break
		}
		b, err := k.sketchBytes(r)
		if err != nil {
			return err
		}
		if sketch, ok := disk.ParseSketch(b, p.Code()); ok && len(sketch) == sketched(points) {
			setSketches(points, sketch, described)
			described = true
		}
		if n >= maxRows {
			setSketches(points, make([]disk.SketchPoint, sketched(points)), false)
			break
		}
	}
	return nil
}

func sketched(points []methodcode.Point) (n int) {
	for i := range points {
		if points[i].Kind.Sketched() {
			n++
		}
	}
	return n
}

// setSketches sets the sketches of points. If again is set, points with another sketch become unknown.
func setSketches(points []methodcode.Point, sketch []disk.SketchPoint, again bool) {
	for i := range points {
		if p := &points[i]; p.Kind.Sketched() {
			if again && p.Sketch != sketch[0] {
				sketch[0] = disk.SketchPoint{}
			}
			p.Sketch = sketch[0]
			sketch = sketch[1:]
		}
	}
}

// tagsOf holds the tags of HotSpot's entries by kind of point, typedTagsOf the tags of entries that also record the
// types of arguments and return values.
var (
	tagsOf = [...]layout.Tag{methodcode.Call: layout.TagCounter, methodcode.VirtualCall: layout.TagVirtualCall,
		methodcode.TypeCheck: layout.TagReceiverType, methodcode.Jump: layout.TagJump,
		methodcode.Branch: layout.TagBranch, methodcode.Switch: layout.TagMultiBranch, methodcode.Ret: layout.TagRet}
	typedTagsOf = [len(tagsOf)]layout.Tag{methodcode.Call: layout.TagCallType,
		methodcode.VirtualCall: layout.TagVirtualCallType}
)

// untypedCheck is the tag of a type check in a VM that records no types there.
const untypedCheck = layout.TagBit

// pointKindOf returns the kind of a data entry's point, 0 if HotSpot has no such entry.
func pointKindOf(e reader.Entry) methodcode.PointKind {
	tag := e.Tag()
	if tag == untypedCheck || tag == layout.TagReceivers && e.Sub() == layout.SubTypeCheck {
		return methodcode.TypeCheck
	}
	if tag == layout.TagReceivers { // merged rows of several entries
		return methodcode.VirtualCall
	}
	for kind := range tagsOf {
		if tag != 0 && (tag == tagsOf[kind] || tag == typedTagsOf[kind]) {
			return methodcode.PointKind(kind)
		}
	}
	return 0
}

// ofEscapeAnalysis reports whether an entry holds results of escape analysis, which are valid only for the old code.
func ofEscapeAnalysis(e reader.Entry) bool { return e.Tag() == layout.TagArgInfo }

func nativeSize(e disk.Entry, shape disk.Shape) int64 {
	if e.Tag() == layout.TagReceivers {
		return disk.EntryHeaderSize + int64(shape.Cells(layout.TagVirtualCall, 0))*disk.CellSize
	}
	return int64(len(e))
}

// displacements returns the displacement cells of a branch, jump or switch, in the order of [methodcode.Point.Targets].
func displacements(e disk.Entry, shape disk.Shape) (cells []int) {
	if e.Tag() == layout.TagRet { // its rows have bytecode indices
		return nil
	}
	for cell, kind := range shape.WalkCells(e) {
		if kind == disk.CellDisplacement {
			cells = append(cells, cell)
		}
	}
	return cells
}

// weightOf adds up the counts of an entry. Negative counts of failed type checks are ignored.
func weightOf(e reader.Entry, shape disk.Shape) (sum float64) {
	if e.Tag() == layout.TagCount && e.Sub() == disk.SubTotal {
		return 0 // a total of samples that other entries have
	}
	raw := disk.Entry(e.Bytes())
	signed := raw.SignedCount()
	for cell := range shape.Counts(raw) {
		if n := raw.Cell(cell); !signed || int64(n) > 0 {
			sum += float64(n)
		}
	}
	return sum
}
