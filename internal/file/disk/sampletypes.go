package disk

import (
	"cmp"
	"errors"
	"strings"
)

// Properties of sampled archives with the types of their values. docs/format-tables.md describes them.
const (
	PropertySampleTypes = "pprof.sample_types"
	PropertySamplesType = "pprof.samples" // type of the samples if not samples/count
	PropertyTimeType    = "pprof.time"    // type of their time if not cpu/nanoseconds
)

// Value types of a CPU profile, which properties omit.
const (
	TypeSamples = "samples/count"
	TypeCPU     = "cpu/nanoseconds"
)

// SampleTypes are the types of the values of a sampled archive, as type/unit. A value that it does not have has none.
type SampleTypes struct{ Samples, Time string }

// SampleTypesOf returns the types that a table of properties describes, which has a number of rows. text returns a key
// (column 0) or a value. A merge of several types has all of them.
func SampleTypesOf(rows int, text func(column, row int) (string, error)) (t SampleTypes, err error) {
	values := map[string]string{}
	for row := range rows {
		key, errKey := text(0, row)
		value, errValue := text(1, row)
		if err := errors.Join(errKey, errValue); err != nil {
			return t, err
		}
		values[key] = strings.TrimSpace(values[key] + " " + value)
	}
	t = SampleTypes{values[PropertySamplesType], values[PropertyTimeType]}
	listed := strings.Fields(values[PropertySampleTypes])
	if len(listed) == 0 {
		listed = []string{TypeSamples, TypeCPU}
	}
	for _, name := range listed {
		event, isCount := strings.CutSuffix(name, "/count")
		switch {
		case name == TypeSamples:
			t.Samples = cmp.Or(t.Samples, name)
		case name == TypeCPU:
			t.Time = cmp.Or(t.Time, name)
		case isCount && len(listed) == 1: // an event of perf's, as cycles:u
			event, _, _ = strings.Cut(event, ":")
			t.Samples = cmp.Or(t.Samples, event+"/count")
		}
	}
	return t, nil
}

// Join unites the types of two archives. ok is false if their values cannot be added.
func (t SampleTypes) Join(other SampleTypes) (both SampleTypes, ok bool) {
	agree := func(x, y string) bool { return x == "" || y == "" || x == y }
	common := t.Samples != "" && t.Samples == other.Samples || t.Time != "" && t.Time == other.Time
	return SampleTypes{cmp.Or(t.Samples, other.Samples), cmp.Or(t.Time, other.Time)},
		common && agree(t.Samples, other.Samples) && agree(t.Time, other.Time)
}

func (t SampleTypes) String() string { return strings.TrimSpace(t.Samples + " " + t.Time) }
