package replay

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// ReadOptions say how a file is read. The zero value is of use.
type ReadOptions struct {
	Name string // of the file, for errors
	// Config is what the archive says of itself. Of its Params those that the
	// file shows are set.
	Config builder.Config
	// Shape is the shape of the VM's entries; nil to infer it.
	Shape *disk.Shape
	// Unordered forgets the order of the methods.
	Unordered bool
	// ProfilesOnly leaves out what is no profile. Write then needs a class
	// path.
	ProfilesOnly bool
}

// Read reads a replay file into a builder of its own, whose settings are those
// that the file shows. The error is a [*hotspot.TextError] where the file is
// not what a VM writes.
//
// Methods with method data become profiles; those that the file names and that
// were never called are recorded as such. All that is no profile is kept as
// text, from which [Write] makes a replay file again.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	rec, err := parseFile(r, o.Name)
	if err != nil {
		return nil, nil, err
	}
	return rec.read(o)
}

// read puts a recording into a builder.
func (r *recording) read(o ReadOptions) (*builder.Builder, *Report, error) {
	shape, err := r.shapeOr(o.Shape)
	if err != nil {
		return nil, nil, err
	}
	params := &o.Config.Params
	params[layout.ParamTypeProfileWidth] = uint32(shape.TypeRows)
	params[layout.ParamBciProfileWidth] = uint32(shape.BciRows)
	params[layout.ParamReceiverGap] = uint32(shape.Gap)
	report := &Report{Version: r.version, Params: *params, Classes: r.classes(), Inlines: len(r.compile.inlines)}
	b, err := r.build(o, shape, report)
	if err != nil && o.Name != "" {
		err = fmt.Errorf("%s: %w", o.Name, err)
	}
	return b, report, err
}

// shapeOr is the shape that was given, if the file fits it, or the file's own.
func (r *recording) shapeOr(given *disk.Shape) (disk.Shape, error) {
	if given == nil {
		return r.shape()
	}
	return *given, r.fits(*given, false)
}

// classes is the number of classes that the file records.
func (r *recording) classes() (n int) {
	for _, k := range r.klasses {
		if k.kind == kindKlass {
			n++
		}
	}
	return n
}
