package merging

import (
	"errors"
	"fmt"
	"maps"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
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

func baseOf(s *reader.Store) (*layout.BaseArchive, error) {
	base, layer, err := s.Base()
	if err != nil || !layer {
		return nil, err
	}
	return &base, nil
}

// joinBase returns an error unless base is the base of the archives merged before. The caller holds mu.
func (b Target) joinBase(base *layout.BaseArchive, empty bool) error {
	have := b.Base
	switch {
	case empty || base == nil && have == nil || base != nil && have != nil && disk.IsSameBase(*base, *have):
		return nil
	case base == nil:
		return fmt.Errorf("%w: the others are layers on %s, and this one is none: leave to that base what it has, or put "+
			"each layer and its base together first",
			profileset.ErrMismatch, have.ID())
	case have == nil:
		return fmt.Errorf("%w: it is a layer on %s, and the others are none: put it and its base together first",
			profileset.ErrMismatch, base.ID())
	}
	return fmt.Errorf("%w: it is a layer on %s, and the others on %s: put each and its base together first",
		profileset.ErrMismatch, base.ID(), have.ID())
}

// Besides returns a copy of c without the dumps and runs that the builder has, and without the base.
func (c *Contents) Besides(b Target) Contents {
	rest := *c
	rest.base, rest.ids, rest.runs = nil, maps.Clone(c.ids), maps.Clone(c.runs)
	b.Locked(func() {
		maps.DeleteFunc(rest.ids, func(id [16]byte, _ bool) bool { _, has := b.Copied[id]; return has })
		maps.DeleteFunc(rest.runs, func(key profileset.RunKey, _ runDump) bool { _, has := b.RunIDs[key]; return has })
	})
	return rest
}
