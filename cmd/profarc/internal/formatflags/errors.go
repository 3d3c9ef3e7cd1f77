package formatflags

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/merge"
)

// ExplainError rewrites an error of package formats in terms of the command line, and marks wrong usage.
func ExplainError(err error) error {
	var (
		option *formats.OptionError
		input  *formats.InputError
	)
	switch {
	case errors.As(err, &option):
		return cli.Usagef("--%w", err)
	case errors.Is(err, formats.ErrMixed):
		return cli.Usagef("%w", err)
	case errors.Is(err, merge.ErrCounted) && errors.As(err, &input):
		return fmt.Errorf("%s says the same as a file before it: leave it out, or count one of them twice with --weighted "+
			"2,%s", input.Name, input.Name)
	case errors.Is(err, formats.ErrArchive) && errors.As(err, &input):
		return fmt.Errorf("%w: see profarc info %s", err, input.Name)
	case errors.Is(err, formats.ErrUnknown):
		return fmt.Errorf("%w; see profarc import --help", err)
	}
	return err
}
