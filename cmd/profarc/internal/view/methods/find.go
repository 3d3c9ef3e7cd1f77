// Package methods finds methods by keys in all spellings, patterns and calling contexts, and suggests names similar to
// a wrong one.
package methods

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// FindFirst returns the method of the first key that the archive has.
func FindFirst(s *reader.Store, keys []layout.Key) (reader.Method, error) {
	for _, k := range keys {
		m, err := s.Find(k)
		if !errors.Is(err, reader.ErrNotFound) {
			return m, err
		}
	}
	return reader.Method{}, reader.ErrNotFound
}

// FindDisplayed returns the method with a key, or else the only method that a terminal displays as text, such as
// java.util.HashMap.put(Object, Object). If no method matches, the error matches reader.ErrNotFound. Several methods
// are another error.
func FindDisplayed(s *reader.Store, text, loader string) (reader.Method, error) {
	m, err := FindFirst(s, ParseKeys(s.Header().Domain, text, loader))
	if !errors.Is(err, reader.ErrNotFound) || !mayBeDisplay(text) {
		return m, err
	}
	all, err := FindAllDisplayed(s, text, loader)
	switch {
	case err != nil:
		return m, err
	case len(all) == 0:
		return m, reader.ErrNotFound
	case len(all) > 1:
		return m, fmt.Errorf("%s: %s is how several methods are displayed: name one by its key, as show --raw prints it",
			s.Mapping().Name(), escape.Printable(text))
	}
	return all[0], nil
}

// FindAllDisplayed returns the methods that a terminal displays as text. It reads the names of all methods.
func FindAllDisplayed(s *reader.Store, text, loader string) (all []reader.Method, err error) {
	d := s.Header().Domain
	plain := display.PlainName(text)
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		k, err := m.Key()
		if err != nil {
			return nil, err
		}
		if LoaderMatches(loader, k.Loader) && slices.Contains(display.PlainForms(d, k), plain) {
			all = append(all, m)
		}
	}
	return all, nil
}

// mayBeDisplay reports whether text has parameters, as all displayed methods do.
func mayBeDisplay(text string) bool { return strings.Contains(text, "(") }
