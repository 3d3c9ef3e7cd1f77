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
}

// Read reads a text into a builder of its own, all of its runs together. The
// error is a [*SyntaxError] where the text is not what a VM writes.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	report := &Report{}
	t, err := parseText(r, o.Name, report)
	if err != nil {
		return nil, nil, err
	}
	b := builder.New(layout.DomainJamaica, o.Config)
	if err := t.build(b, t.splitRuns(), report); err != nil {
		return nil, nil, inFile(o.Name, err)
	}
	return b, report, nil
}

// ReadRuns reads a text into a builder for each of its runs. Lines with a
// keyword that is not known are those of the first.
func ReadRuns(r io.Reader, o ReadOptions) ([]*builder.Builder, *Report, error) {
	report := &Report{}
	t, err := parseText(r, o.Name, report)
	if err != nil {
		return nil, nil, err
	}
	var builders []*builder.Builder
	for _, run := range t.splitRuns() {
		b := builder.New(layout.DomainJamaica, o.Config)
		if err := t.build(b, [][]record{run}, report); err != nil {
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
