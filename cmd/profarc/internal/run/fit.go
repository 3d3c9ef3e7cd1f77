package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/internal/java/jdk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// checkFits returns an error if an archive is known not to fit a program. The agent checks each method later.
func (o *runOptions) checkFits(ctx context.Context, a *cli.App, p *javacommand.Program) error {
	archive := o.archive
	err := a.WithArchive(ctx, archive, func(s *reader.Store) error {
		if d := s.Header().Domain; d != layout.DomainHotSpot {
			return fmt.Errorf("%s: it has profiles of another VM (%v), and HotSpot adopts its own", archive, d)
		}
		if !o.sameBuild {
			return nil
		}
		version := p.Version()
		runs, err := s.Runs()
		if err != nil || version == "" {
			return err
		}
		return checkBuild(archive, version, runs)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such archive: make one with profarc train, or let the first start make it with "+
			"--train-if-missing", archive)
	}
	return err
}

func checkBuild(archive, version string, runs []layout.Provenance) error {
	other := ""
	for _, r := range runs {
		if r.VM == "" || strings.Contains(r.VM, "("+version+")") {
			return nil
		}
		other = r.VM
	}
	if other == "" {
		return nil
	}
	return fmt.Errorf("%s: it was recorded with another build of the VM (%s), and java is %s: train anew, or leave out "+
		"--same-build and --strict", archive, jdk.VersionOfVM(other), version)
}

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
