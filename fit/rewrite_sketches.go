package fit

import (
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// sketch notes the sketch of new code, if anything is known of it.
func (w *rewriter) sketch(m builder.MethodRef, v *Version) {
	if !slices.ContainsFunc(v.Points, func(p Point) bool { return p.known() }) {
		return
	}
	var points []layout.SketchPoint
	for i := range v.Points {
		if v.Points[i].Kind.Sketched() {
			points = append(points, v.Points[i].Sketch)
		}
	}
	t := w.b.Table(layout.TableCode, 0, disk.TableColumns(layout.TableCode)...)
	t.Row(uint64(m), uint64(w.b.Symbol(string(disk.AppendSketch(nil, v.ID, points)))))
}

// keepsRow reports whether a row of a table stays: of sketches those of profiles
// that do.
func (w *rewriter) keepsRow(t *reader.Table, row int) (bool, error) {
	if t.Kind != layout.TableCode {
		return true, nil
	}
	text, err := w.s.SymbolAt(layout.Ref(t.Cell(1, row)))
	if err != nil {
		return false, err
	}
	sketch := []byte(text.String())
	return slices.ContainsFunc(w.kept[layout.Ref(t.Cell(0, row))], func(code uint64) bool { return disk.SketchMayBeOf(sketch, code) }), nil
}
