package main

import (
	"fmt"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// unnamedLoaders names the one of two archives that knows no class loaders while
// the other does, empty if there is none. What PrintMethodData prints has none,
// so that a class of the application is another one there.
func unnamedLoaders(a, b *reader.Store) (string, error) {
	if a.Header().Domain != layout.DomainHotSpot {
		return "", nil
	}
	inA, err := a.NamesLoaders()
	if err != nil {
		return "", err
	}
	inB, err := b.NamesLoaders()
	switch {
	case err != nil || inA == inB:
		return "", err
	case inA:
		return b.Mapping().Name(), nil
	}
	return a.Mapping().Name(), nil
}

// compareLoaders notes what is not known of the class loaders of two archives.
func (r *diffReport) compareLoaders(a, b *reader.Store) (err error) {
	r.Loaders = []loaderDoubt{}
	if r.NoLoaders, err = unnamedLoaders(a, b); err != nil || r.NoLoaders != "" || a.Header().Domain != layout.DomainHotSpot {
		return err
	}
	inA, err := a.Loaders()
	if err != nil {
		return err
	}
	inB, err := b.Loaders()
	r.Loaders = loaderDoubts(inA, inB)
	return err
}

func (r *diffReport) printLoaders(a *app.App) {
	if r.NoLoaders != "" {
		fmt.Fprintf(a.Out, "\nnot matched: %s names no class loaders, the other does: classes of the application are others there; profarc check matches them by name\n", escape.Printable(r.NoLoaders))
	}
	printLoaderDoubts(a.Out, r.Loaders)
}
