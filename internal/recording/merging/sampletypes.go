package merging

import (
	"cmp"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// sampleTypesOf returns the types of the values of a sampled archive, and none for other archives.
func sampleTypesOf(s *reader.Store) (none disk.SampleTypes, err error) {
	if s.Header().Domain != layout.DomainSampled {
		return none, nil
	}
	t, err := s.TableOrEmpty(disk.TableProperties)
	if err != nil {
		return none, err
	}
	return disk.SampleTypesOf(t.Rows, t.Text)
}

// sampleTypesOfSet is sampleTypesOf for a set.
func sampleTypesOfSet(b *profileset.Set) (none disk.SampleTypes) {
	t := b.Tables[disk.TableProperties]
	if b.Domain != layout.DomainSampled || t == nil {
		return none
	}
	types, _ := disk.SampleTypesOf(t.Rows(), func(column, row int) (string, error) {
		return b.Text(intern.SymbolRef(t.Cells[2*row+column])), nil // cannot fail
	})
	return types
}

// joinSampleTypes returns the types of samples after the archive is added. The caller holds mu.
func (b Target) joinSampleTypes(c *Contents) (disk.SampleTypes, error) {
	none := disk.SampleTypes{}
	if c.sampleTypes == none || b.SampleTypes == none {
		return cmp.Or(c.sampleTypes, b.SampleTypes), nil
	}
	both, ok := b.SampleTypes.Join(c.sampleTypes)
	if !ok {
		return none, fmt.Errorf("%w: its values are of type %s, the others of %s: import and merge the profiles of each "+
			"type by themselves (the option sample-type of import chooses one of several types)", profileset.ErrMismatch,
			c.sampleTypes, b.SampleTypes)
	}
	return both, nil
}
