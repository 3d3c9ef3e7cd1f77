package entries

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

// PropertyBuildID is the property with the build id of a profiled program.
const PropertyBuildID = "pprof.build_id"

// SampleTypes returns the types of the values of a sampled archive.
func SampleTypes(s *reader.Store) (none disk.SampleTypes, err error) {
	t, err := s.TableOrEmpty(disk.TableProperties)
	if err != nil {
		return none, err
	}
	return disk.SampleTypesOf(t.Rows, t.Text)
}

// CheckSampleTypes returns an error if two archives have samples of different types.
func CheckSampleTypes(a, b *reader.Store) error {
	x, errA := SampleTypes(a)
	y, errB := SampleTypes(b)
	if _, ok := x.Join(y); ok || x == y || errA != nil || errB != nil {
		return errors.Join(errA, errB)
	}
	return fmt.Errorf("%s has values of type %s, %s of %s", a.Mapping().Name(), x, b.Mapping().Name(), y)
}
