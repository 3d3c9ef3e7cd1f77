package train

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type baseOptions struct {
	path      string
	mayDiffer string
}

func (o *baseOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.path, "base", "",
		"base of the new archive, which becomes a layer: methods that the base has too are left out")
	f.StringVar(&o.mayDiffer, "may-differ", "",
		"with --base: share of its counts by which a method may differ and be left out, as 5%")
}

type baseArchive struct {
	*reader.Store
	mayDiffer layout.Weight
}

// openBase opens the base before the command runs, so that a damaged base costs no training run.
func openBase(a *cli.App, o *baseOptions, out string) (*baseArchive, error) {
	mayDiffer, err := app.ParseShare("--may-differ", o.mayDiffer)
	switch {
	case err != nil:
		return nil, err
	case o.path == "" && o.mayDiffer != "":
		return nil, cli.Usagef("--may-differ says when a method is left to a base: name it with --base")
	case o.path == "":
		return nil, nil
	case cli.CheckOutput(out, o.path) != nil:
		return nil, cli.Usagef("-o %s is the base: name another file", out)
	}
	s, err := a.OpenArchive(o.path)
	if err != nil {
		return nil, err
	}
	if d := s.Header().Domain; d != layout.DomainHotSpot {
		s.Close()
		return nil, fmt.Errorf("--base %s: it has profiles of another VM (%v)", o.path, d)
	}
	return &baseArchive{s, mayDiffer}, nil
}

func (b *baseArchive) closeBase() {
	if b != nil {
		b.Close()
	}
}

func (b *baseArchive) dropShared(ctx context.Context, u *pendingArchive, name string) error {
	if b == nil {
		return nil
	}
	s, err := u.profiles.Open("the JVM's profiles")
	if err != nil {
		return err
	}
	defer s.Close()
	layer, kept, err := reduce.Archive(ctx, s, reduce.Options{Base: b.Store, MayDiffer: b.mayDiffer,
		Config: builder.Config{SpillFolder: filepath.Dir(name)}})
	if err != nil {
		return err
	}
	u.profiles = layer
	for _, jvm := range u.jvms {
		jvm.LeftToBase = kept.LeftToBase
	}
	return nil
}
