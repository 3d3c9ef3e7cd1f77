package entries

import (
	"errors"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

// Properties returns the properties of an archive, each with its values in order.
func Properties(s *reader.Store) (map[string][]string, error) {
	t, err := s.TableOrEmpty(disk.TableProperties)
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for row := range t.Rows {
		key, keyErr := t.Text(0, row)
		value, valueErr := t.Text(1, row)
		if err := errors.Join(keyErr, valueErr); err != nil {
			return nil, err
		}
		all[key] = append(all[key], value)
	}
	return all, nil
}
