package replay

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/layout"
)

// A file does not say how wide its VM makes its entries. Only the right widths
// let every walk end exactly, with every reference of a file on a pointer cell.

// defaultRows is HotSpot's default of TypeProfileWidth and BciProfileWidth.
const defaultRows = 2

// maxRows is the most rows that an archive's settings can have.
const maxRows = 64

// shape infers the shape of a file's entries.
func (r *recording) shape() (layout.Shape, error) {
	var first error
	for _, s := range r.shapes() {
		err := r.fits(s)
		if err == nil {
			return s, nil
		}
		if first == nil {
			first = err
		}
	}
	return layout.Shape{}, first
}

// shapes are the shapes that are tried: the likely first. Files without a
// version come from VMs that have a cell between count and rows.
func (r *recording) shapes() []layout.Shape {
	gap := 0
	if r.version == 0 {
		gap = 1
	}
	var shapes []layout.Shape
	for _, g := range []int{gap, 1 - gap} {
		shapes = append(shapes, layout.Shape{TypeRows: defaultRows, BciRows: defaultRows, Gap: g})
	}
	for rows := range maxRows + 1 {
		for _, g := range []int{gap, 1 - gap} {
			shapes = append(shapes, layout.Shape{TypeRows: rows, BciRows: defaultRows, Gap: g},
				layout.Shape{TypeRows: defaultRows, BciRows: rows, Gap: g})
		}
	}
	return shapes
}

// fits reports what of the file does not fit a shape.
func (r *recording) fits(s layout.Shape) error {
	for i := range r.data {
		if _, err := r.data[i].walk(s); err != nil {
			return err
		}
	}
	return nil
}

// walk takes the words apart, and holds the references against them.
func (d *methodData) walk(s layout.Shape) (dataWalk, error) {
	w, at, err := walk(d.words, s)
	if err != nil {
		return w, d.wrong(at, err)
	}
	left := len(d.klasses) + len(d.methods)
	w.pointers(s, func(at int, kind layout.PointerKind) {
		_, klass := d.klasses[at]
		_, method := d.methods[at]
		if method && kind == layout.PointerMethod || klass && kind != layout.PointerMethod {
			left--
		}
	})
	if left != 0 {
		return w, d.wrong(0, errors.New("a class or method is named for a word that is no pointer"))
	}
	return w, nil
}

// pointers calls yield with the word of every pointer cell.
func (w *dataWalk) pointers(s layout.Shape, yield func(at int, kind layout.PointerKind)) {
	for _, section := range w.sections {
		for _, e := range section {
			s.Pointers(e.Entry, func(cell int, kind layout.PointerKind) bool {
				yield(e.at+1+cell, kind)
				return true
			})
		}
	}
}

// wrong is the error of words that no VM writes.
func (d *methodData) wrong(word int, err error) error {
	return &hotspot.TextError{
		Name: d.at.name, Line: d.at.number, Offset: d.at.offset, Kind: ErrSyntax,
		Expected: fmt.Sprintf("profile entries; word %d of %s.%s%s: %v", word, d.class, d.name, d.signature, err),
	}
}
