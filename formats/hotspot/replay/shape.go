package replay

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/disk"
)

// A file does not say how wide its VM makes its entries. Only the right widths
// let every walk end exactly, with every reference of a file on a pointer cell.

// defaultRows is HotSpot's default of TypeProfileWidth and BciProfileWidth.
const defaultRows = 2

// maxRows is the most rows that an archive's settings can have.
const maxRows = 64

// shape infers the shape of a file's entries. VMs name every type that they
// write; only with the default widths a file may leave some out.
func (r *recording) shape() (disk.Shape, error) {
	var first error
	shapes := r.shapes()
	for _, named := range []bool{true, false} {
		for _, s := range shapes {
			err := r.fits(s, named)
			if err == nil {
				return s, nil
			}
			if first == nil {
				first = err
			}
		}
		shapes = shapes[:2]
	}
	return disk.Shape{}, first
}

// shapes are the shapes that are tried: the likely first. Files without a
// version come from VMs that have a cell between count and rows.
func (r *recording) shapes() []disk.Shape {
	gap := 0
	if r.version == 0 {
		gap = 1
	}
	var shapes []disk.Shape
	for _, g := range []int{gap, 1 - gap} {
		shapes = append(shapes, disk.Shape{TypeRows: defaultRows, BciRows: defaultRows, Gap: g})
	}
	for rows := range maxRows + 1 {
		for _, g := range []int{gap, 1 - gap} {
			shapes = append(shapes, disk.Shape{TypeRows: rows, BciRows: defaultRows, Gap: g},
				disk.Shape{TypeRows: defaultRows, BciRows: rows, Gap: g})
		}
	}
	return shapes
}

// fits reports what of the file does not fit a shape; named is whether all
// types must be named.
func (r *recording) fits(s disk.Shape, named bool) error {
	for i := range r.data {
		w, err := r.data[i].walk(s)
		if err != nil {
			return err
		}
		if at, ok := r.data[i].unnamed(&w, s); ok && named {
			return r.data[i].wrong(at, errors.New("a pointer to something that is not named"))
		}
	}
	return nil
}

// walk takes the words apart, and holds the references against them.
func (d *methodData) walk(s disk.Shape) (dataWalk, error) {
	w, at, err := walk(d.words, s)
	if err != nil {
		return w, d.wrong(at, err)
	}
	left := len(d.klasses) + len(d.methods)
	w.pointers(s, func(at int, kind disk.CellKind) {
		_, klass := d.klasses[at]
		_, method := d.methods[at]
		if (method && kind == disk.CellMethod || klass && kind != disk.CellMethod) && isPointer(d.words[at], kind) {
			left--
		}
	})
	if left != 0 {
		return w, d.wrong(0, errors.New("a class or method is named for a word that is no pointer"))
	}
	return w, nil
}

// isPointer reports whether a word can be a pointer: they are aligned.
func isPointer(word uint64, kind disk.CellKind) bool {
	p := pointerOf(word, kind)
	return p != 0 && p%disk.CellSize == 0
}

// pointerOf is a word without its tags.
func pointerOf(word uint64, kind disk.CellKind) uint64 {
	if kind == disk.CellTypeWord {
		return word &^ disk.TypeTags
	}
	return word
}

// unnamed is the first pointer that the file does not name.
func (d *methodData) unnamed(w *dataWalk, s disk.Shape) (at int, ok bool) {
	w.pointers(s, func(i int, kind disk.CellKind) {
		_, klass := d.klasses[i]
		_, method := d.methods[i]
		if pointerOf(d.words[i], kind) != 0 && !klass && !method && !ok {
			at, ok = i, true
		}
	})
	return at, ok
}

// pointers calls yield with the word of every pointer cell.
func (w *dataWalk) pointers(s disk.Shape, yield func(at int, kind disk.CellKind)) {
	for _, section := range w.sections {
		for _, e := range section {
			for cell, kind := range s.Pointers(e.Entry) {
				yield(e.at+1+cell, kind)
			}
		}
	}
}

// wrong is the error of words that no VM writes.
func (d *methodData) wrong(word int, err error) error {
	e := d.place.Fail(ErrSyntax)
	e.Expected = fmt.Sprintf("profile entries; word %d of %s.%s%s: %v", word, d.class, d.name, d.signature, err)
	return e
}
