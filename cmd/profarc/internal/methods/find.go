// Package methods finds methods by what people type: keys in all spellings,
// patterns, calling contexts, and names that are near to a wrong one.
package methods

import (
	"errors"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Find returns the method of the first key that the archive has.
func Find(s *reader.Store, keys []layout.Key) (reader.Method, error) {
	for _, k := range keys {
		m, err := s.Find(k)
		if !errors.Is(err, reader.ErrNotFound) {
			return m, err
		}
	}
	return reader.Method{}, reader.ErrNotFound
}
