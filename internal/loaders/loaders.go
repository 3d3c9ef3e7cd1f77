// Package loaders lists the class loaders that an archive names.
package loaders

import (
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/reader"
)

// Known reports whether the archive knows the class loader of any type.
// What comes from PrintMethodData does not: a class of the application has no
// loader there, or one that was made up (disk.TwinLoader).
func Known(s *reader.Store) (bool, error) {
	for t, err := range s.Types() {
		if err != nil {
			return false, err
		}
		loader, err := t.Loader()
		if err != nil {
			return false, err
		}
		if loader.Len() > 0 && !strings.HasPrefix(loader.String(), disk.TwinLoader) {
			return true, nil
		}
	}
	return false, nil
}

// List returns the identities of the class loaders of all types, in order, without
// the empty one.
func List(s *reader.Store) ([]string, error) {
	found := map[string]bool{}
	last := ""
	for t, err := range s.Types() {
		if err != nil {
			return nil, err
		}
		loader, err := t.Loader()
		if err != nil {
			return nil, err
		}
		if identity := loader.String(); identity != last && identity != "" {
			found[identity] = true
			last = identity
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
