package fit

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Sketches are what an archive says of the code that its profiles are of, in
// layout.TableCode.
type sketches struct {
	s    *reader.Store
	rows []sketchRow // by method and header
}

// A sketchRow is a row of the table.
type sketchRow struct {
	method, sketch layout.Ref
	header         uint16
}

func (r sketchRow) compare(method layout.Ref, header uint16) int {
	return cmp.Or(cmp.Compare(r.method, method), cmp.Compare(r.header, header))
}

// openSketches opens the sketches of an archive; there may be none. halted gives
// an error once nobody waits for them.
func openSketches(s *reader.Store, halted func() error) (*sketches, error) {
	k := &sketches{s: s}
	t, err := s.TableOrEmpty(layout.TableCode)
	if err != nil {
		return nil, err
	}
	for r := range t.Rows {
		row := sketchRow{method: layout.Ref(t.Cell(0, r)), sketch: layout.Ref(t.Cell(1, r))}
		b, err := k.bytes(row)
		if err = cmp.Or(err, halted()); err != nil {
			return nil, err
		}
		var ok bool
		if row.header, ok = disk.SketchHeader(b); ok {
			k.rows = append(k.rows, row)
		}
	}
	slices.SortStableFunc(k.rows, func(a, b sketchRow) int { return a.compare(b.method, b.header) })
	return k, nil
}

func (k *sketches) bytes(r sketchRow) ([]byte, error) {
	if r.sketch == 0 {
		return nil, nil
	}
	text, err := k.s.SymbolAt(r.sketch)
	return []byte(text.String()), err
}

// maxRows is how many sketches are looked at for a profile: more than one are of
// programs that had the same bytecodes.
const maxRows = 16

// describe adds to the points of a profile what its sketch says of them. Where
// runs of different programs had the same bytecodes, what they differ in is not
// known.
func (k *sketches) describe(m reader.Method, p reader.Profile, points []Point) error {
	header := disk.SketchHeaderOf(p.Code())
	at, _ := slices.BinarySearchFunc(k.rows, m.Ref(), func(r sketchRow, method layout.Ref) int { return r.compare(method, header) })
	described := false
	for n, r := range k.rows[at:] {
		if r.method != m.Ref() || r.header != header {
			break
		}
		b, err := k.bytes(r)
		if err != nil {
			return err
		}
		if sketch, ok := disk.ParseSketch(b, p.Code()); ok && len(sketch) == sketched(points) {
			put(points, sketch, described)
			described = true
		}
		if n >= maxRows {
			put(points, make([]layout.SketchPoint, sketched(points)), false)
			break
		}
	}
	return nil
}

// sketched is the number of points that a sketch has records of.
func sketched(points []Point) (n int) {
	for i := range points {
		if points[i].Kind.Sketched() {
			n++
		}
	}
	return n
}

// put returns points their records. Those that have others already are not known.
func put(points []Point, sketch []layout.SketchPoint, again bool) {
	for i := range points {
		if p := &points[i]; p.Kind.Sketched() {
			if again && p.Sketch != sketch[0] {
				sketch[0] = layout.SketchPoint{}
			}
			p.Sketch, sketch = sketch[0], sketch[1:]
		}
	}
}
