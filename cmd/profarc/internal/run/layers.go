package run

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/reader"
)

// setBase sets the base of the archive. If they do not fit together, the agent adopts the archive alone.
func (o *runOptions) setBase(ctx context.Context, a *cli.App, to *agentlib.Options) (err error) {
	err = layers.WithStores(ctx, a, o.archive, o.base, func(stores []*reader.Store) error {
		_, err := reader.NewLayers(stores...)
		return err
	})
	switch {
	case err == nil && o.base != "":
		to.Base, err = filepath.Abs(o.base)
		return err
	case err == nil:
		return nil
	case o.strict || ctx.Err() != nil:
		return err
	case !o.quiet:
		fmt.Fprintf(a.ErrOut, "profarc: only %s is adopted, without what it left to its base: %s\n", o.archive,
			app.Message(err))
	}
	to.Alone = true
	return nil
}
