package main

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// unnamedLoaders names the one of two archives that knows no class loaders while
// the other does, empty if there is none. What PrintMethodData prints has none,
// so that a class of the application is another one there.
func unnamedLoaders(a, b *reader.Store) (string, error) {
	inA, err := namesLoaders(a)
	if err != nil {
		return "", err
	}
	inB, err := namesLoaders(b)
	switch {
	case err != nil || inA == inB:
		return "", err
	case inA:
		return b.Mapping().Name(), nil
	}
	return a.Mapping().Name(), nil
}

// namesLoaders reports whether a HotSpot archive has a type of some loader that
// is not made up to tell twins apart.
func namesLoaders(s *reader.Store) (bool, error) {
	if s.Header().Domain != layout.DomainHotSpot {
		return false, nil
	}
	for t, err := range s.Types() {
		if err != nil {
			return false, err
		}
		loader, err := t.Loader()
		if err != nil {
			return false, err
		}
		if loader.Len() > 0 && !strings.HasPrefix(loader.String(), hotspot.TwinLoader) {
			return true, nil
		}
	}
	return false, nil
}

func (r *diffReport) printLoaders(a *app) {
	if r.NoLoaders != "" {
		fmt.Fprintf(a.out, "\nnot matched: %s names no class loaders, the other does: classes of the application are others there; profarc check matches them by name\n", r.NoLoaders)
	}
}
