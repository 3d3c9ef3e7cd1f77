package imports

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// OpenProfile imports a file, or - for the standard input, into memory. It prints what was read and lost to the
// standard error. notArchive is the error of opening the file as an archive, or nil.
func OpenProfile(ctx context.Context, a *cli.App, name string, notArchive error) (*reader.Store, error) {
	begin := time.Now()
	inputs, err := importInputs(a, []string{name}, nil)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		a.In = nil // it can be read once
	}
	in, err := importFiles(ctx, a, inputs, formats.ImportOptions{})
	switch {
	case err != nil && notArchive != nil &&
		(errors.Is(err, formats.ErrEmpty) || strings.Contains(err.Error(), formats.ErrUnknown.Error())):
		return nil, notArchive
	case err != nil:
		return nil, explainForReader(a, name, err)
	}
	s, err := in.Builder.Open(inputs[0].Name)
	if err != nil {
		return nil, err
	}
	r := newReport(inputs[0].Name, in, s.Header().Counts, time.Since(begin))
	r.printRead(a.ErrOut)
	r.printDifferences(a.ErrOut)
	return s, nil
}

// explainForReader advises to import a file first if that needs flags that other commands lack.
func explainForReader(a *cli.App, name string, err error) error {
	e := &layout.Error{File: name, Offset: -1, Kind: layout.ErrFormat}
	switch {
	case errors.Is(err, formats.ErrArchive):
		e.Detail = "an archive is in it, compressed or in a pipe"
		e.Advice = "decompress it into a file of its own (gzip -d, zstd -d), and name that"
	case strings.Contains(a.Advice(err), "--"):
		e.Detail = strings.TrimPrefix(app.Message(err), name+": ")
		e.Advice = "give that flag to " + cli.ImportCommand(name) + ", and name the archive here"
	default:
		return err
	}
	return e
}
