package merging

import (
	"errors"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

// ErrPart means that an archive is only a part of a merge, or that parts are missing, overlap, or belong to different
// merges.
var ErrPart = errors.New("archives are not the parts of one merge")

// PartOf returns the part of a merge that an archive holds. ok is false if the archive is not a part.
func PartOf(s *reader.Store) (p Part, ok bool, err error) {
	t, err := s.TableOrEmpty(disk.TableProperties)
	if err != nil {
		return p, false, err
	}
	for row := range t.Rows {
		key, err := t.Text(0, row)
		if err != nil || key != PartProperty {
			if err != nil {
				return p, false, err
			}
			continue
		}
		value, err := t.Text(1, row)
		if err == nil {
			p, err = parsePart(value)
		}
		return p, err == nil, err
	}
	return p, false, nil
}
