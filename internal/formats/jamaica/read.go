package jamaica

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// ReadOptions say how a text is read. The zero value is of use.
type ReadOptions struct {
	Name   string         // of the text, for errors
	Config builder.Config // what the archive says of itself
	// Into takes the profiles; nil for a new builder.
	Into *builder.Builder
	// Run is what the second and every further run of the text is given as.
	Run builder.Run
}

// Read reads a text into a builder, all of its runs together. The error is a
// [*SyntaxError] where the text is not what a VM writes, and matches
// builder.ErrMismatch where o.Into is of another domain.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	report := &Report{}
	t, err := parseText(r, o.Name, report)
	if err != nil {
		return nil, nil, err
	}
	b := o.Into
	if b == nil {
		b = builder.New(layout.DomainJamaica, o.Config)
	} else if b.Domain() != layout.DomainJamaica {
		return nil, nil, fmt.Errorf("%s: %w: it is a JamaicaVM's, the builder is of domain %s", o.Name, builder.ErrMismatch, b.Domain())
	}
	if err := t.build(b, t.splitRuns(), o.Run, report); err != nil {
		return nil, nil, inFile(o.Name, err)
	}
	return b, report, nil
}

// ReadRuns reads a text into a builder for each of its runs. o.Into and o.Run
// are not used. Lines with a keyword that is not known are those of the first.
func ReadRuns(r io.Reader, o ReadOptions) ([]*builder.Builder, *Report, error) {
	report := &Report{}
	t, err := parseText(r, o.Name, report)
	if err != nil {
		return nil, nil, err
	}
	var builders []*builder.Builder
	for _, run := range t.splitRuns() {
		b := builder.New(layout.DomainJamaica, o.Config)
		if err := t.build(b, [][]record{run}, builder.Run{}, report); err != nil {
			return nil, nil, inFile(o.Name, err)
		}
		t.foreign = nil
		builders = append(builders, b)
	}
	return builders, report, nil
}

func inFile(name string, err error) error {
	if name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
