package fit

import (
	"errors"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Archived is the code that the profiles of an archive are of: an archive that
// was made of a run of the new program, or of its .profdata.
func Archived(s *reader.Store) Code { return archived{s} }

type archived struct{ s *reader.Store }

func (a archived) Method(k layout.Key) ([]Version, Presence, error) {
	m, err := a.s.Find(k)
	if errors.Is(err, reader.ErrNotFound) {
		return nil, NoMethod, nil
	}
	if err != nil {
		return nil, NoMethod, err
	}
	var versions []Version
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, Present, err
		}
		size, _ := p.Size()
		v := Version{ID: p.Code(), Size: int(size), Opaque: true}
		if a.s.Header().Domain == layout.DomainHotSpot {
			v.Points, v.Opaque = pointsOf(p, a.s.Header().Params.Shape()).points, false
		}
		versions = append(versions, v)
	}
	if len(versions) == 0 { // it never ran: nothing is known of its code
		return nil, Elsewhere, nil
	}
	return versions, Present, nil
}
