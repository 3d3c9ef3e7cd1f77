package merging

import (
	"fmt"
	"maps"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

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
