package hotspot

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// TextOptions say how a text is read. The zero value is of use.
type TextOptions struct {
	Name string // of the text, for errors
	// Config is what the archive says of itself. Of its Params those that the
	// text shows are set.
	Config builder.Config
	// Unordered forgets the order of the methods: two texts that differ in it
	// alone then give the same archive.
	Unordered bool
}

// ReadText reads the text of one dump into a builder of its own, whose settings
// are those that the text shows. The error is a [*TextError] where the text is
// not what a VM prints.
//
// Methods that the text has twice, because two class loaders define their
// class, are all kept: the second has the loader "text#2", and so on.
func ReadText(r io.Reader, o TextOptions) (*builder.Builder, *TextReport, error) {
	dump, report, err := parseText(r, o.Name)
	if err != nil {
		return nil, nil, err
	}
	for i := range dump.methods {
		dump.methods[i].place()
	}
	shape := dump.shape()
	report.Dialect = dump.dialect
	report.Params = o.Config.Params
	report.Params[layout.ParamTypeProfileWidth] = uint32(shape.TypeRows)
	report.Params[layout.ParamBciProfileWidth] = uint32(shape.BciRows)
	report.Params[layout.ParamReceiverGap] = uint32(shape.Gap)
	o.Config.Params = report.Params
	b, err := dump.build(o, shape, report)
	if err != nil && o.Name != "" {
		err = fmt.Errorf("%s: %w", o.Name, err)
	}
	return b, report, err
}
